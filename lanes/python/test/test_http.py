"""Tests the HTTP server of the lane with its own client."""

import gzip
import http.client
import json
import unittest

from test.process import Lane

NONCE = "5f3a9c01"
PAYLOADS = [b'{"a":1}', b"[2]"]


class Http(unittest.TestCase):
    def setUp(self):
        self.lane = self.enterContext(Lane())
        subjects = self.lane.get({"verb": "describe"})["subjects"]
        self.subject = next(
            index for index, each in enumerate(subjects) if each["library"] == "orjson"
        )
        load = {"verb": "load", "subject": self.subject, "payloads": len(PAYLOADS)}
        self.lane.get(load, *PAYLOADS)
        offers = [{"subject": self.subject, "media_type": "application/json"}]
        self.port = self.lane.get({"verb": "serve", "offers": offers})["port"]

    def ask(self, path, method="GET", headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request(method, path, headers=headers or {})
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response, body

    def test_bodies_are_envelopes(self):
        for meter in ("transport", "endpoint"):
            for number in (0, 1, 2):
                nonce = f"{NONCE}{number:08x}"
                expected = PAYLOADS[number % 2]
                response, body = self.ask(f"/{meter}/0/{nonce}")
                self.assertEqual(response.status, 200)
                self.assertEqual(response.headers["Content-Type"], "application/json")
                self.assertIsNone(response.headers["Content-Encoding"])
                self.assertEqual(body, nonce.encode() + expected)
                response, body = self.ask(
                    f"/{meter}/0/{nonce}", headers={"Accept-Encoding": "gzip"}
                )
                self.assertEqual(response.headers["Content-Encoding"], "gzip")
                self.assertEqual(body[:16], nonce.encode())
                self.assertEqual(gzip.decompress(body[16:]), expected)
        self.assertEqual(self.lane.get({"verb": "served"})["requests"], 12)

    def test_unknown_paths_and_methods_are_refused(self):
        nonce = f"{NONCE}00000000"
        for path in ("/", f"/endpoint/1/{nonce}", f"/endpoint/x/{nonce}", f"/endpoint/0/{NONCE}"):
            self.assertEqual(self.ask(path)[0].status, 404, path)
        self.assertEqual(self.ask(f"/endpoint/0/{nonce}", "POST")[0].status, 405)
        self.assertEqual(self.lane.get({"verb": "served"})["requests"], 0)
        self.assertIn("already", self.lane.ask({"verb": "serve", "offers": []})["error"])

    def fetch(self, **change):
        request = {
            "verb": "fetch",
            "subject": self.subject,
            "url": f"http://127.0.0.1:{self.port}/endpoint/0/",
            "nonce": NONCE,
            "headers": [["Accept-Encoding", "gzip"]],
            "decode": True,
            "connections": 2,
            "rate": None,
            "requests": 10,
            "duration_ms": 60_000,
            "timeout_ms": 10_000,
        }
        return self.lane.ask({**request, **change})

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

    def test_an_invalid_fetch_is_an_error(self):
        nowhere = f"http://127.0.0.1:{self.port}/endpoint/7/"
        self.assertIn("404", self.fetch(url=nowhere)["error"])
        self.assertIn("connections", self.fetch(connections=0)["error"])
        self.assertIn("rate", self.fetch(rate=-1)["error"])
        # The whole body is the representation without a nonce, and an envelope is not valid JSON.
        whole = f"http://127.0.0.1:{self.port}/endpoint/0/{NONCE}00000000"
        answer = self.fetch(url=whole, nonce=None)
        self.assertIn("the first request", json.dumps(answer))
