"""What was forecast of all files, as a clustering that does it: by itself it leaves some alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from hudi_zorder.hudi.last_layout import kept_queries
from hudi_zorder.hudi.upkeep import upkeep
from hudi_zorder.option_checks import LONG_MAX
from hudi_zorder.options import MAX_BYTES_PER_PLAN, MODE, NO_QUERIES, QUERIES, ZOrderOptions

if TYPE_CHECKING:
    from hudi_zorder.hudi.snapshot import TableSnapshot

FORGETS: Final = (
    "files are cut for no queries here, though the last clustering was for some: the command "
    f"forgets these; without '{QUERIES}' it would go on with them"
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
    limit = {**options.to_dict(), **settings}[MAX_BYTES_PER_PLAN]
    if upkeep(snapshot).runs or limit != str(LONG_MAX):
        options = replace(options, mode="full")
        settings = {key: text for key, text in settings.items() if key != MODE}
    if not queried and QUERIES not in settings and kept_queries(snapshot, options):
        settings = {**settings, QUERIES: NO_QUERIES}
    return options, settings
