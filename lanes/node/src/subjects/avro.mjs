import avsc from "avsc";

import { Timestamp } from "../digest.mjs";
import { version } from "../version.mjs";

// avsc reads a `long` beyond 2^53 only with a custom type. This type returns a number if the value
// is a safe integer, otherwise a bigint.
const long = avsc.types.LongType.__with({
  fromBuffer: (bytes) => {
    const whole = bytes.readBigInt64LE();
    return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole;
  },
  toBuffer: (value) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(value));
    return bytes;
  },
  fromJSON: Number,
  toJSON: Number,
  isValid: (value) => typeof value === "bigint" || Number.isInteger(value),
  compare: (a, b) => (a === b ? 0 : a < b ? -1 : 1),
});

/** Returns the schema that a name refers to, and any other schema as it is. */
const resolved = (schema, named) => named.get(schema) ?? schema;

/** Converts data of avsc to the value it represents, with names and forms that Avro lacks. */
function plain(value, reference, named) {
  const schema = resolved(reference, named);
  if (value === null || typeof schema === "string") return value;
  if (Array.isArray(schema)) return union(value, schema, named);
  switch (schema.type) {
    case "record": {
      const of = (field) => plain(value[field.name], field.type, named);
      const role = schema["manywire.role"];
      if (schema.name === "Timestamp") return new Timestamp(value.seconds, Number(value.nanoseconds));
      if (role === "tuple") return schema.fields.map(of);
      if (role === "any" || role === "wrapper" || role === "transparent") return of(schema.fields[0]);
      const entries = new Map();
      for (const field of schema.fields) {
        if (field["manywire.rest"]) for (const [key, each] of of(field)) entries.set(key, each);
        else entries.set(field["manywire.name"] ?? field.name, of(field));
      }
      return entries;
    }
    case "array": {
      const items = value.map((item) => plain(item, schema.items, named));
      return isEntry(schema.items, named) ? new Map(items.map((entry) => [...entry.values()])) : items;
    }
    case "map":
      return new Map(Object.entries(value).map(([key, each]) => [key, plain(each, schema.values, named)]));
    case "bytes":
      return schema.logicalType === "decimal" && !schema.scale ? integer(value) : value;
    case "enum":
      return schema["manywire.symbols"]?.[schema.symbols.indexOf(value)] ?? value;
    default:
      return value;
  }
}

/** Returns whether a schema is that of an entry, a record of key and value, of a map with keys that are not text. */
const isEntry = (schema, named) => resolved(schema, named)["manywire.role"] === "entry";

function union(value, branches, named) {
  const real = branches.filter((branch) => branch !== "null");
  if (real.length === 1) return plain(unwrap(value, real[0], named), real[0], named);
  const keys = Object.keys(Object(value));
  const wrapped = keys.length === 1 && real.find((branch) => branchName(branch) === keys[0]);
  if (wrapped && typeof value === "object") return plain(value[keys[0]], wrapped, named);
  const fitting = real.find((branch) => fits(value, resolved(branch, named)));
  return fitting === undefined ? value : plain(value, fitting, named);
}

// With its default settings, avsc wraps the branches of a union only if they are ambiguous.
const unwrap = (value, branch) =>
  value !== null && typeof value === "object" && Object.keys(value).length === 1 && Object.hasOwn(value, branchName(branch)) && Object.getPrototypeOf(value)?.constructor?.name !== "Object"
    ? value[branchName(branch)]
    : value;

const branchName = (branch) => (typeof branch === "string" ? branch : branch.name ?? branch.type);

function fits(value, branch) {
  const type = typeof branch === "string" ? branch : branch.type;
  if (Array.isArray(value)) return type === "array";
  if (value instanceof Uint8Array) return type === "bytes";
  return typeof value === "object" && (type === "record" || type === "map");
}

/** Returns the integer of a decimal of scale 0, which avsc reads as bytes in two's complement. */
function integer(bytes) {
  const digits = Buffer.from(bytes).toString("hex");
  return digits === "" ? 0n : BigInt.asIntN(4 * digits.length, BigInt(`0x${digits}`));
}

function names(schema, named = new Map()) {
  if (Array.isArray(schema)) schema.forEach((branch) => names(branch, named));
  else if (typeof schema === "object") {
    if (schema.name && schema.type !== undefined) named.set(schema.name, schema);
    if (schema.type === "record") schema.fields.forEach((field) => names(field.type, named));
    else if (schema.items) names(schema.items, named);
    else if (schema.values) names(schema.values, named);
  }
  return named;
}

export const avro = [
  {
    library: "avsc",
    version: version("avsc"),
    format: "avro",
    target: "dynamic",
    prepare: ({ avro }) => {
      const schema = JSON.parse(avro);
      const type = avsc.Type.forSchema(schema, { registry: { long } });
      const named = names(schema);
      return {
        decode: (bytes) => type.fromBuffer(bytes),
        encode: (value) => type.toBuffer(value),
        plain: (value) => plain(value, schema, named),
      };
    },
  },
];
