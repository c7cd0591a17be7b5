'use strict';

// Prepares a `.proto` of today for the libraries of 2016.

// The messages that a schema may import.
const GOOGLE = `
syntax = "proto3";
package google.protobuf;
message Timestamp { int64 seconds = 1; int32 nanos = 2; }
message Empty {}
`;

/**
 * Returns the text of a schema without comments, reserved names and numbers, and JSON names: neither library
 * uses them, and the parser of protocol-buffers does not understand all of them.
 */
function protoText(schema) {
  if (!schema || !schema.proto) throw new Error('no schema for Protocol Buffers; send one with `schema`');
  const loses = (message) => message.fields.some((field) => field.proto === '__proto__');
  if (Object.keys(schema.model.messages).some((name) => loses(schema.model.messages[name]))) {
    throw new Error('the library loses a field with the name "__proto__"');
  }
  return schema.proto
    .replace(/^\s*(?:\/\/|reserved ).*$/gm, '')
    .replace(/json_name = "(?:[^"\\]|\\.)*"(?:, )?/g, '')
    .replace(/ \[\]/g, '');
}

/** Declares the option `packed` of fields that proto3 packs by default, which neither library does. */
function declarePacked(messages, model) {
  for (const message of messages) {
    const described = model.messages[message.name];
    for (const field of message.fields) {
      const found = described && described.fields.find((each) => each.proto === field.name);
      if (found && found.label === 'packed') field.options.packed = true;
    }
  }
}

/** Returns whether a schema has optional scalars, for which absent differs from zero. */
function hasScalarPresence(model) {
  const is = (field) => field.label === 'optional' && field.kind !== 'message';
  return Object.keys(model.messages).some((name) => model.messages[name].fields.some(is));
}

module.exports = { GOOGLE, declarePacked, hasScalarPresence, protoText };
