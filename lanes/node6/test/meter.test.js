'use strict';

// Time grows with the work, and memory is that of the operation.

const assert = require('assert');

const { nameOf, withLane } = require('./lane-process');
const { SCHEMA, delimited, textField, varint } = require('./schema');

const VALUE = { list: Array.from({ length: 200 }, (_, index) => ({ index, name: `entry ${index}` })) };

module.exports = {
  'operations report time and memory': withLane(function* (lane) {
    const subjects = yield lane.subjects();
    const bytes = Buffer.from(JSON.stringify(VALUE));
    const packed = require('msgpack').pack(VALUE);
    const entry = (each) => delimited(3, `${textField(1, each.name)}10${varint(each.index)}`);
    const payloads = { json: bytes, msgpack: packed, protobuf: Buffer.from(VALUE.list.map(entry).join(''), 'hex') };
    yield lane.get(SCHEMA, ['']);
    for (const [subject, each] of subjects.entries()) {
      assert((yield lane.load(subject, [payloads[each.format]])).ok);
      for (const operation of ['encode', 'decode']) {
        for (const coding of [null, 'gzip']) {
          const title = `${nameOf(each)} ${operation} ${coding}`;
          const run = (repeats) => lane.get({ verb: 'run', subject, operation, coding, window: [0], repeats });
          yield run(300);
          // A busy machine or the compiler may delay some batches, but not all of them.
          let few = Infinity;
          for (let attempt = 0; attempt < 10; attempt++) few = Math.min(few, (yield run(3)).wall_ns);
          const many = yield run(300);
          assert(many.wall_ns > 5 * few, `${title}: a hundred times the work of ${few} ns, ${JSON.stringify(many)}`);
          assert(many.cpu_ns > 1000, title);
          assert(many.collections === null && many.compiled_ms === null, title);
        }
        const memory = yield lane.get({ verb: 'memory', subject, operation });
        assert(memory.allocs === null && memory.peak_bytes === null);
        if (each.library === 'msgpack') assert.strictEqual(memory.alloc_bytes, null);
        // 200 objects of two members and, for JSON, the text. Messages have all fields.
        else assert(memory.alloc_bytes > packed.length && memory.alloc_bytes < 5e6, `${nameOf(each)} ${operation}: ${memory.alloc_bytes}`);
      }
    }
  }),
  'memory of an operation that is collected is unknown': withLane(function* (lane) {
    const large = Buffer.from(JSON.stringify(Array.from({ length: 400000 }, (_, index) => index)));
    assert((yield lane.load(0, [large])).ok);
    assert.strictEqual((yield lane.get({ verb: 'memory', subject: 0, operation: 'decode' })).alloc_bytes, null);
  }),
};
