// The functions of the package over those of the WebAssembly module, with its classes. `index.d.ts` describes
// all of them.
import * as raw from "./manywire.js";

export class ManywireError extends Error {
  name = "ManywireError";

  constructor({ text, reason, path, offset, line, column }) {
    super(text);
    Object.assign(this, { reason, path, offset, line, column });
  }
}

export class Timestamp {
  constructor(seconds, nanoseconds = 0) {
    this.seconds = seconds;
    this.nanoseconds = nanoseconds;
    Object.freeze(this);
  }

  toDate() {
    return new Date(Number(this.seconds) * 1000 + Math.floor(this.nanoseconds / 1e6));
  }

  static fromDate(date) {
    const milliseconds = date.getTime();
    const seconds = Math.floor(milliseconds / 1000);
    return new Timestamp(seconds, (milliseconds - seconds * 1000) * 1e6);
  }
}

export class Extension {
  constructor(space, code, content = null) {
    this.space = space;
    this.code = code;
    this.content = content;
    Object.freeze(this);
  }
}

// Calls a function of the module. The module throws plain objects, which become errors.
function call(run, ...rest) {
  try {
    return run(...rest);
  } catch (error) {
    if (error instanceof Error) throw error;
    throw new ManywireError(error);
  }
}

let none = null;
let formatRows = [];

// Makes an instance of the module. Called once, before any other function.
export function load(module) {
  raw.initSync({ module });
  raw.classes(Timestamp, Extension);
  none = raw.SchemaHandle.none();
  formatRows = JSON.parse(raw.formats());
}

const encoder = new TextEncoder();

function bytesOf(data) {
  if (typeof data === "string") return encoder.encode(data);
  if (data instanceof Uint8Array) return data;
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  throw new TypeError("expected a string, an ArrayBuffer or a view of one, such as a Uint8Array");
}

const handles = new WeakMap();

export class Schema {
  constructor(text, { message } = {}) {
    handles.set(this, call(raw.SchemaHandle.read, text, message));
  }

  static infer(value) {
    const schema = Object.create(Schema.prototype);
    handles.set(schema, call(raw.SchemaHandle.infer, value));
    return schema;
  }

  text(language = "outline") {
    const handle = handleOf(this);
    return call(() => handle.text(language));
  }
}

function handleOf(schema) {
  if (schema === undefined || schema === null) return none;
  const handle = handles.get(schema);
  if (handle === undefined) throw new TypeError("schema: expected a Schema");
  return handle;
}

class Codec {
  #name;

  constructor(name) {
    this.#name = name;
  }

  get name() { return this.#name; }
  get title() { return this.#row.title; }
  get mediaType() { return this.#row.media_type; }
  get #row() { return formatRows.find((row) => row.name === this.#name); }

  loads(data, schema) { return call(raw.loads, this.#name, bytesOf(data), handleOf(schema)); }
  dumps(value, schema) { return call(raw.dumps, this.#name, value, handleOf(schema)); }
}

export const json = new Codec("json");
export const msgpack = new Codec("msgpack");
export const msgpackArray = new Codec("msgpack-array");
export const cbor = new Codec("cbor");
export const protobuf = new Codec("protobuf");
export const avro = new Codec("avro");
export const bson = new Codec("bson");
export const codecs = Object.freeze([json, msgpack, msgpackArray, cbor, protobuf, avro, bson]);

export function explain(data, { form, schema } = {}) {
  return JSON.parse(call(raw.explain, bytesOf(data), form, handleOf(schema)));
}

export function sizes(data, { form, schema } = {}) {
  return JSON.parse(call(raw.sizes, bytesOf(data), form, handleOf(schema)));
}

export function shape(data, language = "outline", { form, schema } = {}) {
  return call(raw.shape, bytesOf(data), language, form, handleOf(schema));
}

export function convert(data, to, { form, schema, lossy = false, pretty = false, compression } = {}) {
  const { bytes, rest } = call(raw.convert, bytesOf(data), to, form, handleOf(schema), lossy, pretty, compression);
  return { data: bytes, ...JSON.parse(rest) };
}
