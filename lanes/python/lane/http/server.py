"""The HTTP server of the verb serve: an ASGI application on uvicorn with its defaults."""

import re
import threading
import time
from dataclasses import dataclass
from typing import Any

import uvicorn

from lane.http.coding import deflate
from lane.subject import Coder, Refusal

_PATH = re.compile(r"/(transport|endpoint)/([0-9]{1,6})/([0-9a-f]{8}([0-9a-f]{8}))", re.ASCII)


@dataclass(frozen=True)
class Offer:
    """An offered subject: its media type, its operations and its values."""

    media_type: str
    coder: Coder
    values: list[Any]

    def represent(self, index, is_gzip):
        payload = self.coder.encode(self.values[index])
        return deflate(payload) if is_gzip else payload


class Service:
    """Responds to requests until the process ends, on a separate thread."""

    def __init__(self, offers):
        self.answered = 0
        self._offers = offers
        # The bodies of the transport meter, uncompressed and compressed, by payload.
        self._bodies = [
            [
                [bytes(offer.represent(index, is_gzip)) for index in range(len(offer.values))]
                for is_gzip in (False, True)
            ]
            for offer in offers
        ]
        # The access log would be part of the measurement.
        config = uvicorn.Config(
            self._application,
            host="127.0.0.1",
            port=0,
            interface="asgi3",
            lifespan="off",
            log_level="warning",
        )
        self._server = uvicorn.Server(config)
        thread = threading.Thread(target=self._server.run, daemon=True)
        thread.start()
        while not self._server.started:
            if not thread.is_alive():
                raise Refusal("uvicorn did not start")
            time.sleep(0.001)
        self.port = self._server.servers[0].sockets[0].getsockname()[1]

    async def _application(self, scope, receive, send):
        status, fields, body = self._answer(scope)
        headers = [*fields, (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _answer(self, scope):
        path = _PATH.fullmatch(scope["path"])
        number = int(path[2]) if path else len(self._offers)
        if number >= len(self._offers) or not self._offers[number].values:
            return _refuse(404, "no such path")
        if scope["method"] != "GET":
            return _refuse(405, "only GET is allowed")
        offer = self._offers[number]
        index = int(path[4], 16) % len(offer.values)
        is_gzip = (b"accept-encoding", b"gzip") in scope["headers"]
        if path[1] == "transport":
            payload = self._bodies[number][is_gzip][index]
        else:
            try:
                payload = offer.represent(index, is_gzip)
            # Any exception of a library is a response; the server continues.
            except Exception as error:
                return _refuse(500, f"{type(error).__name__}: {error}")
        self.answered += 1
        fields = [(b"content-type", offer.media_type.encode())]
        if is_gzip:
            fields.append((b"content-encoding", b"gzip"))
        return 200, fields, path[3].encode() + payload


def _refuse(status, words):
    return status, [(b"content-type", b"text/plain; charset=utf-8")], words.encode()
