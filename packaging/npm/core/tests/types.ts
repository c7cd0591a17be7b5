// Must compile: the types of the package in use. Each `@ts-expect-error` must be an error.
import { avro, codecs, convert, explain, Extension, ManywireError, msgpack, protobuf, Schema, shape, sizes, Timestamp } from "@manywire/core";

const schema: Schema = new Schema("message A { int64 id = 1; }", { message: "A" });
const bytes: Uint8Array = protobuf.dumps({ id: 1, at: new Date(), list: [1n, null, new Uint8Array()] }, schema);
msgpack.dumps(new Map<number, string>([[1, "a"]]));
msgpack.dumps(new Extension("cbor-tag", 32, new Timestamp(0)));
// @ts-expect-error: undefined is refused
msgpack.dumps(undefined);
// @ts-expect-error: functions are refused
msgpack.dumps({ f: () => 1 });
const offsets: number[] = explain(bytes, { form: "protobuf", schema }).spans.map((span) => span.offset);
const roles: string[] = explain("{}").findings.map((finding): "fault" | "remark" => finding.kind);
const data: Uint8Array = convert(bytes, "avro", { form: "protobuf", schema, compression: "xz" }).data;
// @ts-expect-error: there is no such form
convert(bytes, "toml");
const text: string = shape(data, "go");
const least = Math.min(...sizes(data).map((row): number => row.bytes ?? Infinity));
try {
  avro.loads(data.buffer as ArrayBuffer);
} catch (error) {
  if (error instanceof ManywireError) console.log(error.path?.length, error.line, error.reason);
}
console.log(offsets, roles, text, least, codecs[0].mediaType, Schema.infer([1]).text("rust"));
