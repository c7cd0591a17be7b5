// The thread of an alarm: sleeps until an instant, and then sends a message.

import { parentPort, workerData } from "node:worker_threads";

import { ARMED, ENDED, IDLE, milliseconds } from "./alarm.mjs";

const { state, instant } = workerData;

while (Atomics.load(state, 0) !== ENDED) {
  Atomics.wait(state, 0, IDLE);
  const left = instant[0] - milliseconds();
  if (left > 0 && Atomics.wait(state, 0, ARMED, left) !== "timed-out") continue;
  if (Atomics.compareExchange(state, 0, ARMED, IDLE) === ARMED) parentPort.postMessage(null);
}
