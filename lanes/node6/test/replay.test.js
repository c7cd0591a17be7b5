'use strict';

// The replay of 2016, with short loops.

const assert = require('assert');
const { spawnSync } = require('child_process');
const path = require('path');

const documents = require('./documents');
const { ROOT } = require('./lane-process');

const run = (args) => spawnSync(process.execPath, ['replay/replay.js'].concat(args), { cwd: ROOT, encoding: 'utf8' });

module.exports = {
  'the replay reports sizes, iterations and times of every loop': () => {
    if (!documents.FOLDER) return documents.SKIPPED;
    const file = path.join(documents.FOLDER, 'people', '0.document');
    const result = run([file, '40']);
    assert.strictEqual(result.status, 0, result.stderr);
    const said = JSON.parse(result.stdout);
    assert.strictEqual(said.versions.node, '6.17.1');
    assert.strictEqual(said.versions.msgpack, '1.0.2');
    assert.deepStrictEqual(said.rows.map((row) => row.copies), [1, 10, 100, 1000]);
    const one = documents.payloads('people', 'msgpack')[0].length;
    assert.strictEqual(said.rows[0].msgpack_bytes, one);
    // Each array of 7, 70, 700 and 7000 people has its own header; the rest is the same each time.
    assert.deepStrictEqual(said.rows.map((row) => row.msgpack_bytes - row.copies * (one - 1)), [1, 3, 3, 3]);
    for (const row of said.rows) {
      assert.deepStrictEqual(row.loops.map((loop) => `${loop.operation} ${loop.library}`),
        ['parse JSON', 'parse msgpack', 'stringify JSON', 'stringify msgpack']);
      for (const loop of row.loops) {
        assert(loop.iterations >= 1 && loop.iterations <= 10000 && loop.us_each > 0, JSON.stringify(loop));
        assert.strictEqual(loop.is_reduced, loop.iterations < 10000);
      }
      assert(row.msgpack_to_json.parse > 0 && row.msgpack_to_json.stringify > 0);
    }
    assert(said.rows[3].loops.every((loop) => loop.is_reduced), 'a large document takes more than 40 ms');
    return undefined;
  },
  'a replay without a document is an error': () => {
    assert(/usage/.test(run([]).stderr));
    assert.strictEqual(run([]).status, 1);
    assert(/ENOENT/.test(run(['nothing.json']).stderr));
  },
};
