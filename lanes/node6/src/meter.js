'use strict';

// Timing, CPU time and memory. Node.js 6 does not report garbage collections to programs.

// The numbers of operations between two readings of the memory, the most exact first.
const MEMORY_OPERATIONS = [20, 5, 1];

// The size of the buffers that show a garbage collection, larger than what the operations add.
const SENTINEL_BYTES = 8 << 20;

// Receives the results of operations, so that the compiler cannot remove them.
const sink = { value: undefined };

/** Returns the time of the monotonic clock in milliseconds. */
function milliseconds() {
  const time = process.hrtime();
  return time[0] * 1e3 + time[1] / 1e6;
}

/** Returns the CPU time of the process, since `before` if it is given. */
function cpuNanoseconds(before) {
  const spent = process.cpuUsage(before);
  return (spent.user + spent.system) * 1000;
}

/** Runs one batch. */
function run(operation, inputs, window, repeats) {
  const cpu = process.cpuUsage();
  const start = process.hrtime();
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (let index = 0; index < window.length; index++) {
      sink.value = operation(inputs[window[index]]);
    }
  }
  const time = process.hrtime(start);
  const cpu_ns = cpuNanoseconds(cpu);
  return { wall_ns: time[0] * 1e9 + time[1], cpu_ns, collections: null, compiled_ms: null };
}

/**
 * Returns the bytes that one operation allocates, as a mean over the inputs: the growth of V8's heap and
 * of its external buffers over some operations between which no garbage collection ran; null if every
 * attempt was collected, or if an input is too large for that. Objects cannot be counted, and the heap
 * reports no peak.
 */
function memory(operation, inputs, sizes) {
  let sum = 0;
  // The growth without operations, by their number: measuring it collects all garbage, too.
  const overheads = new Map();
  inputs.forEach((input, index) => {
    sink.value = operation(input);
    const bytes = grown(() => operation(input), sizes[index], overheads);
    sum = bytes === null ? NaN : sum + bytes;
  });
  const mean = sum / inputs.length;
  return { allocs: null, alloc_bytes: Number.isNaN(mean) ? null : mean, peak_bytes: null };
}

function grown(operation, size, overheads) {
  for (const count of MEMORY_OPERATIONS.filter((each) => each * size <= SENTINEL_BYTES / 4)) {
    if (!overheads.has(count)) {
      // The first measurement includes the code that is compiled for it.
      growth(() => {}, count);
      overheads.set(count, growth(() => {}, count));
    }
    const overhead = overheads.get(count);
    const whole = growth(operation, count);
    if (overhead !== null && whole !== null) return Math.max(0, whole - overhead) / count;
  }
  return null;
}

/**
 * Returns the growth of memory in use, or null if a garbage collection ran meanwhile. Unused buffers show
 * that: a collection of the young generation frees the last one, and one of the old generation the first,
 * so that the external memory shrinks by more than the operations can add.
 */
function growth(operation, count) {
  sink.value = new ArrayBuffer(SENTINEL_BYTES);
  // Twice moves it to the old generation.
  global.gc();
  global.gc();
  sink.value = new ArrayBuffer(SENTINEL_BYTES);
  sink.value = undefined;
  const before = process.memoryUsage();
  for (let turn = 0; turn < count; turn++) sink.value = operation();
  const after = process.memoryUsage();
  sink.value = undefined;
  const external = after.external - before.external;
  return external < 0 ? null : after.heapUsed - before.heapUsed + external;
}

module.exports = { cpuNanoseconds, memory, milliseconds, run, sink };
