/** Bytes to read: text is read as its UTF-8. */
export type Data = string | ArrayBuffer | ArrayBufferView;

/** A name of `manywire formats`: a format, or a framing of several of its values. */
export type Form =
  | "json" | "ndjson" | "json-concat"
  | "msgpack" | "msgpack-seq"
  | "msgpack-array" | "msgpack-array-seq"
  | "cbor" | "cbor-seq"
  | "protobuf" | "protobuf-delimited"
  | "avro" | "avro-datum" | "avro-datum-seq"
  | "bson" | "bson-seq";

/** A format of one value. */
export type Format = "json" | "msgpack" | "msgpack-array" | "cbor" | "protobuf" | "avro" | "bson";

/** A language that {@link shape} writes. */
export type Language =
  | "outline" | "proto" | "avro" | "jsonschema" | "rust" | "go" | "typescript" | "java" | "csharp" | "python" | "haskell" | "scala";

/** The options for reading a payload. */
export interface ReadOptions {
  /**
   * The form of the bytes. Without a form, text is read as JSON, and other bytes must show their
   * format with certainty.
   */
  form?: Form;
  /** The schema of the bytes: needed for Protocol Buffers, bare Avro and MessagePack arrays. */
  schema?: Schema;
}

/** The error for data, a value, a schema or an argument that is refused. */
export class ManywireError extends Error {
  /** The message without its place. */
  readonly reason: string;
  /** The path to the part of the value, such as `$.items[3]`. */
  readonly path: string | null;
  /** The offset in the bytes. */
  readonly offset: number | null;
  /** The line in a text, counted from 1. */
  readonly line: number | null;
  /** The column in characters, counted from 1. */
  readonly column: number | null;
}

/** A point in time: a value of MessagePack, CBOR, Protocol Buffers, Avro and BSON. */
export class Timestamp {
  constructor(seconds: number | bigint, nanoseconds?: number);
  /** Whole seconds since 1970, negative before. */
  readonly seconds: number | bigint;
  /** Nanoseconds after `seconds`, 0 to 999,999,999. */
  readonly nanoseconds: number;
  /** Returns the time, rounded down to milliseconds. */
  toDate(): Date;
  static fromDate(date: Date): Timestamp;
}

/** A value that only one format has: an extension type, a tag or a special type. */
export class Extension {
  constructor(space: ExtensionSpace, code: number | bigint, content?: Value);
  /** The format that the value belongs to. */
  readonly space: ExtensionSpace;
  /** The type of MessagePack, the tag or simple value of CBOR, or the element type of BSON. */
  readonly code: number | bigint;
  readonly content: Value;
}

export type ExtensionSpace = "msgpack" | "cbor-tag" | "cbor-simple" | "bson";

/**
 * A value. Reading gives numbers for safe integers and for floats, `bigint` for other integers, `Uint8Array`
 * for bytes, objects for maps whose keys are all text, and else `Map`. Writing takes a `Date` for a timestamp,
 * too, and writes a safe number without a fraction as an integer. Everything else, such as `undefined`, is
 * refused with its path.
 */
export type Value =
  | null | boolean | number | bigint | string | Uint8Array | ArrayBuffer | Date | Timestamp | Extension
  | readonly Value[] | ReadonlyMap<Value, Value> | { readonly [key: string]: Value };

/** A schema, parsed once. */
export class Schema {
  /** Reads a .proto, an .avsc or a JSON Schema. `message` is the root of a .proto with several. */
  constructor(text: string, options?: { message?: string });
  /** Infers the schema of a value. */
  static infer(value: Value): Schema;
  /** Returns the schema in a language. */
  text(language?: Language): string;
}

/** One format of one value. */
export interface Codec {
  readonly name: Format;
  readonly title: string;
  readonly mediaType: string;
  /**
   * Reads one value. Bytes after it, deep nesting, equal keys and invalid bytes are refused. Protocol Buffers,
   * Avro and MessagePack arrays are read by a schema; the other formats ignore it.
   */
  loads(data: Data, schema?: Schema): any;
  /** Writes one value. A value that `loads` would not give back as the same is refused with its path. */
  dumps(value: Value, schema?: Schema): Uint8Array;
}

export const json: Codec;
export const msgpack: Codec;
/** MessagePack with records as arrays, by a schema. */
export const msgpackArray: Codec;
export const cbor: Codec;
/** Protocol Buffers, by a schema. */
export const protobuf: Codec;
/** One Avro datum, by a schema. */
export const avro: Codec;
export const bson: Codec;
/** All formats. */
export const codecs: readonly Codec[];

/** The meaning of each byte. */
export interface Explanation {
  form: Form;
  /** The number of bytes, without a content coding. */
  length: number;
  /** The spans in order. They cover each byte once, except for those with `inside`. */
  spans: Span[];
  findings: Finding[];
  /** Bytes of keys. */
  keys: number;
  /** Bytes of heads, lengths, quotes and separators. */
  structure: number;
  /** Bytes of the content of values. */
  values: number;
  /** Bytes that were not read because of a fault. */
  unread: number;
}

/** A range of bytes with one meaning. */
export interface Span {
  offset: number;
  length: number;
  role: "head" | "length" | "key" | "value" | "fixed" | "separator" | "unread";
  path: string;
  /** The type, such as `2-byte string`. */
  type: string;
  /** The value as text. */
  value: string | null;
  /** The offset of the compressed bytes that the span was unpacked from. */
  inside: number | null;
}

/** A fault, or a remark on valid bytes that a careful writer would not have written. */
export interface Finding {
  kind: "fault" | "remark";
  offset: number;
  path: string;
  message: string;
}

/** Lists the meaning of each byte. */
export function explain(data: Data, options?: ReadOptions): Explanation;

/** The bytes of a payload in one format. */
export interface FormatSizes {
  format: Format;
  form: Form;
  /** `null` if the format cannot represent the values. */
  bytes: number | null;
  coded: { coding: "gzip" | "zstd" | "br"; level: number; bytes: number }[];
  losses: Loss[];
  /** The number of losses that are not listed. */
  lossesUnlisted: number;
  refused: { path: string; message: string } | null;
}

/** A value that was replaced, because the format cannot represent it. */
export interface Loss {
  /** The path of the first occurrence. */
  path: string;
  /** The value, and its replacement. */
  lost: string;
  /** The number of occurrences. */
  places: number;
}

/** Counts the bytes of a payload in each format, plain and compressed. */
export function sizes(data: Data, options?: ReadOptions): FormatSizes[];

/** Infers the schema of a payload and writes it in a language. */
export function shape(data: Data, language?: Language, options?: ReadOptions): string;

export interface ConvertOptions extends ReadOptions {
  /** True to replace and list the values that the form cannot represent, false to refuse them. */
  lossy?: boolean;
  /** Indents JSON. */
  pretty?: boolean;
  /** The compression of the blocks of an Avro file. */
  compression?: "null" | "deflate" | "zstandard" | "snappy" | "bzip2" | "xz";
}

export interface Converted {
  data: Uint8Array;
  /** The number of values. */
  values: number;
  losses: Loss[];
  /** The number of losses that are not listed. */
  lossesUnlisted: number;
  /** The .proto, the .avsc, or for MessagePack arrays the JSON Schema that the output is read with. */
  schema: string | null;
}

/** Converts a payload to another form. */
export function convert(data: Data, to: Form, options?: ConvertOptions): Converted;
