"""Converts data of fastavro to the value that it represents. Attributes `manywire.…` of the schema have
the names and forms that Avro cannot express. Only digests need it: programs use the data directly.
"""

import decimal

from lane.digest import Pairs, Timestamp
from lane.subject import Refusal


def plain(schema):
    """Returns a function that converts data of fastavro to the value it represents."""
    named = {}
    _collect(schema, named)
    values = _Values(named)
    return lambda datum: values.of(datum, schema)


def _collect(schema, named):
    if isinstance(schema, list):
        for branch in schema:
            _collect(branch, named)
    elif isinstance(schema, dict):
        if "name" in schema:
            named[_full_name(schema)] = schema
        for field in schema.get("fields", ()):
            _collect(field["type"], named)
        for inner in ("items", "values"):
            _collect(schema.get(inner), named)


def _full_name(schema):
    namespace = schema.get("namespace")
    return f"{namespace}.{schema['name']}" if namespace else schema["name"]


class _Values:
    def __init__(self, named):
        self._named = named

    def of(self, datum, schema):
        if isinstance(schema, str):
            schema = self._named.get(schema, schema)
        if isinstance(schema, list):
            return self._union(datum, schema)
        kind = schema["type"] if isinstance(schema, dict) else schema
        match kind:
            case "record":
                return self._record(datum, schema)
            case "array":
                return self._array(datum, schema)
            case "map":
                return {key: self.of(each, schema["values"]) for key, each in datum.items()}
            case "enum":
                names = schema.get("manywire.symbols", schema["symbols"])
                return names[schema["symbols"].index(datum)]
        return datum

    def _union(self, datum, branches):
        # If several branches have names, fastavro returns the name with the value.
        if isinstance(datum, tuple):
            name, inner = datum
            return self.of(inner, name)
        return self.of(datum, next((each for each in branches if self._holds(each, datum)), "null"))

    def _holds(self, schema, datum):
        if isinstance(schema, str):
            schema = self._named.get(schema, schema)
        kind = schema["type"] if isinstance(schema, dict) else schema
        match datum:
            case dict():
                return kind in ("record", "map")
            case list():
                return kind == "array"
            case str():
                return kind in ("enum", "string")
            case bool():
                return kind == "boolean"
            case bytes() | decimal.Decimal():
                return kind in ("bytes", "fixed")
            case int():
                return kind in ("int", "long")
            case float():
                return kind in ("float", "double")
        return kind == "null"

    def _array(self, data, schema):
        items = schema["items"]
        resolved = self._named.get(items, items) if isinstance(items, str) else items
        if isinstance(resolved, dict) and resolved.get("manywire.role") == "entry":
            fields = resolved["fields"]
            return Pairs(
                [self.of(entry[field["name"]], field["type"]) for field in fields] for entry in data
            )
        return [self.of(item, items) for item in data]

    def _record(self, datum, schema):
        items = [self.of(datum[field["name"]], field["type"]) for field in schema["fields"]]
        match schema.get("manywire.role"):
            case "tuple":
                return items
            case "transparent":
                return items[0]
            case "timestamp":
                return Timestamp(*items)
            case "number":
                return float(items[0])
            case "extension":
                raise Refusal(f"an extension ({items[0]} {items[1]}) has no digest")
        value = {}
        for field, item in zip(schema["fields"], items):
            if field.get("manywire.rest"):
                value.update(item)
            else:
                value[field.get("manywire.name", field["name"])] = item
        variant = schema.get("manywire.variant")
        return value if variant is None else _variant(schema, variant, items, value)


def _variant(schema, variant, items, fields):
    """Returns a variant of a sum type, as self-describing formats represent it."""
    name = schema.get("manywire.name", schema["name"])
    content = {
        "unit": None,
        "newtype": items[0] if items else None,
        "tuple": items,
        "struct": fields,
    }[variant["form"]]
    tag, place = variant.get("tag"), variant.get("content")
    if tag is None:
        return name if variant["form"] == "unit" else {name: content}
    if place is None:
        return {tag: name, **(content or {})}
    return {tag: name} if variant["form"] == "unit" else {tag: name, place: content}
