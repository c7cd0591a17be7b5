'use strict';

// Checks bytes that libraries convert to text: they replace invalid UTF-8 instead of refusing it.

// The longest string of V8 5.1, in UTF-16 units; text in UTF-8 has at least one byte for each.
const TEXT_BYTES_MAX = (1 << 28) - 16;

/** Returns the fault in bytes that should be text, or `null`. */
function textFault(bytes) {
  if (bytes.length > TEXT_BYTES_MAX) return `text of ${bytes.length} bytes, expected at most ${TEXT_BYTES_MAX}`;
  return Buffer.from(bytes.toString()).equals(bytes) ? null : 'invalid UTF-8';
}

module.exports = { textFault };
