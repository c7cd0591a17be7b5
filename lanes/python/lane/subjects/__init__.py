"""The subjects, by format."""

from lane.subjects import avro, bson, cbor, json, msgpack, protobuf

SUBJECTS = [
    *json.SUBJECTS,
    *msgpack.SUBJECTS,
    *cbor.SUBJECTS,
    *protobuf.SUBJECTS,
    *avro.SUBJECTS,
    *bson.SUBJECTS,
]
