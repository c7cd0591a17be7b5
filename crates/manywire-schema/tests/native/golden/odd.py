# Written by `manywire shape`; needs msgspec 0.18 or later.
from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType, field


class Root(Struct, kw_only=True):
    field_: int = field(name="")
    odd_key: int = field(name="odd key")
    class_: int = field(name="class")
    class_2: int = field(name="Class")
    class_3: int = field(name="CLASS")
    self: int
    self_2: str = field(name="Self")
    type: str
    import_: bool = field(name="import")
    int_: int = field(name="int")
    list_: list[str] = field(name="list")
    na_ve: int = field(name="naïve")
    field_2: str = field(name="名前")
    field_3: str = field(name="имя")
    a_b: int = field(name="a-b")
    a_b_2: int = field(name="a_b")
    a_b_3: int = field(name="aB")
    n1st: int = field(name="1st")
    it_s: int = field(name="it's")
    comma: int = field(name="comma,")
    tick: int = field(name="`tick`")
    xml_lang: str = field(name="xml:lang")
    emoji: int = field(name="emoji😀")
    rtl: int = field(name="rtl\u202e")
    ref: str = field(name="$ref")
    field_4: int = field(name="-")
    field_5: int = field(name="_")
    proto: int = field(name="__proto__")
    constructor: int
    hash_code: int = field(name="hashCode")
    to_string: str = field(name="toString")
    field_6: str = field(name="*/")
    user_id: int = field(name="userId")
    http_url: str
    nothing: None
    unsigned: int
    least: int
    mixed: list[float | bool | str | list[int] | Mixed | None]
    numbers: list[float]
    empty: list[None]
    empty_object: EmptyObject = field(name="emptyObject")
    matrix: list[list[int]]
    maybe: list[Maybe]
    by_number: dict[str, ByNumber] = field(name="byNumber")
    string: String = field(name="String")
    option: Option = field(name="Option")
    tree: Tree
    chain: Chain
    # "quote\"" holds an integer; msgspec refuses the name.
    # "back\\slash" holds an integer; msgspec refuses the name.
    # "tab\t" holds an integer; msgspec refuses the name.
    # "line\nfeed" holds an integer; msgspec refuses the name.
    # "\\u0022" holds an integer; msgspec refuses the name.


class Mixed(Struct, kw_only=True):
    b: int


class EmptyObject(Struct, kw_only=True):
    pass


class Maybe(Struct, kw_only=True):
    x: int | None
    y: str | None | UnsetType = UNSET


class ByNumber(Struct, kw_only=True):
    n: int


class String(Struct, kw_only=True):
    object: Object = field(name="Object")


class Option(Struct, kw_only=True):
    vec: Vec = field(name="Vec")


class Tree(Struct, kw_only=True):
    name: str
    children: list[Tree]


class Chain(Struct, kw_only=True):
    value: int
    next: Chain | None


class Object(Struct, kw_only=True):
    list_: List = field(name="List")


class Vec(Struct, kw_only=True):
    box: bool = field(name="Box")


class List(Struct, kw_only=True):
    map: int = field(name="Map")
