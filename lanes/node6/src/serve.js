'use strict';

// The HTTP server of the verb serve: http with its defaults.

const http = require('http');

const { deflate } = require('./coding');

const PATH = /^\/(transport|endpoint)\/(\d{1,6})\/([0-9a-f]{16})$/;

/** A subject with payloads that the server offers as a media type. */
class Offer {
  constructor(mediaType, loaded) {
    this.mediaType = mediaType;
    this.subject = loaded.subject;
    this.values = loaded.values;
    // The bodies of the transport meter, by coding and payload.
    const plain = loaded.encode();
    this.bodies = { '': plain, gzip: plain.map(deflate) };
  }

  /** Returns the representation of a payload. */
  represent(index, coding) {
    const bytes = this.subject.encode(this.values[index]);
    return coding ? deflate(bytes) : bytes;
  }
}

/** Responds to requests until the process ends. */
class Service {
  constructor(offers) {
    this.answered = 0;
    this.offers = offers;
    this.server = http.createServer((request, response) => this.respond(request, response));
  }

  /** Listens at a port that the system chooses. Returns a promise of the port. */
  listen() {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(0, '127.0.0.1', () => resolve(this.server.address().port));
    });
  }

  respond(request, response) {
    const parts = PATH.exec(request.url) || [];
    const offer = this.offers[parts[2]];
    if (!offer) {
      refuse(response, 404, 'no such path');
      return;
    }
    if (request.method !== 'GET') {
      refuse(response, 405, 'only GET is allowed');
      return;
    }
    const nonce = parts[3];
    const coding = request.headers['accept-encoding'] === 'gzip' ? 'gzip' : '';
    const index = parseInt(nonce.slice(8), 16) % offer.values.length;
    let bytes;
    try {
      bytes = parts[1] === 'transport' ? offer.bodies[coding][index] : offer.represent(index, coding);
    } catch (error) {
      refuse(response, 500, error.message);
      return;
    }
    this.answered += 1;
    const headers = { 'Content-Type': offer.mediaType, 'Content-Length': nonce.length + bytes.length };
    if (coding) headers['Content-Encoding'] = coding;
    response.writeHead(200, headers);
    response.end(envelope(nonce, bytes));
  }
}

function envelope(nonce, bytes) {
  const body = Buffer.allocUnsafe(nonce.length + bytes.length);
  body.write(nonce, 0, 'latin1');
  bytes.copy(body, nonce.length);
  return body;
}

function refuse(response, status, words) {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' });
  response.end(words);
}

module.exports = { Offer, Service };
