'use strict';

// The libraries of Protocol Buffers, with a schema that has every kind of field.

const assert = require('assert');
const { spawnSync } = require('child_process');

const { messageChecker } = require('../src/protobuf');
const { sha256 } = require('./expected');
const { ROOT, nameOf, withLane } = require('./lane-process');
const { SCHEMA, delimited, nested, textField, varint } = require('./schema');

const check = (hex) => messageChecker(SCHEMA.model, () => null)(Buffer.from(hex, 'hex'));

// The forms of the fields that are absent in all of these messages.
const ABSENT = {
  'a text': 's0:', blob: 'b0:', color: 's4:zero', counts: 'm0:', encode: 's0:', fixed: 'i0;', flags: 'm0:', list: 'a0:',
  long: 'i0;', loose: 'a0:', numbers: 'a0:', small: 'i0;', unsigned: 'i0;', wide: 'i0;',
};

/** Returns the digest of a message with these forms of its fields; a field with null has no value. */
function digestOf(forms) {
  const all = Object.assign({}, ABSENT, forms);
  const keys = Object.keys(all).filter((key) => all[key] !== null);
  const entries = keys.map((key) => `s${key.length}:${key}${all[key]}`).sort();
  return sha256(Buffer.from(`m${entries.length}:${entries.join('')}`, 'latin1'));
}

// Messages in hexadecimal, and the forms of their fields.
const MESSAGES = [
  ['', {}],
  [textField(1, 'é😀'), { 'a text': `s6:${Buffer.from('é😀').toString('latin1')}` }],
  [`10${varint(Math.pow(2, 40))}`, { long: 'i1099511627776;' }],
  [delimited(4, `${textField(1, 'k')}1005`), { counts: 'm1:s1:ki5;' }],
  ['2a03010203', { numbers: 'a3:i-1;i1;i-2;' }],
  ['30013002', { loose: 'a2:i1;i2;' }],
  ['3a0200ff', { blob: 'b2:\x00\xff' }],
  ['4001', { color: 's3:red' }],
  ['4800', { yes: 'f' }],
  ['51000000000000f8bf', { real: 'd\xbf\xf8\x00\x00\x00\x00\x00\x00' }],
  // Nothing is null, which is the same as absent.
  ['5a00', {}],
  [delimited(12, '080110e807'), { at: 'T1.1000;' }],
  ['690500000000000080', { wide: 'i9223372036854775813;' }],
  ['750000003f', { small: 'd?\xe0\x00\x00\x00\x00\x00\x00' }],
  [`78${varint(Math.pow(2, 52))}`, { unsigned: 'i4503599627370496;' }],
  [textField(16, 'e'), { encode: 's1:e' }],
  [delimited(17, textField(1, '-18446744073709551617')), { big: 'd\xc3\xf0\x00\x00\x00\x00\x00\x00' }],
  [delimited(17, textField(1, '-009')), { big: 'i-9;' }],
  ['9d01feffffff', { fixed: 'i-2;' }],
  [delimited(20, '08071003'), { pair: 'a2:i7;i-2;' }],
];

// Messages that only protobufjs reads as they are.
const EXACT = [
  ['10ffffffffffffffffff01', { long: 'i-1;' }],
  ['10ffffffffffffffff7f', { long: 'i9223372036854775807;' }],
  ['78ffffffffffffffffff01', { unsigned: 'i18446744073709551615;' }],
  [`30${'ff'.repeat(9)}01`, { loose: 'a1:i-1;' }],
  ['300130ffffffff0f', { loose: 'a2:i1;i-1;' }],
  [delimited(18, '08001003'), { flags: 'm1:s5:falsei3;' }],
];

