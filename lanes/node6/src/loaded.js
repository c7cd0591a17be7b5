'use strict';

// A subject with its payloads: their bytes, and the values that the subject read from them.

const coding = require('./coding');
const { ExtensionError, digest } = require('./digest');

class Loaded {
  constructor(subject, payloads) {
    this.subject = subject;
    // Copies the payloads, so that none keeps a larger frame alive.
    this.bytes = payloads.map((payload) => Buffer.from(payload));
    this.values = this.bytes.map((each) => {
      subject.check(each);
      return subject.decode(each);
    });
    this.isFaithful = false;
  }

  digests() {
    return this.values.map((value) => digest(this.plain(value)));
  }

  /** Returns the value that a message represents, or the value itself if the subject has no messages. */
  plain(value) {
    return this.subject.plain ? this.subject.plain(value) : value;
  }

  /** Encodes each value. Throws if the subject reads another value from what it wrote. */
  encode() {
    // Some libraries return parts of a buffer that they reuse.
    const written = this.values.map((value) => Buffer.from(this.subject.encode(value)));
    if (!this.isFaithful) {
      this.values.forEach((value, index) => this.compare(value, written[index]));
      this.isFaithful = true;
    }
    return written;
  }

  compare(value, written) {
    const subject = this.subject;
    const expected = digestOrNull(this.plain(value));
    // The orchestrator compares values without a digest.
    if (expected === null) return;
    if (digestOrNull(this.plain(subject.decode(written))) !== expected) {
      const limits = subject.limits ? `: ${subject.limits}` : '';
      throw new Error(`${subject.library} ${subject.version} writes another value${limits}`);
    }
  }

  /** Returns an operation, its inputs and their sizes in bytes. */
  operation(name, codingName) {
    const subject = this.subject;
    const isPacked = codingName === 'gzip';
    const sizes = this.bytes.map((each) => each.length);
    if (name === 'encode') {
      if (!this.isFaithful) this.encode();
      const execute = isPacked ? (value) => coding.deflate(subject.encode(value)) : subject.encode;
      return { execute, inputs: this.values, sizes };
    }
    const execute = isPacked ? (packed) => subject.decode(coding.inflate(packed)) : subject.decode;
    return { execute, inputs: isPacked ? this.bytes.map(coding.deflate) : this.bytes, sizes };
  }
}

/** Returns the digest of a value, or null for one with an extension. */
function digestOrNull(value) {
  try {
    return digest(value);
  } catch (error) {
    if (error instanceof ExtensionError) return null;
    throw error;
  }
}

module.exports = Loaded;
