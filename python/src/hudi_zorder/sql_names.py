"""Names of columns as Spark's SQL and its data frames take them: quoted, whatever is in them."""

from __future__ import annotations

import re
from typing import Final

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def quoted(name: str) -> str:
    """Returns one name in backticks, so that dots, blanks and backticks in it mean themselves."""
    return "`" + name.replace("`", "``") + "`"


def in_sql(name: str) -> str:
    """Returns one name as SQL takes it, in backticks if it needs them."""
    return name if _PLAIN.fullmatch(name) and name.upper() not in _key_words() else quoted(name)


def path_in_sql(path: str) -> str:
    """Returns a path such as ``a.b``, a field of a struct, as SQL takes it."""
    return ".".join(in_sql(part) for part in path.split("."))


def _key_words() -> frozenset[str]:
    """Returns the words that mean something else where a column is expected.

    They are those of the parser, which knows more of them than Spark does.
    """
    from sqlglot.dialects.spark import Spark

    return frozenset(Spark.Tokenizer.KEYWORDS)
