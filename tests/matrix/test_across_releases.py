"""A table that an older Hudi writes is clustered by the newest, and lives on with the older.

``HUDI=1.0.2+1.2.0`` runs those of one older release: they start a process for each themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import releases as do
from cell import HUDI, NEWEST
from elsewhere import rows_elsewhere

import hudi_zorder as hz

pytestmark = pytest.mark.matrix
ROWS = 3000
CHANGED = 200
KINDS = ("COPY_ON_WRITE", "MERGE_ON_READ")


def kept(version: int) -> dict[str, str]:
    """What has a writer of Hudi since 1.0 leave a table at its version."""
    return {"hoodie.write.table.version": str(version), "hoodie.write.auto.upgrade": "false"}


@dataclass(frozen=True)
class Older:
    """An older Hudi, and the tables that it writes.

    Attributes:
        release: which one.
        version: of the tables.
        name: of the version, as Hudi's procedures take it.
        options: of its writers.
    """

    release: str
    version: int
    name: str
    options: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.release}-version-{self.version}"


OLDER = [
    older
    for older in (
        Older("0.15.0", 6, "SIX"),
        Older("1.0.2", 6, "SIX", kept(6)),
        Older("1.0.2", 8, "EIGHT"),
    )
    if f"{older.release}+{NEWEST}" == HUDI
]


@pytest.fixture(scope="module")
def release() -> Iterator[Callable[[str], do.Release]]:
    with do.running() as of:
        yield of


@dataclass
class Table:
    """A table, its rows as they have to be, and the two that take turns at it."""

    path: str
    kind: str
    by: Older
    older: do.Release
    newest: do.Release
    rows: list[tuple[Any, ...]] = field(default_factory=list)

    def load(self, first: int, count: int, text: str, operation: str = "upsert") -> None:
        """The older one writes."""
        self._write(self.older, first, count, text, operation, self.by.options)

    def load_by_newest(self, first: int, count: int, text: str, **options: str) -> None:
        """The newest one writes."""
        self._write(self.newest, first, count, text, "upsert", options)

    def _write(
        self,
        by: do.Release,
        first: int,
        count: int,
        text: str,
        operation: str,
        options: Mapping[str, str],
    ) -> None:
        chosen = {"hoodie.datasource.write.table.type": self.kind, **options}
        written = by(do.write, self.path, first, count, text, operation, chosen)
        ids = {row[0] for row in written}
        self.rows = sorted([*(row for row in self.rows if row[0] not in ids), *written])

    def version(self) -> int:
        """The table version that ``hoodie.properties`` has."""
        lines = Path(self.path, ".hoodie/hoodie.properties").read_text().splitlines()
        return int(
            dict(line.split("=", 1) for line in lines if "=" in line)["hoodie.table.version"]
        )

    def share_read(self) -> float:
        """What an equality on a sort column reads, by the files alone."""
        return hz.open_table(self.path).clustering_information(do.COLUMNS).share_read

    def check(self, *readers: do.Release) -> None:
        """Holds what every reader finds against the rows: whole, by skipping, and by hudi-rs."""
        one = self.rows[len(self.rows) // 2]
        for reader in readers:
            assert reader(do.rows, self.path) == self.rows
            assert reader(do.rows, self.path, f"a = {one[2]} AND b = {one[3]}") == [one]
            assert reader(do.statistics_agree, self.path)
        assert rows_elsewhere(self.path, do.VALUES) == self.rows


@pytest.fixture
def table(
    request: pytest.FixtureRequest, tmp_path: Path, release: Callable[[str], do.Release]
) -> Table:
    """A table that an older one wrote, with logs where it merges on read."""
    older, kind = request.param
    made = Table(str(tmp_path / "t"), kind, older, release(older.release), release(NEWEST))
    made.load(0, ROWS, "first", "bulk_insert")
    if kind == "MERGE_ON_READ":
        made.load(0, CHANGED, "logged")
    made.check(made.older)
    assert made.version() == older.version
    return made


WAYS: Mapping[str, Callable[[Table], Any]] = {
    "python": lambda table: table.newest(do.cluster, table.path),
    "call": lambda table: table.newest(do.cluster_by_call, table.path, kept(table.by.version)),
    "inline": lambda table: table.load_by_newest(
        ROWS,
        CHANGED,
        "inline",
        **do.STRATEGY,
        **kept(table.by.version),
        **{"hoodie.clustering.inline": "true", "hoodie.clustering.inline.max.commits": "1"},
    ),
}


EACH = [(older, kind) for older in OLDER for kind in KINDS]
OTHERWISE = [
    ((older, kind), way)
    for older in OLDER
    if older.release == "0.15.0"
    for kind in KINDS
    for way in ("call", "inline")
]


def named(parameter: Any) -> str:
    """The name of a table's parameter, or of a way."""
    return parameter if isinstance(parameter, str) else "-".join(map(str, parameter))


