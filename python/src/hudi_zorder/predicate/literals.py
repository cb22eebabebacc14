"""Literals of Spark's SQL, with the types that Spark gives them."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from math import isfinite

NULL, BOOLEAN, STRING, BINARY = "null", "boolean", "string", "binary"
INTEGER, DECIMAL, FLOAT, DOUBLE = "integer", "decimal", "float", "double"
DATE, TIMESTAMP, TIMESTAMP_NTZ = "date", "timestamp", "timestamp_ntz"


class NotUsable(Exception):
    """Why a part of a predicate says nothing about statistics."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A value as the query has it.

    Attributes:
        kind: one of the module's kinds: the type that Spark gives it.
        value: bool, str, bytes, int, Decimal or float; None for null; the text of a date or time.
    """

    kind: str
    value: bool | str | bytes | int | Decimal | float | None

    @property
    def text(self) -> str:
        """The literal in SQL."""
        if isinstance(self.value, bytes):
            return f"X'{self.value.hex().upper()}'"
        if isinstance(self.value, str):
            quoted = "'" + self.value.replace("\\", "\\\\").replace("'", "\\'") + "'"
            return quoted if self.kind == STRING else f"{self.kind.upper()} {quoted}"
        if isinstance(self.value, bool) or self.value is None:
            return str(self.value).upper().replace("NONE", "NULL")
        if self.kind in (FLOAT, DOUBLE):
            special = isinstance(self.value, float) and not isfinite(self.value)
            return (
                f"{self.kind}('{self.value}')" if special else f"{self.value}{self.kind[0].upper()}"
            )
        if isinstance(self.value, Decimal):
            plain = f"{self.value:f}"
            return plain if "." in plain else f"{plain}."  # without a point it were an integer
        return str(self.value)
