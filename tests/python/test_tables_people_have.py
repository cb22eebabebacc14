"""Tables that people have, clustered: the same rows, the same life after, indexes that agree."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import hudi_zorder as hz
from conftest import write
from hudi_tables import PLAN_STRATEGY, STRATEGY, fingerprint
from hudi_zorder.stats.stats_table import columns_of
from people_tables import (
    MERGE_ON_READ,
    Case,
    Table,
    both,
    check_metadata,
    file_columns,
    metadata_partitions,
    table_properties,
    twins,
)

GLOBAL_INDEX = {
    "metadata__global__record__level__index__enable": "true",
    "index__type": "GLOBAL_RECORD_LEVEL_INDEX",
}
OLD_VERSION = {"write__table__version": "6", "write__auto__upgrade": "false"}
EARLIER_VERSION = {"write__table__version": "8", "write__auto__upgrade": "false"}
HIVE_STYLE = {"datasource__write__hive_style_partitioning": "true"}

CASES = [
    Case(
        "odd partitions encoded",
        {**HIVE_STYLE, "datasource__write__partitionpath__urlencode": "true"},
        part="element_at(array('a b', '50%', 'x,y', 'é漢/=', '100%25'), 1 + cast(id % 5 as int))",
        overwrite="part = '50%' AND id < 100",
        files=5,
    ),
    Case("version 6 with logs", {**OLD_VERSION, **MERGE_ON_READ}),
    Case(
        "partitioned record index",
        {"metadata__record__level__index__enable": "true", "index__type": "RECORD_LEVEL_INDEX"},
    ),
    Case("logs with deletes", MERGE_ON_READ),
    Case(
        "partition columns not in the files",
        {"datasource__write__drop__partition__columns": "true"},
        elsewhere=False,
    ),
    Case("virtual keys", {"populate__meta__fields": "false", "index__type": "SIMPLE"}),
    Case("change data capture", {"table__cdc__enabled": "true"}),
    Case("global record index", GLOBAL_INDEX),
    Case(
        "secondary index",
        GLOBAL_INDEX,
        before=["CREATE INDEX by_b ON people (b)"],
        overwrite="",  # which Hudi refuses for a table with such an index
    ),
    Case(
        "expression index",
        columns={"ts": "unix_timestamp(date'2026-01-01') + id * 3600"},
        before=[
            "CREATE INDEX day_of_ts ON people USING column_stats(ts) "
            "OPTIONS (expr='from_unixtime', format='yyyy-MM-dd')"
        ],
        where="from_unixtime(ts, 'yyyy-MM-dd') = '2026-01-03'",
    ),
    Case(
        "bloom filters in the metadata table",
        {"metadata__index__bloom__filter__enable": "true", "bloom__index__use__metadata": "true"},
    ),
    Case(
        "partitions of formatted times",
        {
            "datasource__write__keygenerator__class": (
                "org.apache.hudi.keygen.TimestampBasedKeyGenerator"
            ),
            "keygen__timebased__timestamp__type": "EPOCHMILLISECONDS",
            "keygen__timebased__output__dateformat": "yyyy/MM/dd",
        },
        part="1767225600000 + (id % 3) * 86400000",
        overwrite="id < 100 AND id % 3 = 1",
    ),
    Case(
        "names in another case and nested",
        columns={
            "order": "hash(id)",
            "Größe": "hash(id, 3)",
            "place": "named_struct('x', hash(id), 'Inner', named_struct('y', hash(id, 4)))",
        },
        by=["ORDER", "GRÖßE", "place.inner.Y"],
        where="`order` > 0 AND `größe` > 0 AND place.inner.y > 0",
        elsewhere=False,  # hudi-rs knows no names but ASCII
    ),
    Case(
        "ordering fields with ties",
        {"table__ordering__fields": "ts", **MERGE_ON_READ},
        changed={"b": "-id", "ts": "id % 3 - id % 2"},
    ),
    Case("nothing odd"),
    Case("version 6", OLD_VERSION),
    Case("version 8", EARLIER_VERSION),
    Case("version 8 with logs", {**EARLIER_VERSION, **MERGE_ON_READ}),
    Case("global record index and logs", {**GLOBAL_INDEX, **MERGE_ON_READ}),
    Case("one value in all rows", columns={"a": "7", "b": "7L"}, where="a = 7"),
    Case(
        "odd partitions as they are",
        HIVE_STYLE,
        part="element_at(array('a b', '50%', 'x,y', 'é漢'), 1 + cast(id % 4 as int))",
        overwrite="part = '50%' AND id < 100",
    ),
]


def named(case: Case) -> Any:
    return pytest.param(case, id=case.name.replace(" ", "-"), marks=pytest.mark.slow)


@pytest.mark.parametrize("case", [named(case) for case in CASES])
def test_it_lives_on_as_without_the_clustering(
    spark: SparkSession, tmp_path: Path, case: Case
) -> None:
    plain, clustered = twins(spark, case, tmp_path)
    rows, read_elsewhere = clustered.rows(), clustered.rows_of_another_reader()
    columns, indexes = file_columns(clustered), metadata_partitions(clustered.path)
    if "datasource__write__drop__partition__columns" in case.options:
        # Hudi's bulk insert leaves out the values alone.
        columns = {tuple(name for name in names if name != "part") for names in columns}
    version = table_properties(clustered.path)["hoodie.table.version"]
    table = hz.ZOrderTable(spark, clustered.path)

    result = table.cluster(case.by, target_file_size="12KB")

    assert result.after is not None
    assert result.after.files >= case.files
    assert clustered.rows() == rows
    assert clustered.rows_of_another_reader() == read_elsewhere
    assert read_elsewhere.total() == (rows.total() if case.elsewhere else 0)
    assert table.pending() == []
    assert file_columns(clustered) == columns
    assert table_properties(clustered.path)["hoodie.table.version"] == version
    assert metadata_partitions(clustered.path) == indexes
    indexed = table.column_stats(case.by, source="index")
    assert all(indexed[f"{name}.bytes"].null_count == 0 for name in columns_of(indexed))
    check_metadata(clustered)

    both(plain, clustered, "live_on")
    assert clustered.own_rows() == plain.own_rows()
    check_metadata(clustered)
    both(plain, clustered, "overwrite")
    assert clustered.own_rows() == plain.own_rows()


@pytest.mark.slow
def test_of_partition_columns_not_in_the_files_folders_tell(
    spark: SparkSession, tmp_path: Path
) -> None:
    [case] = [
        case for case in CASES if "datasource__write__drop__partition__columns" in case.options
    ]
    table = Table(spark, case, tmp_path / "t")
    table.make()
    found = hz.ZOrderTable(spark, table.path)
    predicate = "part = 'p1' AND a > 0"

    explained = found.explain(predicate, audit=True)
    expected = found.forecast(case.by, predicates=[predicate], target_file_size="12KB")
    recommended = found.recommend([predicate], target_file_size="12KB")

    assert [file.skipped_by == "" for file in explained.files] == [
        file.partition == "p1" for file in explained.files
    ]
    [read] = [read for read in expected.layouts[0].reads if read.text == predicate]
    assert (read.now, 0.2 < read.after < 0.5) == (0.5, True)
    assert recommended.columns == ("a",)


@pytest.mark.slow
def test_a_savepoint_brings_back_its_rows_from_before_the_clustering(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = Table(spark, Case("savepoint"), tmp_path / "t")
    table.make()
    rows = table.rows()
    [[instant]] = table.read().select("_hoodie_commit_time").distinct().collect()
    spark.sql(f"CALL create_savepoint(path => '{table.path}', commit_time => '{instant}')")
    table.live_on()
    hz.ZOrderTable(spark, table.path).cluster(["a", "b"], target_file_size="12KB")

    spark.sql(f"CALL rollback_to_savepoint(path => '{table.path}', instant_time => '{instant}')")

    assert table.rows() == rows


@pytest.mark.slow
def test_a_clustering_adds_nothing_to_the_stream_of_changes(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = Table(spark, Case("stream", {"table__cdc__enabled": "true"}), tmp_path / "t")

    def changes() -> Counter[str]:
        stream = table.read(
            datasource__query__type="incremental",
            datasource__query__incremental__format="cdc",
            datasource__read__begin__instanttime="0",
        )
        return Counter(map(str, stream.select("op", "before", "after").collect()))

    table.make()
    table.live_on()
    before = changes()
    assert {change.split("'")[1] for change in before} == {"i", "u", "d"}

    result = hz.ZOrderTable(spark, table.path).cluster(["a", "b"], target_file_size="12KB")

    assert result.readers == {"vectorised": 2}
    assert changes() == before
    table.live_on()
    assert before < changes()


@pytest.mark.parametrize(
    "partitions",
    [pytest.param(60, marks=pytest.mark.slow), pytest.param(2000, marks=pytest.mark.soak)],
)
def test_a_table_of_many_partitions_keeps_its_rows_and_lives_on(
    spark: SparkSession, tmp_path: Path, partitions: int
) -> None:
    rows = spark.range(2 * partitions).selectExpr(
        "id", "hash(id) AS a", f"concat('p', id % {partitions}) AS part"
    )
    options = {
        "datasource__write__partitionpath__field": "part",
        # Otherwise every task has a file open in every partition.
        "bulkinsert__sort__mode": "PARTITION_SORT",
    }
    path = write(rows.repartition("part"), tmp_path / "t", **options)
    before = fingerprint(spark, path)

    result = hz.ZOrderTable(spark, path).cluster(["a"])

    assert (result.groups, len(result.partitions)) == (partitions, partitions)
    assert fingerprint(spark, path) == before
    changed = "id % 7 = 2"
    write(
        rows.where(changed).selectExpr("id", "int(-id) AS a", "part"),
        path,
        datasource__write__operation="upsert",
        **options,
    )
    found = spark.read.format("hudi").load(path).select("id", "a", "part")
    expected = rows.selectExpr("id", f"IF({changed}, int(-id), a) AS a", "part")
    assert Counter(found.collect()) == Counter(expected.collect())


@pytest.mark.parametrize("name", ["a b", "a.b", "a`b", "a-b", "1a"])
def test_hudi_itself_takes_no_such_name_of_a_column(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    # When this fails, Hudi takes them, and a table of them belongs to the cases above.
    with pytest.raises(Exception, match=r"Illegal (initial )?character"):
        write(spark.range(1).selectExpr("id", f"id AS `{name.replace('`', '``')}`"), tmp_path / "t")


def test_a_nested_column_is_named_in_the_options_of_the_procedure(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = spark.range(100).selectExpr("id", "named_struct('b', hash(id)) AS a")
    path = write(rows, tmp_path / "t")
    options = (
        f"hoodie.clustering.plan.strategy.class={PLAN_STRATEGY},"
        f"hoodie.clustering.execution.strategy.class={STRATEGY},"
        "hoodie.clustering.plan.strategy.sort.columns=a.b"
    )
    call = f"CALL run_clustering(path => '{path}', options => '{options}'"

    with pytest.raises(Exception, match=r"Order column not exist:a\.b"):
        spark.sql(f"{call}, order => 'a.b')")
    spark.sql(f"{call})")

    assert hz.ZOrderTable(spark, path).history()[-1].columns == ("a.b",)
