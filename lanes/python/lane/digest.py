"""Computes the canonical digest of a value, as CONTRACT.md defines it."""

import datetime
import decimal
import hashlib
import math
import struct

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


class Timestamp:
    """A point in time in nanoseconds, for libraries whose types have a lower resolution."""

    def __init__(self, seconds, nanos):
        self.seconds = seconds
        self.nanos = nanos


class Pairs(list):
    """A map as a list of entries, for keys that a `dict` cannot have."""


def digest(value):
    """Returns the SHA-256 of the canonical form of a value, in hexadecimal.

    Raises `TypeError` for a value that has no digest.
    """
    parts = []
    _canonical(value, parts)
    return hashlib.sha256(b"".join(parts)).hexdigest()


def _canonical(value, out):
    if value is None:
        out.append(b"n")
    elif isinstance(value, bool):
        out.append(b"t" if value else b"f")
    elif isinstance(value, int):
        _whole(value, out)
    elif isinstance(value, float):
        _float(value, out)
    elif isinstance(value, str):
        _sized(b"s", value.encode(), out)
    # Subclasses are excluded, because bson uses a subclass of bytes for binary with a subtype.
    elif type(value) in (bytes, bytearray, memoryview):
        _sized(b"b", bytes(value), out)
    elif isinstance(value, dict):
        _map(value.items(), out)
    elif isinstance(value, Pairs):
        _map(value, out)
    elif type(value) in (list, tuple):
        out.append(b"a%d:" % len(value))
        for item in value:
            _canonical(item, out)
    elif isinstance(value, datetime.datetime):
        _time(*_since_epoch(value), out)
    elif isinstance(value, Timestamp):
        _time(value.seconds, value.nanos, out)
    elif isinstance(value, decimal.Decimal):
        _decimal(value, out)
    else:
        kind = type(value)
        raise TypeError(
            f"an extension ({kind.__module__}.{kind.__qualname__} {value!r:.80}) has no digest"
        )


def _map(entries, out):
    forms = {}
    for key, value in entries:
        if isinstance(key, bool):
            key = "true" if key else "false"
        elif isinstance(key, int):
            key = str(key)
        elif not isinstance(key, str):
            raise TypeError(f"a {type(key).__name__} as a key has no digest")
        name = []
        _sized(b"s", key.encode(), name)
        name = b"".join(name)
        if value is None:
            forms.pop(name, None)
            continue
        form = []
        _canonical(value, form)
        forms[name] = form
    out.append(b"m%d:" % len(forms))
    for name in sorted(forms):
        out.append(name)
        out.extend(forms[name])


def _float(number, out):
    if math.isfinite(number) and number.is_integer() and -(2.0**63) <= number < 2.0**64:
        out.append(b"i%d;" % int(number))
    elif math.isnan(number):
        out.append(b"d" + bytes.fromhex("7ff8000000000000"))
    else:
        out.append(b"d" + struct.pack(">d", number))


def _whole(number, out):
    if -(2**63) <= number < 2**64:
        out.append(b"i%d;" % number)
        return
    try:
        _float(float(number), out)
    except OverflowError:
        _float(math.copysign(math.inf, number), out)


def _decimal(number, out):
    if number.is_finite() and number.adjusted() < 40 and number == number.to_integral_value():
        _whole(int(number), out)
    else:
        _float(float(number), out)


def _since_epoch(moment):
    # Times without a time zone are UTC.
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    since = moment - _EPOCH
    return since.days * 86_400 + since.seconds, since.microseconds * 1_000


def _time(seconds, nanos, out):
    out.append(b"T%d.%d;" % (seconds, nanos))


def _sized(kind, content, out):
    out.append(b"%s%d:" % (kind, len(content)))
    out.append(content)
