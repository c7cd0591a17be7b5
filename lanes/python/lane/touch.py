"""Reads every field of a Protocol Buffers message, as a program that uses its payload does.

The library parses lazily in the part that costs: a field becomes a Python object when it is read.
The reading is code written for the message's type, as a program's is.
"""

import keyword


def reader(descriptor):
    """Returns a function that reads every field of a message of this type and of nested messages."""
    source = []
    names = {}
    _write(descriptor, names, source)
    scope = {}
    exec("\n".join(source), scope)
    return scope[names[descriptor.full_name]]


def _write(descriptor, names, source):
    names[descriptor.full_name] = name = f"read_{len(names)}"
    body = []
    for field in descriptor.fields:
        if field.containing_oneof is None or _is_optional(field):
            body += _read(field, names, source)
    for oneof in descriptor.oneofs:
        members = [field for field in oneof.fields if not _is_optional(field)]
        if members:
            body.append(f"which = m.WhichOneof({oneof.name!r})")
        word = "if"
        for field in members:
            body.append(f"{word} which == {field.name!r}:")
            body += _indented(_read_one(field, _get("m", field), names, source))
            word = "elif"
    source += [f"def {name}(m):", *_indented(body or ["pass"])]


def _is_optional(field):
    # The compiler represents `optional` as a oneof of one field.
    return (
        len(field.containing_oneof.fields) == 1 and field.containing_oneof.name == f"_{field.name}"
    )


def _read(field, names, source):
    value = _get("m", field)
    if _is_map(field):
        inner = field.message_type.fields_by_name["value"]
        return [f"for _, v in {value}.items():", *_indented(_use(inner, "v", names, source))]
    if field.is_repeated:
        return [f"for v in {value}:", *_indented(_use(field, "v", names, source))]
    if field.has_presence:
        return [
            f"if m.HasField({field.name!r}):",
            *_indented(_read_one(field, value, names, source)),
        ]
    return [value]


def _read_one(field, value, names, source):
    return [value] if field.message_type is None else _use(field, value, names, source)


def _use(field, value, names, source):
    """Returns the code for a field: a nested message is read, too."""
    inner = field.message_type
    if inner is None:
        return ["pass"]
    if inner.full_name not in names:
        _write(inner, names, source)
    return [f"{names[inner.full_name]}({value})"]


def _is_map(field):
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def _get(message, field):
    if keyword.iskeyword(field.name):
        return f"getattr({message}, {field.name!r})"
    return f"{message}.{field.name}"


def _indented(lines):
    return ["    " + line for line in lines]