@pytest.mark.parametrize(
    ("table", "way"),
    [*((each, "python") for each in EACH), *OTHERWISE],
    indirect=["table"],
    ids=named,
)
def test_the_older_lives_on_with_what_the_newest_has_clustered(table: Table, way: str) -> None:
    before = table.share_read()

    WAYS[way](table)

    assert table.version() == table.by.version
    assert table.share_read() < 0.75 * before
    table.check(table.older, table.newest)

    table.load(ROWS - CHANGED, 2 * CHANGED, "later")
    table.check(table.older, table.newest)

    table.older(do.cluster, table.path)
    assert table.version() == table.by.version
    table.check(table.older, table.newest)


@pytest.mark.parametrize("in_micros", [False, True])
@pytest.mark.parametrize("older", OLDER, ids=str)
def test_times_in_milliseconds_are_the_same_however_often_they_are_clustered(
    tmp_path: Path, release: Callable[[str], do.Release], older: Older, in_micros: bool
) -> None:
    """Also where files have them in microseconds, as writers of rows before Hudi 1.1 left them."""
    path = tmp_path / "t"
    by, newest = release(older.release), release(NEWEST)
    written = newest(do.write_times, str(path), kept(older.version))
    if in_micros:
        for file in path.glob("*.parquet"):
            _in_microseconds(file)
    assert by(do.times, str(path)) == written

    for _ in range(2):
        by(do.cluster, str(path), mode="full")
        assert by(do.times, str(path)) == written
        assert newest(do.times, str(path)) == written


def _in_microseconds(file: Path) -> None:
    rows = pq.read_table(file)
    assert rows.schema.field("at").type.unit == "ms"
    at = rows.schema.get_field_index("at")
    as_micros = rows.set_column(at, "at", rows["at"].cast(pa.timestamp("us", "UTC")))
    pq.write_table(as_micros, file)
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)


@pytest.mark.parametrize("table", EACH, indirect=True, ids=named)
def test_what_is_clustered_is_upgraded_and_downgraded(table: Table) -> None:
    table.older(do.cluster, table.path)
    laid_out = table.share_read()

    assert table.newest(do.call, table.path, "upgrade_table", "NINE")
    assert table.version() == 9
    assert table.share_read() == laid_out
    table.check(table.newest)

    table.load_by_newest(ROWS - CHANGED, 2 * CHANGED, "at version 9")
    table.newest(do.cluster, table.path)
    table.check(table.newest)

    assert table.newest(do.call, table.path, "downgrade_table", table.by.name)
    assert table.version() == table.by.version
    table.check(table.older, table.newest)

    table.load(0, CHANGED, "afterwards")
    table.older(do.cluster, table.path)
    table.check(table.older, table.newest)


@pytest.mark.parametrize("table", EACH[:1], indirect=True, ids=named)
def test_an_overwrite_that_is_archived_after_an_upgrade_is_no_plan(table: Table) -> None:
    """Hudi 0.15 writes as JSON what it is about to write, and an upgrade leaves it so."""
    table.load(0, CHANGED, "overwritten", "insert_overwrite_table")
    table.rows = table.rows[:CHANGED]
    assert table.newest(do.call, table.path, "upgrade_table", "NINE")
    soon = {
        "hoodie.clean.commits.retained": "1",
        "hoodie.keep.min.commits": "2",
        "hoodie.keep.max.commits": "3",
        "hoodie.metadata.compact.max.delta.commits": "1",
    }
    for load in range(6):
        table.load_by_newest(CHANGED * (load + 1), CHANGED, "later", **soon)
    timeline = Path(table.path, ".hoodie/timeline")
    assert not list(timeline.glob("*.replacecommit"))

    table.newest(do.cluster, table.path)

    assert list(timeline.glob("*.replacecommit"))
    table.check(table.newest)
