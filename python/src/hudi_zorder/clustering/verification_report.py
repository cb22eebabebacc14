"""What the verification of a clustering found, as a value: printed, or turned into JSON."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from rich.console import RenderableType
from rich.text import Text

from hudi_zorder.texts import Shown, and_more, item, plural, whole

_SHOWN: Final = 10


@dataclass(frozen=True, kw_only=True)
class Verification(Shown):
    """Whether a clustering has kept all rows, and the metadata table agrees with the files.

    Attributes:
        table: the table's path or URL.
        instant: the clustering's.
        archived: whether Hudi has archived it; then nothing is proven of its rows and its files.
        rows_replaced: rows of the files that it replaced; 0 when nothing was proven.
        rows_written: rows of the files that it wrote; 0 when nothing was proven.
        same_rows: whether they are the same, each as often.
        cleaned: files of either that the cleaner has removed; then nothing is proven of the rows.
        lost: files that it wrote and that are gone with their rows, for no later write or
            clustering has taken their place; then nothing else is proven of the rows.
        unlisted: files that it wrote and that are there, but that the metadata table does not list,
            so that queries miss their rows; None where there is no such table, or none that opens,
            or the clustering is archived.
        strays: files of its instant, on storage or in the metadata table, that its commit does not
            name, so that readers may have rows twice.
        kept: file groups of its plan that its commit has not replaced, so that their rows are there
            twice.
        hidden: file groups that its commit has replaced although its plan does not name them, so
            that their rows are missed.
        wrong_statistics: by column, the files of which the column-statistics index claims what
            their footers deny; None where there is no such index.
        keys: keys of rows, which the record index has to lead to; None where there is none.
        wrong_keys: keys that it leads elsewhere, or does not know; and those of no row.
        doubled_keys: keys of several rows, of which it leads to one.
    """

    table: str
    instant: str
    archived: bool
    rows_replaced: int
    rows_written: int
    same_rows: bool
    cleaned: tuple[str, ...]
    lost: tuple[str, ...]
    unlisted: tuple[str, ...] | None
    strays: tuple[str, ...]
    kept: tuple[str, ...]
    hidden: tuple[str, ...]
    wrong_statistics: Mapping[str, list[str]] | None
    keys: int | None
    wrong_keys: int
    doubled_keys: int

    @property
    def proven(self) -> bool:
        """Whether the rows could be compared: all files are there, and known."""
        return not (self.archived or self.cleaned or self.lost)

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong of what could be looked at."""
        rows_are_right = not self.lost and (self.same_rows or not self.proven)
        files_are_right = not (self.unlisted or self.strays or self.kept or self.hidden)
        indexes_are_right = not self.wrong_statistics and not self.wrong_keys
        return rows_are_right and files_are_right and indexes_are_right

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as JSON's own types."""
        return {"passed": self.passed, "proven": self.proven, **asdict(self)}

    def parts(self) -> Iterator[RenderableType]:
        """Yields a line for each proof."""
        verdict, color = self._verdict()
        yield Text(f"{verdict}: clustering {self.instant}", f"bold {color}")
        yield from map(item, self._about_clustering())
        yield from self._about_statistics()
        yield from map(item, self._about_record_index())

    def _verdict(self) -> tuple[str, str]:
        if not self.passed:
            return "FAILED", "red"
        return ("Verified", "green") if self.proven else ("Not proven", "yellow")

    def _about_clustering(self) -> Iterator[str]:
        if self.archived:
            yield "rows and files: not to be compared, for Hudi has archived the clustering"
        else:
            yield from self._about_rows()
            yield from self._about_files()

    def _about_rows(self) -> Iterator[str]:
        if self.lost:
            gone = plural(len(self.lost), "file")
            yield (
                f"ROWS ARE LOST: {gone} that it wrote, such as {posixpath.basename(self.lost[0])}, "
                "went without a successor: repair the table, or restore it to before "
                f"{self.instant}"
            )
        elif self.cleaned:
            gone = plural(len(self.cleaned), "file")
            yield f"rows: not to be compared, for the cleaner has removed {gone} of it"
        elif self.same_rows:
            yield f"rows: it wrote the {self.rows_written:,} rows that it replaced"
        else:
            yield (
                f"ROWS DIFFER: it replaced {self.rows_replaced:,} and wrote "
                f"{self.rows_written:,}; restore the table to before {self.instant}"
            )

    def _about_files(self) -> Iterator[str]:
        if self.unlisted:
            yield (
                f"ROWS ARE INVISIBLE: the metadata table does not list {_such_as(self.unlisted)} "
                "that it wrote: read with 'hoodie.metadata.enable' = 'false', and have that table "
                "made anew"
            )
        elif self.unlisted is not None:
            yield "metadata table: lists all files that it wrote and queries read"
        else:
            yield "metadata table: the table has none that opens, and readers list its folders"
        if self.strays:
            yield (
                f"STRAY FILES: its commit does not name {_such_as(self.strays)} of its instant, so "
                "that readers may have rows twice: move them out of the table, and have its "
                "metadata table made anew"
            )
        if self.kept:
            yield (
                f"ROWS ARE THERE TWICE: it has not replaced {_such_as(self.kept, 'file group')} of "
                f"its plan: restore the table to before {self.instant}"
            )
        if self.hidden:
            yield (
                f"ROWS ARE HIDDEN: it has replaced {_such_as(self.hidden, 'file group')} that its "
                f"plan does not name: restore the table to before {self.instant}"
            )

    def _about_statistics(self) -> Iterator[RenderableType]:
        if self.wrong_statistics is None:
            yield item("column statistics: the table has no index of them")
        elif not self.wrong_statistics:
            yield item("column statistics: nothing that the files' footers deny")
        else:
            yield item(
                "COLUMN STATISTICS ARE WRONG, so that queries may miss rows: read with "
                "'hoodie.enable.data.skipping' = 'false' when a filter names"
            )
            for column, files in list(self.wrong_statistics.items())[:_SHOWN]:
                yield whole(f"    {column}: {plural(len(files), 'file')} such as {files[0]}")
            yield from and_more(len(self.wrong_statistics), _SHOWN)

    def _about_record_index(self) -> Iterator[str]:
        if self.wrong_keys:
            yield (
                f"THE RECORD INDEX IS WRONG about {self.wrong_keys:,} of {self.keys:,} keys, so "
                "that updates may miss their rows: drop it and have it made anew"
            )
        elif self.keys is not None:
            yield f"record index: leads to rows of all {plural(self.keys, 'key')}"
        if self.doubled_keys:
            yield (
                f"{plural(self.doubled_keys, 'key')} of several rows, as inserts write them: the "
                "record index leads to one row of each, so that updates miss the others"
            )


def _such_as(names: Sequence[str], what: str = "file") -> str:
    """Says how many they are, and names one, a file without its folder."""
    name = posixpath.basename(names[0]) if what == "file" else names[0]
    return f"{plural(len(names), what)}, such as {name},"
