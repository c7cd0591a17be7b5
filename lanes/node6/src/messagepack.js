'use strict';

// Checks that bytes are one MessagePack value that both libraries read without changing it. Hostile bytes
// crash both: msgpack-lite allocates arrays by their announced length, so that 40 bytes end the process
// (`dd01ffffff`, eight times), and msgpack ends it on a string longer than V8's. Both ignore bytes after
// the value, replace invalid UTF-8, and lose the entry `__proto__`.

const { textFault } = require('./text');

// The upper half of 2^53. Beyond that, an integer that becomes a key changes.
const KEY_HIGH_MAX = 1 << 21;

const MARKERS = {
  0xc0: { kind: 'nil' },
  0xc2: { kind: 'boolean' },
  0xc3: { kind: 'boolean' },
  0xc4: { kind: 'binary', length: 1 },
  0xc5: { kind: 'binary', length: 2 },
  0xc6: { kind: 'binary', length: 4 },
  0xc7: { kind: 'extension', length: 1, more: 1 },
  0xc8: { kind: 'extension', length: 2, more: 1 },
  0xc9: { kind: 'extension', length: 4, more: 1 },
  0xca: { kind: 'float', size: 4 },
  0xcb: { kind: 'float', size: 8 },
  0xcc: { kind: 'integer', size: 1 },
  0xcd: { kind: 'integer', size: 2 },
  0xce: { kind: 'integer', size: 4 },
  0xcf: { kind: 'integer', size: 8 },
  0xd0: { kind: 'integer', size: 1 },
  0xd1: { kind: 'integer', size: 2 },
  0xd2: { kind: 'integer', size: 4 },
  0xd3: { kind: 'integer', size: 8 },
  0xd4: { kind: 'extension', size: 2 },
  0xd5: { kind: 'extension', size: 3 },
  0xd6: { kind: 'extension', size: 5 },
  0xd7: { kind: 'extension', size: 9 },
  0xd8: { kind: 'extension', size: 17 },
  0xd9: { kind: 'text', length: 1 },
  0xda: { kind: 'text', length: 2 },
  0xdb: { kind: 'text', length: 4 },
  0xdc: { kind: 'array', length: 2 },
  0xdd: { kind: 'array', length: 4 },
  0xde: { kind: 'map', length: 2 },
  0xdf: { kind: 'map', length: 4 },
};

/** Throws an error with the position of the first fault. */
function checkMessagePack(bytes) {
  // The number of remaining items of each open container; a map has two for each entry.
  const open = [];
  let at = 0;
  const fault = (position, words) => new Error(`invalid MessagePack at byte ${position}: ${words}`);

  /** Reads a marker and its lengths. Returns the kind, and the count of items or the bounds of the bytes. */
  function read() {
    if (at >= bytes.length) throw fault(at, 'the input ends');
    const marker = bytes[at++];
    if (marker < 0x80 || marker >= 0xe0) return { kind: 'integer', start: at, end: at };
    if (marker < 0x90) return { kind: 'map', count: marker & 0x0f };
    if (marker < 0xa0) return { kind: 'array', count: marker & 0x0f };
    if (marker < 0xc0) return data('text', marker & 0x1f);
    const known = MARKERS[marker];
    if (!known) throw fault(at - 1, `the marker 0x${marker.toString(16)} is not used`);
    if (!known.length) return data(known.kind, known.size || 0);
    if (bytes.length - at < known.length) throw fault(at, 'the input ends within a length');
    const count = bytes.readUIntBE(at, known.length);
    at += known.length;
    if (known.kind === 'array' || known.kind === 'map') return { kind: known.kind, count };
    return data(known.kind, count + (known.more || 0));
  }

  function data(kind, size) {
    const start = at;
    if (size > bytes.length - start) throw fault(start, `${size} bytes of ${kind}, and the input has ${bytes.length - start} more`);
    at += size;
    return { kind, start, end: at };
  }

  function checkText(item) {
    const words = textFault(bytes.slice(item.start, item.end));
    if (words) throw fault(item.start, words);
  }

  function checkKey(item, position) {
    if (item.kind === 'text') {
      if (bytes.toString('latin1', item.start, item.end) === '__proto__') {
        throw fault(position, 'the library loses an entry with the key "__proto__"');
      }
    } else if (item.kind === 'integer') {
      const high = item.end - item.start === 8 ? bytes.readInt32BE(item.start) : 0;
      const isUnsigned = bytes[item.start - 1] === 0xcf;
      if (high >= KEY_HIGH_MAX || high < (isUnsigned ? 0 : -KEY_HIGH_MAX)) {
        throw fault(position, 'the library rounds an integer key beyond 2^53');
      }
    } else if (item.kind !== 'boolean') {
      throw fault(position, `a key is ${item.kind}, expected text, an integer or a boolean`);
    }
  }

  do {
    const position = at;
    const item = read();
    const container = open[open.length - 1];
    if (container) {
      if (container.isMap && container.left % 2 === 0) checkKey(item, position);
      container.left -= 1;
    }
    if (item.kind === 'text') checkText(item);
    if (item.kind === 'array' || item.kind === 'map') {
      const isMap = item.kind === 'map';
      open.push({ isMap, left: isMap ? 2 * item.count : item.count });
    }
    while (open.length > 0 && open[open.length - 1].left === 0) open.pop();
  } while (open.length > 0);
  if (at < bytes.length) throw fault(at, `${bytes.length - at} bytes after the value`);
}

module.exports = checkMessagePack;
