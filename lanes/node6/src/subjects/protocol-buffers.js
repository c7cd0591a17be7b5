'use strict';

// The library that the Node.js server of 2016 used: https://github.com/gawth/protosrv. It generates
// functions that read and write plain objects from a schema.

const protocolBuffers = require('protocol-buffers');
const { Long } = require('protobufjs');
const parse = require('protocol-buffers-schema');

const { Reader } = require('../model');
const { messageChecker } = require('../protobuf');
const { GOOGLE, declarePacked, protoText } = require('../schema');
const version = require('../version');

/** Returns the functions of the message of the whole value. */
function rootCoder(schema) {
  const parsed = parse(protoText(schema));
  declarePacked(parsed.messages, schema.model);
  // The library ignores packages and imports.
  const imported = parse(GOOGLE).messages.map((message) => Object.assign(message, { name: `google.protobuf.${message.name}` }));
  parsed.messages = parsed.messages.concat(imported);
  return protocolBuffers(parsed)[schema.model.root];
}

/**
 * Returns the reason that the library misreads a varint, or `null`: it has doubles, and computes a wrong
 * number from those of at least 2^63.
 */
function refusal(varint, kind) {
  const isSigned = kind === 'int32' || kind === 'int64' || kind === 'enum';
  if (!isSigned || varint.high * 0x100000000 + varint.low < 0x8000000000000000) return null;
  return `the library misreads an ${kind} that is negative${kind === 'int64' ? ' or close to 2^63' : ''}`;
}

const get = (message, field) => (Object.prototype.hasOwnProperty.call(message, field.proto) ? message[field.proto] : undefined);

/** Returns a scalar. The library represents an integer with a fixed size of 64 bits as eight bytes. */
function scalar(value, field) {
  const isFixed = (field.kind === 'fixed64' || field.kind === 'sfixed64') && Buffer.isBuffer(value);
  return isFixed ? new Long(value.readInt32LE(0), value.readInt32LE(4), field.kind === 'fixed64') : value;
}

module.exports = {
  library: 'protocol-buffers',
  version: version('protocol-buffers'),
  format: 'protobuf',
  target: 'typed',
  limits: 'boolean keys of a map become true',
  hasMemory: true,
  prepare(schema) {
    const coder = rootCoder(schema);
    const reader = new Reader(schema.model, get, scalar);
    return {
      check: messageChecker(schema.model, refusal),
      decode: (bytes) => coder.decode(bytes),
      encode: (value) => coder.encode(value),
      plain: (value) => reader.root(value),
    };
  },
};
