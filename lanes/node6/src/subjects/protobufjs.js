'use strict';

// The most used library of Protocol Buffers at that time, with the messages that it builds from a schema.

const ProtoBuf = require('protobufjs');

const { Reader } = require('../model');
const { messageChecker } = require('../protobuf');
const { GOOGLE, declarePacked, hasScalarPresence, protoText } = require('../schema');
const version = require('../version');

/** Returns the class of the message of the whole value. */
function rootClass(schema) {
  const parsed = ProtoBuf.DotProto.Parser.parse(protoText(schema));
  declarePacked(parsed.messages, schema.model);
  // The proto3 of this library has no scalars with presence. A program that needed them wrote proto2.
  if (hasScalarPresence(schema.model)) parsed.syntax = 'proto2';
  parsed.imports = [];
  const builder = ProtoBuf.loadProto(GOOGLE, ProtoBuf.newBuilder());
  ProtoBuf.loadJson(parsed, builder);
  return builder.build(`${schema.model.package}.${schema.model.root}`);
}

/** Returns a field of a message. In proto3, the members of a `oneof` that are not set are zero. */
function get(message, field) {
  const oneof = message.$type.getChild(field.proto).oneof;
  return oneof && message[oneof.name] !== field.proto ? undefined : message[field.proto];
}

const scalar = (value, field) => (field.kind === 'bytes' && !Buffer.isBuffer(value) ? value.toBuffer() : value);

module.exports = {
  library: 'protobufjs',
  version: version('protobufjs'),
  format: 'protobuf',
  target: 'typed',
  hasMemory: true,
  prepare(schema) {
    const Root = rootClass(schema);
    // A field may have the name of a method.
    const encode = Root.prototype.encode;
    const reader = new Reader(schema.model, get, scalar);
    return {
      check: messageChecker(schema.model, () => null),
      decode: (bytes) => Root.decode(bytes),
      encode: (message) => encode.call(message).toBuffer(),
      plain: (message) => reader.root(message),
    };
  },
};
