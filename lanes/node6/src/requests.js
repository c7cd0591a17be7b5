'use strict';

// Checks the members of requests. Each function returns the value, or throws what was expected.

const show = (value) => String(JSON.stringify(value)).slice(0, 80);

const isWhole = (value, end) => Number.isInteger(value) && value >= 0 && value < end;

function whole(request, member, end) {
  const value = request[member];
  if (!isWhole(value, end)) throw new Error(`${member} is ${show(value)}, expected a whole number below ${end}`);
  return value;
}

function oneOf(request, member, expected) {
  const value = request[member];
  if (expected.indexOf(value) < 0) throw new Error(`${member} is ${show(value)}, expected ${expected.join(' or ')}`);
  return value;
}

/** Returns the content coding of a `run`: `gzip`, or null for none. */
function codingOf(request) {
  const value = request.coding === undefined ? null : request.coding;
  if (value !== null && value !== 'gzip') throw new Error(`coding is ${show(value)}, expected gzip or null`);
  return value;
}

function windowOf(request, payloads) {
  const value = request.window;
  if (!Array.isArray(value) || !value.every((each) => isWhole(each, payloads))) {
    throw new Error(`window is ${show(value)}, expected a list of numbers of the ${payloads} payloads`);
  }
  return value;
}

/** Returns the parameters of a `fetch`. */
function fetchOf(request) {
  const wrong = (member, expected) => new Error(`${member} is ${show(request[member])}, expected ${expected}`);
  const isPair = (pair) => Array.isArray(pair) && pair.length === 2 && pair.every((each) => typeof each === 'string');
  if (typeof request.url !== 'string') throw wrong('url', 'a URL');
  if (request.nonce !== null && !/^[0-9a-f]{8}$/.test(request.nonce)) throw wrong('nonce', 'eight hexadecimal digits or null');
  if (!Array.isArray(request.headers) || !request.headers.every(isPair)) throw wrong('headers', 'a list of pairs of text');
  if (typeof request.decode !== 'boolean') throw wrong('decode', 'true or false');
  if (!isWhole(request.connections, 65536) || request.connections === 0) throw wrong('connections', 'a number from 1');
  if (request.rate !== null && !(typeof request.rate === 'number' && request.rate > 0)) throw wrong('rate', 'a positive number or null');
  whole(request, 'requests', Math.pow(2, 32));
  // Both may have a fraction.
  for (const member of ['duration_ms', 'timeout_ms']) {
    const value = request[member];
    if (!(typeof value === 'number' && value >= 0 && value < Math.pow(2, 31))) throw wrong(member, 'a number of milliseconds');
  }
  return request;
}

function offersOf(request) {
  const offers = request.offers;
  const isOffer = (offer) => offer !== null && typeof offer === 'object' && /^[\x21-\x7e]+$/.test(offer.media_type);
  if (!Array.isArray(offers) || !offers.every(isOffer)) {
    throw new Error(`offers is ${show(offers)}, expected a list of subjects with media types`);
  }
  return offers;
}

module.exports = { codingOf, fetchOf, isWhole, offersOf, oneOf, show, whole, windowOf };
