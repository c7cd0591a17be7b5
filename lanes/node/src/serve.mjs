// The HTTP server of the verb serve: node:http with its defaults.

import { createServer } from "node:http";

import { Offers } from "./offers.mjs";

/** Responds to requests until it is closed. */
export class Service {
  answered = 0;
  #offers;
  #server = createServer((request, response) => this.#respond(request, response));

  constructor(offers) {
    this.#offers = new Offers(offers);
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
    const target = this.#offers.find(request.url);
    if (!target) return refuse(response, 404, "no such path");
    if (request.method !== "GET") return refuse(response, 405, "only GET is allowed");
    const coding = request.headers["accept-encoding"] === "gzip" ? "gzip" : "";
    let body;
    try {
      body = this.#offers.body(target, coding);
    } catch (error) {
      return refuse(response, 500, error.message);
    }
    this.answered += 1;
    const headers = { "Content-Type": target.offer.mediaType, "Content-Length": body.length };
    if (coding) headers["Content-Encoding"] = coding;
    response.writeHead(200, headers);
    response.end(body);
  }
}

function refuse(response, status, words) {
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8" });
  response.end(words);
}
