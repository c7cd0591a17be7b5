# Written by `manywire shape`; needs msgspec 0.18 or later.
from __future__ import annotations

import enum
from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType, field


# Of every kind one. */ // """ \u002a
class Kinds(Struct, kw_only=True):
    small: int
    sizes: list[int] | UnsetType = UNSET
    letter: str
    color: Color
    pair: tuple[str, int]
    square: list[float]
    one: str | int | None
    any: Any
    external: list[External]
    whole: Whole | UnsetType = UNSET
    internal: list[Internal]
    adjacent: list[Adjacent]
    by_number: dict[int, str] = field(name="byNumber")
    by_color: dict[Color, bool] = field(name="byColor")
    nested: list[Any] | UnsetType = UNSET
    open: Open | UnsetType = UNSET
    tree: Tree | UnsetType = UNSET


class Color(enum.Enum):
    RED = "red"
    DARK_GREEN = "dark green"
    EMPTY = ""
    CLASS = "class"


class External_(Struct, kw_only=True):
    CIRCLE: Circle | UnsetType = field(name="circle", default=UNSET)
    A_BOX: Box | UnsetType = field(name="a box", default=UNSET)


class Whole_(Struct, kw_only=True):
    CIRCLE: Circle | UnsetType = field(name="circle", default=UNSET)
    NUMBER: int | UnsetType = field(name="number", default=UNSET)


class Internal_CIRCLE(Struct, kw_only=True, tag_field="kind", tag="circle"):
    radius: float


class Internal_A_BOX(Struct, kw_only=True, tag_field="kind", tag="a box"):
    width: float


class Adjacent_CIRCLE(Struct, kw_only=True, tag_field="t", tag="circle"):
    content: Circle = field(name="c")


class Adjacent_TEXT(Struct, kw_only=True, tag_field="t", tag="text"):
    content: str = field(name="c")


class Open(Struct, kw_only=True):
    id: int
    # Other keys, passed over here, hold text.


class Tree(Struct, kw_only=True):
    left: Tree | None
    right: Tree | UnsetType = UNSET


class Circle(Struct, kw_only=True):
    radius: float


class Box(Struct, kw_only=True):
    width: float
    label: str | UnsetType = UNSET


class Circle2(Struct, kw_only=True):
    radius: float


class ABox(Struct, kw_only=True):
    width: float

External = External_ | Literal["none"]

Whole = Whole_

Internal = Internal_CIRCLE | Internal_A_BOX

Adjacent = Adjacent_CIRCLE | Adjacent_TEXT
