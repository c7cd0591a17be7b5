'use strict';

// A schema with every kind of field as the orchestrator sends it, and messages of it.

const PROTO = `syntax = "proto3";

package manywire.payload;

import "google/protobuf/timestamp.proto";
import "google/protobuf/empty.proto";

// A message; it has "every" kind [of field].
message Root {
  reserved 90, 95 to max;
  reserved "gone; it was";
  string text = 1 [json_name = "a \\"text\\"; // [it is]"];
  int64 long = 2;
  repeated Root list = 3;
  map<string, int32> counts = 4;
  repeated sint32 numbers = 5;
  repeated int32 loose = 6 [packed = false];
  bytes blob = 7;
  Scope.Color color = 8;
  oneof choice {
    bool yes = 9;
    double real = 10;
    google.protobuf.Empty nothing = 11;
  }
  google.protobuf.Timestamp at = 12;
  fixed64 wide = 13;
  float small = 14;
  uint64 unsigned = 15;
  string encode = 16 [json_name = "en-code"];
  Big big = 17;
  map<bool, int32> flags = 18;
  sfixed32 fixed = 19;
  Pair pair = 20;
}

message Scope {
  enum Color {
    ZERO = 0;
    RED = 1;
  }
}

message Big {
  string digits = 1;
}

message Pair {
  int32 first = 1;
  sint64 second = 2;
}
`;

const field = (proto, number, kind, change) => Object.assign({ proto, name: proto, number, kind, label: 'singular', absent: 'zero' }, change);
const member = (proto, number, kind, of) => field(proto, number, kind, Object.assign({ absent: 'missing' }, of ? { of } : {}));
const map = (key, value) => ({ form: 'map', fields: [field('key', 1, key), field('value', 2, value)] });

const MODEL = {
  file: 'manywire.proto',
  package: 'manywire.payload',
  root: 'Root',
  enums: { Color: { 0: 'zero', 1: 'red' } },
  messages: {
    Root: {
      form: 'record',
      fields: [
        field('text', 1, 'string', { name: 'a text' }),
        field('long', 2, 'int64'),
        field('list', 3, 'message', { of: 'Root', label: 'repeated' }),
        field('counts', 4, 'message', { of: 'CountsEntry', label: 'repeated' }),
        field('numbers', 5, 'sint32', { label: 'packed' }),
        field('loose', 6, 'int32', { label: 'repeated' }),
        field('blob', 7, 'bytes'),
        field('color', 8, 'enum', { of: 'Color' }),
        member('yes', 9, 'bool'),
        member('real', 10, 'double'),
        member('nothing', 11, 'message', 'google.protobuf.Empty'),
        member('at', 12, 'message', 'google.protobuf.Timestamp'),
        field('wide', 13, 'fixed64'),
        field('small', 14, 'float'),
        field('unsigned', 15, 'uint64'),
        field('encode', 16, 'string'),
        member('big', 17, 'message', 'Big'),
        field('flags', 18, 'message', { of: 'FlagsEntry', label: 'repeated' }),
        field('fixed', 19, 'sfixed32'),
        member('pair', 20, 'message', 'Pair'),
      ],
    },
    CountsEntry: map('string', 'int32'),
    FlagsEntry: map('bool', 'int32'),
    Big: { form: 'wrapper', fields: [field('digits', 1, 'bigint')] },
    Pair: { form: 'tuple', fields: [field('first', 1, 'int32'), field('second', 2, 'sint64')] },
    'google.protobuf.Empty': { form: 'null', fields: [] },
    'google.protobuf.Timestamp': { form: 'timestamp', fields: [field('seconds', 1, 'int64'), field('nanos', 2, 'int32')] },
  },
};

const SCHEMA = { verb: 'schema', proto: PROTO, model: MODEL, avro: null, shape: {}, source: null };

/** Returns a varint of a whole number below 2^53, in hexadecimal. */
function varint(number) {
  let left = number;
  const bytes = [];
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  return Buffer.from(bytes.concat(left)).toString('hex');
}

/** Returns a field with a length, in hexadecimal. */
const delimited = (number, content) => varint(number * 8 + 2) + varint(content.length / 2) + content;

const textField = (number, text) => delimited(number, Buffer.from(text).toString('hex'));

/** Returns a message in messages, in hexadecimal. */
function nested(levels) {
  let bytes = '';
  for (let level = 1; level < levels; level++) bytes = delimited(3, bytes);
  return bytes;
}

module.exports = { SCHEMA, delimited, nested, textField, varint };
