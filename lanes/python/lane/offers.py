"""The offers of the verb serve, which the servers of all transports share."""

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

from lane.http.coding import deflate
from lane.subject import Coder

_TARGET = re.compile(r"/(transport|endpoint)/([0-9]{1,6})/([0-9a-f]{8}([0-9a-f]{8}))", re.ASCII)


@dataclass(frozen=True)
class Offer:
    """An offered subject: its media type, its operations and its values."""

    media_type: str
    coder: Coder
    values: list[Any]

    def represent(self, index, is_gzip):
        payload = self.coder.encode(self.values[index])
        return deflate(payload) if is_gzip else payload


class Target(NamedTuple):
    """The parts of a request's target: the offer, the meter, the nonce and the payload."""

    number: int
    offer: Offer
    is_prepared: bool
    nonce: str
    index: int


class Offers:
    """The offers, with the prepared bodies of the transport meter."""

    def __init__(self, offers):
        self._offers = offers
        # Uncompressed and compressed, by payload.
        self._bodies = [
            [
                [bytes(offer.represent(index, is_gzip)) for index in range(len(offer.values))]
                for is_gzip in (False, True)
            ]
            for offer in offers
        ]

    def find(self, text):
        """Returns the target of a request, or None if it is unknown."""
        match = _TARGET.fullmatch(text)
        number = int(match[2]) if match else len(self._offers)
        if number >= len(self._offers) or not self._offers[number].values:
            return None
        offer = self._offers[number]
        index = int(match[4], 16) % len(offer.values)
        return Target(number, offer, match[1] == "transport", match[3], index)

    def body(self, target, is_gzip):
        """Returns the envelope: the nonce, then the representation."""
        if target.is_prepared:
            payload = self._bodies[target.number][is_gzip][target.index]
        else:
            payload = target.offer.represent(target.index, is_gzip)
        return target.nonce.encode() + payload
