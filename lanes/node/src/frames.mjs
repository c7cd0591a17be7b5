// Frames: a length of four bytes, most significant first, and that many bytes.

/** Reads frames from a stream. `next` resolves to the next frame, or to `null` at the end. */
export class FrameReader {
  #chunks = [];
  #held = 0;
  #source;

  constructor(stream) {
    this.#source = stream[Symbol.asyncIterator]();
  }

  async #fill(count) {
    while (this.#held < count) {
      const { value, done } = await this.#source.next();
      if (done) return false;
      this.#chunks.push(value);
      this.#held += value.length;
    }
    return true;
  }

  #take(count) {
    const all = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    this.#chunks = all.length > count ? [all.subarray(count)] : [];
    this.#held = all.length - count;
    return all.subarray(0, count);
  }

  async next() {
    if (!(await this.#fill(4))) {
      if (this.#held > 0) throw new Error(`input ends within the length of a frame`);
      return null;
    }
    const length = this.#take(4).readUInt32BE();
    if (!(await this.#fill(length))) throw new Error(`input ends within a frame of ${length} bytes`);
    return this.#take(length);
  }
}

/** Writes frames to a stream. */
export function writeFrames(stream, frames) {
  for (const frame of frames) {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(frame.length);
    stream.write(head);
    stream.write(frame);
  }
}
