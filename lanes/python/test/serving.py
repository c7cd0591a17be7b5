"""The cases that a server of the lane and the lane's client share, whatever the transport."""

from test.process import Lane

NONCE = "5f3a9c01"
PAYLOADS = [b'{"a":1}', b"[2]"]
MEDIA_TYPE = "application/json"


class Serving:
    """A lane that serves two payloads. Subclasses name the server, the scheme and the header fields."""

    ARGUMENTS = ()
    SCHEME = None
    HEADERS = None

    def setUp(self):
        self.lane = self.enterContext(Lane(*self.ARGUMENTS))
        subjects = self.lane.get({"verb": "describe"})["subjects"]
        self.subject = next(
            index for index, each in enumerate(subjects) if each["library"] == "orjson"
        )
        load = {"verb": "load", "subject": self.subject, "payloads": len(PAYLOADS)}
        self.lane.get(load, *PAYLOADS)
        offers = [{"subject": self.subject, "media_type": MEDIA_TYPE}]
        self.port = self.lane.get({"verb": "serve", "offers": offers})["port"]

    def fetch_request(self, **change):
        request = {
            "verb": "fetch",
            "subject": self.subject,
            "url": f"{self.SCHEME}://127.0.0.1:{self.port}/endpoint/0/",
            "nonce": NONCE,
            "headers": self.HEADERS,
            "decode": True,
            "connections": 2,
            "rate": None,
            "requests": 10,
            "duration_ms": 60_000,
            "timeout_ms": 10_000,
        }
        return {**request, **change}

    def fetch(self, **change):
        return self.lane.ask(self.fetch_request(**change))

    def test_fetch_runs_closed_and_open_loops(self):
        for rate in (None, 200):
            answer = self.fetch(rate=rate)
            self.assertEqual(answer["ok"]["requests"], 10, answer)
            self.assertEqual(answer["ok"]["errors"], 0, answer)
            latencies, lags = self.lane.receive(), self.lane.receive()
            self.assertEqual(len(latencies), 80)
            self.assertEqual(len(lags), 0 if rate is None else 80)
        # Each of the two connections sent one uncounted request.
        self.assertEqual(self.lane.get({"verb": "served"})["requests"], 24)
