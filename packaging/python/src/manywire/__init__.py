"""Reads, writes, explains and converts JSON, MessagePack, CBOR, Protocol Buffers, Avro and BSON.

Each format is a codec with ``loads`` and ``dumps``: ``json``, ``msgpack``, ``msgpack_array``, ``cbor``,
``protobuf``, ``avro`` and ``bson``. ``explain``, ``convert``, ``sizes`` and ``shape`` take a payload in any of
them. What is refused raises ``ManywireError``, with the place.
"""

from __future__ import annotations

import json as _json
from dataclasses import dataclass
from os import PathLike
from typing import IO, Any, Optional, Union

from . import _manywire
from ._error import ManywireError
from ._manywire import Extension, Schema, Timestamp

__all__ = [
    "Codec",
    "CodedSize",
    "Converted",
    "Data",
    "Explanation",
    "Extension",
    "Finding",
    "FormatSizes",
    "Loss",
    "ManywireError",
    "Refusal",
    "Schema",
    "Span",
    "Timestamp",
    "avro",
    "bson",
    "cbor",
    "codecs",
    "convert",
    "explain",
    "json",
    "msgpack",
    "msgpack_array",
    "protobuf",
    "shape",
    "sizes",
]

Data = Union[bytes, bytearray, memoryview, str, "PathLike[str]", IO[bytes], IO[str]]
"""Bytes to read: text is read as its UTF-8, a path names a file, and a file is read to its end."""


def _bytes(data: Data) -> bytes:
    if isinstance(data, bytes):
        return data
    if isinstance(data, str):
        try:
            return data.encode()
        except UnicodeEncodeError:
            raise ManywireError("the text has a surrogate, which UTF-8 cannot encode") from None
    if isinstance(data, (bytearray, memoryview)):
        return bytes(data)
    if isinstance(data, PathLike):
        with open(data, "rb") as file:
            return file.read()
    if hasattr(data, "read"):
        content = data.read()
        return content.encode() if isinstance(content, str) else bytes(content)
    raise TypeError(f"expected bytes, text, a path or a file, found {type(data).__name__}")


@dataclass(frozen=True)
class Codec:
    """One format of one value."""

    name: str
    title: str
    media_type: str

    def loads(self, data: Data, schema: Optional[Schema] = None) -> Any:
        """Reads one value.

        Bytes after it, deep nesting, equal keys and invalid bytes are refused. Protocol Buffers, Avro and
        MessagePack arrays are read by a schema; the other formats ignore it.
        """
        return _manywire.loads(self.name, _bytes(data), schema)

    def dumps(self, value: object, schema: Optional[Schema] = None) -> bytes:
        """Writes one value. A value that ``loads`` would not give back as the same is refused."""
        return _manywire.dumps(self.name, value, schema)


codecs = tuple(Codec(**row) for row in _json.loads(_manywire.formats()))
"""The codecs of all formats."""

_by_name = {codec.name: codec for codec in codecs}
json = _by_name["json"]
msgpack = _by_name["msgpack"]
msgpack_array = _by_name["msgpack-array"]
"""MessagePack with records as arrays, by a schema."""
cbor = _by_name["cbor"]
protobuf = _by_name["protobuf"]
"""Protocol Buffers, by a schema."""
avro = _by_name["avro"]
"""One Avro datum, by a schema."""
bson = _by_name["bson"]


@dataclass(frozen=True)
class Span:
    """A range of bytes with one meaning."""

    offset: int
    length: int
    role: str
    """One of head, length, key, value, fixed, separator and unread."""
    path: str
    type: str
    """The type, such as ``2-byte string``."""
    value: Optional[str]
    """The value as text."""
    inside: Optional[int]
    """The offset of the compressed bytes that the span was unpacked from."""


@dataclass(frozen=True)
class Finding:
    """A fault, or a remark on valid bytes that a careful writer would not have written."""

    kind: str
    """fault or remark."""
    offset: int
    path: str
    message: str


