"""MessagePack: msgpack is the most used library; the other two are newer and faster."""

import msgpack
import msgspec
import ormsgpack

from lane import structs
from lane.digest import Timestamp
from lane.subject import Coder, Subject


def _msgpack(schema):
    # Keys may be any scalar, as in the format.
    def decode(payload):
        return msgpack.unpackb(payload, strict_map_key=False)

    return Coder(decode, msgpack.packb, _with_timestamps(msgpack.Timestamp))


def _ormsgpack(schema):
    def decode(payload):
        return ormsgpack.unpackb(payload, ext_hook=ormsgpack.Ext, option=_READ)

    def encode(value):
        return ormsgpack.packb(value, option=_WRITE)

    return Coder(decode, encode)


_READ = ormsgpack.OPT_NON_STR_KEYS | ormsgpack.OPT_DATETIME_AS_TIMESTAMP_EXT
_WRITE = _READ


def _msgspec(schema):
    return Coder(msgspec.msgpack.Decoder().decode, msgspec.msgpack.Encoder().encode)


def _msgspec_typed(array):
    def prepare(schema):
        root = structs.root(schema.needed("model"), array)
        return Coder(
            msgspec.msgpack.Decoder(root).decode, msgspec.msgpack.Encoder().encode, structs.plain
        )

    return prepare


def _with_timestamps(own):
    """Converts the timestamps of a library to those of the digest."""

    def plain(value):
        if isinstance(value, own):
            return Timestamp(value.seconds, value.nanoseconds)
        if isinstance(value, list):
            return [plain(item) for item in value]
        if isinstance(value, dict):
            return {key: plain(each) for key, each in value.items()}
        return value

    return plain


SUBJECTS = [
    Subject("msgpack", "msgpack", "dynamic", _msgpack),
    Subject("ormsgpack", "msgpack", "dynamic", _ormsgpack),
    Subject("msgspec", "msgpack", "dynamic", _msgspec),
    Subject("msgspec", "msgpack", "typed", _msgspec_typed(array=False)),
    Subject("msgspec", "msgpack-array", "typed", _msgspec_typed(array=True)),
]
