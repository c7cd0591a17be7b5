"""Subjects: the combinations of library, format and kind of value that the lane measures."""

import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


class Refusal(Exception):
    """An error of the lane, with a message for people."""


@dataclass
class Schema:
    """The schema of the payloads. A member is `None` if the shape has no such schema."""

    model: dict | None = None
    avro: str | None = None
    descriptors: bytes = b""

    def needed(self, member):
        """Returns a member that a subject needs, or raises `Refusal`."""
        value = getattr(self, member)
        if not value:
            raise Refusal(
                f"the payloads have no {member}: it must be in the request `schema`, before `load`"
            )
        return value


def _itself(value):
    return value


@dataclass(frozen=True)
class Coder:
    """The operations of a subject. `decode` and `encode` are timed."""

    decode: Callable[[bytes], Any]
    encode: Callable[[Any], bytes]
    # Converts a value of the library to one that the digest accepts.
    plain: Callable[[Any], Any] = _itself
    # Indicates whether the library allocates with CPython's allocator, which can report memory in
    # use.
    is_traced: bool = True


@dataclass(frozen=True)
class Subject:
    """A subject of the lane: one row of the table."""

    library: str
    format: str
    target: str
    prepare: Callable[[Schema], Coder]
    version: str = field(default="")

    def describe(self):
        return {
            "library": self.library,
            "version": self.version or importlib.metadata.version(self.library),
            "format": self.format,
            "target": self.target,
            "buffer": "fresh",
        }
