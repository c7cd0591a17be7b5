// The HTTP server of the verb serve: node:http with its defaults.

import { createServer } from "node:http";

import { deflate } from "./coding.mjs";

const PATH = /^\/(transport|endpoint)\/(\d{1,6})\/([0-9a-f]{16})$/;

/** Returns the representation of a payload in a response. */
const represent = (offer, index, coding) => {
  const bytes = offer.coder.encode(offer.values[index]);
  return coding ? deflate(bytes) : bytes;
};

/** Returns the bodies of the transport meter, by coding and payload. */
const prepareBodies = (offer) => {
  const bodies = (coding) => offer.values.map((_, index) => Buffer.from(represent(offer, index, coding)));
  return { "": bodies(""), gzip: bodies("gzip") };
};

/** Responds to requests until it is closed. */
export class Service {
  answered = 0;
  #offers;
  #server = createServer((request, response) => this.#respond(request, response));

  constructor(offers) {
    this.#offers = offers.map((offer) => ({ ...offer, bodies: prepareBodies(offer) }));
  }

  listen() {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(0, "127.0.0.1", () => resolve(this.#server.address().port));
    });
  }

  close() {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #respond(request, response) {
    const [, meter, number, nonce] = PATH.exec(request.url) ?? [];
    const offer = this.#offers[number];
    if (!offer) return refuse(response, 404, "no such path");
    if (request.method !== "GET") return refuse(response, 405, "only GET is allowed");
    const coding = request.headers["accept-encoding"] === "gzip" ? "gzip" : "";
    const index = parseInt(nonce.slice(8), 16) % offer.values.length;
    let bytes;
    try {
      bytes = meter === "transport" ? offer.bodies[coding][index] : represent(offer, index, coding);
    } catch (error) {
      return refuse(response, 500, error.message);
    }
    this.answered += 1;
    const headers = { "Content-Type": offer.mediaType, "Content-Length": nonce.length + bytes.length };
    if (coding) headers["Content-Encoding"] = coding;
    response.writeHead(200, headers);
    // The envelope is copied into one buffer: some libraries return parts of a buffer that the next
    // response overwrites, and a slow socket may not have sent it by then.
    response.end(envelope(nonce, bytes));
  }
}

function envelope(nonce, bytes) {
  const body = Buffer.allocUnsafe(nonce.length + bytes.length);
  body.latin1Write(nonce, 0);
  body.set(bytes, nonce.length);
  return body;
}

function refuse(response, status, words) {
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8" });
  response.end(words);
}
