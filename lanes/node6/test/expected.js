'use strict';

// The expected digest of a JSON document, implemented independently from CONTRACT.md.

const crypto = require('crypto');

const sha256 = (form) => crypto.createHash('sha256').update(form).digest('hex');

/** The decimal digits of a whole number, from its hexadecimal ones. */
function digitsOf(number) {
  let decimal = [0];
  for (const digit of Math.abs(number).toString(16)) {
    let carry = parseInt(digit, 16);
    decimal = decimal.map((each) => {
      const sum = each * 16 + carry;
      carry = Math.floor(sum / 10);
      return sum % 10;
    });
    for (; carry > 0; carry = Math.floor(carry / 10)) decimal.push(carry % 10);
  }
  return (number < 0 ? '-' : '') + decimal.reverse().join('');
}

function hex(number) {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(number, 0);
  return bytes.toString('latin1');
}

/** The canonical form as text of one character for each byte. */
function form(value) {
  if (value === null) return 'n';
  if (value === true) return 't';
  if (value === false) return 'f';
  if (typeof value === 'number') {
    const isWhole = value % 1 === 0 && value >= -9223372036854775808 && value < 18446744073709551616;
    return isWhole ? `i${digitsOf(value)};` : `d${hex(value)}`;
  }
  if (typeof value === 'string') {
    const bytes = Buffer.from(value).toString('latin1');
    return `s${bytes.length}:${bytes}`;
  }
  if (value instanceof Digits) return `i${value.text};`;
  if (Array.isArray(value)) return `a${value.length}:${value.map(form).join('')}`;
  const entries = Object.keys(value).filter((key) => value[key] !== null).map((key) => [form(key), form(value[key])]);
  entries.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  return `m${entries.length}:${entries.map((entry) => entry.join('')).join('')}`;
}

/** An integer that is not a double. */
class Digits {
  constructor(text) {
    this.text = text;
  }
}

const formOf = (value) => sha256(Buffer.from(form(value), 'latin1'));

/** The digest of a document as doubles read it. */
const digestOf = (text) => formOf(JSON.parse(text.toString()));

/** The digest of a document with all digits of its integers, which have at most 64 bits. */
function exactDigestOf(text) {
  const mark = (token) => (/^-?[0-9]{16,}$/.test(token) ? `{"digits":"${token}"}` : token);
  const marked = text.toString().replace(/"(?:[^"\\]|\\.)*"|[-+.0-9eE]+/g, mark);
  const isMarked = (value) => value !== null && typeof value === 'object' && Object.keys(value).join() === 'digits';
  return formOf(JSON.parse(marked, (key, value) => (isMarked(value) ? new Digits(value.digits) : value)));
}

module.exports = { digestOf, exactDigestOf, sha256 };
