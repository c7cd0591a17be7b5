'use strict';

// All subjects, in the order of `describe`. Each has `check`, which refuses bytes that the library must
// not get or would read as something else, `decode` and `encode`.

module.exports = [require('./json'), require('./msgpack'), require('./msgpack-lite')];