@dataclass(frozen=True)
class Explanation:
    """The meaning of each byte."""

    form: str
    length: int
    """The number of bytes, without a content coding."""
    spans: list[Span]
    """The spans in order. They cover each byte once, except for those with ``inside``."""
    findings: list[Finding]
    keys: int
    """Bytes of keys."""
    structure: int
    """Bytes of heads, lengths, quotes and separators."""
    values: int
    """Bytes of the content of values."""
    unread: int
    """Bytes that were not read because of a fault."""


def explain(
    data: Data, *, form: Optional[str] = None, schema: Optional[Schema] = None
) -> Explanation:
    """Lists the meaning of each byte. ``form`` is a name of ``manywire formats``; without it the bytes must
    show their format with certainty."""
    found = _json.loads(_manywire.explain(_bytes(data), form, schema))
    found["spans"] = [Span(**span) for span in found["spans"]]
    found["findings"] = [Finding(**finding) for finding in found["findings"]]
    return Explanation(**found)


@dataclass(frozen=True)
class Loss:
    """A value that was replaced, because the format cannot represent it."""

    path: str
    """The path of the first occurrence."""
    lost: str
    """The value, and its replacement."""
    places: int
    """The number of occurrences."""


@dataclass(frozen=True)
class CodedSize:
    """A number of bytes in a content coding."""

    coding: str
    level: int
    bytes: int


@dataclass(frozen=True)
class Refusal:
    """The reason that a format cannot represent the values."""

    path: str
    message: str


@dataclass(frozen=True)
class FormatSizes:
    """The bytes of a payload in one format."""

    format: str
    form: str
    bytes: Optional[int]
    """``None`` if the format cannot represent the values."""
    coded: list[CodedSize]
    losses: list[Loss]
    losses_unlisted: int
    """The number of losses that are not listed."""
    refused: Optional[Refusal]


def sizes(
    data: Data, *, form: Optional[str] = None, schema: Optional[Schema] = None
) -> list[FormatSizes]:
    """Counts the bytes of a payload in each format, plain and compressed."""
    rows = _json.loads(_manywire.sizes(_bytes(data), form, schema))
    return [
        FormatSizes(
            format=row["format"],
            form=row["form"],
            bytes=row["bytes"],
            coded=[CodedSize(**coded) for coded in row["coded"]],
            losses=[Loss(**loss) for loss in row["losses"]],
            losses_unlisted=row["lossesUnlisted"],
            refused=Refusal(**row["refused"]) if row["refused"] else None,
        )
        for row in rows
    ]


def shape(
    data: Data,
    language: str = "outline",
    *,
    form: Optional[str] = None,
    schema: Optional[Schema] = None,
) -> str:
    """Infers the schema of a payload and writes it in a language: outline, proto, avro, jsonschema, rust, go,
    typescript, java, csharp, python, haskell or scala."""
    return _manywire.shape(_bytes(data), language, form, schema)


@dataclass(frozen=True)
class Converted:
    """The result of a conversion."""

    data: bytes
    values: int
    """The number of values."""
    losses: list[Loss]
    losses_unlisted: int
    """The number of losses that are not listed."""
    schema: Optional[str]
    """The .proto, the .avsc, or for MessagePack arrays the JSON Schema that the output is read with."""


def convert(
    data: Data,
    to: str,
    *,
    form: Optional[str] = None,
    schema: Optional[Schema] = None,
    lossy: bool = False,
    pretty: bool = False,
    compression: Optional[str] = None,
) -> Converted:
    """Converts a payload to another form.

    Values that it cannot represent are refused, or replaced and listed with ``lossy``. ``pretty`` indents JSON.
    ``compression`` is that of the blocks of an Avro file: null, deflate, zstandard, snappy, bzip2 or xz.
    """
    converted, rest = _manywire.convert(
        _bytes(data), to, form, schema, lossy, pretty, compression
    )
    found = _json.loads(rest)
    return Converted(
        data=converted,
        values=found["values"],
        losses=[Loss(**loss) for loss in found["losses"]],
        losses_unlisted=found["lossesUnlisted"],
        schema=found["schema"],
    )
