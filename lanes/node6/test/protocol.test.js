'use strict';

// An invalid request gets an error response, and the lane continues. After an invalid frame, the lane
// exits with a message and a status other than 0.

const assert = require('assert');
const fs = require('fs');
const path = require('path');

const coroutine = require('../src/coroutine');
const { LaneProcess, ROOT, frame, withLane } = require('./lane-process');

const RUN = { verb: 'run', subject: 0, operation: 'decode', window: [0], repeats: 1 };

const ENDINGS = [
  [Buffer.from([0, 0]), 'ends after 2 of the 4 bytes of a length'],
  [Buffer.from([255, 255, 255, 255]), 'a frame of 4294967295 bytes'],
  [Buffer.from([0x3f, 0, 0, 0]), 'ends after 0 of the 1056964608 bytes of a frame'],
  [Buffer.from([0, 0, 0, 9, 123, 125]), 'ends after 2 of the 9 bytes of a frame'],
  [frame(''), 'JSON'],
  [frame('[1]'), 'is not a JSON object'],
  [frame('null'), 'is not a JSON object'],
  [frame('{'), 'JSON'],
  [frame('['.repeat(1000000)), 'call stack'],
  [frame('{"verb":"load","subject":0,"payloads":-1}'), 'payloads is -1'],
  [frame('{"verb":"load","subject":0,"payloads":1099511627776}'), 'payloads is'],
  [frame('{"verb":"load","subject":0,"payloads":2}'), 'before the frames of "load"'],
];

module.exports = {
  'describe matches lane.toml': withLane(function* (lane) {
    const manifest = fs.readFileSync(path.join(ROOT, 'lane.toml'), 'utf8');
    const said = yield lane.get({ verb: 'describe' });
    assert.strictEqual(said.contract, 1);
    assert.strictEqual(said.lane, 'node6');
    assert.strictEqual(said.runtime, 'Node.js 6.17.1');
    const libraries = manifest.match(/^library = "(.*)"$/gm).map((line) => line.slice(11, -1));
    assert.deepStrictEqual(said.subjects.map((subject) => subject.library), libraries);
    for (const subject of said.subjects) assert(/\d+\.\d+/.test(subject.version), JSON.stringify(subject));
    const ended = yield lane.end();
    assert.strictEqual(ended.status, 0, ended.err);
  }),
  'an invalid request gets an error, and the lane continues': withLane(function* (lane) {
    const refused = coroutine(function* (request, words) {
      const answer = yield lane.ask(request);
      assert(answer.error && answer.error.indexOf(words) >= 0, `${JSON.stringify(request)}: ${JSON.stringify(answer)}`);
    });
    const changed = (change) => Object.assign({}, RUN, change);
    yield refused({ verb: 'dance' }, 'unknown verb "dance"');
    yield refused({ verb: 'toString' }, 'unknown verb');
    yield refused({}, 'unknown verb');
    for (const subject of [999, -1, true, 0.5, '0', 4294967296, null]) {
      yield refused({ verb: 'digest', subject }, 'expected a whole number below 5');
    }
    yield refused({ verb: 'digest', subject: 0 }, 'no payloads');
    yield refused(RUN, 'no payloads');
    yield lane.get({ verb: 'load', subject: 0, payloads: 1 }, ['[1]']);
    yield refused(changed({ operation: 'sing' }), 'expected encode or decode');
    yield refused(changed({ window: [1] }), 'of the 1 payloads');
    yield refused(changed({ window: [-1] }), 'of the 1 payloads');
    yield refused(changed({ window: 0 }), 'expected a list');
    yield refused(changed({ repeats: -1 }), 'expected a whole number');
    yield refused(changed({ repeats: 1.5 }), 'expected a whole number');
    yield refused(changed({ coding: 'br' }), 'expected gzip or null');
    yield refused({ verb: 'served' }, 'not running');
    yield refused({ verb: 'serve', offers: [{ subject: 1, media_type: 'a/b' }] }, 'no payloads');
    yield refused({ verb: 'serve', offers: [{ subject: 0, media_type: 'a\nb' }] }, 'media types');
    yield refused({ verb: 'serve', offers: 1 }, 'expected a list');
    assert((yield lane.get(changed({ repeats: 0 }))).wall_ns >= 0);
    assert.deepStrictEqual(yield lane.get({ verb: 'schema' }, ['']), {});
    const ended = yield lane.end();
    assert.strictEqual(ended.status, 0, ended.err);
  }),
  'a payload that is refused leaves no payloads': withLane(function* (lane) {
    assert((yield lane.load(0, ['1'])).ok);
    assert((yield lane.load(0, ['1', '2', 'x'])).error);
    assert(/no payloads/.test((yield lane.ask({ verb: 'digest', subject: 0 })).error));
  }),
  'an invalid frame ends the lane with a message': coroutine(function* () {
    for (const [raw, words] of ENDINGS) {
      const ended = yield new LaneProcess().end(raw);
      assert.strictEqual(ended.status, 1, words);
      assert.strictEqual(ended.out.length, 0, words);
      assert(ended.err.indexOf(words) >= 0, `${words} not in: ${ended.err}`);
    }
  }),
};
