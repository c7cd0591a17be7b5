// Instants of open loops: none before its time, nor long after it, and the loop asleep meanwhile.

import assert from "node:assert/strict";
import { availableParallelism, loadavg } from "node:os";
import { test } from "node:test";

import { Alarm, milliseconds } from "../src/alarm.mjs";

/** Waits for 40 instants at once, as connections do; what was late, sorted, and the share of CPU. */
async function wait(alarm) {
  const cpu = process.cpuUsage();
  const start = milliseconds() + 5;
  const asked = Array.from({ length: 40 }, (_, index) => start + index * 5.3);
  const came = [];
  await Promise.all(asked.map(async (instant) => {
    await alarm.until(instant);
    came.push({ instant, late: milliseconds() - instant });
  }));
  const { user, system } = process.cpuUsage(cpu);
  assert.deepEqual(came.map(({ instant }) => instant), asked);
  const late = came.map(({ late }) => late).sort((a, b) => a - b);
  return { late, share: (user + system) / 1000 / (milliseconds() - start) };
}

test("instants come in their order, on time, and cost next to nothing", async (context) => {
  const alarm = new Alarm();
  await alarm.ready;
  // Other programs make any thread late: one time of several has to be undisturbed.
  let median = Infinity;
  for (let times = 0; times < 5 && median > 0.5; times++) {
    const { late, share } = await wait(alarm);
    assert.ok(late[0] >= 0, `${late[0]} ms late`);
    // A loop that turned until each instant would take all that there is.
    assert.ok(share < 0.5, `${share} of the time`);
    median = Math.min(median, late[20]);
  }
  alarm.close();
  if (median > 0.5 && loadavg()[0] > availableParallelism()) {
    context.skip(`other programs take the machine: the median is ${median} ms late`);
    return;
  }
  // A timer of the loop is about a millisecond late.
  assert.ok(median < 0.5, `the median is ${median} ms late`);
});

test("an alarm ends while somebody waits, and its thread with it", async () => {
  const alarm = new Alarm();
  await alarm.ready;
  alarm.until(milliseconds() + 60_000);
  const ended = new Promise((resolve) => alarm.sleeper.once("exit", resolve));
  alarm.close();
  assert.equal(await ended, 0);
});
