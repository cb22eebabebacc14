"""What the audit of a predicate found: proofs by counting, or the rows that were missed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from hudi_zorder.records import Tabular, arrow_table
from hudi_zorder.texts import and_more, item, whole

if TYPE_CHECKING:
    import pyarrow as pa

_SHOWN = 10


@dataclass(frozen=True, slots=True)
class WronglySkipped:
    """Matching rows in what ``explain`` skips: a fault of this package.

    Attributes:
        file: name of the base file.
        partition: the partition's folder; ``""`` when not partitioned.
        level: what is skipped: ``partition``, ``file``, ``row group`` or ``page``.
        row_group: number of the row group; None when the whole file is skipped.
        first_row: position in the file of the first row that is skipped.
        end_row: position after the last one.
        rows: matching rows among them.
    """

    file: str
    partition: str
    level: str
    row_group: int | None
    first_row: int
    end_row: int
    rows: int


@dataclass(frozen=True, slots=True)
class DifferentFile:
    """A file of which Hudi's data skipping changes the answer.

    Attributes:
        file: name of the base file, as its rows have it; ``""`` when they have none.
        partition: the partition's folder; ``""`` when not partitioned.
        rows_with_skipping: matching rows that Spark returns with data skipping.
        rows_without_skipping: matching rows that it returns when it reads everything.
        issue: the known fault, such as ``hudi#18754``; ``""`` when none is known to do this.
    """

    file: str
    partition: str
    rows_with_skipping: int
    rows_without_skipping: int
    issue: str

    @property
    def lost(self) -> int:
        """Rows that data skipping loses."""
        return self.rows_without_skipping - self.rows_with_skipping


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of Hudi's that explains lost rows, or files that are read without need.

    Attributes:
        issue: its number, such as ``hudi#18754``; ``""`` when it is not a known one.
        cause: what goes wrong.
        remedy: the way around it.
    """

    issue: str
    cause: str
    remedy: str

    def __str__(self) -> str:
        """Returns the cause and the way around it in a line."""
        return f"{self.numbered_cause}; {self.remedy}"

    @property
    def numbered_cause(self) -> str:
        """The cause, with the fault's number if it has one."""
        return f"{self.cause} ({self.issue})" if self.issue else self.cause


