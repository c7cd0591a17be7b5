"""Tests of the installed package."""

import io
import json
import pickle
import threading
import time
from collections import OrderedDict
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from enum import IntEnum

import pytest

import manywire
from manywire import (
    Extension,
    ManywireError,
    Schema,
    Timestamp,
    avro,
    bson,
    cbor,
    codecs,
    msgpack,
    msgpack_array,
    protobuf,
)

USER = {"id": 4711, "name": "Ada", "tags": ["a", "b"], "ratio": 0.5, "none": None, "ok": True}
PROTO = Schema('syntax = "proto3"; message A { int64 id = 1; string name = 2; }')
AVSC = Schema(
    '{"type":"record","name":"A","fields":'
    '[{"name":"id","type":"long"},{"name":"name","type":"string"}]}'
)


def refused(call):
    """Returns the exception that a call raises."""
    with pytest.raises(ManywireError) as found:
        call()
    return found.value


def test_codecs_have_the_names_of_the_formats():
    names = ["json", "msgpack", "msgpack-array", "cbor", "protobuf", "avro", "bson"]
    assert [codec.name for codec in codecs] == names
    assert cbor.media_type == "application/cbor"
    assert msgpack_array.title == "MessagePack (array)"


def test_bytes_are_those_of_the_specifications():
    assert msgpack.dumps({"id": 4, "ok": True}).hex() == "82a2696404a26f6bc3"
    assert cbor.dumps({"id": 4, "ok": True}).hex() == "a26269640462" "6f6bf5"
    assert manywire.json.dumps({"id": 4, "ok": True}) == b'{"id":4,"ok":true}'
    assert bson.dumps({"hello": "world"}).hex() == "160000000268656c6c6f0006000000776f726c640000"
    assert protobuf.dumps({"id": 150, "name": "Ada"}, PROTO).hex() == "0896011203416461"
    assert avro.dumps({"id": 4, "name": "Ada"}, AVSC).hex() == "0806416461"


@pytest.mark.parametrize("codec", codecs, ids=lambda codec: codec.name)
def test_every_format_gives_back_what_it_took(codec):
    schema = Schema.infer(USER)
    assert codec.loads(codec.dumps(USER, schema), schema) == USER


@pytest.mark.parametrize("codec", [manywire.json, msgpack, cbor, bson], ids=lambda codec: codec.name)
def test_formats_that_describe_themselves_need_no_schema(codec):
    assert codec.loads(codec.dumps(USER)) == USER


@pytest.mark.parametrize("codec", [manywire.json, msgpack, cbor], ids=lambda codec: codec.name)
def test_numbers_keep_their_kinds(codec):
    numbers = [-1, 2**63 - 1, 2**64 - 1, -(2**63), 1.5, -0.0, 1e300, 3.0, True]
    found = codec.loads(codec.dumps(numbers))
    assert [(type(number), repr(number)) for number in found] == [
        (type(number), repr(number)) for number in numbers
    ]


def test_numbers_beyond_64_bits():
    assert cbor.loads(cbor.dumps(-(2**200))) == -(2**200)
    assert manywire.json.loads("[123456789012345678901234567890]") == [123456789012345678901234567890]
    # Python limits the digits of an integer in a text.
    assert "digits" in refused(lambda: manywire.json.loads("1" * 5_000)).reason
    assert "digits" in refused(lambda: cbor.dumps(1 << 20_000)).reason
    error = refused(lambda: msgpack.dumps([2**64]))
    assert error.path == "$[0]" and ";" not in error.reason


def test_decimals_are_exact_or_refused():
    assert manywire.json.dumps(Decimal("0.1")) == b"0.1"
    assert manywire.json.loads(manywire.json.dumps(Decimal("1E+2"))) == 100
    assert manywire.json.loads("1e400") == Decimal("1e400")
    long = Decimal("0.1000000000000000055511151231257828")
    assert refused(lambda: msgpack.dumps([long])).path == "$[0]"
    assert refused(lambda: manywire.json.dumps(Decimal("NaN"))).path == "$"


def test_bytes_like_objects_are_bytes():
    for value in (b"\x01\x02", bytearray(b"\x01\x02"), memoryview(b"\x01\x02"), memoryview(b"\x01.\x02")[::2]):
        assert msgpack.loads(msgpack.dumps(value)) == b"\x01\x02"


def test_maps_keep_order_and_keys():
    keys = {1: "one", "1": "text", b"b": 2.5, (): "never"}
    del keys[()]
    assert list(cbor.loads(cbor.dumps(keys)).items()) == list(keys.items())
    ordered = OrderedDict([("b", 1), ("a", 2)])
    assert list(msgpack.loads(msgpack.dumps(ordered))) == ["b", "a"]


