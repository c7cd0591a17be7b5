"""msgspec types for the payloads, generated from the model that CONTRACT.md describes."""

import datetime
import itertools
import keyword
import sys
import types
from typing import Any, ForwardRef, Literal, Union

import msgspec

from lane.subject import Refusal

_SCALARS = {
    "bool": bool,
    "string": str,
    "bytes": bytes,
    "float": float,
    "double": float,
    "bigint": int,
    "number": int | float,
}
_numbers = itertools.count()


def root(model, array=False):
    """Returns the type of a whole payload. With `array`, records are arrays of their fields."""
    return _Types(model, array).message(model["root"])


class _Types:
    def __init__(self, model, array):
        self._model = model
        self._array = array
        self._structs = {}
        # The messages that are being resolved, and those found to contain themselves without a
        # record in between.
        self._open = []
        self._endless = set()
        # msgspec looks up the types of fields by name in the module of their Struct, so that a record
        # can contain itself.
        self._module = types.ModuleType(f"lane.structs.of{next(_numbers)}")
        sys.modules[self._module.__name__] = self._module

    def message(self, name):
        type_ = self._model["messages"][name]
        fields = type_["fields"]
        match type_["form"]:
            case "record" | "variants" as form:
                return self._structs.get(name) or self._struct(name, type_, form)
            case "null":
                return None
            case "timestamp":
                return datetime.datetime
            case "wrapper" | "tuple" | "union" as form:
                if name in self._open:
                    self._endless.add(name)
                    return Any
                self._open.append(name)
                inner = [self._place(field) for field in fields]
                self._open.pop()
                # A type cannot contain itself without a record, so it becomes Any.
                if name in self._endless:
                    return Any
                return tuple[tuple(inner)] if form == "tuple" else _either(inner)
            case form:
                raise Refusal(f"msgspec has no type for {name}: its keys are not scalars")

    def _struct(self, name, type_, form):
        if type_.get("rest"):
            raise Refusal(
                f"msgspec's Structs cannot represent the entries of {name} that are not fields"
            )
        if form == "variants" and self._array:
            raise Refusal(f"msgspec has no arrays for {name}, a sum type")
        class_ = f"T{len(self._structs)}"
        self._structs[name] = ForwardRef(class_)
        opened, self._open = self._open, []
        fields = []
        names = {}
        for field in type_["fields"]:
            attribute = _attribute(field["proto"])
            names[attribute] = field["name"]
            fields.append((attribute, *self._field(field, form)))
        self._open = opened
        struct = msgspec.defstruct(
            class_,
            fields,
            module=self._module.__name__,
            rename=names,
            kw_only=True,
            array_like=self._array,
        )
        setattr(self._module, class_, struct)
        self._structs[name] = struct
        return struct

    def _field(self, field, form):
        type_ = self._place(field)
        absent = "missing" if form == "variants" else field["absent"]
        if absent == "zero":
            return (type_,)
        # In an array, an absent field is null, so that other fields keep their positions.
        if absent == "null" or self._array:
            return (_either([type_, None]), None)
        return (_either([type_, None, msgspec.UnsetType]), msgspec.UNSET)

    def _place(self, field):
        if field["kind"] == "message":
            of = self._model["messages"][field["of"]]
            if of["form"] in ("map", "entry"):
                key, value = (self._place(each) for each in of["fields"])
                return dict[key, value]
        item = self._item(field)
        if field["label"] in ("repeated", "packed"):
            return list[item]
        # A message that wraps a value that may be null.
        if field["label"] == "optional" and field["absent"] == "null":
            return _either([item, None])
        return item

    def _item(self, field):
        match field["kind"]:
            case "message":
                return self.message(field["of"])
            case "enum":
                names = self._model["enums"][field["of"]].values()
                return Literal[tuple(names)]
            case kind:
                return _SCALARS.get(kind, int)


def _either(branches):
    return Union[tuple(branches)]


def _attribute(name):
    return name + "_" if keyword.iskeyword(name) else name


def plain(value):
    """Converts Structs in a value to maps."""
    if isinstance(value, msgspec.Struct):
        names = zip(value.__struct_encode_fields__, value.__struct_fields__)
        found = ((name, getattr(value, attribute)) for name, attribute in names)
        return {name: plain(each) for name, each in found if each is not msgspec.UNSET}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return value
