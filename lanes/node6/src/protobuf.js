'use strict';

// Checks that bytes are one message of a schema that both libraries read without changing it. Hostile bytes
// block or mislead both: protocol-buffers never returns from the single byte 0x80, and accepts lengths
// beyond the end of its input and fields of the wrong type. Both replace invalid UTF-8, and overwrite what
// other libraries merge: a message that occurs twice in a singular field.

const { textFault } = require('./text');

// The levels of messages that both libraries can read and write without exhausting the stack.
const LEVELS_MAX = 500;

const VARINT = 0;
const FIXED64 = 1;
const DELIMITED = 2;
const FIXED32 = 5;

// The encodings of all kinds that are not varints.
const WIRE_TYPES = {
  fixed64: FIXED64, sfixed64: FIXED64, double: FIXED64, fixed32: FIXED32, sfixed32: FIXED32, float: FIXED32,
  string: DELIMITED, bytes: DELIMITED, bigint: DELIMITED, number: DELIMITED, message: DELIMITED,
};

const wireType = (kind) => (kind in WIRE_TYPES ? WIRE_TYPES[kind] : VARINT);

/** Returns the fields of each message by number. */
function fieldsByNumber(model) {
  const messages = {};
  for (const name of Object.keys(model.messages)) {
    const { fields, form } = model.messages[name];
    messages[name] = new Map(fields.map((field) => [field.number, Object.assign({
      isKey: form === 'map' && field.number === 1,
      isText: ['string', 'bigint', 'number'].indexOf(field.kind) >= 0,
      // Other libraries merge the parts of these fields.
      isOverwritten: field.label === 'packed' || (field.kind === 'message' && field.label !== 'repeated'),
      wire: field.label === 'packed' ? DELIMITED : wireType(field.kind),
    }, field)]));
  }
  return messages;
}

/** Returns the reason that a varint is not a value of a kind, or `null`. */
function varintFault({ low, high, size }, kind) {
  switch (kind) {
    case 'bool':
      return size === 1 && low <= 1 ? null : 'a bool that is not one byte, 0 or 1';
    case 'uint32':
    case 'sint32':
      return high === 0 ? null : `a ${kind} beyond 32 bits`;
    case 'int32':
    case 'enum': {
      // Some libraries write five bytes for a negative number, others ten.
      const isNegative = high === 0xffffffff && low >= 0x80000000;
      return high === 0 || isNegative ? null : `an ${kind} beyond 32 bits`;
    }
    default:
      return null;
  }
}

/**
 * Returns a function that throws an error with the position of the first fault in the bytes of a message.
 * `refusal(varint, kind)` returns the reason that a library misreads a valid varint, or `null`.
 */
function messageChecker(model, refusal) {
  const messages = fieldsByNumber(model);
  const root = messages[model.root];

  return function check(bytes) {
    // The messages around the position, the innermost last.
    const open = [{ fields: root, end: bytes.length, seen: [] }];
    let at = 0;
    const fault = (position, words) => new Error(`invalid Protocol Buffers at byte ${position}: ${words}`);

    /** Reads a varint as two halves of 32 bits. */
    function varint(end) {
      const start = at;
      let low = 0;
      let high = 0;
      for (;;) {
        if (at >= end) throw fault(at, 'the input ends within a varint');
        const byte = bytes[at++];
        const size = at - start;
        const bits = byte & 0x7f;
        if (size === 10 && byte > 1) throw fault(start, 'a varint beyond 64 bits');
        const shift = 7 * (size - 1);
        if (shift < 32) low |= bits << shift;
        if (shift === 28) high |= bits >>> 4;
        if (shift > 32) high |= bits << (shift - 32);
        if (byte < 0x80) return { low: low >>> 0, high: high >>> 0, size };
      }
    }

    function number(end, kind) {
      const start = at;
      const found = varint(end);
      const words = varintFault(found, kind) || refusal(found, kind);
      if (words) throw fault(start, words);
    }

    function skip(end, size) {
      if (size > end - at) throw fault(at, `${size} bytes, and the input has ${end - at} more`);
      at += size;
    }

    /** Reads the length of a field and returns the end of its bytes. */
    function length(end) {
      const start = at;
      const { low, high } = varint(end);
      if (high > 0 || low > end - at) throw fault(start, `a length of ${high * 0x100000000 + low}, and the input has ${end - at} more`);
      return at + low;
    }

    function scalar(end, wire, kind) {
      if (wire === VARINT) number(end, kind);
      else skip(end, wire === FIXED64 ? 8 : 4);
    }

    function delimited(field, end) {
      const start = at;
      const limit = length(end);
      if (field && field.kind === 'message') {
        if (open.length >= LEVELS_MAX) throw fault(start, `more than ${LEVELS_MAX} levels of messages`);
        open.push({ fields: messages[field.of], end: limit, seen: [] });
        return;
      }
      if (field && field.label === 'packed') {
        while (at < limit) scalar(limit, wireType(field.kind), field.kind);
        return;
      }
      if (field && field.isText) {
        const raw = bytes.slice(at, limit);
        const words = textFault(raw);
        if (words) throw fault(at, words);
        if (field.isKey && raw.toString('latin1') === '__proto__') {
          throw fault(at, 'the library loses an entry with the key "__proto__"');
        }
      }
      at = limit;
    }

    /** Refuses the second part of a field. */
    function once(field, seen, position) {
      if (seen.indexOf(field.number) >= 0) {
        throw fault(position, `a second part of ${field.proto}, which the library does not merge`);
      }
      seen.push(field.number);
    }

    while (open.length > 0) {
      const message = open[open.length - 1];
      const end = message.end;
      if (at === end) {
        open.pop();
        continue;
      }
      const position = at;
      const tag = varint(end);
      const id = tag.low >>> 3;
      const wire = tag.low & 7;
      if (tag.high > 0 || id === 0) throw fault(position, 'an invalid field number');
      if (wire > FIXED32 || wire === 3 || wire === 4) throw fault(position, `the wire type ${wire}`);
      const field = message.fields.get(id);
      if (field && field.wire !== wire) {
        throw fault(position, `the wire type ${wire} in ${field.proto}, where the library reads ${field.wire}`);
      }
      if (field && field.isOverwritten) once(field, message.seen, position);
      if (wire === DELIMITED) delimited(field, end);
      else scalar(end, wire, field ? field.kind : null);
    }
  };
}

module.exports = { messageChecker };
