"""Base files read by Spark's plain Parquet reader: matching rows in what a report skips.

A file is read by its own columns, which are then cast to the table's. The predicate is a column
like any other, so that nothing is pushed into the scan. Positions of rows are compared with the
ranges that are skipped in buckets, so that a range that spans a whole file and a table of many
pages both join as equals. The rows that are tested are counted, too: a scan that misses some proves
nothing.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as t

from hudi_zorder.errors import TableError
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.parquet.footers import Footer
from hudi_zorder.parquet.row_ranges import RowRanges, common, complement, count
from hudi_zorder.skipping.audit_report import WronglySkipped
from hudi_zorder.skipping.skipping_report import FileReport, SkippingReport
from hudi_zorder.sql_names import quoted
from hudi_zorder.texts import plural

if TYPE_CHECKING:
    from pyspark.sql import Column

_BUCKET: Final = 1 << 16  # rows
_RANGES: Final = "path string, bucket long, start long, stop long, row_group int, level string"
_KEYS: Final = ("path", "level", "row_group", "start", "stop")
_GLOB: Final = str.maketrans({sign: f"\\{sign}" for sign in "\\{}[]*?"})
ROW_GROUP, PAGE = "row group", "page"

_Range = tuple[str, int, int, int | None, str]  # path, start, stop, row group, level


class PlainScan:
    """The scan of all files of which a report skips something.

    Args:
        session: the session.
        snapshot: the table.
        report: what is skipped of it.
        schema: the table's columns, as Spark has them.

    Attributes:
        tested_rows: the rows that are skipped.
        untested_rows: those of files that cannot be tested.
        notes: what cannot be tested.
    """

    def __init__(
        self,
        session: SparkSession,
        snapshot: TableSnapshot,
        report: SkippingReport,
        schema: t.StructType,
    ) -> None:
        self._session = session
        self._snapshot = snapshot
        self._schema = schema
        self._predicate = report.predicate
        paths = [posixpath.join(file.partition, file.file) for file in report.files]
        files = dict(zip(paths, report.files, strict=True))
        bases = [
            path for path, file in files.items() if count(complement(file.kept_rows, file.rows))
        ]
        self._footers = snapshot.footers.read(bases, [])
        lacking = self._without_partition_columns()
        self.notes = _about(lacking, snapshot.config.partition_fields)
        self.untested_rows = sum(
            count(_skipped(files[path], self._footers[path])) for path in lacking
        )
        for path in lacking:
            del self._footers[path]
        self._ranges = [
            part
            for path, footer in self._footers.items()
            for part in _ranges(path, files[path], footer)
        ]
        self.tested_rows = sum(stop - start for _, start, stop, _, _ in self._ranges)

    def wrongly_skipped(self) -> list[WronglySkipped]:
        """Returns the ranges that are skipped and hold matching rows.

        Raises:
            TableError: when the scan does not come upon every row that is skipped.
        """
        if not self._ranges:
            return []
        buckets = [
            (path, bucket, start, stop, group, level)
            for path, start, stop, group, level in self._ranges
            for bucket in range(start // _BUCKET, (stop - 1) // _BUCKET + 1)
        ]
        ranges = F.broadcast(self._session.createDataFrame(buckets, _RANGES))
        rows = reduce(DataFrame.unionByName, (self._tested(paths) for paths in self._alike()))
        inside = (F.col("row") >= F.col("start")) & (F.col("row") < F.col("stop"))
        counts = (F.count("*").alias("tested"), F.sum("matches").alias("matching"))
        joined = rows.join(ranges, ["path", "bucket"]).where(inside)
        found = joined.groupBy(*_KEYS).agg(*counts).collect()
        tested = sum(row.tested for row in found)
        if tested != self.tested_rows:
            raise TableError(
                f"Cannot audit a predicate: of {self.tested_rows:,} rows that are skipped, Spark's "
                f"Parquet reader came upon {tested:,} in '{self._snapshot.url}'; audit it again"
            )
        return [
            WronglySkipped(
                posixpath.basename(row.path),
                posixpath.dirname(row.path),
                row.level,
                row.row_group,
                row.start,
                row.stop,
                row.matching,
            )
            for row in sorted(found, key=lambda row: (row.path, row.start))
            if row.matching
        ]

    def _without_partition_columns(self) -> list[str]:
        """Returns the files that lack a partition column, whose value is in their folder alone."""
        config = self._snapshot.config
        return [
            path
            for path, footer in self._footers.items()
            if config.unstored_fields
            or any(footer.schema.find(field) is None for field in config.partition_fields)
        ]

    def _alike(self) -> list[list[str]]:
        """Returns the paths of files of the same columns, and at the same depth, together."""
        groups: dict[object, list[str]] = defaultdict(list)
        for path, footer in self._footers.items():
            schema = footer.schema
            columns = tuple((leaf.name, str(leaf.arrow_type)) for leaf in schema.leaves.values())
            groups[columns, tuple(schema.others.items()), path.count("/")].append(path)
        return list(groups.values())

    def _tested(self, paths: Sequence[str]) -> DataFrame:
        """Returns path, bucket, position and match, 0 or 1, of the rows in files that are alike."""
        places = [posixpath.join(self._snapshot.url, path).translate(_GLOB) for path in paths]
        frame = self._session.read.parquet(*places)
        # Spark encodes the path as a URL does, where a plus stands for itself.
        place = F.expr("url_decode(replace(_metadata.file_path, '+', '%2B'))")
        rows = frame.select(
            F.substring_index(place, "/", -paths[0].count("/") - 1).alias("__path"),
            F.col("_metadata.row_index").alias("__row"),
            *(self._column(frame, field) for field in self._schema.fields),
        )
        matches = F.coalesce(F.expr(self._predicate).cast("boolean"), F.lit(False))
        return rows.select(
            F.col("__path").alias("path"),
            F.col("__row").alias("row"),
            (F.col("__row") / _BUCKET).cast("long").alias("bucket"),
            matches.cast("long").alias("matches"),
        )

    def _column(self, frame: DataFrame, field: t.StructField) -> Column:
        """Returns a column of the table as these files have it."""
        own = {name: name for name in frame.columns}
        lower = {name.lower(): name for name in frame.columns}
        name = own.get(field.name) or lower.get(field.name.lower())
        if name is None:
            return F.lit(None).cast(field.dataType).alias(field.name)
        column = F.col(quoted(name))
        kind = frame.schema[name].dataType
        nested = isinstance(kind, t.ArrayType | t.MapType | t.StructType)
        if nested or kind == field.dataType:
            return column.alias(field.name)
        if isinstance(kind, t.FloatType):  # Hudi widens a float by way of its text
            column = column.cast("string")
        return column.cast(field.dataType).alias(field.name)


def _about(lacking: Sequence[str], fields: Sequence[str]) -> tuple[str, ...]:
    if not lacking:
        return ()
    return (
        f"{plural(len(lacking), 'file lacks', 'files lack')} a partition column "
        f"({', '.join(fields)}): what is skipped inside was not tested; whole files were, where "
        "rows name their file",
    )


def _skipped(file: FileReport, footer: Footer) -> RowRanges:
    """Returns the rows of a file that are skipped; how many it has is the footer's to say."""
    if file.skipped_by:
        return ((0, footer.rows),) if footer.rows else ()
    return complement(file.kept_rows, file.rows)


def _ranges(path: str, file: FileReport, footer: Footer) -> Iterator[_Range]:
    """Yields what is skipped of a file, by row group unless the whole file is."""
    skipped = _skipped(file, footer)
    if file.skipped_by:
        yield from ((path, low, high, None, file.skipped_by) for low, high in skipped)
        return
    start = 0
    for number, group in enumerate(footer.row_groups):
        own = common(skipped, ((start, start + group.rows),))
        level = ROW_GROUP if count(own) == group.rows else PAGE
        for low, high in own:
            yield path, low, high, number, level
        start += group.rows
