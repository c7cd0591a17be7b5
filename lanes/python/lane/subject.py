"""What a lane measures: a library, a format, and what values are in the program."""

import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


class Refusal(Exception):
    """What this lane cannot do, in words for people."""


@dataclass
class Schema:
    """What is known of the payloads beforehand; a member is `None` where there is nothing."""

    model: dict | None = None
    avro: str | None = None
    descriptors: bytes = b""

    def needed(self, member):
        """A member that a subject cannot do without."""
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
    """The operations of a subject, ready to be timed."""

    decode: Callable[[bytes], Any]
    encode: Callable[[Any], bytes]
    # From the library's value to one that the digest knows.
    plain: Callable[[Any], Any] = _itself
    # Whether the library allocates through CPython, which alone can be asked what is in use.
    is_traced: bool = True


@dataclass(frozen=True)
class Subject:
    """A row of the table."""

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
