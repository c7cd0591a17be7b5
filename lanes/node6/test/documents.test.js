'use strict';

// Every subject reads what Manywire's codecs and every other subject wrote.

const assert = require('assert');

const documents = require('./documents');
const { digestOf, exactDigestOf } = require('./expected');
const { nameOf, withLane } = require('./lane-process');

// What the libraries cannot read, or cannot write.
const UNREAD = { 'kinds: protocol-buffers protobuf typed': /misreads an int64/ };
const UNWRITTEN = { 'kinds: msgpack msgpack dynamic': /writes another value: whole numbers outside/ };

// Documents with scalars that are absent, which the library reads as zero.
const CHANGED = ['events: protocol-buffers protobuf typed'];

const digestBy = { protobufjs: exactDigestOf };

/** Returns the digests of documents as a library reads them. */
const digestsOf = (texts, library) => texts.map(digestBy[library] || digestOf);

module.exports = {
  'every document is read and written': withLane(function* (lane) {
    if (!documents.FOLDER) return documents.SKIPPED;
    const subjects = yield lane.subjects();
    for (const name of documents.names()) {
      const texts = documents.texts(name);
      assert(texts.length > 0, name);
      const { request, frames } = documents.schema(name);
      yield lane.get(request, frames);
      const outputs = [];
      const readers = [];
      for (const [index, subject] of subjects.entries()) {
        const title = `${name}: ${nameOf(subject)}`;
        const payloads = documents.payloads(name, subject.format);
        assert(payloads.length > 0, title);
        const loaded = yield lane.load(index, payloads);
        if (UNREAD[title]) {
          assert(UNREAD[title].test(loaded.error), `${title}: ${loaded.error}`);
          continue;
        }
        assert(loaded.ok, `${title}: ${loaded.error}`);
        const digests = (yield lane.get({ verb: 'digest', subject: index })).digests;
        const expected = digestsOf(texts, subject.library);
        if (CHANGED.indexOf(title) >= 0) {
          assert.notDeepEqual(digests, expected, title);
          continue;
        }
        assert.deepStrictEqual(digests, expected, title);
        readers.push({ index, subject, expected });
        const encoded = yield lane.encode(index);
        if (UNWRITTEN[title]) assert(UNWRITTEN[title].test(encoded.error), `${title}: ${encoded.error}`);
        else outputs.push({ title, format: subject.format, written: encoded.written });
      }
      for (const { index, subject, expected } of readers) {
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
