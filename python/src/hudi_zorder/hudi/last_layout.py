"""The layout that a table was last asked for, as options by which it is asked for again."""

from __future__ import annotations

import struct
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from hudi_zorder.errors import TableError
from hudi_zorder.hudi.history import layout_columns, layout_parameters
from hudi_zorder.hudi.plan_content import damaged_plan, plan_columns, plan_weights
from hudi_zorder.hudi.shapes import TEXT, Always, json_of
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.option_checks import LEAST_FILE_BYTES, parse_size
from hudi_zorder.options import (
    BUILD,
    CUTS,
    FILE_ORDER,
    NO_QUERIES,
    PAGE_ROW_LIMIT,
    QUERIES,
    READ_THRESHOLD,
    SAMPLE_SIZE,
    SEED,
    STRATEGY,
    TARGET_FILE_SIZE,
    ZOrderOptions,
)

# Java's ``ZColumnDefinition`` writes it into ``hoodie.properties``.
_Z_COLUMN: Final = "hoodie.table.zorder.z.column"
_DEFINITION: Final = {"name": Always(TEXT), "columns": Always([TEXT])}
_DEFAULT_TARGET: Final = parse_size("target_file_size", str(ZOrderOptions.target_file_size))
_NUMBERS: Final = {
    TARGET_FILE_SIZE: "target_file_size",
    SAMPLE_SIZE: "sample_size",
    PAGE_ROW_LIMIT: "page_row_limit",
    SEED: "seed",
}
_TEXTS: Final = {BUILD: "build", FILE_ORDER: "file_order"}
_CURVE: Final = {STRATEGY: "strategy", CUTS: "cuts"}  # which a z-column has of its own
_OF_RUN: Final = (STRATEGY, BUILD, CUTS, TARGET_FILE_SIZE)


def last_target(snapshot: TableSnapshot) -> int | None:
    """Returns the bytes of a full file that were last asked for; None for the default."""
    parameters = {TARGET_FILE_SIZE: str(_DEFAULT_TARGET), **layout_parameters(snapshot)}
    target = _number(parameters, TARGET_FILE_SIZE)
    return None if target == _DEFAULT_TARGET else target


