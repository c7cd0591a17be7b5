'use strict';

// Documents in every format, written by Manywire's codecs: a folder for each, with `schema.json`,
// `descriptors`, and for each payload `0.document`, `0.msgpack`, ….

const fs = require('fs');
const path = require('path');

const FOLDER = process.env.MANYWIRE_LANE_DOCUMENTS;
const SKIPPED = 'no documents (MANYWIRE_LANE_DOCUMENTS is not set)';

function files(name, suffix) {
  const found = [];
  for (let index = 0; ; index++) {
    const file = path.join(FOLDER, name, `${index}.${suffix}`);
    if (!fs.existsSync(path.join(FOLDER, name, `${index}.document`))) return found;
    if (fs.existsSync(file)) found.push(fs.readFileSync(file));
  }
}

const names = () => fs.readdirSync(FOLDER).sort();

/** Returns the request that carries the schemas, and the frame that follows it. */
function schema(name) {
  const read = (file) => fs.readFileSync(path.join(FOLDER, name, file));
  return { request: JSON.parse(read('schema.json').toString()), frames: [read('descriptors')] };
}

const texts = (name) => files(name, 'document');

/** Returns the payloads in a format, or none if it cannot represent all of them. */
function payloads(name, format) {
  const found = files(name, format);
  return found.length === texts(name).length ? found : [];
}

module.exports = { FOLDER, SKIPPED, names, payloads, schema, texts };
