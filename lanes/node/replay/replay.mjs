// Runs one launch of the replay of 2016 with today's Node.js and msgpackr: measures loops that read
// and write a document, and longer arrays of its copies. Prints the figures as JSON.
// lanes/node6/replay does the same with the versions of 2016.
//
//     node replay/replay.mjs EXAMPLES [LOOP_MS_MAX]

import assert from "node:assert";
import { readFileSync } from "node:fs";
import path from "node:path";
import { Packr } from "msgpackr";

import { version } from "../src/version.mjs";

const ITERATIONS = 10000;
const COPIES = [1, 10, 100, 1000];

// 16 loops with this limit take about five seconds.
const LOOP_MS_MAX = 200;

const NODE = `Node.js ${process.versions.node}`;
const SYSTEMS = { json: NODE, msgpack: `${NODE}, msgpackr ${version("msgpackr")}` };

// Writes maps that every library can read, with the shortest possible headers.
const packr = new Packr({ useRecords: false, variableMapSize: true });

const LOOPS = [
  { name: "read json", format: "json", input: "jsonBytes", execute: (bytes) => JSON.parse(bytes) },
  { name: "read msgpack", format: "msgpack", input: "msgpackBytes", execute: (bytes) => packr.unpack(bytes) },
  { name: "write json", format: "json", input: "value", execute: (value) => JSON.stringify(value) },
  { name: "write msgpack", format: "msgpack", input: "value", execute: (value) => packr.pack(value) },
];

const sink = { value: undefined };

/** Returns the time that passed, and the CPU time of the process. */
function nanoseconds(execute, input, iterations) {
  const cpu = process.cpuUsage();
  const start = process.hrtime.bigint();
  for (let turn = 0; turn < iterations; turn++) sink.value = execute(input);
  const wall = Number(process.hrtime.bigint() - start);
  const spent = process.cpuUsage(cpu);
  return { wall, cpu: (spent.user + spent.system) * 1e3 };
}

/** Returns the time of one iteration, over fewer than 10,000 if these would take longer than the limit. */
function measure(loop, inputs, limitMs) {
  const input = inputs[loop.input];
  // The first iteration is slower than the mean, so the loop does not exceed the limit.
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
  const value = Array.from({ length: copies }, () => document).flat();
  // Indented by two spaces, as the document of 2016 was.
  const inputs = {
    value,
    jsonBytes: Buffer.from(JSON.stringify(value, null, 2)),
    // msgpackr returns a part of a larger buffer, so the bytes are copied.
    msgpackBytes: Buffer.from(packr.pack(value)),
  };
  assert.deepStrictEqual(packr.unpack(inputs.msgpackBytes), value, "msgpackr reads another value than it wrote");
  return LOOPS.map((loop) => timed(loop, copies, measure(loop, inputs, limitMs)));
}

/** Returns the size of a flat object with a space after each colon and each comma. */
function spacedSize(value) {
  const entries = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${JSON.stringify(each)}`);
  return Buffer.byteLength(`{${entries.join(", ")}}`);
}

function main(examples, limit) {
  const limitMs = limit === undefined ? LOOP_MS_MAX : Number(limit);
  if (examples === undefined || !(limitMs > 0)) throw new Error("usage: replay.mjs EXAMPLES [LOOP_MS_MAX]");
  const read = (name) => JSON.parse(readFileSync(path.join(examples, name), "utf8"));
  const people = read("people.json");
  const user = read("user.json");
  const sizes = [
    figure("size user json", "json", spacedSize(user)),
    figure("size user msgpack", "msgpack", packr.pack(user).length),
    figure("size document json", "json", Buffer.byteLength(JSON.stringify(people, null, 2))),
    figure("size document msgpack", "msgpack", packr.pack(people).length),
  ];
  return { figures: [...sizes, ...COPIES.flatMap((copies) => loops(people, copies, limitMs))] };
}

try {
  process.stdout.write(`${JSON.stringify(main(process.argv[2], process.argv[3]))}\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
