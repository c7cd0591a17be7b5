'use strict';

// The lane responds to any payload bytes, and continues.

const assert = require('assert');
const { spawnSync } = require('child_process');

const coroutine = require('../src/coroutine');
const documents = require('./documents');
const { ROOT, nameOf, withLane } = require('./lane-process');
const { SCHEMA, nested } = require('./schema');

const DEPTH = 100000;

const bytes = (hex) => Buffer.from(hex, 'hex');

const HOSTILE = {
  json: ['', ' ', '[[', '1 2', 'nul', '"\\ud800"x', '{"a":}', '\ufeff1', '['.repeat(DEPTH), '{"a":'.repeat(DEPTH),
    '['.repeat(DEPTH) + ']'.repeat(DEPTH)].map((text) => Buffer.from(text)).concat([Buffer.from([0x22, 0xff, 0x22])]),
  msgpack: ['', 'ddffffffff', 'dfffffffff', 'dbffffffff', 'c6ffffffff', 'c67fffffff', 'c9ffffffff01', 'c1', 'd405',
    'a1ff', '0000', 'dd01ffffff'.repeat(8), 'de0fff'.repeat(40), 'dd0fffffff'.repeat(30), '91'.repeat(DEPTH),
    '81a161'.repeat(DEPTH), `${'91'.repeat(DEPTH)}c0`, '81a95f5f70726f746f5f5f80', '81c001', 'ff'.repeat(64)].map(bytes),
  protobuf: ['80', '00', '0aff', '0a05', '0affffffff0f', '0affffffffffffffffff01', '1a05', '0b', '0e', '08', '2a80808080089601',
    '4880808080808080808080', '0a02c328', '0b'.repeat(DEPTH), '1a8080808008'.repeat(DEPTH), nested(20000), 'ff'.repeat(64)].map(bytes),
};

const VALID = { json: Buffer.from('{"a":1}'), msgpack: bytes('81a16101'), protobuf: bytes('0a0161') };

const continues = coroutine(function* (lane, subject) {
  yield lane.get(SCHEMA, ['']);
  assert((yield lane.load(subject.index, [VALID[subject.format]])).ok, nameOf(subject));
  assert.strictEqual((yield lane.encode(subject.index)).written.length, 1);
});

const indexed = (subjects) => subjects.map((subject, index) => Object.assign({ index }, subject));

/** Changes bytes at positions of a sequence that is the same in every run. */
function* mutations(bytes, count) {
  let state = 20161117;
  const random = (end) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % end;
  };
  for (let turn = 0; turn < count; turn++) {
    const changed = Buffer.from(bytes);
    for (let left = 1 + random(4); left > 0; left--) changed[random(changed.length)] = random(256);
    yield changed;
  }
}

