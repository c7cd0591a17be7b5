'use strict';

// The library of 2016 in C++: https://github.com/msgpack/msgpack-node.

const msgpack = require('msgpack');

const checkMessagePack = require('../messagepack');
const version = require('../version');

module.exports = {
  library: 'msgpack',
  version: version('msgpack'),
  format: 'msgpack',
  target: 'dynamic',
  limits: 'whole numbers outside -2^63 to 2^64 - 1 and infinities become other integers',
  // It allocates with malloc, which V8 does not count.
  hasMemory: false,
  check: checkMessagePack,
  decode(bytes) {
    const value = msgpack.unpack(bytes);
    // The library returns `undefined` for an incomplete value, and for no other.
    if (value === undefined) throw new Error('invalid MessagePack: the input ends within the value');
    return value;
  },
  encode: (value) => msgpack.pack(value),
};
