'use strict';

// gzip at level 6, the usual default.

const zlib = require('zlib');

const deflate = (bytes) => zlib.gzipSync(bytes, { level: 6 });

const inflate = (bytes) => zlib.gunzipSync(bytes);

module.exports = { deflate, inflate };
