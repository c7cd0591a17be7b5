"""The exception of the package. The native module raises it by this name."""

from __future__ import annotations

from typing import Optional


class ManywireError(ValueError):
    """Data, a value, a schema or an argument is refused.

    The text of the exception has the place; the attributes have its parts, as far as they are known.
    """

    reason: str
    """The message without its place."""
    path: Optional[str]
    """The path to the part of the value, such as ``$.items[3]``."""
    offset: Optional[int]
    """The offset in the bytes."""
    line: Optional[int]
    """The line in a text, counted from 1."""
    column: Optional[int]
    """The column in characters, counted from 1."""

    def __init__(
        self,
        text: str,
        reason: Optional[str] = None,
        path: Optional[str] = None,
        offset: Optional[int] = None,
        line: Optional[int] = None,
        column: Optional[int] = None,
    ) -> None:
        super().__init__(text)
        self.reason = text if reason is None else reason
        self.path = path
        self.offset = offset
        self.line = line
        self.column = column
