"""Avro by fastavro: a datum without a header, by a schema that both sides have."""

import io
import json

from fastavro import parse_schema, schemaless_reader, schemaless_writer

from lane.avro_value import plain
from lane.subject import Coder, Subject


def _fastavro(schema):
    described = json.loads(schema.needed("avro"))
    # The text once more: parsing writes into what it is given.
    parsed = parse_schema(json.loads(schema.avro))

    def decode(payload):
        # Records that stand beside each other in a union are told apart by name, as they must be
        # to be written again.
        return schemaless_reader(
            io.BytesIO(payload), parsed, return_named_type=True, return_named_type_override=True
        )

    def encode(value):
        out = io.BytesIO()
        schemaless_writer(out, parsed, value)
        return out.getvalue()

    return Coder(decode, encode, plain(described))


SUBJECTS = [Subject("fastavro", "avro", "dynamic", _fastavro)]
