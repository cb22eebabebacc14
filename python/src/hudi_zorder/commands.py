"""How a clustering is asked for: the command, and the call of Python."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from hudi_zorder.options import ZOrderOptions


def command(
    path: str,
    options: ZOrderOptions,
    where: str | None = None,
    settings: Mapping[str, str] | None = None,
    source: Sequence[str] = (),
    bare: ZOrderOptions | None = None,
) -> str:
    """Returns the shell command that clusters so.

    Args:
        path: the table's.
        options: the layout.
        where: a predicate over partition columns.
        settings: further Hudi configuration, in which there is no field of the options.
        source: the flag by which queries are given.
        bare: what the columns alone would come to; None for the defaults.
    """
    plain = bare or ZOrderOptions(columns=options.columns)
    words = ["hudi-zorder", "cluster", path, "--columns", ",".join(options.columns)]
    flags = {
        "--strategy": (options.strategy, plain.strategy),
        "--target-file-size": (str(options.target_file_size), str(plain.target_file_size)),
        "--mode": (options.mode, plain.mode),
        "--weights": (_weights(_explicit(options, plain)), _weights(plain.column_weights)),
        "--where": (where or "", ""),
    }
    for flag, (value, default) in flags.items():
        if value != default:
            words += [flag, value]
    words += source
    flagged = ("strategy", "target_file_size", "mode", "column_weights")
    rest = replace(plain, **_changed(options, plain, leave=flagged)).to_dict()
    unflagged = {key: text for key, text in rest.items() if text != plain.to_dict().get(key)}
    for key, text in {**unflagged, **(settings or {})}.items():
        words += ["--hudi", f"{key}={text}"]
    return shlex.join(words)


def query_source(*, logged: bool, logged_path: str) -> list[str]:
    """Returns the flags by which queries are given: event logs, or a file that has them.

    Args:
        logged: whether they are of event logs.
        logged_path: the table's path in these, where that is another; else ``""``.
    """
    if not logged:
        return ["--queries", "FILE"]
    return ["--event-log", "LOGS", *(["--logged-path", logged_path] if logged_path else [])]


def call(
    options: ZOrderOptions,
    where: str | None,
    settings: Mapping[str, str],
    queried: bool = False,
    bare: ZOrderOptions | None = None,
) -> str:
    """Returns the call of Python that clusters so; for queries, with a variable of that name."""
    plain = bare or ZOrderOptions(columns=options.columns)
    arguments = {"columns": list(options.columns), **_changed(options, plain)}
    if where is not None:
        arguments["where"] = where
    if settings:
        arguments["hudi_options"] = dict(settings)
    words = [f"{name}={value!r}" for name, value in arguments.items()]
    words += ["queries=queries"] if queried else []
    return f"table.cluster({', '.join(words)})"


def _weights(weights: Mapping[str, float]) -> str:
    """Returns weights in all their digits: by others the layout would be another."""
    return ",".join(f"{name}={str(weight).removesuffix('.0')}" for name, weight in weights.items())


def _explicit(options: ZOrderOptions, plain: ZOrderOptions) -> Mapping[str, float]:
    """Returns weights, also those that are all 1 where others would be taken instead."""
    if options.column_weights or not plain.column_weights:
        return options.column_weights
    return dict.fromkeys(options.columns, 1.0)


def _changed(
    options: ZOrderOptions, plain: ZOrderOptions, leave: Sequence[str] = ()
) -> dict[str, Any]:
    """Returns the fields that differ from what they are where they are not given."""
    values = {f.name: getattr(options, f.name) for f in fields(options) if f.name not in leave}
    if "column_weights" in values:
        values["column_weights"] = _explicit(options, plain)
    return {name: value for name, value in values.items() if value != getattr(plain, name)}
