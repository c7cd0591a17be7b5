"""The HTTP server of the verb serve: an ASGI application on uvicorn with its defaults."""

import threading
import time

import uvicorn

from lane.offers import Offers
from lane.subject import Refusal


class Service:
    """Responds to requests until the process ends, on a separate thread."""

    def __init__(self, offers):
        self.answered = 0
        self._offers = Offers(offers)
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
        target = self._offers.find(scope["path"])
        if target is None:
            return _refuse(404, "no such path")
        if scope["method"] != "GET":
            return _refuse(405, "only GET is allowed")
        is_gzip = (b"accept-encoding", b"gzip") in scope["headers"]
        try:
            body = self._offers.body(target, is_gzip)
        # Any exception of a library is a response; the server continues.
        except Exception as error:
            return _refuse(500, f"{type(error).__name__}: {error}")
        self.answered += 1
        fields = [(b"content-type", target.offer.media_type.encode())]
        if is_gzip:
            fields.append((b"content-encoding", b"gzip"))
        return 200, fields, body


def _refuse(status, words):
    return status, [(b"content-type", b"text/plain; charset=utf-8")], words.encode()