module.exports = {
  'every subject refuses hostile bytes': withLane(function* (lane) {
    for (const subject of indexed(yield lane.subjects())) {
      yield lane.get(SCHEMA, ['']);
      for (const payload of HOSTILE[subject.format]) {
        const answer = yield lane.load(subject.index, [payload]);
        assert(answer.error, `${nameOf(subject)}: ${payload.toString('hex', 0, 20)}`);
      }
      yield continues(lane, subject);
    }
  }),
  'every strict prefix of a document is refused': withLane(function* (lane) {
    if (!documents.FOLDER) return documents.SKIPPED;
    // A prefix of a message is a message, if no field is cut.
    const subjects = indexed(yield lane.subjects()).filter((subject) => subject.format !== 'protobuf');
    for (const subject of subjects) {
      for (const payload of documents.payloads('record-a', subject.format)) {
        for (let length = 0; length < payload.length; length++) {
          assert((yield lane.load(subject.index, [payload.slice(0, length)])).error, `${nameOf(subject)}: ${length} bytes`);
        }
      }
      yield continues(lane, subject);
    }
    return undefined;
  }),
  'changed documents are refused, or read and written': withLane(function* (lane) {
    if (!documents.FOLDER) return documents.SKIPPED;
    for (const subject of indexed(yield lane.subjects())) {
      let refused = 0;
      const { request, frames } = documents.schema('record-a');
      yield lane.get(request, frames);
      for (const changed of mutations(documents.payloads('record-a', subject.format)[0], 1000)) {
        const answer = yield lane.load(subject.index, [changed]);
        if (answer.error) refused += 1;
        else {
          const digest = yield lane.ask({ verb: 'digest', subject: subject.index });
          assert(digest.ok || digest.error);
          yield lane.encode(subject.index);
        }
      }
      assert(refused > 100, `${nameOf(subject)}: ${refused} refused`);
      yield continues(lane, subject);
    }
    return undefined;
  }),
  'values that a library would change are errors': withLane(function* (lane) {
    const subjects = indexed(yield lane.subjects());
    const find = (library) => subjects.find((subject) => subject.library === library).index;
    const refuses = coroutine(function* (library, payload, words) {
      const subject = find(library);
      const answer = yield lane.load(subject, [payload]);
      assert(answer.ok, answer.error);
      const runs = { verb: 'run', subject, operation: 'encode', window: [0], repeats: 1 };
      const offers = [{ subject, media_type: 'a/b' }];
      for (const request of [{ verb: 'encode', subject }, runs, { verb: 'serve', offers }]) {
        const error = (yield lane.ask(request)).error;
        assert(error && words.test(error), `${library} ${request.verb}: ${error}`);
      }
      yield lane.get(Object.assign(runs, { operation: 'decode' }));
    });
    // Whole numbers beyond 64 bits, and infinity.
    yield refuses('msgpack', bytes('cb7e37e43c8800759c'), /writes another value/);
    yield refuses('msgpack', bytes('cb7ff0000000000000'), /writes another value/);
    yield refuses('JSON', '1e999', /writes another value/);
    yield refuses('JSON', '"\\ud800"', /lone surrogate/);
    // {"constructor": {"name": "Date"}}
    yield refuses('msgpack-lite', bytes('81ab636f6e7374727563746f7281a46e616d65a444617465'), /writes another value/);
  }),
  'extensions are refused or have no digest': withLane(function* (lane) {
    const subjects = indexed(yield lane.subjects());
    const native = subjects.find((subject) => subject.library === 'msgpack').index;
    const lite = subjects.find((subject) => subject.library === 'msgpack-lite').index;
    const extension = bytes('d6ff00000001');
    assert(/unknown/i.test((yield lane.load(native, [extension])).error));
    assert((yield lane.load(lite, [extension])).ok);
    assert(/an extension \(ExtBuffer\) has no digest/.test((yield lane.ask({ verb: 'digest', subject: lite })).error));
    assert((yield lane.encode(lite)).written[0].equals(extension));
  }),
  'the library in C++ reads 32 levels and no more': withLane(function* (lane) {
    const native = (yield lane.subjects()).findIndex((subject) => subject.library === 'msgpack');
    const arrays = (levels) => bytes(`${'91'.repeat(levels)}c0`);
    assert((yield lane.load(native, [arrays(32)])).ok);
    assert(/de-serializing/.test((yield lane.load(native, [arrays(33)])).error));
  }),
  // If this fails, a newer library may be given such bytes without a check.
  '100 bytes end a process that gives them to msgpack-lite': () => {
    const script = "try { require('msgpack-lite').decode(Buffer.from('dd003fffff'.repeat(20), 'hex')) } catch (error) {}";
    const small = ['--max-old-space-size=300', '-e', script];
    const result = spawnSync(process.execPath, small, { cwd: ROOT });
    assert(result.signal === 'SIGABRT' || result.status > 128 || /out of memory/.test(result.stderr), `${result.status} ${result.signal}: ${result.stderr}`);
  },
};
