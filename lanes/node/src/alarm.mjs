// Wakes the event loop at instants. The timers of the loop have a resolution of a millisecond. If the
// loop were spinning until the instant, the system would suspend it for milliseconds in favour of threads
// that have slept, such as those of the garbage collector. Therefore another thread sleeps, with a
// resolution of microseconds, and sends a message.

import { Worker } from "node:worker_threads";

export const [IDLE, ARMED, ENDED] = [0, 1, 2];

/** The monotonic clock, the same in every thread. */
export const milliseconds = () => Number(process.hrtime.bigint()) / 1e6;

// The approximate maximum delay of the message from the other thread.
const CALL_MS = 0.25;

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

export class Alarm {
  // The waiting callers, the one with the earliest instant first. Callers request instants in this
  // order.
  #waiting = [];

  constructor() {
    this.state = new Int32Array(new SharedArrayBuffer(4));
    this.instant = new Float64Array(new SharedArrayBuffer(8));
    const workerData = { state: this.state, instant: this.instant };
    this.sleeper = new Worker(new URL("./sleeper.mjs", import.meta.url), { workerData });
    this.sleeper.on("message", () => this.#wake());
    this.ready = new Promise((resolve, reject) => {
      this.sleeper.once("online", resolve);
      this.sleeper.once("error", reject);
    });
  }

  /** Resolves at an instant of the clock, and not before an instant that was requested earlier. */
  async until(instant) {
    if (instant - milliseconds() > CALL_MS) {
      await new Promise((resolve) => {
        this.#waiting.push({ instant, resolve });
        if (this.#waiting.length === 1) this.#arm();
      });
    }
    // The loop reads responses between turns.
    while (milliseconds() < instant) await nextTurn();
  }

  #arm() {
    this.instant[0] = this.#waiting[0].instant - CALL_MS;
    Atomics.store(this.state, 0, ARMED);
    Atomics.notify(this.state, 0);
  }

  #wake() {
    const due = milliseconds() + CALL_MS;
    while (this.#waiting.length > 0 && this.#waiting[0].instant <= due) this.#waiting.shift().resolve();
    if (this.#waiting.length > 0) this.#arm();
  }

  close() {
    Atomics.store(this.state, 0, ENDED);
    Atomics.notify(this.state, 0);
  }
}
