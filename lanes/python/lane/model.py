"""Converts messages to the values that they represent, by the model that CONTRACT.md describes.

Only digests need this: programs use their messages as they are.
"""

from lane.digest import Pairs, Timestamp
from lane.subject import Refusal

_ZEROS = {"bool": False, "string": "", "bytes": b"", "message": None, "enum": None}


class Reader:
    """Converts messages. `get(message, field)` returns a field of a message, or `None` if it is absent."""

    def __init__(self, model, get):
        self._model = model
        self._get = get

    def root(self, message):
        """Returns the value of a whole payload."""
        return self._message(message, self._type(self._model["root"]))

    def _type(self, name):
        return self._model["messages"][name]

    def _message(self, message, type_):
        fields = type_["fields"]
        match type_["form"]:
            case "record":
                return self._record(message, type_)
            case "wrapper":
                return self._of(message, fields[0])
            case "tuple":
                return [self._of(message, field) for field in fields]
            case "union":
                field = self._set(message, fields)
                return None if field is None else self._of(message, field)
            case "variants":
                field = self._set(message, fields)
                return None if field is None else {field["name"]: self._of(message, field)}
            case "null":
                return None
            case "timestamp":
                return self._timestamp(message, fields)
            case form:
                raise Refusal(f"a message of the form {form} cannot be a whole value")

    def _record(self, message, type_):
        value = {}
        for field in type_["fields"]:
            found = self._of(message, field)
            if field["proto"] == type_.get("rest"):
                value.update(found)
            else:
                value[field["name"]] = found
        return value

    def _timestamp(self, message, fields):
        seconds, nanos = (self._get(message, field) or 0 for field in fields)
        return Timestamp(seconds, nanos)

    def _set(self, message, fields):
        return next((field for field in fields if self._get(message, field) is not None), None)

    def _of(self, message, field):
        value = self._get(message, field)
        type_ = self._type(field["of"]) if field["kind"] == "message" else None
        if type_ is not None and type_["form"] == "map":
            [_, inner] = type_["fields"]
            return {key: self._item(each, inner) for key, each in (value or {}).items()}
        # An array without items is an empty array if absence means zero, otherwise null.
        is_repeated = field["label"] in ("repeated", "packed")
        if is_repeated and (value or field["absent"] == "zero"):
            if type_ is not None and type_["form"] == "entry":
                return Pairs(
                    [self._of(entry, each) for each in type_["fields"]] for entry in value or ()
                )
            return [self._item(item, field) for item in value or ()]
        if value is not None and not is_repeated:
            return self._item(value, field)
        return _ZEROS.get(field["kind"], 0) if field["absent"] == "zero" else None

    def _item(self, value, field):
        match field["kind"]:
            case "message":
                return self._message(value, self._type(field["of"]))
            case "enum":
                return self._model["enums"][field["of"]].get(str(value), value)
            case "bigint":
                return int(value)
            case "number":
                return float(value)
            case kind:
                return self._scalar(value, kind)

    def _scalar(self, value, kind):
        return value
