"""Protocol Buffers by Google's library, whose messages are in the memory of upb, a C library.

Typed: the program works on messages, and reads every field. Dynamic: it works on the dicts that the
library converts messages to for JSON, and the conversion is part of the operation.
"""

import base64

from google.protobuf import (
    descriptor_pb2,
    descriptor_pool,
    json_format,
    message_factory,
    timestamp_pb2,
)

from lane.digest import Timestamp
from lane.model import Reader
from lane.subject import Coder, Subject
from lane.touch import reader


def _message_class(schema):
    model = schema.needed("model")
    # A separate pool, so that names of earlier payloads do not conflict.
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(schema.needed("descriptors")).file:
        pool.Add(file)
    name = f"{model['package']}.{model['root']}"
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


def _typed(schema):
    message_class = _message_class(schema)
    parse = message_class.FromString
    read = reader(message_class.DESCRIPTOR)

    def decode(payload):
        message = parse(payload)
        read(message)
        return message

    plain = Reader(schema.model, _get).root
    return Coder(decode, message_class.SerializeToString, plain, is_traced=False)


def _get(message, field):
    described = message.DESCRIPTOR.fields_by_name[field["proto"]]
    if described.has_presence and not message.HasField(field["proto"]):
        return None
    return getattr(message, field["proto"])


def _dynamic(schema):
    message_class = _message_class(schema)
    parse = message_class.FromString

    def decode(payload):
        return json_format.MessageToDict(parse(payload), use_integers_for_enums=True)

    def encode(value):
        return json_format.ParseDict(value, message_class()).SerializeToString()

    plain = _JsonReader(schema.model, lambda message, field: message.get(field["name"])).root
    return Coder(decode, encode, plain, is_traced=False)


_WIDE = ("int64", "uint64", "sint64", "fixed64", "sfixed64")


class _JsonReader(Reader):
    """Reads the JSON form of a message, in which 64-bit integers and bytes are text."""

    def _scalar(self, value, kind):
        if kind in _WIDE:
            return int(value)
        if kind in ("float", "double"):
            return float(value)
        if kind == "bytes":
            return base64.b64decode(value)
        return value

    def _message(self, message, type_):
        if type_["form"] != "timestamp":
            return super()._message(message, type_)
        found = timestamp_pb2.Timestamp()
        found.FromJsonString(message)
        return Timestamp(found.seconds, found.nanos)


SUBJECTS = [
    Subject("protobuf", "protobuf", "dynamic", _dynamic),
    Subject("protobuf", "protobuf", "typed", _typed),
]
