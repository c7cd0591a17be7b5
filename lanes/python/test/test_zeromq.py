"""Tests the ZeroMQ server of the lane with its own client, and both with peers that misbehave."""

import gzip
import socket
import time
import unittest

import zmq

from test.serving import MEDIA_TYPE, NONCE, PAYLOADS, Serving

JSON = MEDIA_TYPE.encode()


class Zeromq(Serving, unittest.TestCase):
    ARGUMENTS = ("zeromq",)
    SCHEME = "tcp"
    HEADERS = [["Accept", MEDIA_TYPE], ["Accept-Encoding", "gzip"]]

    def ask(self, *frames):
        """Returns the frames of the response to a message."""
        with zmq.Context() as context, context.socket(zmq.REQ) as request:
            request.setsockopt(zmq.LINGER, 0)
            request.setsockopt(zmq.RCVTIMEO, 10_000)
            request.connect(f"tcp://127.0.0.1:{self.port}")
            request.send_multipart(frames)
            return request.recv_multipart()

    def test_bodies_are_envelopes(self):
        for meter in ("transport", "endpoint"):
            for number in (0, 1, 2):
                nonce = f"{NONCE}{number:08x}"
                expected = PAYLOADS[number % 2]
                target = f"/{meter}/0/{nonce}".encode()
                response = self.ask(JSON, b"identity", target)
                self.assertEqual(response, [JSON, b"identity", nonce.encode() + expected])
                media_type, coding, body = self.ask(JSON, b"gzip", target)
                self.assertEqual((media_type, coding, body[:16]), (JSON, b"gzip", nonce.encode()))
                self.assertEqual(gzip.decompress(body[16:]), expected)
        self.assertEqual(self.lane.get({"verb": "served"})["requests"], 12)

    def test_invalid_requests_are_refused(self):
        target = f"/endpoint/0/{NONCE}00000000".encode()
        for request, words in (
            ([b"x"], "3 frames"),
            ([b"application/cbor", b"identity", target], "media type application/json"),
            ([JSON, b"br", target], "content coding"),
            ([JSON, b"identity", b"/endpoint/1/" + target[-16:]], "unknown target"),
            ([JSON, b"identity", b"\xff"], "unknown target"),
        ):
            media_type, coding, body = self.ask(*request)
            self.assertEqual((media_type, coding), (b"text/plain", b"identity"))
            self.assertIn(words, body.decode())
        self.assertEqual(self.lane.get({"verb": "served"})["requests"], 0)
        self.assertEqual(self.ask(JSON, b"identity", target)[0], JSON)

    def test_an_invalid_fetch_is_an_error(self):
        nowhere = f"tcp://127.0.0.1:{self.port}/endpoint/7/"
        self.assertIn("unknown target", self.fetch(url=nowhere)["error"])
        self.assertIn("invalid URL", self.fetch(url=f"tcp://127.0.0.1:{self.port}")["error"])
        self.assertIn("no media type", self.fetch(headers=[])["error"])

    def test_a_dead_peer_is_an_error_within_seconds(self):
        listener = self.enterContext(socket.create_server(("127.0.0.1", 0)))
        context = self.enterContext(zmq.Context())
        # A REP socket that never sends a response.
        silent = self.enterContext(context.socket(zmq.REP))
        silent.setsockopt(zmq.LINGER, 0)
        with socket.create_server(("127.0.0.1", 0)) as closed:
            nobody = closed.getsockname()[1]
        ports = listener.getsockname()[1], silent.bind_to_random_port("tcp://127.0.0.1"), nobody
        for port in ports:
            start = time.monotonic()
            answer = self.fetch(url=f"tcp://127.0.0.1:{port}/endpoint/0/", timeout_ms=500)
            self.assertIn("no response after 500 ms", answer["error"])
            self.assertLess(time.monotonic() - start, 5)

    def test_a_client_continues_with_a_new_socket(self):
        with zmq.Context() as context, context.socket(zmq.REP) as peer:
            peer.setsockopt(zmq.LINGER, 0)
            peer.setsockopt(zmq.RCVTIMEO, 10_000)
            port = peer.bind_to_random_port("tcp://127.0.0.1")
            self.lane.send_request(
                self.fetch_request(
                    url=f"tcp://127.0.0.1:{port}/endpoint/0/",
                    headers=[["Accept", MEDIA_TYPE]],
                    connections=1,
                    requests=3,
                    timeout_ms=1_000,
                )
            )
            for number in range(4):
                *_, target = peer.recv_multipart()
                # The second counted request is answered after the client has given up.
                time.sleep(1.5 if number == 2 else 0)
                peer.send_multipart([JSON, b"identity", target[-16:] + b"1"])
            answer = self.lane.response()
        self.assertEqual((answer["ok"]["requests"], answer["ok"]["errors"]), (2, 1), answer)
        self.assertIn("no response after 1000 ms", answer["ok"]["error"])