const FAULTS = {
  80: /byte 1: the input ends within a varint/,
  '00': /byte 0: an invalid field number/,
  '8080808080808001': /byte 0: an invalid field number/,
  ffffffffffffffffffff02: /byte 0: a varint beyond 64 bits/,
  '0b': /byte 0: the wire type 3/,
  '0c': /byte 0: the wire type 4/,
  '0e': /byte 0: the wire type 6/,
  fb01: /byte 0: the wire type 3/,
  '0a05': /byte 1: a length of 5, and the input has 0 more/,
  '0affffffff0f': /byte 1: a length of 4294967295/,
  '0affffffffffffffffff01': /byte 1: a length of 1844674407370955/,
  '0a02ff00': /byte 2: invalid UTF-8/,
  '08': /byte 0: the wire type 0 in text, where the library reads 2/,
  '1200': /byte 0: the wire type 2 in long, where the library reads 0/,
  2801: /byte 0: the wire type 0 in numbers/,
  '3200': /byte 0: the wire type 2 in loose/,
  '2a0101280a': /byte 3: the wire type 0 in numbers/,
  '2a01012a0101': /byte 3: a second part of numbers/,
  '62006200': /byte 2: a second part of at/,
  '2a0180': /byte 3: the input ends within a varint/,
  '2a05ffffffff1f': /byte 2: a sint32 beyond 32 bits/,
  4802: /byte 1: a bool that is not one byte/,
  '488000': /byte 1: a bool that is not one byte/,
  '40ffffffff1f': /byte 1: an enum beyond 32 bits/,
  5100: /byte 1: 8 bytes, and the input has 1 more/,
  750000: /byte 1: 4 bytes, and the input has 2 more/,
  '1a020a05': /byte 3: a length of 5, and the input has 0 more/,
  '220d0a095f5f70726f746f5f5f1001': /byte 4: .*"__proto__"/,
};

const LIBRARIES = ['protobufjs', 'protocol-buffers'];

/** Returns a test with a lane that has the schema, and a function that loads a message. */
const withSchema = (body) => withLane(function* (lane) {
  const subjects = yield lane.subjects();
  yield lane.get(SCHEMA, ['']);
  const indexOf = (library) => subjects.findIndex((subject) => subject.library === library);
  yield* body(lane, (library, hex) => lane.load(indexOf(library), [Buffer.from(hex, 'hex')]), indexOf);
});

