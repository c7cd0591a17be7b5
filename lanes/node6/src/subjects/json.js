'use strict';

// Services receive and send bytes, so the conversion between bytes and text is part of JSON.

const { textFault } = require('../text');

module.exports = {
  library: 'JSON',
  version: `V8 ${process.versions.v8}`,
  format: 'json',
  target: 'dynamic',
  limits: 'infinity becomes null',
  hasMemory: true,
  check(bytes) {
    const words = textFault(bytes);
    if (words) throw new Error(`invalid JSON: ${words}`);
  },
  decode: (bytes) => JSON.parse(bytes.toString()),
  encode: (value) => Buffer.from(JSON.stringify(value)),
};
