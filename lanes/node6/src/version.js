'use strict';

const fs = require('fs');
const path = require('path');

/** Returns the version of an installed library. */
module.exports = function version(library) {
  const file = path.join(__dirname, '..', 'node_modules', library, 'package.json');
  return JSON.parse(fs.readFileSync(file, 'utf8')).version;
};
