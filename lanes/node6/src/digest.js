'use strict';

// Computes the canonical digest of a value, as CONTRACT.md defines it.

const crypto = require('crypto');

const WHOLE_START = -Math.pow(2, 63);
const WHOLE_END = Math.pow(2, 64);
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?:^|[^\ud800-\udbff])[\udc00-\udfff]/;

/** The error for a value that has no digest by the contract: an extension. */
class ExtensionError extends Error {
  constructor(message) {
    super(message);
    this.name = 'ExtensionError';
  }
}

/** An integer as decimal text, because a number of this runtime has 53 bits. */
class Integer {
  constructor(digits) {
    if (!/^-?[0-9]+$/.test(digits)) throw new Error(`invalid integer ${JSON.stringify(digits)}, expected digits`);
    this.digits = digits;
  }
}

/** A point in time. A `Date` has only milliseconds. */
class Timestamp {
  constructor(seconds, nanos) {
    this.seconds = seconds;
    this.nanos = nanos;
  }
}

/** Returns the SHA-256 of the canonical form of a value, in hexadecimal. */
function digest(value) {
  const parts = [];
  canonical(value, parts);
  return crypto.createHash('sha256').update(Buffer.concat(parts)).digest('hex');
}

function canonical(value, out) {
  switch (typeof value) {
    case 'undefined':
      out.push(Buffer.from('n'));
      return;
    case 'boolean':
      out.push(Buffer.from(value ? 't' : 'f'));
      return;
    case 'number':
      number(value, out);
      return;
    case 'string':
      text(value, out);
      return;
    case 'object':
      if (value === null) out.push(Buffer.from('n'));
      else object(value, out);
      return;
    default:
      throw new Error(`a ${typeof value} has no digest`);
  }
}

function object(value, out) {
  if (Array.isArray(value)) {
    out.push(Buffer.from(`a${value.length}:`));
    for (const item of value) canonical(item, out);
  } else if (Buffer.isBuffer(value)) {
    sized('b', value, out);
  } else if (value instanceof Map) {
    map(value, out);
  } else if (value instanceof Integer) {
    integer(value.digits, out);
  } else if (value instanceof Timestamp) {
    out.push(Buffer.from(`T${value.seconds}.${value.nanos};`));
  } else if (isLong(value)) {
    integer(value.toString(), out);
  } else if (Object.getPrototypeOf(value) === Object.prototype) {
    map(new Map(Object.keys(value).map((key) => [key, value[key]])), out);
  } else {
    // msgpack-lite returns extensions as ExtBuffer, and some of their types as Date, RegExp and others.
    const name = Object.prototype.toString.call(value).slice(8, -1);
    throw new ExtensionError(`an extension (${value.constructor.name || name}) has no digest`);
  }
}

/** Returns whether a value is a `Long`, which protobufjs has for integers of 64 bits. */
const isLong = (value) => typeof value.low === 'number' && typeof value.high === 'number'
  && Object.getPrototypeOf(value) !== Object.prototype;

/** Writes a map. Of duplicate keys, the last counts. */
function map(value, out) {
  const entries = new Map();
  value.forEach((each, key) => {
    const form = [];
    text(String(key), form);
    const bytes = Buffer.concat(form);
    const name = bytes.toString('latin1');
    if (each === null || each === undefined) entries.delete(name);
    else entries.set(name, { key: bytes, each });
  });
  out.push(Buffer.from(`m${entries.size}:`));
  for (const entry of Array.from(entries.values()).sort((a, b) => Buffer.compare(a.key, b.key))) {
    out.push(entry.key);
    canonical(entry.each, out);
  }
}

/** Writes an integer of any size from its decimal digits. */
function integer(digits, out) {
  const isNegative = digits[0] === '-';
  const magnitude = digits.replace(/^-?0*/, '') || '0';
  const limit = isNegative ? '9223372036854775808' : '18446744073709551615';
  const fits = magnitude.length < limit.length || (magnitude.length === limit.length && magnitude <= limit);
  if (fits) out.push(Buffer.from(`i${isNegative && magnitude !== '0' ? '-' : ''}${magnitude};`));
  else number(Number(digits), out);
}

function number(value, out) {
  if (Number.isInteger(value) && value >= WHOLE_START && value < WHOLE_END) {
    // All digits: `String` rounds beyond 2^53. The sum makes 0 of -0.
    out.push(Buffer.from(`i${(value + 0).toFixed(0)};`));
    return;
  }
  const bytes = Buffer.alloc(9);
  bytes.write('d');
  if (Number.isNaN(value)) bytes.writeUInt32BE(0x7ff80000, 1);
  else bytes.writeDoubleBE(value, 1);
  out.push(bytes);
}

function text(value, out) {
  if (LONE_SURROGATE.test(value)) throw new Error('text with a lone surrogate has no UTF-8');
  sized('s', Buffer.from(value, 'utf8'), out);
}

function sized(kind, bytes, out) {
  out.push(Buffer.from(`${kind}${bytes.length}:`), bytes);
}

module.exports = { ExtensionError, Integer, Timestamp, digest };
