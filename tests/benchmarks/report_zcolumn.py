"""The part of RESULTS.md about the stored z-column: what it skips, and what the columns' own do."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from store import Store
from tables import section, table

_RANGES = (1, 16, 64)


def sections(results: Path) -> list[str]:
    """Returns the section."""
    store = Store(results, "zcolumn-all")
    rows = [row for job, layouts in store.runs.items() for row in _rows(job, layouts)]
    heads = [
        "data / columns / files",
        "predicate",
        *(f"sorted by z: z, {most}" for most in _RANGES),
        "sorted by z: own",
        "tree: own",
        "tree: z, 16",
        "linear: own",
    ]
    return [
        section(
            "A stored z-column beside the columns' own statistics",
            "Mean share of rows in files that 200 predicates on existing values must read, by the"
            " z-column's minimum and maximum alone, asked for so many z-ranges at most, or by those"
            " of the columns themselves (own). Files are sorted by the z-column, laid out by the"
            " split tree of its columns, or sorted by the first of them.",
            table(heads, rows),
            _advice(store.runs),
        )
    ]


def _rows(job: str, layouts: Mapping[str, Any]) -> list[list[str]]:
    of = {layout: layouts[layout]["shares"] for layout in ("z-column", "tree", "linear")}
    data, columns, _ = job.split("/")
    table = f"{data} / {columns} / {layouts['tree']['files']}"
    return [
        [
            table,
            kind,
            *(f"{of['z-column'][kind][f'z {most}']:.3f}" for most in _RANGES),
            f"{of['z-column'][kind]['own']:.3f}",
            f"{of['tree'][kind]['own']:.3f}",
            f"{of['tree'][kind]['z 16']:.3f}",
            f"{of['linear'][kind]['own']:.3f}",
        ]
        for kind in of["z-column"]
    ]


def _advice(runs: Mapping[str, Any]) -> str:
    """Returns how often each is the better one, in one sentence."""
    pairs = [
        (layouts["z-column"]["shares"][kind], layouts["tree"]["shares"][kind])
        for layouts in runs.values()
        for kind in layouts["z-column"]["shares"]
    ]
    if not pairs:
        return ""
    tree = sum(other["own"] <= z["z 16"] for z, other in pairs)
    both = sum(z["both 16"] < z["own"] for z, _ in pairs)
    return (
        f"The tree with the columns' own statistics reads no more than the z-column with 16 ranges"
        f" in {tree} of {len(pairs)} rows. In a table sorted by z, asking the z-column besides the"
        f" columns' own statistics reads less in {both} of {len(pairs)}."
    )
