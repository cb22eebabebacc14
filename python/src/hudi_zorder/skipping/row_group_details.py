"""Which rows of a row group a predicate may be true of, by its dictionaries and its pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hudi_zorder.parquet.comparables import Comparable
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.parquet.footers import RowGroup
from hudi_zorder.parquet.page_index import FileDetails, Page
from hudi_zorder.parquet.row_ranges import RowRanges, joined
from hudi_zorder.predicate.evaluator import BoundPredicate
from hudi_zorder.predicate.value_tests import ValueTest


@dataclass(frozen=True)
class RowGroupDetails:
    """What the file tells of a row group beside its bounds.

    Attributes:
        details: the file, open.
        number: the row group's among those of the file.
        group: the row group.
        leaves: the columns that it may be judged by; any test of another one may pass.
    """

    details: FileDetails
    number: int
    group: RowGroup
    leaves: Mapping[str, ColumnSchema]

    def dictionaries_allow(self, bound: BoundPredicate) -> bool:
        """Returns whether a predicate may be true of values that are in the dictionaries."""
        read: dict[str, list[Comparable] | None] = {}

        def may_pass(test: ValueTest) -> bool:
            name = test.column
            if name not in self.leaves:
                return True
            chunk = self.group.chunks[name]
            if not test.may_pass(chunk.bounds):
                return False
            if not chunk.has_dictionary or test.surely_meets_an_end(chunk.bounds):
                return True
            if name not in read:
                read[name] = self.details.dictionary(self.number, self.leaves[name])
            values = read[name]
            return values is None or test.may_pass_any(values, chunk.bounds.null_count)

        return bound.may_hold(may_pass)

    def rows(self, bound: BoundPredicate) -> RowRanges:
        """Returns the rows of the pages in which a predicate may be true."""
        read: dict[str, list[Page] | None] = {}
        everything: RowRanges = ((0, self.group.rows),)

        def rows_of(test: ValueTest) -> RowRanges:
            name = test.column
            if name not in self.leaves:
                return everything
            chunk = self.group.chunks[name]
            if not test.may_pass(chunk.bounds):
                return ()
            if name not in read:
                leaf = self.leaves[name]
                read[name] = self.details.pages(self.number, leaf) if chunk.has_page_index else None
            pages = read[name]
            if pages is None:
                return everything
            return joined(
                (page.first_row, page.first_row + page.bounds.rows)
                for page in pages
                if test.may_pass(page.bounds)
            )

        return bound.rows(self.group.rows, rows_of)
