// Wakes the loop at instants. The loop's own timers count in whole milliseconds; and were it to turn
// until the instant comes, the system would take its core away for milliseconds, in favour of
// threads that have slept, those of the collector among them. So another thread sleeps instead, to
// within microseconds, and calls.

import { Worker } from "node:worker_threads";

export const [IDLE, ARMED, ENDED] = [0, 1, 2];

/** The monotonic clock, the same in every thread. */
export const milliseconds = () => Number(process.hrtime.bigint()) / 1e6;

// The call is on its way for up to about this long.
const CALL_MS = 0.25;

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

export class Alarm {
  // What waits, the soonest first: instants are asked for in their order.
  #waiting = [];

  constructor() {
    this.state = new Int32Array(new SharedArrayBuffer(4));
    this.instant = new Float64Array(new SharedArrayBuffer(8));
    const workerData = { state: this.state, instant: this.instant };
    this.sleeper = new Worker(new URL("./sleeper.mjs", import.meta.url), { workerData });
    this.sleeper.on("message", () => this.#called());
    this.ready = new Promise((resolve, reject) => {
      this.sleeper.once("online", resolve);
      this.sleeper.once("error", reject);
    });
  }

  /** Resolves at an instant of the clock, not before one that was asked for earlier. */
  async until(instant) {
    if (instant - milliseconds() > CALL_MS) {
      await new Promise((resolve) => {
        this.#waiting.push({ instant, resolve });
        if (this.#waiting.length === 1) this.#arm();
      });
    }
    // Answers are read between turns.
    while (milliseconds() < instant) await nextTurn();
  }

  #arm() {
    this.instant[0] = this.#waiting[0].instant - CALL_MS;
    Atomics.store(this.state, 0, ARMED);
    Atomics.notify(this.state, 0);
  }

  #called() {
    const due = milliseconds() + CALL_MS;
    while (this.#waiting.length > 0 && this.#waiting[0].instant <= due) this.#waiting.shift().resolve();
    if (this.#waiting.length > 0) this.#arm();
  }

  close() {
    Atomics.store(this.state, 0, ENDED);
    Atomics.notify(this.state, 0);
  }
}
