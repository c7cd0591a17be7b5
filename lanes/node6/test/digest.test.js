'use strict';

// Compares canonical digests with those that another program computed from the forms in CONTRACT.md.

const assert = require('assert');

const { digest } = require('../src/digest');
const { digestOf, sha256 } = require('./expected');

module.exports = {
  'maps are sorted, and null entries are left out': () => {
    const value = { b: [true, null, -1], absent: null, gone: undefined, a: 2.0 };
    assert.strictEqual(digest(value), '753eddbe36da30a04f154a5ed778ff5998296c28ca51dddde331745cdb105fea');
    assert.strictEqual(digest(value), sha256('m2:s1:ai2;s1:ba3:tni-1;'));
  },
  'numbers have all their digits': () => {
    assert.strictEqual(digest(1.5), '3e230c337144fa90267e8cb99b440c8b1f28f6b38db35fa4bdae13862a67e947');
    assert.strictEqual(digest(-0), sha256('i0;'));
    assert.strictEqual(digest(Math.pow(2, 63)), sha256('i9223372036854775808;'));
    assert.strictEqual(digest(-Math.pow(2, 63)), sha256('i-9223372036854775808;'));
    assert.strictEqual(digest(18446744073709549568), sha256('i18446744073709549568;'));
    assert.strictEqual(digest(Math.pow(2, 64)), sha256(Buffer.from('6443f0000000000000', 'hex')));
    assert.strictEqual(digest(NaN), sha256(Buffer.from('647ff8000000000000', 'hex')));
  },
  'the length of text is in bytes, and text differs from bytes': () => {
    assert.strictEqual(digest('é😀'), sha256('s6:é😀'));
    assert.strictEqual(digest(Buffer.from('ab')), sha256('b2:ab'));
  },
  'an error names a value without a digest': () => {
    assert.throws(() => digest(() => 0), /a function has no digest/);
    assert.throws(() => digest(new Date(0)), /an extension \(Date\)/);
    assert.throws(() => digest({ a: '\ud800' }), /lone surrogate/);
    assert.throws(() => digest('x\udc00'), /lone surrogate/);
  },
  'the keys of a parsed document are its own': () => {
    const text = '{"__proto__":{"a":1},"constructor":2,"z":[1e300,-9007199254740993]}';
    assert.strictEqual(digest(JSON.parse(text)), digestOf(text));
  },
};