module.exports = {
  'every kind of field is read and written': withSchema(function* (lane, load, indexOf) {
    for (const library of LIBRARIES) {
      for (const [hex, forms] of library === 'protobufjs' ? MESSAGES.concat(EXACT) : MESSAGES) {
        const title = `${library}: ${hex}`;
        for (let message = hex, turn = 0; turn < 2; turn++) {
          const loaded = yield load(library, message);
          assert(loaded.ok, `${title}: ${loaded.error}`);
          const digests = (yield lane.get({ verb: 'digest', subject: indexOf(library) })).digests;
          assert.deepStrictEqual(digests, [digestOf(forms)], `${title}, turn ${turn}`);
          // The library then reads what it wrote.
          message = (yield lane.encode(indexOf(library))).written[0].toString('hex');
        }
      }
    }
  }),
  'what a library would misread is refused': withSchema(function* (lane, load, indexOf) {
    for (const [hex] of EXACT.slice(0, 2).concat(EXACT.slice(3, 4))) {
      assert(/misreads an int(32|64)/.test((yield load('protocol-buffers', hex)).error), hex);
    }
    // A key that is false.
    assert((yield load('protocol-buffers', delimited(18, '08001003'))).ok);
    const answer = yield lane.encode(indexOf('protocol-buffers'));
    assert(/writes another value: boolean keys/.test(answer.error), JSON.stringify(answer));
    // A key that is absent.
    assert(/not valid/.test((yield load('protocol-buffers', delimited(4, '1005'))).error));
    assert((yield load('protobufjs', delimited(4, '1005'))).ok);
  }),
  'scalars may be absent in protobufjs, and are zero in protocol-buffers': withSchema(function* (lane, load, indexOf) {
    const change = (from, to) => JSON.parse(JSON.stringify(SCHEMA).replace(from, to));
    const schema = change('int64 long', 'optional int64 long');
    Object.assign(schema.model.messages.Root.fields[1], { label: 'optional', absent: 'missing' });
    yield lane.get(schema, ['']);
    const expected = { protobufjs: [{ long: null }, {}], 'protocol-buffers': [{}, {}] };
    for (const library of LIBRARIES) {
      for (const [index, hex] of ['', '1000'].entries()) {
        assert((yield load(library, hex)).ok);
        const digests = (yield lane.get({ verb: 'digest', subject: indexOf(library) })).digests;
        assert.deepStrictEqual(digests, [digestOf(expected[library][index])], `${library}: ${hex}`);
        const written = (yield lane.encode(indexOf(library))).written[0].toString('hex');
        if (library === 'protobufjs') assert.strictEqual(written, hex);
        else assert(written.indexOf('1000') >= 0, written);
      }
    }
  }),
  'a schema that a library cannot use is refused': withLane(function* (lane) {
    const subjects = yield lane.subjects();
    const refuses = function* (schema, words) {
      if (schema) yield lane.get(schema, ['']);
      for (const library of LIBRARIES) {
        const error = (yield lane.load(subjects.findIndex((subject) => subject.library === library), [''])).error;
        assert(words.test(error), `${library}: ${error}`);
      }
    };
    yield* refuses(null, /no schema for Protocol Buffers/);
    yield* refuses(Object.assign({}, SCHEMA, { proto: null }), /no schema for Protocol Buffers/);
    const renamed = JSON.stringify(SCHEMA).replace('string text', 'string __proto__').replace('"proto":"text"', '"proto":"__proto__"');
    yield* refuses(JSON.parse(renamed), /loses a field with the name "__proto__"/);
    const edition = SCHEMA.proto.replace('syntax = "proto3"', 'edition = "2023"');
    yield* refuses(Object.assign({}, SCHEMA, { proto: edition }), /edition/);
  }),
  'every strict prefix is a fault or another value': withSchema(function* (lane, load, indexOf) {
    // One message of the fields that change the value, each once.
    const once = MESSAGES.map(([hex]) => hex).filter((hex) => !/^(4800|51|5a|8a0106)/.test(hex)).join('');
    for (const library of LIBRARIES) {
      const seen = new Set();
      for (let length = 0; length <= once.length; length += 2) {
        const answer = yield load(library, once.slice(0, length));
        if (answer.error) continue;
        const digest = (yield lane.get({ verb: 'digest', subject: indexOf(library) })).digests[0];
        assert(!seen.has(digest), `${library}: ${length / 2} bytes are read as fewer are`);
        seen.add(digest);
      }
      // One value at the end of each field, and one before the first.
      assert.strictEqual(seen.size, 17, library);
    }
  }),
  'an error says where the fault is': () => {
    for (const hex of Object.keys(FAULTS)) assert.throws(() => check(hex), FAULTS[hex], hex);
  },
  'unknown fields are skipped': withSchema(function* (lane, load) {
    const unknown = `f80101${'f101'}${'00'.repeat(8)}${delimited(30, 'ffff')}f501${'00'.repeat(4)}`;
    for (const library of LIBRARIES) assert((yield load(library, unknown)).ok, library);
  }),
  'messages may be nested in 500 levels': withSchema(function* (lane, load, indexOf) {
    for (const library of LIBRARIES) {
      const loaded = yield load(library, nested(500));
      assert(loaded.ok, `${library}: ${loaded.error}`);
      yield lane.get({ verb: 'digest', subject: indexOf(library) });
      assert.strictEqual((yield lane.encode(indexOf(library))).written.length, 1, library);
      assert(/more than 500 levels/.test((yield load(library, nested(501))).error), library);
    }
  }),
  // If this fails, a newer library may be given such bytes without a check.
  'one byte stops a process that gives it to protocol-buffers': () => {
    const script = "require('protocol-buffers')('message A { optional int32 a = 1; }').A.decode(Buffer.from('80', 'hex'))";
    const result = spawnSync(process.execPath, ['-e', script], { cwd: ROOT, timeout: 3000 });
    assert(result.error && result.error.code === 'ETIMEDOUT', `${result.status}: ${result.stderr}`);
  },
};
