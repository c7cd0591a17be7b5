"""The functions of the lane, timed by pyperf."""

import os
import time
from pathlib import Path

import pyperf

from lane.subject import Schema
from lane.subjects import SUBJECTS



def loop(operation, value):
    """Calls a function in a bare loop, as the lane does, because a fast call takes two microseconds."""

    def timed(loops):
        start = time.perf_counter()
        for _ in range(loops):
            operation(value)
        return time.perf_counter() - start

    return timed


runner = pyperf.Runner()
payload = Path(os.environ["MANYWIRE_PAYLOAD"]).read_bytes()
for library in os.environ["MANYWIRE_LIBRARIES"].split(","):
    key = (library, "json", "dynamic")
    subject = next(each for each in SUBJECTS if (each.library, each.format, each.target) == key)
    coder = subject.prepare(Schema())
    runner.bench_time_func(f"{library}:encode", loop(coder.encode, coder.decode(payload)))
    runner.bench_time_func(f"{library}:decode", loop(coder.decode, payload))
