// The clocks, the collector and the heap.

import { PerformanceObserver } from "node:perf_hooks";

let collections = 0;
const observer = new PerformanceObserver((list) => {
  collections += list.getEntries().length;
});
observer.observe({ entryTypes: ["gc"] });

/** Lets the runtime report the collections there were. */
async function settle() {
  await new Promise((resolve) => setImmediate(resolve));
  collections += observer.takeRecords().length;
}

/** The collections there were since the process began. */
export async function collected() {
  await settle();
  return collections;
}

// What operations return goes here, where the compiler cannot see that nobody reads it.
export const sink = { value: undefined };

/** Runs one batch. */
export async function run(operation, inputs, window, repeats) {
  await settle();
  const before = collections;
  const cpu = process.cpuUsage();
  const start = process.hrtime.bigint();
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (let index = 0; index < window.length; index++) {
      sink.value = operation(inputs[window[index]]);
    }
  }
  const wall_ns = Number(process.hrtime.bigint() - start);
  const spent = process.cpuUsage(cpu);
  await settle();
  return { wall_ns, cpu_ns: (spent.user + spent.system) * 1000, collections: collections - before, compiled_ms: null };
}

/** Bytes of everything that is alive: V8's own, and buffers beside it. */
function alive() {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const MEMORY_OPERATIONS = 20;

/**
 * Bytes that one operation allocates, as a mean over payloads: how much more is in use after some
 * operations, of which no result is collected, because all are kept. Objects are not counted here.
 */
export async function memory(operation, inputs) {
  let sum = 0;
  for (const input of inputs) {
    operation(input);
    let best = null;
    for (let attempt = 0; attempt < 3 && best === null; attempt++) {
      globalThis.gc();
      await settle();
      const [before, seen] = [alive(), collections];
      for (let count = 0; count < MEMORY_OPERATIONS; count++) sink.value = operation(input);
      const after = alive();
      await settle();
      // A collection in between took away what should have been counted.
      if (collections === seen) best = (after - before) / MEMORY_OPERATIONS;
    }
    if (best === null) return { allocs: null, alloc_bytes: null, peak_bytes: null };
    sum += Math.max(0, best);
  }
  return { allocs: null, alloc_bytes: sum / inputs.length, peak_bytes: null };
}
