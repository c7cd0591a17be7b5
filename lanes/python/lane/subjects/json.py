"""JSON. Services receive and send bytes, so the conversion between text and bytes is included."""

import json
import platform

import msgspec
import orjson

from lane import structs
from lane.subject import Coder, Subject


def _standard(schema):
    # The text is compact and in UTF-8, as web frameworks configure the library for responses.
    write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    return Coder(json.loads, lambda value: write(value).encode())


def _orjson(schema):
    return Coder(orjson.loads, orjson.dumps)


def _msgspec(schema):
    return Coder(msgspec.json.Decoder().decode, msgspec.json.Encoder().encode)


def _msgspec_typed(schema):
    root = structs.root(schema.needed("model"))
    return Coder(msgspec.json.Decoder(root).decode, msgspec.json.Encoder().encode, structs.plain)


SUBJECTS = [
    Subject("json", "json", "dynamic", _standard, platform.python_version()),
    Subject("orjson", "json", "dynamic", _orjson),
    Subject("msgspec", "json", "dynamic", _msgspec),
    Subject("msgspec", "json", "typed", _msgspec_typed),
]
