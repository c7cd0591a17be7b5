// The client of the verb fetch: node:http or node:https, over persistent connections, or ZeroMQ.

import http from "node:http";
import https from "node:https";

import { Alarm, milliseconds } from "./alarm.mjs";
import { inflate } from "./coding.mjs";
import { collected, sink } from "./meter.mjs";
import { ZeromqConnection } from "./zeromq.mjs";

// The number of errors after which no new requests are started.
const ERRORS_MAX = 100;

/** An HTTP client, whose agent chooses the connection for each request. */
class HttpConnection {
  constructor(parameters) {
    this.parameters = parameters;
    this.client = parameters.url.startsWith("https:") ? https : http;
    const agent = new this.client.Agent({ keepAlive: true, maxSockets: parameters.connections });
    this.options = { agent, headers: headers(parameters.headers) };
    const isCoding = ([name]) => name.toLowerCase() === "accept-encoding";
    this.coding = parameters.headers.findLast(isCoding)?.[1] ?? "identity";
  }

  /** Returns the body and the content coding. */
  get(nonce) {
    const { url, timeout_ms } = this.parameters;
    return new Promise((resolve, reject) => {
      const request = this.client.get(url + nonce, this.options, (response) => {
        const chunks = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
          const coding = response.headers["content-encoding"] ?? "identity";
          if (response.statusCode !== 200) {
            reject(new Error(`status ${response.statusCode}: ${body.toString("utf8", 0, 200)}`));
          } else if (coding !== "identity" && coding !== this.coding) {
            reject(new Error(`unexpected content coding ${coding}`));
          } else {
            resolve({ body, coding });
          }
        });
      });
      const timer = setTimeout(() => request.destroy(new Error(`no response within ${timeout_ms} ms`)), timeout_ms);
      request.on("error", reject);
      request.on("close", () => clearTimeout(timer));
    });
  }

  close() {
    this.options.agent.destroy();
  }
}

/** Returns the connections, which open with their first requests. The scheme of the URL names the transport. */
function connect(parameters) {
  const { url, connections } = parameters;
  if (url.startsWith("tcp:")) return Array.from({ length: connections }, () => new ZeromqConnection(parameters));
  return new Array(connections).fill(new HttpConnection(parameters));
}

class Fetcher {
  bytes = 0;
  errors = 0;
  error = null;
  latencies = [];
  lags = [];
  #next = 0;
  #planned = 0;
  #start = 0;

  constructor(coder, request) {
    this.coder = coder;
    this.parameters = request;
    this.connections = connect(request);
    this.alarm = request.rate === null ? null : new Alarm();
  }

  close() {
    for (const connection of this.connections) connection.close();
    this.alarm?.close();
  }

  each(work) {
    return Promise.all(this.connections.map((connection) => work(connection)));
  }

  async open() {
    await this.alarm?.ready;
    await this.each((connection) => this.request(connection, this.#next++));
    this.bytes = 0;
  }

  async run() {
    this.#start = milliseconds();
    await this.each((connection) => this.#work(connection));
    return milliseconds() - this.#start;
  }

  /**
   * Returns the number of the next request and, in an open loop, its planned instant (otherwise
   * null). Returns null after the last request.
   */
  #nextRequest() {
    const { rate, requests, duration_ms } = this.parameters;
    const after = rate === null ? milliseconds() - this.#start : (this.#planned / rate) * 1000;
    if (after > duration_ms || this.#planned >= requests || this.errors >= ERRORS_MAX) return null;
    this.#planned += 1;
    return { number: this.#next++, planned: rate === null ? null : this.#start + after };
  }

  async #work(connection) {
    for (let next = this.#nextRequest(); next !== null; next = this.#nextRequest()) {
      const { number, planned } = next;
      if (planned !== null) await this.alarm.until(planned);
      const sent = milliseconds();
      try {
        await this.request(connection, number);
        this.latencies.push(milliseconds() - (planned ?? sent));
        if (planned !== null) this.lags.push(sent - planned);
      } catch (error) {
        this.errors += 1;
        this.error ??= error.message;
      }
    }
  }

  /** Sends one request, and reads the response. */
  async request(connection, number) {
    const { nonce, decode } = this.parameters;
    const expected = nonce === null ? "" : nonce + number.toString(16).padStart(8, "0");
    const { body, coding } = await connection.get(expected);
    const found = body.toString("latin1", 0, expected.length);
    if (found !== expected) throw new Error(`expected a body that begins with ${expected}, found ${found}`);
    if (decode) this.#decode(body.subarray(expected.length), coding);
    this.bytes += body.length;
  }

  #decode(bytes, coding) {
    if (coding !== "identity" && coding !== "gzip") throw new Error(`unexpected content coding ${coding}`);
    sink.value = this.coder.decode(coding === "gzip" ? inflate(bytes) : bytes);
  }
}

function headers(pairs) {
  const all = {};
  for (const [name, value] of pairs) all[name] = name in all ? [].concat(all[name], value) : value;
  return all;
}

/** Converts milliseconds to a frame of nanoseconds, eight bytes each. */
function frame(times) {
  const bytes = Buffer.alloc(times.length * 8);
  times.forEach((ms, index) => bytes.writeBigUInt64BE(BigInt(Math.max(0, Math.round(ms * 1e6))), index * 8));
  return bytes;
}

/** Runs a fetch: sends requests in a closed or open loop. */
export async function fetch(coder, request) {
  if (!(request.connections >= 1) || (request.rate !== null && !(request.rate > 0))) {
    throw new Error(`${request.connections} connections, or an invalid rate`);
  }
  const fetcher = new Fetcher(coder, request);
  try {
    await fetcher.open().catch((error) => {
      throw new Error(`the first request failed: ${error.message}`);
    });
    const before = await collected();
    const cpu = process.cpuUsage();
    const wall_ms = await fetcher.run();
    const spent = process.cpuUsage(cpu);
    const ok = {
      requests: fetcher.latencies.length, errors: fetcher.errors, error: fetcher.error,
      body_bytes: fetcher.bytes, wall_ns: Math.round(wall_ms * 1e6), cpu_ns: (spent.user + spent.system) * 1000,
      collections: (await collected()) - before,
    };
    return { ok, frames: [frame(fetcher.latencies), frame(fetcher.lags)] };
  } finally {
    fetcher.close();
  }
}
