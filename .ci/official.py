"""Reads the documents of a folder with the official Protocol Buffers and Avro, and compares them.

Whatever differs from the document is an error, but for what the schema itself says: null in a field
that may be left out is as if it were left out, a field of implicit presence is left out when zero,
and a number may stand in a place for doubles. A place that Protocol Buffers or Avro can only have
through a message or record of its own (an array in an array, a branch of a union) is looked into.
"""

import importlib
import json
import pathlib
import sys

import avro.io
import avro.schema
from google.protobuf.descriptor import FieldDescriptor
from grpc_tools import protoc


class Difference(Exception):
    pass


def same_scalar(document, read, path):
    number = (int, float)
    if isinstance(document, bool) or isinstance(read, bool):
        same = document is read
    elif isinstance(document, number) and isinstance(read, number):
        # Comparison of int and float is exact in Python: 1 == 1.0, and 2**53 + 1 != 2.0**53. An integer
        # may be read as a double, but a double not as an integer.
        same = document == read and not (isinstance(document, float) and isinstance(read, int))
    else:
        same = type(document) is type(read) and document == read
    if not same:
        raise Difference(f"{path}: wrote {document!r}, read {read!r}")


# Protocol Buffers


def repeated(field):
    return field.is_repeated


def is_map(field):
    entry = field.message_type
    return entry is not None and entry.GetOptions().map_entry


def compare_message(document, message, path):
    """Compares a value with a message that represents the whole value."""
    kind = message.DESCRIPTOR
    if kind.full_name == "google.protobuf.Empty":
        return same_scalar(document, None, path)
    if [oneof.name for oneof in kind.oneofs if not oneof.name.startswith("_")] == ["kind"]:
        branch = message.WhichOneof("kind")
        if branch is None:
            raise Difference(f"{path}: no branch of {kind.name} is there, wrote {document!r}")
        return compare_field(document, message, kind.fields_by_name[branch], path)
    if is_wrapper(kind) and not (isinstance(document, dict) and not is_map(kind.fields[0])):
        return compare_field(document, message, kind.fields[0], path)
    if not isinstance(document, dict):
        raise Difference(f"{path}: wrote {document!r}, read the message {kind.name}")
    fields = {field.json_name: field for field in kind.fields}
    for name, value in document.items():
        if name not in fields:
            raise Difference(f"{path}: {kind.name} has no field for {name!r}")
        compare_field(value, message, fields[name], f"{path}.{name}")
    for field, _ in message.ListFields():
        if field.json_name not in document:
            raise Difference(f"{path}: {field.json_name!r} was not written, and is there")


def is_wrapper(kind):
    """Returns whether a message is a wrapper that our schema adds around a value."""
    return [(field.name in ("value", "items", "entries"), field.number) for field in kind.fields] == [
        (True, 1)
    ]


def compare_field(document, message, field, path):
    value = getattr(message, field.name)
    if repeated(field) and is_map(field):
        compare_map(document, value, field, path)
    elif repeated(field):
        if not isinstance(document, list) or len(document) != len(value):
            raise Difference(f"{path}: wrote {document!r}, read {len(value)} items")
        for index, item in enumerate(document):
            compare_value(item, value[index], field, f"{path}[{index}]")
    elif field.has_presence and not message.HasField(field.name):
        same_scalar(document, None, path)
    else:
        compare_value(document, value, field, path)


def compare_map(document, value, field, path):
    of_value = field.message_type.fields_by_name["value"]
    if not isinstance(document, dict) or set(document) != set(value):
        raise Difference(f"{path}: wrote {document!r}, read the keys {sorted(value)}")
    for name, inner in document.items():
        compare_value(inner, value[name], of_value, f"{path}[{name!r}]")


def compare_value(document, value, field, path):
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        compare_message(document, value, path)
    else:
        same_scalar(document, value, path)