def with_last_target(snapshot: TableSnapshot, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Returns fields of a layout, where they lack it with the size of files that was last asked."""
    last = last_target(snapshot)
    return dict(fields) if last is None else {"target_file_size": last, **fields}


def last_threshold(snapshot: TableSnapshot) -> float:
    """Returns how many times as much as of one run the last clustering lets be read."""
    text = layout_parameters(snapshot).get(READ_THRESHOLD, str(ZOrderOptions.read_threshold))
    try:
        return float(text)
    except ValueError as fault:
        raise damaged_plan("the last clustering", READ_THRESHOLD, text) from fault


def last_layout_with(snapshot: TableSnapshot, columns: Sequence[str]) -> tuple[str, ...]:
    """Returns the columns of the last layout if these are among them; none if it is by others."""
    last = layout_columns(snapshot)
    name, parts = _z_column(snapshot)
    asked = {column.lower() for column in columns}
    for among in (last, parts) if last == (name,) else (last,):
        if asked <= {column.lower() for column in among}:
            return among
    return ()


def options_again(snapshot: TableSnapshot, columns: Sequence[str]) -> ZOrderOptions:
    """Returns the options by which to cluster by some columns.

    They are those of the last clustering where that was by the same columns, or by a z-column of
    them, so that it goes on with what is laid out. By other columns it has the size of files alone.
    """
    parameters = layout_parameters(snapshot)
    last = plan_columns(parameters)
    name, parts = _z_column(snapshot)
    if last == (name,) and any(_same(columns, others) for others in (last, parts)):
        return ZOrderOptions(columns=parts, z_column=name, **_fields(parameters, _TEXTS))
    if _same(columns, last):
        weights = plan_weights(parameters)
        return ZOrderOptions(
            columns=last, column_weights=weights, **_fields(parameters, _TEXTS | _CURVE)
        )
    target = last_target(snapshot) or _DEFAULT_TARGET
    return ZOrderOptions(columns=columns, target_file_size=target)


def completed(
    snapshot: TableSnapshot, options: ZOrderOptions, chosen: Collection[str]
) -> ZOrderOptions:
    """Returns options with what nobody chose as the last clustering by the same columns had it.

    By other weights, say, all that it laid out would be laid out again; ``LastLayout`` in Java.

    Args:
        snapshot: the table.
        options: the layout.
        chosen: the fields that somebody chose.
    """
    last = layout_columns(snapshot)
    if options.z_column is not None or not last or _lower(options.columns) != _lower(last):
        return options
    again = options_again(snapshot, last)
    if again.z_column is not None:
        return options
    names = [*_NUMBERS.values(), *_TEXTS.values(), *_CURVE.values()]
    fields = {name: getattr(again, name) for name in names if name not in chosen}
    if not options.column_weights:
        fields |= {"columns": again.columns, "column_weights": again.column_weights}
    return replace(options, **fields)


def kept_queries(snapshot: TableSnapshot, options: ZOrderOptions) -> str:
    """Returns the queries that upkeep by these columns goes on with; nothing where there are none.

    They are told to Java, which looks less far back into an archive.
    """
    parameters = layout_parameters(snapshot)
    kept = parameters.get(QUERIES, NO_QUERIES)
    same = _lower(options.columns) == _lower(plan_columns(parameters))
    return kept if same and options.z_column is None and kept != NO_QUERIES else ""


def is_same_layout(some: Mapping[str, str], others: Mapping[str, str]) -> bool:
    """Tells whether two configurations are of one layout but for queries, as Java's ``RunId`` does.

    Raises:
        TableError: when weights cannot be read.
    """
    return _run_layout(some) == _run_layout(others)


def automatic_order(parameters: Mapping[str, str]) -> str:
    """Returns what ``file_order="auto"`` comes to, which plans store in its place."""
    return "hilbert" if parameters.get(STRATEGY) == "HILBERT" else "tiles"


def _run_layout(parameters: Mapping[str, str]) -> tuple[object, ...]:
    columns = _lower(plan_columns(parameters))
    given = plan_weights(parameters)
    named = {name.lower(): weight for name, weight in given.items()}
    weights = [named.get(name, 1.0) for name in columns]
    most = max(weights, default=1.0)
    given_or_default = {TARGET_FILE_SIZE: str(_DEFAULT_TARGET), **parameters}
    texts = [given_or_default.get(key, "").strip().upper().replace("-", "") for key in _OF_RUN]
    return columns, [struct.pack("f", weight / most) for weight in weights], texts


def _fields(parameters: Mapping[str, str], named: Mapping[str, str]) -> dict[str, Any]:
    """Returns the numbers that a plan stores, and the texts that are named."""
    numbers = {
        field: _number(parameters, key) for key, field in _NUMBERS.items() if key in parameters
    }
    texts = {field: parameters[key] for key, field in named.items() if key in parameters}
    if texts.get("file_order") == automatic_order(parameters):
        del texts["file_order"]
    return {**numbers, **texts}


def _number(parameters: Mapping[str, str], key: str) -> int:
    try:
        number = int(parameters[key])
    except ValueError as fault:
        raise damaged_plan("the last clustering", key, parameters[key]) from fault
    # Java takes a size that is too small for any file, which is refused here.
    return max(number, LEAST_FILE_BYTES) if key == TARGET_FILE_SIZE else number


def _z_column(snapshot: TableSnapshot) -> tuple[str, tuple[str, ...]]:
    """Returns the name of the table's z-column, and what it is made of; nothing without one."""
    text = snapshot.config.properties.get(_Z_COLUMN)
    if not text:
        return "", ()
    try:
        found = json_of(text, _DEFINITION)
    except ValueError as fault:
        raise TableError(
            f"Cannot read hoodie.properties in '{snapshot.path}': '{_Z_COLUMN}' is damaged "
            f"({fault}); restore it"
        ) from fault
    return found["name"], tuple(found["columns"])


def _lower(columns: Sequence[str]) -> list[str]:
    return [name.lower() for name in columns]


def _same(some: Sequence[str], others: Sequence[str]) -> bool:
    """Tells whether they are the same columns, which Spark tells apart whatever their case."""
    return set(_lower(some)) == set(_lower(others))
