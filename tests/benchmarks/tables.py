"""Markdown for the report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Returns a Markdown table; empty when there are no rows."""
    lines = ["| " + " | ".join(_text(cell) for cell in row) + " |" for row in rows]
    if not lines:
        return ""
    rule = "|---" + "|---:" * (len(header) - 1) + "|"
    return "\n".join(["| " + " | ".join(header) + " |", rule, *lines])


def section(title: str, *paragraphs: str) -> str:
    """Returns a section of the paragraphs that are not empty; empty when none is."""
    filled = [paragraph for paragraph in paragraphs if paragraph]
    return "\n\n".join([f"## {title}", *filled]) if filled else ""


def bound(what: str, value: float | None, limit: float, source: str = "") -> str:
    """Returns a line that says whether a bound is kept, and by how much."""
    if value is None:
        return f"- not measured: {what}, at most {limit:g}"
    excess = f"{value / limit - 1:.0%}" if limit else f"{value:g}"
    verdict = "kept" if value <= limit else f"**missed by {excess}**"
    return f"- {verdict}: {what}, {value:.3g} (at most {limit:g}){f', {source}' if source else ''}"


def _text(cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:.3f}" if abs(cell) < 10 else f"{cell:.1f}"
    if isinstance(cell, int):
        return f"{cell:,}"
    return str(cell)
