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
) -> str:
    """Returns the shell command that clusters so; for queries, with the ``source`` of them."""
    plain = ZOrderOptions(columns=options.columns)
    words = ["hudi-zorder", "cluster", path, "--columns", ",".join(options.columns)]
    flags = {
        "--strategy": (options.strategy, plain.strategy),
        "--target-file-size": (str(options.target_file_size), str(plain.target_file_size)),
        "--mode": (options.mode, plain.mode),
        "--weights": (_weights(options.column_weights), ""),
        "--where": (where or "", ""),
    }
    for flag, (value, default) in flags.items():
        if value != default:
            words += [flag, value]
    words += source
    flagged = ("strategy", "target_file_size", "mode", "column_weights")
    rest = replace(plain, **_changed(options, leave=flagged)).to_dict()
    default_keys = plain.to_dict()
    given = settings or {}
    for key, text in {**rest, **given}.items():
        if key in given or text != default_keys.get(key):
            words += ["--hudi", f"{key}={text}"]
    return shlex.join(words)


def query_source(*, logged: bool) -> list[str]:
    """Returns the flag by which queries are given: event logs, or a file that has them."""
    return ["--event-log", "LOGS"] if logged else ["--queries", "FILE"]


def call(
    options: ZOrderOptions,
    where: str | None,
    settings: Mapping[str, str],
    queried: bool = False,
) -> str:
    """Returns the call of Python that clusters so; for queries, with a variable of that name."""
    arguments = {"columns": list(options.columns), **_changed(options)}
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


def _changed(options: ZOrderOptions, leave: Sequence[str] = ()) -> dict[str, Any]:
    """Returns the fields that differ from their defaults."""
    plain = ZOrderOptions(columns=options.columns)
    values = {f.name: getattr(options, f.name) for f in fields(options) if f.name not in leave}
    return {name: value for name, value in values.items() if value != getattr(plain, name)}
