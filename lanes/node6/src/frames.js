'use strict';

// Frames: a length of four bytes, most significant first, and that many bytes.

const coroutine = require('./coroutine');

// The largest buffer of the runtime.
const FRAME_BYTES_MAX = require('buffer').kMaxLength;

/** Reads frames from a stream, one after another. A length allocates nothing before its bytes arrive. */
class FrameReader {
  constructor(stream) {
    this.chunks = [];
    this.held = 0;
    this.ended = false;
    this.wake = null;
    const next = () => {
      const wake = this.wake;
      this.wake = null;
      if (wake) wake();
    };
    stream.on('data', (chunk) => {
      this.chunks.push(chunk);
      this.held += chunk.length;
      next();
    });
    stream.on('end', () => {
      this.ended = true;
      next();
    });
  }

  take(count) {
    const all = this.chunks.length === 1 ? this.chunks[0] : Buffer.concat(this.chunks);
    this.chunks = all.length > count ? [all.slice(count)] : [];
    this.held = all.length - count;
    return all.slice(0, count);
  }
}

/** Waits for a number of bytes. Returns whether they arrived before the end of the stream. */
FrameReader.prototype.fill = coroutine(function* (count) {
  while (this.held < count && !this.ended) {
    yield new Promise((resolve) => {
      this.wake = resolve;
    });
  }
  return this.held >= count;
});

/** Returns the next frame, or `null` at the end of the stream. */
FrameReader.prototype.next = coroutine(function* () {
  if (!(yield this.fill(4))) {
    if (this.held > 0) throw new Error(`the input ends after ${this.held} of the 4 bytes of a length`);
    return null;
  }
  const length = this.take(4).readUInt32BE(0);
  if (length > FRAME_BYTES_MAX) throw new Error(`a frame of ${length} bytes, expected at most ${FRAME_BYTES_MAX}`);
  if (!(yield this.fill(length))) {
    throw new Error(`the input ends after ${this.held} of the ${length} bytes of a frame`);
  }
  return this.take(length);
});

/** Writes frames to a stream. */
function writeFrames(stream, frames) {
  for (const frame of frames) {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(frame.length, 0);
    stream.write(head);
    stream.write(frame);
  }
}

module.exports = { FrameReader, writeFrames };
