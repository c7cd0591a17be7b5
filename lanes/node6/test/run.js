'use strict';

// Runs the tests: every `*.test.js` of this folder exports functions, each named by the sentence that it
// checks. A function may return a promise, or the reason for skipping.

const fs = require('fs');
const path = require('path');

const coroutine = require('../src/coroutine');

const LIMIT_MS = 120000;

function limited(promise) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no result after ${LIMIT_MS} ms`)), LIMIT_MS);
    promise.then((value) => {
      clearTimeout(timer);
      resolve(value);
    }, (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}

const main = coroutine(function* () {
  const files = fs.readdirSync(__dirname).filter((name) => name.endsWith('.test.js')).sort();
  const counts = { passed: 0, skipped: 0, failed: 0 };
  for (const file of files) {
    const tests = require(path.join(__dirname, file));
    for (const name of Object.keys(tests)) {
      const start = Date.now();
      let line;
      try {
        const reason = yield limited(Promise.resolve().then(tests[name]));
        counts[reason ? 'skipped' : 'passed'] += 1;
        line = reason ? `skipped: ${reason}` : 'ok';
      } catch (error) {
        counts.failed += 1;
        line = `FAILED\n${error.stack}`;
      }
      process.stdout.write(`${file}: ${name} (${Date.now() - start} ms): ${line}\n`);
    }
  }
  process.stdout.write(`${counts.passed} passed, ${counts.skipped} skipped, ${counts.failed} failed\n`);
  return counts.failed === 0 && counts.passed > 0 ? 0 : 1;
});

main().then((status) => process.exit(status), (error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
