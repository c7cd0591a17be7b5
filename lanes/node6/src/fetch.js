'use strict';

// The HTTP client of the verb fetch: http or https, over persistent connections.

const http = require('http');
const https = require('https');

const coroutine = require('./coroutine');
const { inflate } = require('./coding');
const { cpuNanoseconds, milliseconds, sink } = require('./meter');
const until = require('./wait');

// The number of errors after which no new requests are started.
const ERRORS_MAX = 100;

// The maximum number of checked representations to remember.
const CHECKED_MAX = 64;

class Fetcher {
  constructor(loaded, request) {
    this.subject = loaded.subject;
    // Representations that have passed the check for hostile bytes. They are not checked again, so that
    // the check is not measured.
    this.checked = loaded.bytes.slice(0, CHECKED_MAX);
    this.parameters = request;
    this.bytes = 0;
    this.errors = 0;
    this.error = null;
    this.latencies = [];
    this.lags = [];
    this.following = 0;
    this.planned = 0;
    this.start = 0;
    this.client = request.url.startsWith('https:') ? https : http;
    this.agent = new this.client.Agent({ keepAlive: true, maxSockets: request.connections });
    this.headers = headers(request.headers);
  }

  close() {
    this.agent.destroy();
  }

  each(work) {
    return Promise.all(Array.from({ length: this.parameters.connections }, work));
  }

  /** Sends one uncounted request over each connection. */
  open() {
    return this.each(() => this.request(this.following++)).then(() => {
      this.bytes = 0;
    });
  }

  /** Returns a promise of the milliseconds until the last response. */
  run() {
    this.start = milliseconds();
    return this.each(() => this.work()).then(() => milliseconds() - this.start);
  }

  /** Returns the number of the next request and, in an open loop, the instant it is planned for. */
  nextRequest() {
    const { rate, requests, duration_ms } = this.parameters;
    const after = rate === null ? milliseconds() - this.start : (this.planned / rate) * 1000;
    if (after > duration_ms || this.planned >= requests || this.errors >= ERRORS_MAX) return null;
    this.planned += 1;
    return { number: this.following++, planned: rate === null ? null : this.start + after };
  }

  /** Sends one request, and reads the response. */
  request(number) {
    const { url, nonce, timeout_ms } = this.parameters;
    const expected = nonce === null ? '' : nonce + `0000000${number.toString(16)}`.slice(-8);
    return new Promise((resolve, reject) => {
      const target = Object.assign(parse(url + expected), { agent: this.agent, headers: this.headers });
      const request = this.client.get(target);
      const timer = setTimeout(() => {
        reject(new Error(`no response within ${timeout_ms} ms`));
        request.abort();
      }, timeout_ms);
      request.on('error', (error) => {
        clearTimeout(timer);
        reject(error);
      });
      request.on('response', (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('aborted', () => {
          clearTimeout(timer);
          reject(new Error('the connection closed before the end of a body'));
        });
        response.on('end', () => {
          clearTimeout(timer);
          try {
            this.read(response, Buffer.concat(chunks), expected);
            resolve();
          } catch (error) {
            reject(error);
          }
        });
      });
    });
  }

  read(response, body, expected) {
    if (response.statusCode !== 200) {
      throw new Error(`status ${response.statusCode}: ${body.toString('utf8', 0, 200)}`);
    }
    const found = body.toString('latin1', 0, expected.length);
    if (found !== expected) throw new Error(`expected a body that begins with ${expected}, found ${show(found)}`);
    if (this.parameters.decode) this.decode(body.slice(expected.length), response.headers['content-encoding']);
    this.bytes += body.length;
  }

  decode(received, coding) {
    if (coding !== undefined && coding !== 'identity' && !(coding === 'gzip' && this.asksForGzip())) {
      throw new Error(`unexpected content coding ${coding}`);
    }
    const bytes = coding === 'gzip' ? inflate(received) : received;
    if (!this.checked.some((each) => each.equals(bytes))) {
      this.subject.check(bytes);
      if (this.checked.length < CHECKED_MAX) this.checked.push(Buffer.from(bytes));
    }
    sink.value = this.subject.decode(bytes);
  }

  asksForGzip() {
    return this.parameters.headers.some(([name, value]) => name.toLowerCase() === 'accept-encoding' && /\bgzip\b/.test(value));
  }
}

/** Sends requests over one connection, one after another. */
Fetcher.prototype.work = coroutine(function* () {
  for (let next = this.nextRequest(); next !== null; next = this.nextRequest()) {
    if (next.planned !== null) yield until(next.planned);
    const sent = milliseconds();
    try {
      yield this.request(next.number);
      this.latencies.push(milliseconds() - (next.planned === null ? sent : next.planned));
      if (next.planned !== null) this.lags.push(sent - next.planned);
    } catch (error) {
      this.errors += 1;
      if (this.error === null) this.error = error.message;
    }
  }
});

const show = (text) => JSON.stringify(text).slice(0, 80);

/** Returns the parts of a URL as `http.get` takes them. `url.parse` of Node.js 6 accepts any text. */
function parse(text) {
  const { protocol, hostname, port, path } = require('url').parse(text);
  if (!/^https?:$/.test(protocol) || !hostname) throw new Error(`url is ${show(text)}, expected http or https`);
  return { protocol, hostname, port, path };
}

function headers(pairs) {
  const all = {};
  for (const [name, value] of pairs) all[name] = name in all ? [].concat(all[name], value) : value;
  return all;
}

/** Converts milliseconds to a frame of nanoseconds, eight bytes each. */
function frame(times) {
  const bytes = Buffer.alloc(times.length * 8);
  times.forEach((ms, index) => {
    const nanoseconds = Math.max(0, Math.round(ms * 1e6));
    bytes.writeUInt32BE(Math.floor(nanoseconds / 0x100000000), index * 8);
    bytes.writeUInt32BE(nanoseconds % 0x100000000, index * 8 + 4);
  });
  return bytes;
}

/** Runs a fetch: sends requests in a closed or open loop. Returns the response and its two frames. */
module.exports = coroutine(function* fetch(loaded, request) {
  const fetcher = new Fetcher(loaded, request);
  try {
    try {
      yield fetcher.open();
    } catch (error) {
      throw new Error(`the first request failed: ${error.message}`);
    }
    const cpu = process.cpuUsage();
    const wall_ms = yield fetcher.run();
    const ok = {
      requests: fetcher.latencies.length, errors: fetcher.errors, error: fetcher.error,
      body_bytes: fetcher.bytes, wall_ns: Math.round(wall_ms * 1e6), cpu_ns: cpuNanoseconds(cpu),
      collections: null,
    };
    return { ok, frames: [frame(fetcher.latencies), frame(fetcher.lags)] };
  } finally {
    fetcher.close();
  }
});
