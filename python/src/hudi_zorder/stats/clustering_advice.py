"""What would better a layout: a command that does something, or why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hudi_zorder.commands import command
from hudi_zorder.hudi.history import layout_columns
from hudi_zorder.hudi.last_layout import last_threshold, options_again
from hudi_zorder.option_checks import MAX_COLUMNS
from hudi_zorder.texts import plural

if TYPE_CHECKING:
    from hudi_zorder.hudi.snapshot import TableSnapshot
    from hudi_zorder.hudi.upkeep import Upkeep

_LITTLE_TO_GAIN = 1.2
_OF_UPDATES = (
    "a clustering takes those that have got rows of other values; where there is nothing to do, "
    "mode full joins them with the others"
)


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do, and why."""

    standing: str  # a sentence
    command: str = ""


def advice(
    snapshot: TableSnapshot,
    columns: Sequence[str],
    layout: Sequence[str],
    upkeep: Upkeep,
    score: float,
) -> Advice:
    """Returns what would better the score of some columns.

    Columns that the last layout is by, beside others, are judged as part of it: a command by them
    alone would end it.

    Args:
        snapshot: the table.
        columns: the columns asked about.
        layout: all columns of the last layout that is by them; none where there is no such.
        upkeep: how much is laid out as the last clustering has asked for.
        score: by a grid of all columns of that layout, or of those asked about alone.
    """
    part = len(columns) < len(layout)
    scored = (
        f"As part of the layout by {', '.join(layout)} the score is {score:.2f}" if part else ""
    )
    if score < _LITTLE_TO_GAIN or len(snapshot.slices) < 2:
        return Advice(scored)
    advised = (
        _by_last_layout(snapshot, layout, upkeep, score)
        if layout
        else _by_others(snapshot, columns)
    )
    return replace(advised, standing=". ".join(filter(None, (scored, advised.standing))))


def _by_others(snapshot: TableSnapshot, columns: Sequence[str]) -> Advice:
    if len(columns) > MAX_COLUMNS:
        return Advice("")
    last = layout_columns(snapshot)
    ended = f"A clustering by these columns ends the layout by {', '.join(last)}" if last else ""
    return Advice(ended, command(snapshot.url, options_again(snapshot, columns)))


def _by_last_layout(
    snapshot: TableSnapshot, layout: Sequence[str], upkeep: Upkeep, score: float
) -> Advice:
    options = options_again(snapshot, layout)
    if not upkeep.nothing_to_do:
        only_updated = upkeep.runs and not upkeep.files_left
        told = f"{plural(upkeep.files_updated, 'file')} of runs updated since: {_OF_UPDATES}"
        return Advice(told if only_updated else "", command(snapshot.url, options))
    threshold = last_threshold(snapshot)
    if upkeep.split_partitions and score < threshold:
        return Advice(
            "Every file is laid out, in runs of several clusterings, which read less than "
            f"{threshold:g} times what one run would: upkeep joins them as more is written"
        )
    if upkeep.split_partitions:
        return Advice(
            "Every file is laid out, in runs of several clusterings: a full one joins them",
            command(snapshot.url, replace(options, mode="full")),
        )
    logs = sum(part.has_logs for part in snapshot.slices)
    if logs:
        return Advice(f"Every file is laid out: compact {plural(logs, 'file')} with log files")
    return Advice(
        "Every file is laid out, and as well as these columns, their weights and this size of "
        "files allow"
    )
