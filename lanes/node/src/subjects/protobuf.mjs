// protobufjs generates code when it loads a schema; its command writes the same code to a file. Typed
// subjects work on messages of the library. Dynamic subjects work on plain objects, and the conversion
// is part of the operation.

import { createFileRegistry, fromBinary, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import protobufjs from "protobufjs";

import { Reader } from "../model.mjs";
import { version } from "../version.mjs";

function rootType(schema) {
  const root = new protobufjs.Root();
  protobufjs.parse(schema.proto, root, { keepCase: true });
  // The only imports are those of Google, which the library includes.
  for (const name of ["timestamp", "empty"]) {
    const file = protobufjs.common.get(`google/protobuf/${name}.proto`);
    if (schema.proto.includes(`google/protobuf/${name}.proto`) && file) root.addJSON(file.nested);
  }
  return root.resolveAll().lookupType(`${schema.model.package}.${schema.model.root}`);
}

const own = (message, field) =>
  Object.hasOwn(message, field.proto) ? message[field.proto] : undefined;

export const protobuf = [
  {
    library: "protobufjs",
    version: version("protobufjs"),
    format: "protobuf",
    target: "dynamic",
    prepare: (schema) => {
      const type = rootType(schema);
      const reader = new Reader(schema.model, own);
      // 64-bit integers and enums become numbers. Absent fields stay absent, except arrays and
      // maps, which become empty.
      const options = { longs: Number, arrays: true, objects: true, oneofs: false };
      return {
        decode: (bytes) => type.toObject(type.decode(bytes), options),
        encode: (value) => type.encode(type.fromObject(value)).finish(),
        plain: (value) => reader.root(value),
      };
    },
  },
  {
    library: "protobufjs",
    version: version("protobufjs"),
    format: "protobuf",
    target: "typed",
    prepare: (schema) => {
      const type = rootType(schema);
      const reader = new Reader(schema.model, own);
      return {
        decode: (bytes) => type.decode(bytes),
        encode: (value) => type.encode(value).finish(),
        plain: (value) => reader.root(value),
      };
    },
  },
  {
    library: "@bufbuild/protobuf",
    version: version("@bufbuild/protobuf"),
    format: "protobuf",
    target: "typed",
    prepare: (schema) => {
      const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, schema.descriptors));
      const type = registry.getMessage(`${schema.model.package}.${schema.model.root}`);
      const known = new Map();
      // Returns the names of a field and of its oneof in messages of the library.
      const described = (message, field) => {
        const key = `${message.$typeName}.${field.proto}`;
        let found = known.get(key);
        if (!found) {
          const desc = registry.getMessage(message.$typeName).fields.find((each) => each.name === field.proto);
          found = { localName: desc.localName, oneof: desc.oneof?.localName };
          known.set(key, found);
        }
        return found;
      };
      const reader = new Reader(schema.model, (message, field) => {
        if (!("$typeName" in message)) return message[field.proto];
        const { oneof, localName } = described(message, field);
        if (oneof) return message[oneof]?.case === localName ? message[oneof].value : undefined;
        return message[localName];
      });
      return {
        decode: (bytes) => fromBinary(type, bytes),
        encode: (value) => toBinary(type, value),
        plain: (value) => reader.root(value),
      };
    },
  },
];
