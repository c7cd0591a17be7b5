// The client over HTTP, with servers that misbehave.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import { fetch } from "../src/fetch.mjs";

const coder = { decode: (bytes) => JSON.parse(bytes.toString()) };

/** Runs a test with the port of a server. */
async function serving(respond, run) {
  const server = createServer(respond);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await run(server.address().port);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const parameters = (port, coding) => ({
  url: `http://127.0.0.1:${port}/`, nonce: null, headers: [["Accept-Encoding", coding]], decode: false, connections: 1,
  rate: null, requests: 1, duration_ms: 60_000, timeout_ms: 10_000,
});

test("a coding that was not requested is an error", () => serving((_, response) => {
  response.writeHead(200, { "Content-Encoding": "gzip" });
  response.end("abc");
}, async (port) => {
  const { ok } = await fetch(coder, parameters(port, "gzip"));
  assert.deepEqual([ok.requests, ok.errors], [1, 0]);
  await assert.rejects(fetch(coder, parameters(port, "identity")), /unexpected content coding gzip/);
}));
