// The server and the client over ZeroMQ, with each other and with peers that misbehave.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";

import { Reply, Request } from "zeromq";

import { inflate } from "../src/coding.mjs";
import { fetch } from "../src/fetch.mjs";
import { Offers } from "../src/offers.mjs";
import { Service } from "../src/zeromq.mjs";

const NONCE = "5f3a9c01";
const VALUES = [{ a: 1 }, [2]];
const JSON_TYPE = "application/json";

const coder = {
  encode: (value) => Buffer.from(JSON.stringify(value)),
  decode: (bytes) => JSON.parse(bytes.toString()),
};

/** Runs a test with a server, and its port. */
async function serving(run) {
  const service = new Service([{ mediaType: JSON_TYPE, coder, values: VALUES }]);
  const port = await service.listen();
  try {
    await run(port, service);
  } finally {
    service.close();
  }
}

const parameters = (url, change) => ({
  url, nonce: NONCE, headers: [["Accept", JSON_TYPE], ["Accept-Encoding", "gzip"]], decode: true, connections: 2,
  rate: null, requests: 10, duration_ms: 60_000, timeout_ms: 10_000, ...change,
});

const endpoint = (port) => `tcp://127.0.0.1:${port}/endpoint/0/`;

/** Returns the frames of the response to a message. */
async function ask(port, frames) {
  const socket = new Request({ linger: 0, receiveTimeout: 10_000 });
  socket.connect(`tcp://127.0.0.1:${port}`);
  await socket.send(frames);
  const response = await socket.receive();
  socket.close();
  return response.map((frame) => frame.toString("latin1"));
}

test("bodies are envelopes", () => serving(async (port, service) => {
  for (const meter of ["transport", "endpoint"]) {
    for (const number of [0, 1, 2]) {
      const nonce = NONCE + number.toString(16).padStart(8, "0");
      const expected = JSON.stringify(VALUES[number % 2]);
      const target = `/${meter}/0/${nonce}`;
      assert.deepEqual(await ask(port, [JSON_TYPE, "identity", target]), [JSON_TYPE, "identity", nonce + expected]);
      const [mediaType, coding, body] = await ask(port, [JSON_TYPE, "gzip", target]);
      assert.deepEqual([mediaType, coding, body.slice(0, 16)], [JSON_TYPE, "gzip", nonce]);
      assert.equal(inflate(Buffer.from(body.slice(16), "latin1")).toString(), expected);
    }
  }
  assert.equal(service.answered, 12);
}));

test("an offer without payloads has no targets", () => {
  const offers = new Offers([{ mediaType: JSON_TYPE, coder, values: [] }]);
  assert.equal(offers.find(`/endpoint/0/${NONCE}00000000`), null);
});

test("invalid requests are refused", () => serving(async (port, service) => {
  const target = `/endpoint/0/${NONCE}00000000`;
  for (const [request, words] of [
    [["x"], "3 frames"],
    [["application/cbor", "identity", target], "media type application/json"],
    [[JSON_TYPE, "br", target], "content coding"],
    [[JSON_TYPE, "identity", target.replace("/0/", "/1/")], "unknown target"],
  ]) {
    const [mediaType, coding, body] = await ask(port, request);
    assert.deepEqual([mediaType, coding], ["text/plain", "identity"]);
    assert.ok(body.includes(words), body);
  }
  assert.equal(service.answered, 0);
  assert.equal((await ask(port, [JSON_TYPE, "identity", target]))[0], JSON_TYPE);
}));

test("closed and open loops", () => serving(async (port, service) => {
  for (const rate of [null, 200]) {
    const { ok, frames } = await fetch(coder, parameters(endpoint(port), { rate }));
    assert.deepEqual([ok.requests, ok.errors], [10, 0], ok.error);
    assert.deepEqual(frames.map((frame) => frame.length), [80, rate === null ? 0 : 80]);
  }
  // Each of the two connections sent one uncounted request.
  assert.equal(service.answered, 24);
}));

test("an invalid fetch is an error", () => serving(async (port) => {
  const unknown = endpoint(port).replace("/0/", "/7/");
  await assert.rejects(fetch(coder, parameters(unknown)), /unknown target/);
  await assert.rejects(fetch(coder, parameters(`tcp://127.0.0.1:${port}`)), /invalid URL/);
  await assert.rejects(fetch(coder, parameters(endpoint(port), { headers: [] })), /no media type/);
}));

test("a dead peer is an error within seconds", async () => {
  const listen = () => new Promise((resolve) => {
    const server = createServer(() => {}).listen(0, "127.0.0.1", () => resolve(server));
  });
  const [mute, gone] = [await listen(), await listen()];
  const silent = new Reply({ linger: 0 });
  await silent.bind("tcp://127.0.0.1:*");
  const ports = [mute.address().port, gone.address().port, Number(silent.lastEndpoint.split(":").at(-1))];
  gone.close();
  for (const port of ports) {
    const start = Date.now();
    await assert.rejects(fetch(coder, parameters(endpoint(port), { timeout_ms: 500 })), /no response within 500 ms/);
    assert.ok(Date.now() - start < 5000);
  }
  mute.close();
  silent.close();
});

test("a client continues with a new socket", async () => {
  const peer = new Reply({ linger: 0 });
  await peer.bind("tcp://127.0.0.1:*");
  const port = Number(peer.lastEndpoint.split(":").at(-1));
  const answering = (async () => {
    for (let number = 0; number < 4; number++) {
      const [mediaType, , target] = await peer.receive();
      // The second counted request is answered after the client has given up.
      if (number === 2) await new Promise((resolve) => setTimeout(resolve, 1500));
      await peer.send([mediaType, "identity", `${target.toString().slice(-16)}1`]);
    }
  })();
  const change = { connections: 1, requests: 3, timeout_ms: 1000 };
  const { ok } = await fetch(coder, parameters(endpoint(port), change));
  await answering;
  peer.close();
  assert.deepEqual([ok.requests, ok.errors, ok.error], [2, 1, "no response within 1000 ms"]);
});
