// Alarms of open loops: they resolve on time, and the loop sleeps meanwhile.

import assert from "node:assert/strict";
import { availableParallelism, loadavg } from "node:os";
import { test } from "node:test";

import { Alarm, milliseconds } from "../src/alarm.mjs";

/** Waits for 40 instants at once, as connections do. Returns the sorted delays and the share of CPU. */
async function wait(alarm) {
  const cpu = process.cpuUsage();
  const start = milliseconds() + 5;
  const instants = Array.from({ length: 40 }, (_, index) => start + index * 5.3);
  const results = [];
  await Promise.all(instants.map(async (instant) => {
    await alarm.until(instant);
    results.push({ instant, late: milliseconds() - instant });
  }));
  const { user, system } = process.cpuUsage(cpu);
  assert.deepEqual(results.map(({ instant }) => instant), instants);
  const late = results.map(({ late }) => late).sort((a, b) => a - b);
  return { late, share: (user + system) / 1000 / (milliseconds() - start) };
}

test("instants are in order, on time, and need little CPU", async (context) => {
  const alarm = new Alarm();
  await alarm.ready;
  // Other programs can delay any thread, so one of several attempts must succeed.
  let median = Infinity;
  for (let times = 0; times < 5 && median > 0.5; times++) {
    const { late, share } = await wait(alarm);
    assert.ok(late[0] >= 0, `${late[0]} ms late`);
    // A spinning loop would use all of the CPU time.
    assert.ok(share < 0.5, `${share} of the time`);
    median = Math.min(median, late[20]);
  }
  alarm.close();
  if (median > 0.5 && loadavg()[0] > availableParallelism()) {
    context.skip(`other programs take the machine: the median is ${median} ms late`);
    return;
  }
  // A timer of the event loop would be about a millisecond late.
  assert.ok(median < 0.5, `the median is ${median} ms late`);
});

test("closing an alarm ends its thread even if a caller waits", async () => {
  const alarm = new Alarm();
  await alarm.ready;
  alarm.until(milliseconds() + 60_000);
  const ended = new Promise((resolve) => alarm.sleeper.once("exit", resolve));
  alarm.close();
  assert.equal(await ended, 0);
});
