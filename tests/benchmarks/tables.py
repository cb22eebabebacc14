"""Markdown for the report, of what was measured and of what was not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from store import NotMeasured

_P = ParamSpec("_P")
_T = TypeVar("_T")
# Behind what compares seconds of different machines, or of different commits.
APART: Final = " †"
APART_TOLD: Final = (
    "† compares runs of different commits or machines, which did not take turns."
    " Bytes, files and rows depend on neither the machine nor the hour, and have no such mark."
)


class Apart(float):
    """A number that compares seconds of runs that did not take turns."""


def alike(runs: Iterable[Mapping[str, Any]]) -> bool:
    """Returns whether runs were made on one machine, by one revision."""
    first, *others = (run["machine"] for run in runs)
    return all(machine == first for machine in others)


def compared(value: float, runs: Iterable[Mapping[str, Any]]) -> float:
    """Returns the value, as ``Apart`` where the runs that it compares were not made alike."""
    return value if alike(runs) else Apart(value)


def if_measured(function: Callable[_P, _T]) -> Callable[_P, _T | None]:
    """Returns a function that returns None where a result that it needs is not there."""

    @wraps(function)
    def attempted(*arguments: _P.args, **named: _P.kwargs) -> _T | None:
        try:
            return function(*arguments, **named)
        except NotMeasured:
            return None

    return attempted


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Returns a Markdown table; empty when there are no rows."""
    lines = ["| " + " | ".join(_text(cell) for cell in row) + " |" for row in rows]
    if not lines:
        return ""
    rule = "|---" + "|---:" * (len(header) - 1) + "|"
    return "\n".join(["| " + " | ".join(header) + " |", rule, *lines])


def section(title: str, *paragraphs: str) -> str:
    """Returns a section; text needs a table to tell of, and without that and bounds it is empty."""
    filled = [paragraph for paragraph in paragraphs if paragraph]
    if not any(paragraph.startswith("|") for paragraph in filled):
        filled = [paragraph for paragraph in filled if paragraph.startswith("- ")]
    return "\n\n".join([f"## {title}", *filled]) if filled else ""


def bound(what: str, value: float | None, limit: float, source: str = "") -> str:
    """Returns a line that says whether a bound is kept, and by how much; None is not measured."""
    most = f"(at most {limit:g}){f', {source}' if source else ''}"
    if value is None:
        return f"- not measured: {what} {most}"
    excess = f"{value / limit - 1:.0%}" if limit else f"{value:g}"
    verdict = "kept" if value <= limit else f"**missed by {excess}**"
    return f"- {verdict}: {what}, {value:.3g}{_mark(value)} {most}"


def worst(what: str, ratios: Mapping[str, float] | None, limit: float) -> Iterable[str]:
    """Yields the bound of the worst of some ratios; None where one of them is not measured."""
    if ratios is None:
        yield bound(what, None, limit)
    elif ratios:
        source = max(ratios, key=lambda job: ratios[job])
        yield bound(what, ratios[source], limit, source)


def _text(cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return (f"{cell:.3f}" if abs(cell) < 10 else f"{cell:.1f}") + _mark(cell)
    if isinstance(cell, int):
        return f"{cell:,}"
    return str(cell)


def _mark(value: float) -> str:
    return APART if isinstance(value, Apart) else ""
