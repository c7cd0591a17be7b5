// Tests of the package that run in Node.js and in browsers alike: `run` takes the package and fails by throwing.

function same(found, expected) {
  if (Object.is(found, expected)) return true;
  if (typeof found !== typeof expected || found === null || expected === null || typeof found !== "object") return false;
  if (Object.getPrototypeOf(found) !== Object.getPrototypeOf(expected)) return false;
  if (found instanceof Map) return same([...found], [...expected]);
  const [left, right] = [Reflect.ownKeys(found), Reflect.ownKeys(expected)];
  return left.length === right.length && left.every((key, at) => key === right[at] && same(found[key], expected[key]));
}

const text = (value) => JSON.stringify(value, (_, it) => {
  if (typeof it === "bigint") return `${it}n`;
  if (it instanceof Map) return { map: [...it] };
  return it instanceof Uint8Array ? { bytes: [...it] } : it;
});

function equal(found, expected, what) {
  if (!same(found, expected)) throw new Error(`${what}: expected ${text(expected)}, found ${text(found)}`);
}

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const unhex = (digits) => Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));

export function run(manywire) {
  const { ManywireError, Schema, Timestamp, Extension, avro, bson, cbor, codecs, json, msgpack, msgpackArray, protobuf } = manywire;

  // Fails unless a call throws the error of the package with these members.
  function refused(call, members, what) {
    let found = null;
    try {
      call();
    } catch (error) {
      found = error;
    }
    if (!(found instanceof ManywireError && found instanceof Error)) throw new Error(`${what}: expected an error, found ${found}`);
    for (const [name, expected] of Object.entries(members)) {
      if (expected instanceof RegExp ? !expected.test(found[name]) : found[name] !== expected) {
        throw new Error(`${what}: ${name}: expected ${expected}, found ${found[name]} (${found})`);
      }
    }
  }

  equal(codecs.map((codec) => codec.name), ["json", "msgpack", "msgpack-array", "cbor", "protobuf", "avro", "bson"], "codecs");
  equal(cbor.mediaType, "application/cbor", "media type");
  equal(msgpackArray.title, "MessagePack (array)", "title");

  // The bytes of each format are those of its specification.
  const user = { id: 4711, name: "Ada", tags: ["a", "b"], ratio: 0.5, none: null, ok: true };
  equal(hex(msgpack.dumps({ id: 4, ok: true })), "82a2696404a26f6bc3", "MessagePack");
  equal(hex(cbor.dumps({ id: 4, ok: true })), "a26269640462" + "6f6bf5", "CBOR");
  equal(new TextDecoder().decode(json.dumps({ id: 4, ok: true })), '{"id":4,"ok":true}', "JSON");
  equal(hex(bson.dumps({ hello: "world" })), "160000000268656c6c6f0006000000776f726c640000", "BSON");
  const proto = new Schema('syntax = "proto3"; message A { int64 id = 1; string name = 2; }');
  equal(hex(protobuf.dumps({ id: 150, name: "Ada" }, proto)), "089601" + "1203416461", "Protocol Buffers");
  const avsc = new Schema('{"type":"record","name":"A","fields":[{"name":"id","type":"long"},{"name":"name","type":"string"}]}');
  equal(hex(avro.dumps({ id: 4, name: "Ada" }, avsc)), "0806416461", "Avro");

  // Every format gives back what it took.
  const schema = Schema.infer(user);
  for (const codec of codecs) equal(codec.loads(codec.dumps(user, schema), schema), user, codec.name);
  for (const codec of [json, msgpack, cbor, bson]) equal(codec.loads(codec.dumps(user)), user, codec.name);

  // Values keep their kinds.
  const wide = { small: -1, safe: 2 ** 53 - 1, beyond: 2n ** 53n, most: 2n ** 64n - 1n, least: -(2n ** 63n), half: 1.5, minus: -0, large: 1e300 };
  for (const codec of [msgpack, cbor]) equal(codec.loads(codec.dumps(wide)), wide, `${codec.name}: numbers`);
  equal(json.loads(json.dumps(wide)), wide, "JSON: numbers");
  equal(json.loads("[123456789012345678901234567890]"), [123456789012345678901234567890n], "JSON: big");
  equal(cbor.loads(cbor.dumps(2n ** 200n)), 2n ** 200n, "CBOR: bignum");
  equal(msgpack.loads(msgpack.dumps(new Uint8Array([1, 2]))), new Uint8Array([1, 2]), "bytes");
  equal(msgpack.loads(msgpack.dumps(new Uint8Array([1, 2]).buffer)), new Uint8Array([1, 2]), "a buffer");
  equal(cbor.loads(cbor.dumps([NaN, Infinity])), [NaN, Infinity], "not finite");
  const keys = new Map([[1, "one"], ["1", "text"], [true, 2.5]]);
  equal(cbor.loads(cbor.dumps(keys)), keys, "keys");
  equal(msgpack.loads(msgpack.dumps(new Map([["a", 1]]))), { a: 1 }, "a map with text");
  const time = new Timestamp(1_700_000_000, 123_456_789);
  equal(msgpack.loads(msgpack.dumps(time)), time, "a timestamp");
  equal(time.toDate().toISOString(), "2023-11-14T22:13:20.123Z", "a date");
  const date = new Date("1969-12-31T23:59:59.250Z");
  equal(msgpack.loads(msgpack.dumps(date)), Timestamp.fromDate(date), "a date before 1970");
  equal(Timestamp.fromDate(date).toDate().getTime(), date.getTime(), "a date and back");
  const extension = new Extension("msgpack", -5, new Uint8Array([1]));
  equal(hex(msgpack.dumps(extension)), "d4fb01", "an extension");
  equal(msgpack.loads(unhex("d4fb01")), extension, "an extension");
  equal(cbor.loads(unhex("d8206161")), new Extension("cbor-tag", 32, "a"), "a tag");

  // A key is a key.
  const hostile = json.loads('{"__proto__":{"polluted":1},"constructor":2}');
  equal(Object.keys(hostile), ["__proto__", "constructor"], "keys of prototypes");
  equal({}.polluted, undefined, "no prototype changed");
  equal(new TextDecoder().decode(json.dumps(hostile)), '{"__proto__":{"polluted":1},"constructor":2}', "keys of prototypes");
  equal(msgpack.loads(msgpack.dumps(Object.assign(Object.create(null), { a: 1 }))), { a: 1 }, "no prototype");

  // Faults have their place.
  refused(() => json.loads('{\n  "a": [1,, 2]\n}'), { line: 2, column: 11, path: "$.a[1]" }, "JSON");
  refused(() => json.loads("1 2"), { line: 1, column: 3 }, "bytes after the value");
  refused(() => msgpack.loads(unhex("82a16101a162")), { offset: 6, line: null }, "an early end");
  refused(() => msgpack.loads(unhex("c1")), { offset: 0 }, "an invalid byte");
  refused(() => cbor.loads(unhex("9bffffffffffffffff")), { offset: 9 }, "a claimed length");
  refused(() => msgpack.loads(unhex("91".repeat(100_000) + "c0")), { reason: /deep|nest/ }, "deep nesting");
  refused(() => json.loads("[".repeat(600)), { reason: /deep|nest/ }, "deep nesting");
  refused(() => json.loads('{"a":1,"a":2}'), { reason: /twice/ }, "a key twice");
  refused(() => json.loads('{"x":[1e400]}'), { path: "$.x[0]" }, "no number");
  refused(() => cbor.loads(unhex("a20102f93c0003")), { reason: /equal in JavaScript/ }, "equal keys");

  // Values that a format cannot represent are refused with their path.
  refused(() => json.dumps({ a: [1, NaN] }), { path: "$.a[1]" }, "NaN in JSON");
  refused(() => bson.dumps([1]), { path: "$" }, "an array at the top of BSON");
  refused(() => msgpack.dumps([2n ** 64n]), { path: "$[0]", reason: /cannot represent [^;]*$/ }, "a number beyond 64 bits");
  refused(() => json.dumps({ a: new Uint8Array() }), { path: "$.a" }, "bytes in JSON");
  refused(() => json.dumps([new Date(0)]), { path: "$[0]" }, "a time in JSON");
  refused(() => msgpack.dumps({ a: [undefined] }), { path: "$.a[0]", reason: /undefined/ }, "undefined");
  refused(() => msgpack.dumps({ "odd key": () => 1 }), { path: '$["odd key"]', reason: /function/ }, "a function");
  refused(() => msgpack.dumps([new Set()]), { path: "$[0]", reason: /Set/ }, "a set");
  refused(() => msgpack.dumps({ a: Symbol("a") }), { path: "$.a", reason: /symbol/ }, "a symbol");
  refused(() => msgpack.dumps("\ud800"), { reason: /surrogate/ }, "half of a pair");
  refused(() => msgpack.dumps(new Date(NaN)), { reason: /date/ }, "no date");
  refused(() => msgpack.dumps(new Extension("msgpack", 128)), { reason: /out of range/ }, "a code");
  refused(() => msgpack.dumps(new Timestamp(0, 1e9)), { reason: /out of range/ }, "nanoseconds");
  const circle = [];
  circle.push(circle);
  refused(() => cbor.dumps(circle), { reason: /deeper/ }, "a circle");
  refused(() => protobuf.dumps({ id: 1 }), { reason: /schema/ }, "no schema");
  refused(() => protobuf.dumps({ id: "x" }, proto), { path: "$.id" }, "the wrong type");
  refused(() => new Schema("message A { int32 a = 1 }"), { line: 1 }, "a schema");

  // Explain covers each byte once, and goes on to the fault.
  const bytes = unhex("83a2696404a869734163746976" + "65c3a866756c6c6e616d65ad486f6d65722053696d70736f6e");
  const explained = manywire.explain(bytes);
  equal(explained.form, "msgpack", "the form");
  equal(explained.spans.reduce((end, span) => (span.offset === end ? end + span.length : -1), 0), 38, "all bytes");
  equal(explained.spans.at(-1), { offset: 24, length: 14, role: "value", path: "$.fullname", type: "13-byte string", value: '"Homer Simpson"', inside: null }, "a span");
  equal(explained.keys + explained.structure + explained.values, 38, "the parts");
  equal(manywire.explain(bytes.subarray(0, 9), { form: "msgpack" }).findings[0].kind, "fault", "a fault");
  equal(manywire.explain(unhex("089601"), { form: "protobuf", schema: proto }).spans[1].path, "$.id", "a schema");
  refused(() => manywire.explain(unhex("010203")), { reason: /form/ }, "no form");

  // Conversions lose nothing, or say what.
  const converted = manywire.convert('{"id":1}\n{"id":2}\n', "protobuf-delimited");
  equal(converted.values, 2, "values");
  equal(hex(converted.data), "0208010208" + "02", "delimited");
  equal(/int64 id = 1;/.test(converted.schema), true, "the schema");
  const read = manywire.convert(converted.data, "ndjson", { form: "protobuf-delimited", schema: new Schema(converted.schema) });
  equal(new TextDecoder().decode(read.data), '{"id":1}\n{"id":2}\n', "and back");
  equal(hex(manywire.convert('{"id":"150","name":null}', "protobuf", { schema: proto }).data), "089601", "ProtoJSON");
  refused(() => manywire.convert('{"a":123456789012345678901234567890}', "msgpack"), { path: "$.a", reason: /`lossy`/ }, "a loss");
  equal(manywire.convert('{"a":123456789012345678901234567890}', "msgpack", { lossy: true }).losses.length, 1, "a loss");
  // {null: true}: the schema of the output would make the key text.
  refused(() => manywire.convert(unhex("a1f6f5"), "msgpack-array", { form: "cbor" }), { reason: /JSON Schema has only maps/ }, "a key");
  for (const compression of ["null", "deflate", "zstandard", "snappy", "bzip2", "xz"]) {
    const file = manywire.convert('{"a":"b"}', "avro", { compression });
    equal(new TextDecoder().decode(manywire.convert(file.data, "json").data), '{"a":"b"}\n', compression);
  }
  const markers = [1, 2].map(() => hex(manywire.convert("[1]", "avro").data.slice(-16)));
  equal(markers[0] !== markers[1], true, "files have different sync markers");
  equal(new TextDecoder().decode(manywire.convert('{"a":1}', "json", { pretty: true }).data), '{\n  "a": 1\n}\n', "indented");

  // Sizes are those of the converted bytes.
  const rows = manywire.sizes(json.dumps(user));
  equal(rows.map((row) => row.format), codecs.map((codec) => codec.name), "formats");
  for (const row of rows) {
    equal(row.bytes, manywire.convert(json.dumps(user), row.form, { lossy: true }).data.length - (row.format === "json" ? 1 : 0), `${row.format}: bytes`);
    equal(row.bytes, codecs.find((codec) => codec.name === row.format).dumps(user, schema).length, `${row.format}: bytes of the value`);
    equal(row.coded.map((it) => it.coding), ["gzip", "zstd", "br"], "codings");
  }
  equal(manywire.sizes("5").find((row) => row.format === "bson").refused?.path, "$", "a refusal");

  // Shapes in every language.
  equal(/interface|type/.test(manywire.shape('{"id":1}', "typescript")), true, "TypeScript");
  equal(/syntax = "proto3"/.test(manywire.shape('{"id":1}', "proto")), true, "proto");
  equal(JSON.parse(manywire.shape('{"id":1}', "avro")).type, "record", "avro");
  equal(/json-schema.org/.test(schema.text("jsonschema")), true, "JSON Schema");
  refused(() => manywire.shape("1", "cobol"), { reason: /cobol/ }, "a language");
  let wrong = null;
  try {
    msgpack.loads(5);
  } catch (error) {
    wrong = error;
  }
  equal(wrong instanceof TypeError, true, "a number for data");
}
