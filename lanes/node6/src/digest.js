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

/** SHA-256 over the canonical form of a value, in hexadecimal. */
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
  } else if (Object.getPrototypeOf(value) === Object.prototype) {
    map(value, out);
  } else {
    // msgpack-lite returns extensions as ExtBuffer, and some of their types as Date, RegExp and others.
    const name = Object.prototype.toString.call(value).slice(8, -1);
    throw new ExtensionError(`an extension (${value.constructor.name || name}) has no digest`);
  }
}

function map(value, out) {
  const entries = [];
  for (const key of Object.keys(value)) {
    const each = value[key];
    if (each === null || each === undefined) continue;
    const form = [];
    text(key, form);
    entries.push({ key: Buffer.concat(form), each });
  }
  entries.sort((a, b) => Buffer.compare(a.key, b.key));
  out.push(Buffer.from(`m${entries.length}:`));
  for (const entry of entries) {
    out.push(entry.key);
    canonical(entry.each, out);
  }
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

module.exports = { ExtensionError, digest };
