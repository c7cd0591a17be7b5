'use strict';

// Services receive and send bytes, so the conversion between bytes and text is part of JSON.

module.exports = {
  library: 'JSON',
  version: `V8 ${process.versions.v8}`,
  format: 'json',
  limits: 'infinity becomes null',
  hasMemory: true,
  check(bytes) {
    if (!Buffer.from(bytes.toString()).equals(bytes)) throw new Error('invalid JSON: the text is not UTF-8');
  },
  decode: (bytes) => JSON.parse(bytes.toString()),
  encode: (value) => Buffer.from(JSON.stringify(value)),
};
