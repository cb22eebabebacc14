"""What was forecast of all files, as a clustering that does it: by itself it leaves some alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from hudi_zorder.commands import call, command
from hudi_zorder.hudi.last_layout import completed, kept_queries
from hudi_zorder.hudi.upkeep import upkeep
from hudi_zorder.options import NO_QUERIES, QUERIES, ZOrderOptions

if TYPE_CHECKING:
    from hudi_zorder.hudi.snapshot import TableSnapshot
    from hudi_zorder.simulation.dry_run import Scope

FORGETS: Final = (
    "files are cut for no queries here, though the last clustering was for some: the command "
    f"forgets these; without '{QUERIES}' it would go on with them"
)


@dataclass(frozen=True)
class Advised:
    """How to do what was forecast.

    Attributes:
        command: of the shell.
        call: of Python.
        notes: what is otherwise than by itself, one sentence each.
    """

    command: str
    call: str
    notes: tuple[str, ...]


def advised(
    scope: Scope,
    snapshot: TableSnapshot,
    options: ZOrderOptions,
    *,
    queried: bool = False,
    source: Sequence[str] = (),
) -> Advised:
    """Returns how to cluster all files so.

    Args:
        scope: what was forecast.
        snapshot: the table.
        options: the layout.
        queried: whether it is given queries.
        source: the flag by which they are given.
    """
    layout, settings = of_whole_table(snapshot, options, scope.settings, queried=queried)
    bare = ZOrderOptions(columns=layout.columns)
    if layout.z_column is None:  # by which nothing is as the last clustering had it
        bare = completed(snapshot, bare, ())
    forgets = settings.get(QUERIES) != scope.settings.get(QUERIES)
    return Advised(
        command=command(scope.service.path, layout, scope.where, settings, source, bare),
        call=call(layout, scope.where, settings, queried, bare),
        notes=(FORGETS,) if forgets else (),
    )


def of_whole_table(
    snapshot: TableSnapshot, options: ZOrderOptions, settings: Mapping[str, str], *, queried: bool
) -> tuple[ZOrderOptions, Mapping[str, str]]:
    """Returns options and settings by which a clustering takes all files, for no other queries.

    Args:
        snapshot: the table.
        options: the layout.
        settings: further Hudi configuration.
        queried: whether it is given queries.
    """
    if upkeep(snapshot).runs or options.max_bytes_per_plan is not None:
        options = replace(options, mode="full")
    if not queried and QUERIES not in settings and kept_queries(snapshot, options):
        settings = {**settings, QUERIES: NO_QUERIES}
    return options, settings
