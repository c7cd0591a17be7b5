"""The server of the verb serve over ZeroMQ: a REP socket of pyzmq on a separate thread."""

import threading

import zmq

from lane.offers import Offers

# The time limit of receiving, after which the socket receives again, and that of sending.
_TIMEOUT_MS = 1_000

# The media type of a response that describes a failure.
_FAILURE = b"text/plain"


class _Refused(Exception):
    """The reason that a request is not answered."""


class Service:
    """Responds to requests until the process ends, one at a time."""

    def __init__(self, offers):
        self.answered = 0
        self._offers = Offers(offers)
        self._socket = zmq.Context.instance().socket(zmq.REP)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.setsockopt(zmq.RCVTIMEO, _TIMEOUT_MS)
        self._socket.setsockopt(zmq.SNDTIMEO, _TIMEOUT_MS)
        self._socket.bind("tcp://127.0.0.1:*")
        self.port = int(self._socket.getsockopt(zmq.LAST_ENDPOINT).rpartition(b":")[2])
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            try:
                request = self._socket.recv_multipart()
            except zmq.Again:
                continue
            try:
                response = self._answer(request)
                self.answered += 1
            # Any exception of a library is a response; the server continues.
            except Exception as error:
                words = str(error) if isinstance(error, _Refused) else f"{type(error).__name__}: {error}"
                response = [_FAILURE, b"identity", words.encode()]
            try:
                self._socket.send_multipart(response)
            except zmq.Again:
                # The peer does not read its response. The socket has dropped the request, and can
                # receive again.
                continue

    def _answer(self, request):
        if len(request) != 3:
            raise _Refused(f"expected a request of 3 frames, found {len(request)}")
        media_type, coding, text = request
        target = self._offers.find(text.decode("ascii", "replace"))
        if target is None:
            raise _Refused(f"unknown target {text[:80]!r}")
        if media_type.decode("ascii", "replace") != target.offer.media_type:
            raise _Refused(
                f"expected the media type {target.offer.media_type}, found {media_type[:80]!r}"
            )
        if coding not in (b"identity", b"gzip"):
            raise _Refused(f"unknown content coding {coding[:80]!r}: expected identity or gzip")
        return [media_type, coding, self._offers.body(target, coding == b"gzip")]
