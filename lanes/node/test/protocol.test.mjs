// An invalid request gets an error response, and the lane continues.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { FrameReader, writeFrames } from "../src/frames.mjs";

const MAIN = fileURLToPath(new URL("../src/main.mjs", import.meta.url));

/** Runs a test with a lane: a function that sends a request, and returns the head of the response. */
async function withLane(run) {
  const lane = spawn(process.execPath, ["--expose-gc", MAIN], { stdio: ["pipe", "pipe", "ignore"] });
  const frames = new FrameReader(lane.stdout);
  const ask = async (request, ...payloads) => {
    writeFrames(lane.stdin, [Buffer.from(JSON.stringify(request)), ...payloads.map((text) => Buffer.from(text))]);
    return JSON.parse((await frames.next()).toString());
  };
  try {
    await run(ask, lane);
  } finally {
    lane.kill();
  }
}

test("an invalid request gets an error, and the lane continues", () => withLane(async (ask, lane) => {
  const batch = { verb: "run", subject: 0, operation: "decode", window: [0], repeats: 1 };
  const refused = async (request, words) => {
    const { error } = await ask(request);
    assert.ok(error?.includes(words), `${JSON.stringify(request)}: ${error}`);
  };
  await refused({ verb: "dance" }, "unknown verb dance");
  await refused({ verb: "constructor" }, "unknown verb constructor");
  await refused({}, "unknown verb");
  await refused({ verb: "load", subject: 999, payloads: 0 }, "no subject 999");
  await refused({ verb: "load", subject: "0", payloads: 0 }, "no subject 0");
  await refused(batch, "no payloads");
  assert.deepEqual(await ask({ verb: "load", subject: 0, payloads: 1 }, "[1]"), { ok: {} });
  for (const operation of ["sing", "constructor"]) await refused({ ...batch, operation }, "unknown operation");
  for (const window of [[1], [-1], [0.5], 0]) await refused({ ...batch, window }, "of the 1 payloads");
  for (const repeats of [-1, 1.5, "1"]) await refused({ ...batch, repeats }, "expected a whole number");
  assert.ok((await ask({ ...batch, repeats: 0 })).ok.wall_ns >= 0);
  lane.stdin.end();
  assert.deepEqual(await once(lane, "exit"), [0, null]);
}));

test("a request with an unknown number of frames ends the lane", () => withLane(async (_, lane) => {
  writeFrames(lane.stdin, [Buffer.from(JSON.stringify({ verb: "load", subject: 0, payloads: -1 }))]);
  assert.deepEqual(await once(lane, "exit"), [1, null]);
}));