@dataclass(frozen=True, slots=True)
class Audit(Tabular):
    """Whether skipping changes the answer to one predicate.

    Attributes:
        matching_rows: the table's rows for which the predicate is true, by a scan of everything.
        tested_rows: rows that ``explain`` skips, each of which was read and tested.
        untested_rows: rows that it skips and that could not be tested one by one.
        wrongly_skipped: where ``explain`` skips a matching row.
        rows_with_skipping: rows that Spark returns through Hudi's own data skipping.
        files_with_skipping: files that it opens then.
        files: files that it opens when it skips nothing.
        same_contents: whether both answers have the same values in all columns.
        different_files: the files that make the difference.
        faults: what in Hudi makes the difference, or has it skip no files by a condition by which
            ``explain`` does, each with a way around it.
        notes: what could not be tested.
        error: why the query fails through Hudi's data skipping, although a scan of everything
            does not; ``""`` when it does not fail.
    """

    matching_rows: int
    tested_rows: int
    untested_rows: int
    wrongly_skipped: tuple[WronglySkipped, ...]
    rows_with_skipping: int
    files_with_skipping: int
    files: int
    same_contents: bool
    different_files: tuple[DifferentFile, ...] = ()
    faults: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""

    @property
    def explain_is_sound(self) -> bool:
        """Whether nothing that ``explain`` skips holds a matching row."""
        return not self.wrongly_skipped

    @property
    def hudi_is_sound(self) -> bool:
        """Whether Spark returns the same rows with Hudi's data skipping as without."""
        same = self.same_contents and self.rows_with_skipping == self.matching_rows
        return same and not self.error

    @property
    def passed(self) -> bool:
        """Whether no skipping changes the answer."""
        return self.explain_is_sound and self.hudi_is_sound

    @property
    def lost_rows(self) -> int:
        """Rows that Hudi's data skipping loses; 0 of a query that fails."""
        return 0 if self.error else self.matching_rows - self.rows_with_skipping

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as JSON's own types."""
        return {
            "passed": self.passed,
            "explain_is_sound": self.explain_is_sound,
            "hudi_is_sound": self.hudi_is_sound,
            "matching_rows": self.matching_rows,
            "tested_rows": self.tested_rows,
            "untested_rows": self.untested_rows,
            "rows_with_skipping": self.rows_with_skipping,
            "lost_rows": self.lost_rows,
            "same_contents": self.same_contents,
            "files_with_skipping": self.files_with_skipping,
            "files": self.files,
            "wrongly_skipped": [asdict(part) for part in self.wrongly_skipped],
            "different_files": [asdict(part) for part in self.different_files],
            "faults": [asdict(fault) for fault in self.faults],
            "notes": list(self.notes),
            "error": self.error,
        }

    def to_arrow(self) -> pa.Table:
        """Returns one row for each file of which data skipping changes the answer."""
        return arrow_table(DifferentFile, self.different_files)

    def parts(self) -> Iterator[RenderableType]:
        """Yields the findings, line by line."""
        verdict = "passed" if self.passed else "FAILED"
        color = "bold green" if self.passed else "bold red"
        yield Text(f"Audit {verdict}: {self.matching_rows:,} rows match", color)
        yield from self._about_explain()
        yield from self._about_hudi()
        for fault in self.faults:
            yield item(f"cause: {fault.numbered_cause}")
            yield item(f"way around: {fault.remedy}")
        for note in self.notes:
            yield item(note)

    def _about_explain(self) -> Iterator[RenderableType]:
        if self.explain_is_sound:
            yield item(f"explain: none of {self.tested_rows:,} rows it skips matches")
            if self.untested_rows:
                yield item(f"{self.untested_rows:,} more rows that it skips could not be tested")
            return
        missed = sum(part.rows for part in self.wrongly_skipped)
        yield item(f"EXPLAIN IS WRONG, a fault of hudi-zorder: it skips {missed:,} rows that match")
        for part in self.wrongly_skipped[:_SHOWN]:
            place = f"{part.partition}/{part.file}".lstrip("/")
            group = "" if part.row_group is None else f", row group {part.row_group}"
            yield whole(
                f"    {part.rows:,} in {place}{group}, skipped by {part.level}: "
                f"rows {part.first_row:,} to {part.end_row - 1:,}"
            )
        yield from and_more(len(self.wrongly_skipped), _SHOWN)

    def _about_hudi(self) -> Iterator[RenderableType]:
        opened = f"{self.files_with_skipping:,} of {self.files:,} files read"
        if self.hudi_is_sound:
            yield item(f"Hudi's data skipping: the same rows as without it ({opened})")
            return
        if self.error:
            failed = "THE QUERY FAILS THROUGH HUDI, as it does not in a full scan"
            yield item(f"{failed}: {self.error}")
        elif self.rows_with_skipping == self.matching_rows:
            yield item(
                f"HUDI'S DATA SKIPPING CHANGES THE VALUES of {self.matching_rows:,} rows ({opened})"
            )
        elif self.lost_rows < 0:
            yield item(f"HUDI'S DATA SKIPPING ADDS {-self.lost_rows:,} ROWS ({opened})")
        else:
            yield item(
                f"HUDI'S DATA SKIPPING LOSES {self.lost_rows:,} of {self.matching_rows:,} rows "
                f"({opened})"
            )
        for part in self.different_files[:_SHOWN]:
            place = f"{part.partition}/{part.file}".lstrip("/") or "files that rows do not name"
            yield whole(
                f"    {place}: {part.rows_with_skipping:,} of {part.rows_without_skipping:,} rows"
                f"{f' ({part.issue})' if part.issue else ''}"
            )
        yield from and_more(len(self.different_files), _SHOWN)
