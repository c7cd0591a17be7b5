"""The client of the verb fetch, with a thread for each connection: by http.client, or over ZeroMQ."""

import http.client
import struct
import threading
import time
from urllib.parse import urlsplit

from lane.http.coding import inflate
from lane.meter import collections
from lane.subject import Refusal
from lane.zeromq.client import ZeromqConnection

# The number of errors after which no new requests are started.
_ERRORS_MAX = 100

# The maximum delay of a sleeping thread. The client sleeps until this long before an instant, and
# then yields in a loop.
_TIMER_NS = 300_000


class _Failed(Exception):
    """The error of a response."""


class _HttpConnection:
    def __init__(self, address, parameters):
        secure = address.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        timeout = parameters["timeout_ms"] / 1e3
        self._connection = kind(address.hostname, address.port, timeout=timeout)
        self._target = (address.path or "/") + (f"?{address.query}" if address.query else "")
        self._headers = parameters["headers"]
        accepted = [value for name, value in self._headers if name.lower() == "accept-encoding"]
        self._coding = accepted[-1] if accepted else "identity"

    def get(self, nonce):
        """Returns the body and the content coding."""
        # By default, http.client adds its own `Accept-Encoding`.
        self._connection.putrequest("GET", self._target + nonce, skip_accept_encoding=True)
        for name, value in self._headers:
            self._connection.putheader(name, value)
        self._connection.endheaders()
        response = self._connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise _Failed(f"status {response.status}: {body[:200]!r}")
        coding = response.headers.get("Content-Encoding", "identity")
        if coding not in ("identity", self._coding):
            raise _Failed(f"unexpected content coding {coding}")
        return body, coding

    def close(self):
        self._connection.close()


class _Fetcher:
    def __init__(self, coder, parameters):
        self._coder = coder
        self._parameters = parameters
        address = urlsplit(parameters["url"])
        kind = ZeromqConnection if address.scheme == "tcp" else _HttpConnection
        self._connections = [kind(address, parameters) for _ in range(parameters["connections"])]
        self._lock = threading.Lock()
        self._next = 0
        self._planned = 0
        self._start = 0
        self.bytes = 0
        self.errors = 0
        self.error = None
        self.latencies = []
        self.lags = []

    def close(self):
        for connection in self._connections:
            connection.close()

    def open(self):
        """Sends one uncounted request on each connection."""
        self._each(lambda connection: self._count(connection, self._number(), None))
        self.bytes = 0
        self.latencies.clear()

    def run(self):
        self._start = time.perf_counter_ns()
        self._each(self._work)
        return time.perf_counter_ns() - self._start

    def _each(self, work):
        threads = [
            threading.Thread(target=work, args=(connection,)) for connection in self._connections
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _number(self):
        with self._lock:
            self._next += 1
            return self._next - 1

    def _turn(self):
        """Returns the number of the next request and, in an open loop, its planned instant (otherwise
        `None`). Returns `None` at the end."""
        parameters = self._parameters
        with self._lock:
            rate = parameters["rate"]
            if rate is None:
                after = time.perf_counter_ns() - self._start
            else:
                after = int(self._planned / rate * 1e9)
            if (
                after > parameters["duration_ms"] * 1e6
                or self._planned >= parameters["requests"]
                or self.errors >= _ERRORS_MAX
            ):
                return None
            self._planned += 1
            self._next += 1
            return self._next - 1, None if rate is None else self._start + after

    def _work(self, connection):
        while (turn := self._turn()) is not None:
            number, planned = turn
            if planned is not None:
                _wait_until(planned)
            self._count(connection, number, planned)

    def _count(self, connection, number, planned):
        """Sends a request and records its result."""
        sent = time.perf_counter_ns()
        try:
            length = self._request(connection, number)
            latency = time.perf_counter_ns() - (sent if planned is None else planned)
        # Any exception of a library is an error of the request.
        except Exception as error:
            # The rest of the response would be read as the next one.
            connection.close()
            with self._lock:
                self.errors += 1
                self.error = self.error or f"{type(error).__name__}: {error}"
            return
        with self._lock:
            self.bytes += length
            self.latencies.append(latency)
            if planned is not None:
                self.lags.append(max(0, sent - planned))

    def _request(self, connection, number):
        parameters = self._parameters
        nonce = "" if parameters["nonce"] is None else f"{parameters['nonce']}{number:08x}"
        body, coding = connection.get(nonce)
        if not body.startswith(nonce.encode()):
            raise _Failed(f"expected a body that begins with {nonce}, found {body[:40]!r}")
        if parameters["decode"]:
            self._decode(body[len(nonce) :], coding)
        return len(body)

    def _decode(self, payload, coding):
        if coding == "gzip":
            payload = inflate(payload)
        elif coding != "identity":
            raise _Failed(f"unexpected content coding {coding}")
        self._coder.decode(payload)


def _wait_until(instant):
    left = instant - time.perf_counter_ns()
    if left > _TIMER_NS:
        time.sleep((left - _TIMER_NS) / 1e9)
    while time.perf_counter_ns() < instant:
        # Lets other threads read their responses.
        time.sleep(0)


def _frame(times):
    return struct.pack(f">{len(times)}Q", *times)


def fetch(coder, parameters):
    """Runs a fetch in a closed or open loop. Returns the result and the two frames that follow it."""
    connections, rate = parameters.get("connections"), parameters.get("rate")
    if not isinstance(connections, int) or connections < 1 or (rate is not None and not rate > 0):
        raise Refusal(f"{connections!r:.80} connections at a rate of {rate!r:.80}")
    fetcher = _Fetcher(coder, parameters)
    try:
        fetcher.open()
        if fetcher.errors:
            # The clock does not start: the figures would be meaningless.
            raise Refusal(f"the first request failed: {fetcher.error}")
        collected = collections()
        cpu = time.process_time_ns()
        wall_ns = fetcher.run()
        head = {
            "requests": len(fetcher.latencies),
            "errors": fetcher.errors,
            "error": fetcher.error,
            "body_bytes": fetcher.bytes,
            "wall_ns": wall_ns,
            "cpu_ns": time.process_time_ns() - cpu,
            "collections": collections() - collected,
        }
        return head, _frame(fetcher.latencies), _frame(fetcher.lags)
    finally:
        fetcher.close()
