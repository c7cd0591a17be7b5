'use strict';

// Every subject reads what Manywire's codecs and every other subject wrote.

const assert = require('assert');

const documents = require('./documents');
const { digestOf } = require('./expected');
const { nameOf, withLane } = require('./lane-process');

// What the libraries cannot write.
const UNWRITTEN = { 'kinds: msgpack msgpack dynamic': /writes another value: whole numbers outside/ };

module.exports = {
  'every document is read and written': withLane(function* (lane) {
    if (!documents.FOLDER) return documents.SKIPPED;
    const subjects = yield lane.subjects();
    for (const name of documents.names()) {
      const expected = documents.texts(name).map(digestOf);
      assert(expected.length > 0, name);
      const outputs = [];
      for (const [index, subject] of subjects.entries()) {
        const title = `${name}: ${nameOf(subject)}`;
        const payloads = documents.payloads(name, subject.format);
        assert(payloads.length > 0, title);
        const loaded = yield lane.load(index, payloads);
        assert(loaded.ok, `${title}: ${loaded.error}`);
        assert.deepStrictEqual((yield lane.get({ verb: 'digest', subject: index })).digests, expected, title);
        const encoded = yield lane.encode(index);
        if (UNWRITTEN[title]) assert(UNWRITTEN[title].test(encoded.error), `${title}: ${encoded.error}`);
        else outputs.push({ title, format: subject.format, written: encoded.written });
      }
      for (const [index, subject] of subjects.entries()) {
        for (const output of outputs.filter((each) => each.format === subject.format)) {
          const title = `${nameOf(subject)} reads ${output.title}`;
          assert(output.written, title);
          const loaded = yield lane.load(index, output.written);
          assert(loaded.ok, `${title}: ${loaded.error}`);
          assert.deepStrictEqual((yield lane.get({ verb: 'digest', subject: index })).digests, expected, title);
        }
      }
    }
    return undefined;
  }),
};
