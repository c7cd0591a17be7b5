"""Tests the HTTP server of the lane with its own client."""

import gzip
import http.client
import http.server
import json
import threading
import unittest

from test.serving import NONCE, PAYLOADS, Serving


class Gzipped(http.server.BaseHTTPRequestHandler):
    """Responds by gzip, whatever the client accepts."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", "3")
        self.end_headers()
        self.wfile.write(b"abc")

    def log_message(self, *arguments):
        pass


class Http(Serving, unittest.TestCase):
    SCHEME = "http"
    HEADERS = [["Accept-Encoding", "gzip"]]

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

    def test_an_invalid_fetch_is_an_error(self):
        nowhere = f"http://127.0.0.1:{self.port}/endpoint/7/"
        self.assertIn("404", self.fetch(url=nowhere)["error"])
        self.assertIn("connections", self.fetch(connections=0)["error"])
        self.assertIn("rate", self.fetch(rate=-1)["error"])
        # The whole body is the representation without a nonce, and an envelope is not valid JSON.
        whole = f"http://127.0.0.1:{self.port}/endpoint/0/{NONCE}00000000"
        answer = self.fetch(url=whole, nonce=None)
        self.assertIn("the first request", json.dumps(answer))

    def test_a_coding_that_was_not_requested_is_an_error(self):
        server = self.enterContext(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Gzipped))
        threading.Thread(target=server.serve_forever).start()
        self.addCleanup(server.shutdown)
        url = f"http://127.0.0.1:{server.server_port}/"
        answer = self.fetch(url=url, nonce=None, decode=False)
        self.assertEqual(answer["ok"]["errors"], 0, answer)
        self.lane.receive()
        self.lane.receive()
        headers = [["Accept-Encoding", "identity"]]
        answer = self.fetch(url=url, nonce=None, decode=False, headers=headers)
        self.assertIn("unexpected content coding gzip", answer["error"])
