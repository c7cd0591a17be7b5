// Timing, CPU time, garbage collections and memory.

import { PerformanceObserver } from "node:perf_hooks";

let collections = 0;
const observer = new PerformanceObserver((list) => {
  collections += list.getEntries().length;
});
observer.observe({ entryTypes: ["gc"] });

/** Waits until the runtime has reported all garbage collections. */
async function settle() {
  await new Promise((resolve) => setImmediate(resolve));
  collections += observer.takeRecords().length;
}

/** Returns the number of garbage collections since the process began. */
export async function collected() {
  await settle();
  return collections;
}

// Receives the results of operations, so that the compiler cannot remove them.
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

/** Returns the bytes in use: those of V8's heap, and external buffers. */
function alive() {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const MEMORY_OPERATIONS = 20;

/**
 * Returns the bytes that one operation allocates, as a mean over payloads: the growth of memory in use
 * over several operations without a garbage collection. Objects cannot be counted.
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
      // A garbage collection during the operations makes the result invalid.
      if (collections === seen) best = (after - before) / MEMORY_OPERATIONS;
    }
    if (best === null) return { allocs: null, alloc_bytes: null, peak_bytes: null };
    sum += Math.max(0, best);
  }
  return { allocs: null, alloc_bytes: sum / inputs.length, peak_bytes: null };
}