def message_class(folder, name):
    module = name.replace("-", "_") + "_pb2"
    include = protoc.__file__.rsplit("/", 1)[0] + "/_proto"
    arguments = ["protoc", f"-I{folder}", f"-I{include}", f"--python_out={folder}", f"{name}.proto"]
    if protoc.main(arguments) != 0:
        raise Difference(f"protoc refuses {name}.proto")
    return importlib.import_module(module).Root


# Avro


def compare_datum(document, datum, schema, path):
    if schema.type in ("union", "error_union"):
        branches = [branch for branch in schema.schemas if holds(branch, datum)]
        if len(branches) != 1:
            raise Difference(f"{path}: {datum!r} is of {len(branches)} branches of {schema}")
        return compare_datum(document, datum, branches[0], path)
    if schema.type == "record":
        if schema.other_props.get("manywire.role") == "transparent":
            [field] = schema.fields
            return compare_datum(document, datum[field.name], field.type, path)
        return compare_record(document, datum, schema, path)
    if schema.type == "array":
        if not isinstance(document, list) or len(document) != len(datum):
            raise Difference(f"{path}: wrote {document!r}, read {len(datum)} items")
        for index, (item, inner) in enumerate(zip(document, datum)):
            compare_datum(item, inner, schema.items, f"{path}[{index}]")
    elif schema.type == "map":
        if not isinstance(document, dict) or set(document) != set(datum):
            raise Difference(f"{path}: wrote {document!r}, read the keys {sorted(datum)}")
        for name, inner in document.items():
            compare_datum(inner, datum[name], schema.values, f"{path}[{name!r}]")
    else:
        same_scalar(document, datum, path)


def compare_record(document, datum, schema, path):
    if not isinstance(document, dict):
        raise Difference(f"{path}: wrote {document!r}, read the record {schema.name}")
    left = dict(document)
    for field in schema.fields:
        name = field.other_props.get("manywire.name", field.name)
        inner = datum[field.name]
        if name in left:
            compare_datum(left.pop(name), inner, field.type, f"{path}.{name}")
        elif inner is not None or field.other_props.get("manywire.presence") != "optional":
            raise Difference(f"{path}: {name!r} was not written, and {inner!r} is there")
    if left:
        raise Difference(f"{path}: {schema.name} has no fields for {sorted(left)}")


def holds(schema, datum):
    """Returns whether a branch of a union has the kind of a datum."""
    kinds = {
        "null": type(None),
        "boolean": bool,
        "int": int,
        "long": int,
        "float": float,
        "double": float,
        "string": str,
        "bytes": bytes,
        "array": list,
        "map": dict,
        "record": dict,
    }
    if type(datum) is not kinds[schema.type]:
        return False
    return schema.type != "record" or {field.name for field in schema.fields} == set(datum)


def read_datum(schema, path):
    with open(path, "rb") as file:
        datum = avro.io.DatumReader(schema).read(avro.io.BinaryDecoder(file))
        if file.read():
            raise Difference(f"{path}: bytes are left over")
    return datum


def main():
    folder = pathlib.Path(sys.argv[1])
    sys.path.insert(0, str(folder))
    count = 0
    for proto in sorted(folder.glob("*.proto")):
        name = proto.stem
        message_of = message_class(folder, name)
        schema = avro.schema.parse((folder / f"{name}.avsc").read_text())
        payloads = sorted(folder.glob(f"{name}.*.json"))
        if not payloads:
            raise Difference(f"{name}: there are no payloads")
        for payload in payloads:
            document = json.loads(payload.read_text())
            message = message_of.FromString(payload.with_suffix(".pb").read_bytes())
            compare_message(document, message, f"{payload.stem} in Protocol Buffers: $")
            datum = read_datum(schema, payload.with_suffix(".avro"))
            compare_datum(document, datum, schema, f"{payload.stem} in Avro: $")
        print(f"{name}: {len(payloads)} read by both as written")
        count += len(payloads)
    if count == 0:
        raise Difference("there were no documents")


if __name__ == "__main__":
    main()
