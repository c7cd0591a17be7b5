'use strict';

// The most used library in JavaScript at that time, with its default codec.

const lite = require('msgpack-lite');

const checkMessagePack = require('../messagepack');
const version = require('../version');

module.exports = {
  library: 'msgpack-lite',
  version: version('msgpack-lite'),
  format: 'msgpack',
  target: 'dynamic',
  limits: 'a map whose entry "constructor" has a known "name" becomes an extension',
  hasMemory: true,
  check: checkMessagePack,
  decode: (bytes) => lite.decode(bytes),
  encode: (value) => lite.encode(value),
};
