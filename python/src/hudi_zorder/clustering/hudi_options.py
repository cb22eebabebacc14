"""What callers give as ``hudi_options``: fields of a layout by their keys, and the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from hudi_zorder import options as keys
from hudi_zorder.errors import OptionError
from hudi_zorder.hudi.plan_content import weights_of
from hudi_zorder.option_checks import INT_MAX, LONG_MAX


def as_settings(hudi_options: Mapping[str, Any] | None) -> dict[str, str]:
    """Returns Hudi options as Hudi reads them: texts, True as ``true``.

    Raises:
        OptionError: for what is no mapping, a key that is no text, and a value that is None.
    """
    given = {} if hudi_options is None else hudi_options
    if not isinstance(given, Mapping):
        raise OptionError(
            f"Cannot read options of Hudi: 'hudi_options' was {given!r}; write a mapping: "
            "hudi_options={'hoodie.key': 'value'}"
        )
    for key, value in given.items():
        if not isinstance(key, str):
            raise OptionError(
                f"Cannot read options of Hudi: 'hudi_options' has the key {key!r}, which is no "
                "text; write it as Hudi does"
            )
        if value is None:
            raise OptionError(
                f"Cannot read options of Hudi: '{key}' was None in 'hudi_options', which is no "
                "value; leave it out"
            )
    return {
        key: str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in given.items()
    }


def parted(settings: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Returns the fields of ``ZOrderOptions`` that a configuration names, and the rest of it.

    A value that cannot be read stays as it is, and is refused where the fields are checked. None at
    all chooses nothing, but for weights and a z-column, which there are none of then.
    """
    named = {key: text for key, text in settings.items() if key in _FIELDS}
    rest = {key: text for key, text in settings.items() if key not in named}
    fields: dict[str, Any] = {}
    for key, text in named.items():
        field, read = _FIELDS[key]
        if not text.strip() and key not in _MAY_BE_NONE:
            continue
        try:
            fields[field] = read(text.strip())
        except ValueError:
            fields[field] = text
    return fields, rest


def _columns(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


def _below(no_limit: int) -> Callable[[str], int | str | None]:
    """Returns what reads a limit, of which one number, or more, is none."""

    def read(text: str) -> int | str | None:
        if not text.isdecimal():  # with its unit
            return text
        number = int(text)
        return None if number >= no_limit else number

    return read


# What reads a field's value from the text of its key, the other way round than ``to_dict``.
_FIELDS: Final[Mapping[str, tuple[str, Callable[[str], Any]]]] = {
    keys.SORT_COLUMNS: ("columns", _columns),
    keys.STRATEGY: ("strategy", str),
    keys.BUILD: ("build", str),
    keys.SAMPLE_SIZE: ("sample_size", int),
    keys.TARGET_FILE_SIZE: ("target_file_size", str),
    keys.MAX_BYTES_PER_GROUP: ("max_bytes_per_group", _below(LONG_MAX)),
    keys.MAX_GROUPS: ("max_groups", _below(INT_MAX)),
    keys.CUTS: ("cuts", str),
    keys.FILE_ORDER: ("file_order", str),
    keys.PAGE_ROW_LIMIT: ("page_row_limit", int),
    keys.COLUMN_WEIGHTS: ("column_weights", weights_of),
    keys.SEED: ("seed", int),
    keys.VERIFY: ("verify", str),
    keys.WAIT_FOR_WRITERS: ("wait_for_writers", int),
    keys.MODE: ("mode", str),
    keys.MAX_BYTES_PER_PLAN: ("max_bytes_per_plan", _below(LONG_MAX)),
    keys.READ_THRESHOLD: ("read_threshold", float),
    keys.SMALL_FILE_LIMIT: ("small_file_limit", _below(LONG_MAX)),
    keys.Z_COLUMN: ("z_column", lambda text: text or None),
}
_MAY_BE_NONE: Final = (keys.COLUMN_WEIGHTS, keys.Z_COLUMN)
