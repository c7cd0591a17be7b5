// The offers of the verb serve, which the servers of all transports share.

import { deflate } from "./coding.mjs";

const TARGET = /^\/(transport|endpoint)\/(\d{1,6})\/([0-9a-f]{16})$/;

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

export class Offers {
  #offers;

  constructor(offers) {
    this.#offers = offers.map((offer) => ({ ...offer, bodies: prepareBodies(offer) }));
  }

  /** Returns the parts of a target, or null if it is unknown or its offer has no payloads. */
  find(text) {
    const [, meter, number, nonce] = TARGET.exec(text) ?? [];
    const offer = this.#offers[number];
    if (!offer || offer.values.length === 0) return null;
    return { offer, meter, nonce, index: parseInt(nonce.slice(8), 16) % offer.values.length };
  }

  /**
   * Returns the body of a response: the nonce and the representation, copied into one buffer. Some
   * libraries return parts of a buffer that the next response overwrites, maybe before a slow
   * socket has sent them.
   */
  body({ offer, meter, nonce, index }, coding) {
    const bytes = meter === "transport" ? offer.bodies[coding][index] : represent(offer, index, coding);
    const body = Buffer.allocUnsafe(nonce.length + bytes.length);
    body.latin1Write(nonce, 0);
    body.set(bytes, nonce.length);
    return body;
  }
}
