'use strict';

// The HTTP server of the lane with its own client, and the client with servers that break off.

const assert = require('assert');
const http = require('http');
const zlib = require('zlib');

const coroutine = require('../src/coroutine');
const { withLane } = require('./lane-process');

const NONCE = '5f3a9c01';
const PAYLOADS = ['{"a":1}', '[2]'];

const serve = coroutine(function* (lane) {
  assert((yield lane.load(0, PAYLOADS)).ok);
  return (yield lane.get({ verb: 'serve', offers: [{ subject: 0, media_type: 'application/json' }] })).port;
});

function ask(port, method, path, headers) {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, method, path, headers: headers || {}, agent: false }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }));
    });
    request.on('error', reject);
    request.end();
  });
}

/** Runs a generator function with the port of a server that answers in a certain way. */
const withServer = coroutine(function* (answer, body) {
  const server = http.createServer(answer);
  const port = yield new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
  try {
    yield coroutine(body)(port);
  } finally {
    server.close();
  }
});

const fetchOf = (port, change) => Object.assign({
  verb: 'fetch', subject: 0, url: `http://127.0.0.1:${port}/endpoint/0/`, nonce: NONCE,
  headers: [['Accept-Encoding', 'gzip']], decode: true, connections: 2, rate: null, requests: 10,
  duration_ms: 60000.5, timeout_ms: 10000,
}, change);

module.exports = {
  'bodies are envelopes': withLane(function* (lane) {
    const port = yield serve(lane);
    for (const meter of ['transport', 'endpoint']) {
      for (let number = 0; number < 3; number++) {
        const nonce = `${NONCE}0000000${number}`;
        const path = `/${meter}/0/${nonce}`;
        const plain = yield ask(port, 'GET', path);
        assert.strictEqual(plain.status, 200);
        assert.strictEqual(plain.headers['content-type'], 'application/json');
        assert.strictEqual(plain.headers['content-length'], String(plain.body.length));
        assert.strictEqual(plain.headers['content-encoding'], undefined);
        assert.strictEqual(plain.body.toString(), nonce + PAYLOADS[number % 2]);
        const packed = yield ask(port, 'GET', path, { 'Accept-Encoding': 'gzip' });
        assert.strictEqual(packed.headers['content-encoding'], 'gzip');
        assert.strictEqual(packed.body.toString('latin1', 0, 16), nonce);
        assert.strictEqual(zlib.gunzipSync(packed.body.slice(16)).toString(), PAYLOADS[number % 2]);
      }
    }
    const served = yield lane.get({ verb: 'served' });
    assert.strictEqual(served.requests, 12);
    assert(served.cpu_ns > 0 && served.collections === null);
  }),
  'unknown paths and methods are refused': withLane(function* (lane) {
    const port = yield serve(lane);
    const nonce = `${NONCE}00000000`;
    for (const path of ['/', `/endpoint/1/${nonce}`, `/endpoint/x/${nonce}`, '/endpoint/0/1', `/dance/0/${nonce}`]) {
      assert.strictEqual((yield ask(port, 'GET', path)).status, 404, path);
    }
    assert.strictEqual((yield ask(port, 'POST', `/endpoint/0/${nonce}`)).status, 405);
    assert(/already/.test((yield lane.ask({ verb: 'serve', offers: [] })).error));
    assert.strictEqual((yield lane.get({ verb: 'served' })).requests, 0);
    const ended = yield lane.end();
    assert.strictEqual(ended.status, 0, 'an open server does not keep the process');
  }),
  'fetch runs closed and open loops': withLane(function* (lane) {
    const port = yield serve(lane);
    for (const rate of [null, 200]) {
      const ok = yield lane.get(fetchOf(port, { rate }));
      const latencies = yield lane.receive();
      const lags = yield lane.receive();
      assert.strictEqual(ok.requests, 10, JSON.stringify(ok));
      assert.strictEqual(ok.errors, 0, JSON.stringify(ok));
      assert.strictEqual(ok.collections, null);
      assert.strictEqual(latencies.length, 80);
      assert.strictEqual(lags.length, rate === null ? 0 : 80);
      const first = latencies.readUInt32BE(0) * 0x100000000 + latencies.readUInt32BE(4);
      assert(first > 1000 && first < 10e9, `${first} ns`);
      if (rate !== null) assert(ok.wall_ns >= 45e6, 'the last of ten requests is planned after 45 ms');
    }
    // Each of the two connections sent one uncounted request.
    assert.strictEqual((yield lane.get({ verb: 'served' })).requests, 24);
  }),
  'an invalid fetch is an error': withLane(function* (lane) {
    const port = yield serve(lane);
    const changes = {
      404: { url: `http://127.0.0.1:${port}/endpoint/7/` },
      ECONNREFUSED: { url: 'http://127.0.0.1:1/' },
      'expected http': { url: 'ftp://127.0.0.1/' },
      connections: { connections: 0 },
      rate: { rate: -1 },
      headers: { headers: [['a']] },
      nonce: { nonce: 'x' },
      timeout_ms: { timeout_ms: null },
    };
    for (const words of Object.keys(changes)) {
      const answer = yield lane.ask(fetchOf(port, changes[words]));
      assert(answer.error && answer.error.indexOf(words) >= 0, `${words}: ${JSON.stringify(answer)}`);
    }
  }),
  'errors of a response are counted, and the lane continues': withLane(function* (lane) {
    const nonce = (request) => request.url.slice(1);
    const answers = {
      'before the end of a body': (request, response) => {
        response.writeHead(200, { 'Content-Length': 100 });
        response.write(nonce(request));
        setTimeout(() => response.socket.destroy(), 20);
      },
      'expected a body that begins with': (request, response) => response.end('0000000000000000[1]'),
      'no response within 300 ms': () => {},
      'unexpected content coding br': (request, response) => {
        response.writeHead(200, { 'Content-Encoding': 'br' });
        response.end(`${nonce(request)}[1]`);
      },
      'invalid MessagePack at byte 40': (request, response) => {
        response.end(Buffer.concat([Buffer.from(nonce(request)), Buffer.from('dd01ffffff'.repeat(8), 'hex')]));
      },
      'status 500: broken': (request, response) => {
        response.statusCode = 500;
        response.end('broken');
      },
    };
    const subject = (yield lane.subjects()).findIndex((each) => each.library === 'msgpack-lite');
    assert((yield lane.load(subject, [Buffer.from([1])])).ok);
    for (const words of Object.keys(answers)) {
      let count = 0;
      const respond = (request, response) => {
        // The first request must succeed.
        if (count++ === 0) response.end(Buffer.concat([Buffer.from(nonce(request)), Buffer.from([1])]));
        else answers[words](request, response);
      };
      yield withServer(respond, function* (port) {
        const ok = yield lane.get(fetchOf(port, {
          subject, url: `http://127.0.0.1:${port}/`, connections: 1, requests: 2, timeout_ms: 300,
        }));
        assert.strictEqual((yield lane.receive()).length, 0);
        assert.strictEqual((yield lane.receive()).length, 0);
        assert.strictEqual(ok.errors, 2, `${words}: ${JSON.stringify(ok)}`);
        assert(ok.error.indexOf(words) >= 0, `${words}: ${ok.error}`);
      });
    }
  }),
};
