'use strict';

// The replay of 2016, with short loops.

const assert = require('assert');
const { spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const documents = require('./documents');
const { ROOT } = require('./lane-process');

const run = (args) => spawnSync(process.execPath, ['replay/replay.js'].concat(args), { cwd: ROOT, encoding: 'utf8' });

/** Makes a folder of examples from documents of the tests. */
function examples() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'replay-'));
  for (const name of ['people', 'user']) {
    const document = fs.readFileSync(path.join(documents.FOLDER, name, '0.document'));
    fs.writeFileSync(path.join(folder, `${name}.json`), document);
  }
  return folder;
}

module.exports = {
  'the replay prints sizes, and the time of every loop': () => {
    if (!documents.FOLDER) return documents.SKIPPED;
    const result = run([examples(), '20']);
    assert.strictEqual(result.status, 0, result.stderr);
    const figures = JSON.parse(result.stdout).figures;
    const value = (name) => figures.find((figure) => figure.name === name).value;
    // The sizes of the article.
    assert.strictEqual(value('size user json'), 56);
    assert.strictEqual(value('size user msgpack'), 38);
    assert.strictEqual(value('size document json'), 9957);
    assert.strictEqual(value('size document msgpack'), documents.payloads('people', 'msgpack')[0].length);
    const times = figures.filter((figure) => !/^size/.test(figure.name));
    const names = ['read json', 'read msgpack', 'write json', 'write msgpack'];
    const expected = [1, 10, 100, 1000].map((copies) => names.map((name) => `${name} ${copies}`));
    assert.deepStrictEqual(times.map((figure) => figure.name), [].concat.apply([], expected));
    for (const figure of times) {
      assert(figure.value > 0 && figure.cpu > 0, JSON.stringify(figure));
      assert(/^Node\.js 6\.17\.1(, msgpack 1\.0\.2)?$/.test(figure.system), figure.system);
    }
    return undefined;
  },
  'a replay without documents is an error': () => {
    assert(/usage/.test(run([]).stderr));
    assert.strictEqual(run([]).status, 1);
    assert(/ENOENT/.test(run(['nowhere']).stderr));
  },
};
