"""Timing, CPU time, garbage collections and memory."""

import gc
import itertools
import time
import tracemalloc


def collections():
    """Returns the number of garbage collections since the process began."""
    return sum(generation["collections"] for generation in gc.get_stats())


def run(operation, inputs, window, repeats):
    """Runs one batch. The result of each operation is freed at once, as part of the loop."""
    taken = [inputs[index] for index in window]
    collected = collections()
    cpu = time.process_time_ns()
    start = time.perf_counter_ns()
    for _ in itertools.repeat(None, repeats):
        for each in taken:
            operation(each)
    wall_ns = time.perf_counter_ns() - start
    cpu_ns = time.process_time_ns() - cpu
    return {
        "wall_ns": wall_ns,
        "cpu_ns": cpu_ns,
        "collections": collections() - collected,
        "compiled_ms": None,
    }


def memory(operation, inputs):
    """Returns the peak memory of one operation, as a mean over the inputs.

    CPython counts the memory in use, neither the number nor the sum of allocations.
    """
    peaks = []
    for each in inputs:
        operation(each)
        gc.collect()
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            operation(each)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        peaks.append(peak - before)
    mean = sum(peaks) / len(peaks) if peaks else None
    return {"allocs": None, "alloc_bytes": None, "peak_bytes": mean}
