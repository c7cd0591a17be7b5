'use strict';

const fs = require('fs');
const path = require('path');

/** The version of a library as it is installed. */
module.exports = function version(library) {
  const file = path.join(__dirname, '..', 'node_modules', library, 'package.json');
  return JSON.parse(fs.readFileSync(file, 'utf8')).version;
};
