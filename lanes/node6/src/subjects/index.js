'use strict';

// All subjects, in the order of `describe`. Each has `check`, which refuses bytes that the library must
// not get or would read as something else, `decode` and `encode`. Those with a schema get them from
// `prepare`, with `plain`, which converts a message to the value that it represents.

module.exports = [
  require('./json'), require('./msgpack'), require('./msgpack-lite'),
  require('./protobufjs'), require('./protocol-buffers'),
];
