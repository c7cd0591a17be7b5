// Computes the canonical digest of a value, as CONTRACT.md defines it.

import { createHash } from "node:crypto";

const WHOLE_START = -(2 ** 63);
const WHOLE_END = 2 ** 64;
const decoder = new TextDecoder();

/**
 * A point in time in nanoseconds, which messages and Avro records have as two fields. A `Date` has
 * only milliseconds.
 */
export class Timestamp {
  constructor(seconds, nanos) {
    this.seconds = BigInt(seconds);
    this.nanos = nanos;
  }
}

/** Returns the SHA-256 of the canonical form of a value, in hexadecimal. */
export function digest(value) {
  const parts = [];
  canonical(value, parts);
  return createHash("sha256").update(Buffer.concat(parts)).digest("hex");
}

function canonical(value, out) {
  switch (typeof value) {
    case "undefined":
      return void out.push(Buffer.from("n"));
    case "boolean":
      return void out.push(Buffer.from(value ? "t" : "f"));
    case "number":
      return float(value, out);
    case "bigint":
      return whole(value, out);
    case "string":
      return sized("s", Buffer.from(value, "utf8"), out);
    case "object":
      return value === null ? void out.push(Buffer.from("n")) : object(value, out);
    default:
      throw new Error(`a ${typeof value} has no digest`);
  }
}

function object(value, out) {
  if (Array.isArray(value)) {
    out.push(Buffer.from(`a${value.length}:`));
    for (const item of value) canonical(item, out);
  } else if (value instanceof Uint8Array) {
    sized("b", value, out);
  } else if (value instanceof Date) {
    const ms = value.getTime();
    const seconds = Math.floor(ms / 1000);
    time(BigInt(seconds), (ms - seconds * 1000) * 1_000_000, out);
  } else if (value instanceof Timestamp) {
    time(value.seconds, value.nanos, out);
  } else if (value instanceof Map) {
    map(value, out);
  } else {
    const prototype = Object.getPrototypeOf(value);
    // A document may have the keys by which the classes of libraries are recognised. Some decoders create
    // maps with a null prototype, for security.
    if (prototype === null || prototype === Object.prototype) map(Object.entries(value), out);
    else instance(value, prototype.constructor?.name, out);
  }
}

/** Writes an instance of a library's class. */
function instance(value, name, out) {
  if (typeof value._bsontype === "string") {
    bson(value, out);
  } else if (typeof value.low === "number" && "unsigned" in value) {
    whole(BigInt(value.toString()), out);
  } else if (name === "ExtData") {
    throw new Error(`an extension (MessagePack ${value.type}) has no digest`);
  } else {
    map(Object.entries(value), out);
  }
}

function bson(value, out) {
  switch (value._bsontype) {
    case "Long":
      return whole(value.toBigInt(), out);
    case "Int32":
    case "Double":
      return float(value.value, out);
    case "Binary":
      return sized("b", value.value(), out);
    default:
      throw new Error(`an extension (BSON ${value._bsontype}) has no digest`);
  }
}

function map(entries, out) {
  const forms = new Map();
  for (const [key, value] of entries) {
    const kind = typeof key;
    if (kind !== "string" && kind !== "boolean" && kind !== "bigint" && !Number.isInteger(key)) {
      throw new Error(`a ${kind} as a key has no digest`);
    }
    const name = [];
    sized("s", Buffer.from(String(key), "utf8"), name);
    const text = Buffer.concat(name).toString("latin1");
    if (value === null || value === undefined) {
      forms.delete(text);
      continue;
    }
    const form = [];
    canonical(value, form);
    forms.set(text, form);
  }
  out.push(Buffer.from(`m${forms.size}:`));
  // latin1 text has the sort order of its bytes.
  for (const name of [...forms.keys()].sort((a, b) => (a < b ? -1 : 1))) {
    out.push(Buffer.from(name, "latin1"), ...forms.get(name));
  }
}

function float(number, out) {
  if (Number.isInteger(number) && number >= WHOLE_START && number < WHOLE_END) {
    return whole(BigInt(number), out);
  }
  const bytes = Buffer.alloc(9);
  bytes.write("d");
  if (Number.isNaN(number)) bytes.writeUInt32BE(0x7ff80000, 1);
  else bytes.writeDoubleBE(number, 1);
  out.push(bytes);
}

function whole(number, out) {
  if (number < -(2n ** 63n) || number >= 2n ** 64n) return float(Number(number), out);
  out.push(Buffer.from(`i${number};`));
}

function time(seconds, nanos, out) {
  out.push(Buffer.from(`T${seconds}.${nanos};`));
}

function sized(kind, bytes, out) {
  out.push(Buffer.from(`${kind}${bytes.length}:`), bytes);
}

/** Decodes UTF-8 to text. */
export const text = (bytes) => decoder.decode(bytes);
