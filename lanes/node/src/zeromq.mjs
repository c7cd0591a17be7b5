// The server and the client over ZeroMQ, of the verbs serve and fetch. The library is loaded when it is needed,
// because it starts threads.

import { Offers } from "./offers.mjs";

// The time limit of receiving, after which the socket receives again, and that of sending.
const TIMEOUT_MS = 1000;

// The media type of a response that describes a failure.
const FAILURE = "text/plain";

const library = () => import("zeromq");

/** Returns whether an error says that a time limit has passed. */
const isTimeout = (error) => error.code === "EAGAIN";

/** Responds to requests on a REP socket, one at a time, until it is closed. */
export class Service {
  answered = 0;
  #offers;
  #socket = null;

  constructor(offers) {
    this.#offers = new Offers(offers);
  }

  async listen() {
    const { Reply } = await library();
    this.#socket = new Reply({ linger: 0, receiveTimeout: TIMEOUT_MS, sendTimeout: TIMEOUT_MS });
    await this.#socket.bind("tcp://127.0.0.1:*");
    this.#run(this.#socket);
    return Number(this.#socket.lastEndpoint.split(":").at(-1));
  }

  close() {
    this.#socket.close();
  }

  async #run(socket) {
    while (!socket.closed) {
      try {
        await socket.send(this.#respond(await socket.receive()));
      } catch (error) {
        // A peer that does not read its response loses it.
        if (!isTimeout(error) && !socket.closed) throw error;
      }
    }
  }

  #respond(request) {
    try {
      const response = this.#answer(request);
      this.answered += 1;
      return response;
    } catch (error) {
      return [FAILURE, "identity", error.message];
    }
  }

  #answer(request) {
    if (request.length !== 3) throw new Error(`expected a request of 3 frames, found ${request.length}`);
    const [mediaType, coding, text] = request.map((frame) => frame.toString("latin1", 0, 200));
    const target = this.#offers.find(text);
    if (!target) throw new Error(`unknown target ${text}`);
    if (mediaType !== target.offer.mediaType) {
      throw new Error(`expected the media type ${target.offer.mediaType}, found ${mediaType}`);
    }
    if (coding !== "identity" && coding !== "gzip") throw new Error(`unknown content coding ${coding}: expected identity or gzip`);
    return [mediaType, coding, this.#offers.body(target, coding === "gzip" ? "gzip" : "")];
  }
}

/**
 * A connection that requests one response at a time. After an error it continues with a new socket: a REQ socket
 * without its response cannot send again.
 */
export class ZeromqConnection {
  #socket = null;

  constructor({ url, headers, timeout_ms }) {
    const [, endpoint, target] = /^(tcp:\/\/[^/]+)(\/.*)$/.exec(url) ?? [];
    if (!endpoint) throw new Error(`invalid URL ${url}`);
    const field = (name) => headers.find(([found]) => found.toLowerCase() === name)?.[1];
    this.endpoint = endpoint;
    this.target = target;
    this.mediaType = field("accept");
    if (!this.mediaType) throw new Error("no media type; expected a header field Accept");
    this.coding = field("accept-encoding") ?? "identity";
    this.timeout_ms = timeout_ms;
  }

  /** Returns the body and the content coding. */
  async get(nonce) {
    try {
      this.#socket ??= await this.#connect();
      await this.#socket.send([this.mediaType, this.coding, this.target + nonce]);
      return this.#check(await this.#socket.receive());
    } catch (error) {
      this.close();
      throw isTimeout(error) ? new Error(`no response within ${this.timeout_ms} ms`) : error;
    }
  }

  #check(response) {
    if (response.length !== 3) throw new Error(`expected a response of 3 frames, found ${response.length}`);
    const [mediaType, coding] = response.slice(0, 2).map((frame) => frame.toString("latin1", 0, 200));
    const body = response[2];
    if (mediaType !== this.mediaType) {
      throw new Error(`expected ${this.mediaType}, found ${mediaType}: ${body.toString("utf8", 0, 200)}`);
    }
    if (coding !== "identity" && coding !== this.coding) throw new Error(`unexpected content coding ${coding}`);
    return { body, coding };
  }

  async #connect() {
    const { Request } = await library();
    const timeout = Math.max(1, Math.round(this.timeout_ms));
    const socket = new Request({
      linger: 0, connectTimeout: timeout, handshakeInterval: timeout, receiveTimeout: timeout, sendTimeout: timeout,
    });
    socket.connect(this.endpoint);
    return socket;
  }

  close() {
    this.#socket?.close();
    this.#socket = null;
  }
}
