# The native module, as the package calls it.
from typing import Any, Optional, final

@final
class Timestamp:
    """A point in time, as MessagePack, CBOR, BSON and Avro have them, in nanoseconds."""

    def __new__(cls, seconds: int, nanoseconds: int = 0) -> Timestamp: ...
    @property
    def seconds(self) -> int:
        """Whole seconds since 1970, negative before."""
    @property
    def nanoseconds(self) -> int:
        """Nanoseconds after ``seconds``, 0 to 999,999,999."""
    def __lt__(self, other: Timestamp) -> bool: ...
    def __le__(self, other: Timestamp) -> bool: ...
    def __gt__(self, other: Timestamp) -> bool: ...
    def __ge__(self, other: Timestamp) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Extension:
    """A value that only one format has: an extension type, a tag or a special type."""

    def __new__(cls, space: str, code: int, content: object = None) -> Extension: ...
    @property
    def space(self) -> str:
        """The format that the value belongs to: msgpack, cbor-tag, cbor-simple or bson."""
    @property
    def code(self) -> int:
        """The type of MessagePack, the tag or simple value of CBOR, or the element type of BSON."""
    @property
    def content(self) -> Any:
        """The content."""
    def __hash__(self) -> int: ...

@final
class Schema:
    """A schema, parsed once."""

    def __new__(cls, text: str, *, message: Optional[str] = None) -> Schema:
        """Reads a .proto, an .avsc or a JSON Schema. ``message`` is the root of a .proto with several."""
    @staticmethod
    def infer(value: object) -> Schema:
        """Infers the schema of a value."""
    def text(self, language: str = "outline") -> str:
        """Returns the schema in a language: see ``manywire.shape``."""

def formats() -> str: ...
def loads(format: str, bytes: bytes, schema: Optional[Schema]) -> Any: ...
def dumps(format: str, value: object, schema: Optional[Schema]) -> bytes: ...
def explain(bytes: bytes, form: Optional[str], schema: Optional[Schema]) -> str: ...
def sizes(bytes: bytes, form: Optional[str], schema: Optional[Schema]) -> str: ...
def shape(bytes: bytes, language: str, form: Optional[str], schema: Optional[Schema]) -> str: ...
def convert(
    bytes: bytes,
    to: str,
    form: Optional[str],
    schema: Optional[Schema],
    lossy: bool,
    pretty: bool,
    compression: Optional[str],
) -> tuple[bytes, str]: ...
