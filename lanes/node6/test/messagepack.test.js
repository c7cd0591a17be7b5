'use strict';

// The check that comes before both MessagePack libraries, with bytes from the specification.

const assert = require('assert');

const checkMessagePack = require('../src/messagepack');

const check = (hex) => checkMessagePack(Buffer.from(hex, 'hex'));

const VALID = [
  '00', '7f', 'e0', 'ff', 'c0', 'c2', 'c3', 'a0', 'a161', 'd90161', 'da000161', 'db0000000161',
  'c400', 'c40100', 'c5000100', 'c60000000100', 'ca3fc00000', 'cb3ff8000000000000',
  'cc80', 'cdffff', 'ceffffffff', 'cfffffffffffffffff', 'd080', 'd18000', 'd280000000', 'd38000000000000000',
  'd40500', 'd5050000', 'd60500000000', 'd7050000000000000000', 'd80500000000000000000000000000000000',
  'c70005', 'c7010500', 'c800010500', 'c9000000010500',
  '90', '9101', 'dc000101', 'dd0000000101', '80', '81a16101', 'de0001a16101', 'df00000001a16101',
  '820102c304', '81d3ffe0000000000000c0', '81cf001fffffffffffffc0', '93a16181a16101c3',
];

const FAULTS = {
  '': /byte 0: the input ends/,
  c1: /byte 0: the marker 0xc1 is not used/,
  cd00: /byte 1: 2 bytes of integer, and the input has 1 more/,
  dbffffff: /byte 1: the input ends within a length/,
  dbffffffff: /byte 5: 4294967295 bytes of text, and the input has 0 more/,
  c6ffffffff: /4294967295 bytes of binary/,
  c9ffffffff01: /4294967296 bytes of extension/,
  d405: /2 bytes of extension/,
  ddffffffff: /byte 5: the input ends/,
  dfffffffff: /byte 5: the input ends/,
  '9201': /byte 2: the input ends/,
  a1ff: /byte 1: invalid UTF-8/,
  a3eda080: /byte 1: invalid UTF-8/,
  '0000': /byte 1: 1 bytes after the value/,
  '81a95f5f70726f746f5f5f80': /byte 1: .*__proto__/,
  '81d9095f5f70726f746f5f5f80': /byte 1: .*__proto__/,
  '81c001': /byte 1: a key is nil/,
  '819001': /byte 1: a key is array/,
  '81c4016101': /byte 1: a key is binary/,
  '81cb000000000000000001': /byte 1: a key is float/,
  '81cf0020000000000000c0': /byte 1: .*beyond 2\^53/,
  '81cf8020000000000000c0': /byte 1: .*beyond 2\^53/,
  '81d3ffdfffffffffffffc0': /byte 1: .*beyond 2\^53/,
};

module.exports = {
  'every marker is valid': () => VALID.forEach(check),
  'every strict prefix of a value is a fault': () => {
    for (const hex of VALID) {
      for (let length = 0; length < hex.length; length += 2) {
        assert.throws(() => check(hex.slice(0, length)), /invalid MessagePack/, `${hex}, ${length / 2} bytes`);
      }
    }
  },
  'an error says where the fault is': () => {
    for (const hex of Object.keys(FAULTS)) assert.throws(() => check(hex), FAULTS[hex], hex);
  },
  'containers may be nested deeply': () => {
    check(`${'91'.repeat(100000)}c0`);
    assert.throws(() => check('91'.repeat(100000)), /byte 100000: the input ends/);
  },
};
