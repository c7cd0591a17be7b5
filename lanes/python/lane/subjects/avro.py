"""Avro by fastavro: datums without a header, with a schema that both sides know."""

import io
import json

from fastavro import parse_schema, schemaless_reader, schemaless_writer

from lane.avro_value import plain
from lane.subject import Coder, Subject


def _fastavro(schema):
    described = json.loads(schema.needed("avro"))
    # Parses the text again, because parse_schema modifies its argument.
    parsed = parse_schema(json.loads(schema.avro))

    def decode(payload):
        # Records of a union are returned with their names, which are needed to write them again.
        return schemaless_reader(
            io.BytesIO(payload), parsed, return_named_type=True, return_named_type_override=True
        )

    def encode(value):
        out = io.BytesIO()
        schemaless_writer(out, parsed, value)
        return out.getvalue()

    return Coder(decode, encode, plain(described))


SUBJECTS = [Subject("fastavro", "avro", "dynamic", _fastavro)]
