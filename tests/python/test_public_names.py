"""What the package hands out: every name documented, every type that a call means among them."""

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib
import inspect
import typing
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import hudi_zorder as hz


@pytest.mark.parametrize("name", hz.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    thing = getattr(hz, name)
    assert inspect.getdoc(thing)
    if dataclasses.is_dataclass(thing):
        undocumented = [f.name for f in dataclasses.fields(thing) if f.name not in thing.__doc__]
        assert undocumented == []


def test_every_type_of_a_public_signature_is_public() -> None:
    named = {kind for name in hz.__all__ for kind in _mentioned(getattr(hz, name))}
    ours = {kind.__name__ for kind in named if kind.__module__.startswith("hudi_zorder")}
    assert ours - set(hz.__all__) == set()
    assert {"ClusteringInformation", "FileReport", "LayoutForecast"} <= ours


def test_what_is_imported_late_is_what_type_checkers_see() -> None:
    source = Path(hz.__file__).read_text(encoding="utf-8")
    of_checkers = next(part for part in ast.walk(ast.parse(source)) if isinstance(part, ast.If))
    seen = {
        alias.name: part.module
        for part in ast.walk(of_checkers)
        if isinstance(part, ast.ImportFrom)
        for alias in part.names
    }
    assert seen == hz._LAZY


def test_keywords_of_calls_are_the_fields_of_the_options() -> None:
    of_options = _hints(hz.ZOrderOptions)
    assert of_options.pop("columns")
    assert _hints(hz.LayoutFields) == of_options
    del of_options["column_weights"], of_options["z_column"]  # which mean some of the columns
    assert _hints(hz.SharedFields) == of_options


def _mentioned(thing: Any) -> Iterator[type]:
    """Yields the classes in the annotations of a function, or of a class and its methods."""
    if inspect.isclass(thing):
        yield from _classes(list(_hints(thing).values()))
        for name, member in inspect.getmembers(thing):
            function = member.fget if isinstance(member, property) else member
            written = inspect.isfunction(function) or inspect.ismethod(function)
            if written and not name.startswith("_"):
                yield from _mentioned(function)
    elif thing.__module__.startswith("hudi_zorder"):
        yield from _classes(list(_hints(thing).values()))


def _hints(thing: Any) -> dict[str, Any]:
    module = importlib.import_module(thing.__module__)
    return typing.get_type_hints(thing, vars(module), _of_checkers(module))


@functools.cache
def _of_checkers(module: ModuleType) -> dict[str, Any]:
    """Returns what a module imports for type checkers alone."""
    names: dict[str, Any] = {}
    for part in ast.parse(inspect.getsource(module)).body:
        if isinstance(part, ast.If) and ast.unparse(part.test) == "TYPE_CHECKING":
            exec(compile(ast.Module(part.body, []), module.__name__, "exec"), names)
    return names


def _classes(hints: list[Any]) -> Iterator[type]:
    for hint in hints:
        if inspect.isclass(hint):
            yield hint
        if isinstance(hint, list):
            yield from _classes(hint)
        yield from _classes(list(typing.get_args(hint)))
