"""Responds to the requests of CONTRACT.md until the end of the input."""

import json
import os
import platform
import sys
import time

import zmq

from lane.digest import digest
from lane.frames import read_frame, write_frames
from lane.http.client import fetch
from lane.http.coding import deflate, inflate
from lane.http.server import Service as HttpService
from lane.meter import collections, memory, run
from lane.offers import Offer
from lane.subject import Refusal, Schema
from lane.subjects import SUBJECTS
from lane.zeromq.server import Service as ZeromqService


PYZMQ = f"pyzmq {zmq.__version__} (libzmq {zmq.zmq_version()})"


class Lane:
    """The state of the process: the schema and the loaded payloads."""

    def __init__(self):
        self._schema = Schema()
        self._loaded = {}
        self._service = None
        self._service_of = ZeromqService if "zeromq" in sys.argv[1:] else HttpService

    def describe(self, request, frames):
        return {
            "contract": 1,
            "lane": "python",
            "runtime": f"{platform.python_implementation()} {platform.python_version()}",
            "http": {"server": "uvicorn", "client": "http.client", "codings": ["gzip"]},
            "zeromq": {"server": PYZMQ, "client": PYZMQ, "codings": ["gzip"]},
            "subjects": [subject.describe() for subject in SUBJECTS],
        }

    def schema(self, request, frames):
        self._schema = Schema(request.get("model"), request.get("avro"), frames[0])
        return {}

    def load(self, request, frames):
        index = self._index(request)
        self._loaded.pop(index, None)
        coder = SUBJECTS[index].prepare(self._schema)
        self._loaded[index] = coder, frames, [coder.decode(payload) for payload in frames]
        return {}

    def digest(self, request, frames):
        coder, _, values = self._subject(request)
        return {"digests": [digest(coder.plain(value)) for value in values]}

    def encode(self, request, frames):
        coder, _, values = self._subject(request)
        written = [coder.encode(value) for value in values]
        return {"payloads": len(written)}, *written

    def run(self, request, frames):
        operation, inputs, _ = self._operation(request)
        window, repeats = request.get("window"), request.get("repeats")
        if not isinstance(window, list) or not all(_is_index(each, len(inputs)) for each in window):
            raise Refusal(
                f"window is {window!r:.80}, expected a list of numbers of the {len(inputs)} payloads"
            )
        if not _is_index(repeats, 2**63):
            raise Refusal(f"repeats is {repeats!r:.80}, expected a whole number")
        coding = request.get("coding")
        if coding == "gzip":
            operation, inputs = _coded(request["operation"], operation, inputs)
        elif coding is not None:
            raise Refusal(f"coding is {coding!r:.80}, expected gzip or none")
        return run(operation, inputs, window, repeats)

    def memory(self, request, frames):
        operation, inputs, is_traced = self._operation(request)
        if not is_traced:
            return {"allocs": None, "alloc_bytes": None, "peak_bytes": None}
        return memory(operation, inputs)

    def serve(self, request, frames):
        if self._service:
            raise Refusal("the server is already running")
        offers = []
        for offer in request.get("offers"):
            coder, _, values = self._subject(offer)
            offers.append(Offer(offer["media_type"], coder, values))
        self._service = self._service_of(offers)
        return {"port": self._service.port}

    def served(self, request, frames):
        if not self._service:
            raise Refusal("the server is not running")
        return {
            "requests": self._service.answered,
            "cpu_ns": time.process_time_ns(),
            "collections": collections(),
        }

    def fetch(self, request, frames):
        coder, _, _ = self._subject(request)
        return fetch(coder, request)

    def _index(self, request):
        index = request.get("subject")
        if not _is_index(index, len(SUBJECTS)):
            raise Refusal(f"subject is {index!r:.80}, expected a number below {len(SUBJECTS)}")
        return index

    def _subject(self, request):
        index = self._index(request)
        if index not in self._loaded:
            raise Refusal(f"subject {index} has no payloads; send them with `load`")
        return self._loaded[index]

    def _operation(self, request):
        coder, payloads, values = self._subject(request)
        match request.get("operation"):
            case "encode":
                return coder.encode, values, coder.is_traced
            case "decode":
                return coder.decode, payloads, coder.is_traced
            case other:
                raise Refusal(f"operation is {other!r:.80}, expected encode or decode")


VERBS = (
    "describe",
    "schema",
    "load",
    "digest",
    "encode",
    "run",
    "memory",
    "serve",
    "served",
    "fetch",
)


def _coded(name, operation, inputs):
    """Returns the operation with compression or decompression."""
    if name == "encode":
        return lambda value: deflate(operation(value)), inputs
    return lambda packed: operation(inflate(packed)), [deflate(payload) for payload in inputs]


def _is_index(value, end):
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < end


def _following(request):
    """Returns the number of frames that follow a request."""
    if request.get("verb") == "schema":
        return 1
    count = request.get("payloads") if request.get("verb") == "load" else 0
    if not _is_index(count, 2**32):
        raise ValueError(f"payloads is {count!r:.80}, expected the number of frames that follow")
    return count


def _answer(lane, request, frames):
    verb = request.get("verb")
    if verb not in VERBS:
        return [{"error": f"unknown verb {verb!r:.80}, expected one of {', '.join(VERBS)}"}]
    try:
        answer = getattr(lane, verb)(request, frames)
    except Refusal as refusal:
        return [{"error": str(refusal)}]
    # Any exception of a library is an error response; the lane continues.
    except Exception as error:
        return [{"error": f"{type(error).__name__}: {error}"}]
    head, *written = answer if isinstance(answer, tuple) else (answer,)
    return [{"ok": head}, *written]


def main():
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Output that a library prints goes to standard error.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    lane = Lane()
    try:
        while (frame := read_frame(sys.stdin.buffer)) is not None:
            request = json.loads(frame)
            if not isinstance(request, dict):
                raise ValueError("the request is not a JSON object")
            frames = [read_frame(sys.stdin.buffer) for _ in range(_following(request))]
            if None in frames:
                raise EOFError(f"the input ends before the frames of {request['verb']}")
            head, *written = _answer(lane, request, frames)
            write_frames(answers, [json.dumps(head).encode(), *written])
    # After an invalid frame the start of the next request is unknown.
    except (ValueError, EOFError, RecursionError) as error:
        sys.exit(f"cannot continue: {type(error).__name__}: {error}")


main()
