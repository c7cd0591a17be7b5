"""The connection of the verb fetch over ZeroMQ: a REQ socket of pyzmq."""

import zmq

from lane.subject import Refusal


class ZeromqConnection:
    """Requests one response at a time. After an error it continues with a new socket: a REQ socket without its
    response cannot send again."""

    def __init__(self, address, parameters):
        if not address.hostname or not address.port or not address.path:
            raise Refusal(f"invalid URL {parameters['url']!r:.80}")
        headers = {name.lower(): value for name, value in parameters["headers"]}
        if "accept" not in headers:
            raise Refusal("no media type; expected a header field Accept")
        self._endpoint = f"tcp://{address.hostname}:{address.port}"
        self._target = address.path
        self._media_type = headers["accept"].encode()
        self._coding = headers.get("accept-encoding", "identity").encode()
        self._timeout_ms = max(1, int(parameters["timeout_ms"]))
        self._socket = None

    def get(self, nonce):
        """Returns the body and the content coding."""
        if self._socket is None:
            self._socket = self._connect()
        request = [self._media_type, self._coding, (self._target + nonce).encode()]
        try:
            self._socket.send_multipart(request)
            response = self._socket.recv_multipart()
        except zmq.Again:
            raise TimeoutError(f"no response after {self._timeout_ms} ms") from None
        if len(response) != 3:
            raise ValueError(f"expected a response of 3 frames, found {len(response)}")
        media_type, coding, body = response
        if media_type != self._media_type:
            raise ValueError(
                f"expected {self._media_type.decode()}, found {media_type[:80]!r}: {body[:200]!r}"
            )
        if coding not in (b"identity", self._coding):
            raise ValueError(f"unexpected content coding {coding[:80]!r}")
        return body, coding.decode()

    def _connect(self):
        socket = zmq.Context.instance().socket(zmq.REQ)
        socket.setsockopt(zmq.LINGER, 0)
        for option in (zmq.RCVTIMEO, zmq.SNDTIMEO, zmq.CONNECT_TIMEOUT, zmq.HANDSHAKE_IVL):
            socket.setsockopt(option, self._timeout_ms)
        socket.connect(self._endpoint)
        return socket

    def close(self):
        if self._socket is not None:
            self._socket.close()
            self._socket = None