def test_keys_that_python_cannot_hold_are_refused():
    # {1: 2, 1.0: 3} and {[]: 1}
    assert "equal in Python" in refused(lambda: cbor.loads(bytes.fromhex("a20102f93c0003"))).reason
    assert "key of a dict" in refused(lambda: cbor.loads(bytes.fromhex("a18001"))).reason
    assert "twice" in refused(lambda: manywire.json.loads('{"a":1,"a":2}')).reason


def test_timestamps():
    moment = Timestamp(1_700_000_000, 123_456_789)
    assert msgpack.loads(msgpack.dumps(moment)) == moment
    assert str(moment) == "2023-11-14T22:13:20.123456789Z"
    assert repr(moment) == "Timestamp(1700000000, 123456789)"
    assert moment > Timestamp(1_700_000_000) and len({moment, Timestamp(1_700_000_000, 123_456_789)}) == 1
    assert pickle.loads(pickle.dumps(moment)) == moment
    assert refused(lambda: Timestamp(0, 1_000_000_000))


@pytest.mark.parametrize(
    "moment",
    [
        datetime(2023, 11, 14, 22, 13, 20, 123456, tzinfo=timezone.utc),
        datetime(1969, 12, 31, 23, 59, 59, 250000, tzinfo=timezone.utc),
        datetime(1, 1, 1, tzinfo=timezone.utc),
        datetime(2024, 2, 29, 1, 2, 3, tzinfo=timezone(timedelta(hours=5, minutes=30))),
    ],
)
def test_datetimes_with_a_zone_are_timestamps(moment):
    found = msgpack.loads(msgpack.dumps(moment))
    epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
    assert epoch + timedelta(seconds=found.seconds, microseconds=found.nanoseconds // 1000) == moment


def test_datetimes_without_a_zone_are_refused():
    error = refused(lambda: msgpack.dumps({"at": [datetime(2024, 1, 1)]}))
    assert error.path == "$.at[0]" and "time zone" in error.reason


def test_extensions():
    extension = Extension("msgpack", -5, b"\x01")
    assert msgpack.dumps(extension).hex() == "d4fb01"
    assert msgpack.loads(bytes.fromhex("d4fb01")) == extension
    assert cbor.loads(bytes.fromhex("d8206161")) == Extension("cbor-tag", 32, "a")
    assert extension != Extension("msgpack", -6, b"\x01") and extension != 5
    assert pickle.loads(pickle.dumps(extension)) == extension
    assert repr(extension) == "Extension('msgpack', -5, b'\\x01')"
    assert "no code 128" in refused(lambda: Extension("msgpack", 128)).reason
    assert "cbor-tag" in refused(lambda: Extension("other", 1)).reason


def test_subclasses_are_their_values():
    class Colour(IntEnum):
        RED = 7

    class Name(str):
        pass

    assert manywire.json.dumps([Colour.RED, Name("a")]) == b'[7,"a"]'


@pytest.mark.parametrize(
    ("call", "members"),
    [
        (lambda: manywire.json.loads('{\n  "a": [1,, 2]\n}'), {"line": 2, "column": 11, "path": "$.a[1]"}),
        (lambda: manywire.json.loads("1 2"), {"line": 1, "column": 3}),
        (lambda: msgpack.loads(bytes.fromhex("82a16101a162")), {"offset": 6, "line": None}),
        (lambda: msgpack.loads(b"\xc1"), {"offset": 0}),
        (lambda: cbor.loads(bytes.fromhex("9bffffffffffffffff")), {"offset": 9}),
        (lambda: msgpack.dumps({"x": [Decimal("1e999999999")]}), {"path": "$.x[0]"}),
        (lambda: manywire.json.dumps({"a": [1, float("nan")]}), {"path": "$.a[1]"}),
        (lambda: manywire.json.dumps({"a": b""}), {"path": "$.a"}),
        (lambda: msgpack.dumps({"odd key": {1}}), {"path": '$["odd key"]'}),
        (lambda: msgpack.dumps({"a": [object()]}), {"path": "$.a[0]"}),
        (lambda: msgpack.dumps("\ud800"), {"path": "$"}),
        (lambda: bson.dumps([1]), {"path": "$"}),
        (lambda: protobuf.dumps({"id": "x"}, PROTO), {"path": "$.id"}),
        (lambda: Schema("message A { int32 a = 1 }"), {"line": 1}),
    ],
)
def test_faults_have_their_place(call, members):
    error = refused(call)
    assert {name: getattr(error, name) for name in members} == members, error
    assert isinstance(error, ValueError)


def test_deep_values_are_refused():
    assert "deep" in str(refused(lambda: msgpack.loads(b"\x91" * 100_000 + b"\xc0")))
    circle = []
    circle.append(circle)
    assert "deeper" in refused(lambda: cbor.dumps(circle)).reason


def test_a_schema_is_needed():
    assert "schema" in refused(lambda: protobuf.dumps({"id": 1})).reason


def test_explain_covers_each_byte():
    data = bytes.fromhex("83a2696404a869734163746976" "65c3a866756c6c6e616d65ad486f6d65722053696d70736f6e")
    found = manywire.explain(data)
    assert found.form == "msgpack" and found.length == 38
    assert [span.offset for span in found.spans[1:]] == [
        span.offset + span.length for span in found.spans[:-1]
    ]
    last = found.spans[-1]
    assert (last.path, last.type, last.value) == ("$.fullname", "13-byte string", '"Homer Simpson"')
    assert found.keys + found.structure + found.values == 38
    assert manywire.explain(data[:9], form="msgpack").findings[0].kind == "fault"
    by_schema = manywire.explain(bytes.fromhex("089601"), form="protobuf", schema=PROTO)
    assert by_schema.spans[1].path == "$.id"
    assert "form" in refused(lambda: manywire.explain(b"\x01\x02\x03")).reason


def test_conversions_lose_nothing_or_say_what():
    converted = manywire.convert('{"id":1}\n{"id":2}\n', "protobuf-delimited")
    assert converted.values == 2 and converted.data.hex() == "02080102" "0802"
    assert converted.schema and "int64 id = 1;" in converted.schema
    read = manywire.convert(
        converted.data, "ndjson", form="protobuf-delimited", schema=Schema(converted.schema)
    )
    assert read.data == b'{"id":1}\n{"id":2}\n'
    # JSON by a .proto is ProtoJSON.
    proto_json = manywire.convert('{"id":"150","name":null}', "protobuf", schema=PROTO)
    assert proto_json.data.hex() == "089601"
    big = '{"a":123456789012345678901234567890}'
    error = refused(lambda: manywire.convert(big, "msgpack"))
    assert error.path == "$.a" and "`lossy`" in error.reason
    assert manywire.convert(big, "msgpack", lossy=True).losses[0].path == "$.a"
    # {null: true}: the schema of the output would make the key text.
    null_key = bytes.fromhex("a1f6f5")
    error = refused(lambda: manywire.convert(null_key, "msgpack-array", form="cbor"))
    assert "JSON Schema has only maps" in error.reason
    assert manywire.convert('{"a":1}', "json", pretty=True).data == b'{\n  "a": 1\n}\n'


@pytest.mark.parametrize("compression", ["null", "deflate", "zstandard", "snappy", "bzip2", "xz"])
def test_avro_files(compression):
    file = manywire.convert('{"a":"b"}', "avro", compression=compression)
    assert manywire.convert(file.data, "json").data == b'{"a":"b"}\n'


def test_sizes_are_those_of_the_bytes():
    rows = manywire.sizes(manywire.json.dumps(USER))
    schema = Schema.infer(USER)
    assert [row.bytes for row in rows] == [len(codec.dumps(USER, schema)) for codec in codecs]
    assert [coded.coding for coded in rows[0].coded] == ["gzip", "zstd", "br"]
    bson_row = next(row for row in manywire.sizes("5") if row.format == "bson")
    assert bson_row.bytes is None and bson_row.refused and bson_row.refused.path == "$"


def test_shapes():
    assert 'syntax = "proto3"' in manywire.shape('{"id":1}', "proto")
    assert json.loads(manywire.shape('{"id":1}', "avro"))["type"] == "record"
    assert "json-schema.org" in Schema.infer(USER).text("jsonschema")
    assert "cobol" in refused(lambda: manywire.shape("1", "cobol")).reason


def test_data_may_be_text_a_path_or_a_file(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"a": "é"}', encoding="utf-8")
    for data in (path, io.BytesIO(path.read_bytes()), io.StringIO('{"a": "é"}'), bytearray(path.read_bytes())):
        assert manywire.json.loads(data) == {"a": "é"}
    with path.open("rb") as file:
        assert manywire.explain(file).form == "json"
    with pytest.raises(TypeError):
        manywire.json.loads(5)


def test_other_threads_run_while_bytes_are_explained():
    document = manywire.json.dumps([USER] * 20_000)
    worker = threading.Thread(target=manywire.sizes, args=(document,))
    worker.start()
    turns, longest, last = 0, 0.0, time.monotonic()
    while worker.is_alive():
        now = time.monotonic()
        turns, longest, last = turns + 1, max(longest, now - last), now
        time.sleep(0.001)
    # With the lock held, this thread would run before and after only.
    assert turns > 10, (turns, longest)
