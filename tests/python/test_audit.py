"""The audit finds whatever is skipped wrongly, reads what it says, and refuses what it cannot."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F
from typer.testing import CliRunner

import hudi_zorder as hz
from conftest import quick_first, write
from hudi_zorder.cli import app
from hudi_zorder.errors import PredicateError, TableError
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.skipping.audit import _counted, audit
from hudi_zorder.skipping.audit_report import Audit, WronglySkipped
from hudi_zorder.skipping.explain import explain
from hudi_zorder.skipping.skipping_report import FileReport, SkippingReport
from hudi_zorder.sql_names import quoted
from hudi_zorder.stats.index_bounds import ONE_SOURCE

ROWS = 4000
SMALL = {
    "bulkinsert__sort__mode": "NONE",
    "parquet__block__size": "8192",
    "parquet__page__size": "64",
    "datasource__write__partitionpath__field": "p",
    "datasource__write__hive_style_partitioning": "true",
}


@pytest.fixture(scope="module")
def table(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> hz.ZOrderTable:
    """Four files in two partitions, one of whose names looks like a pattern of files."""
    rows = spark.range(0, ROWS, 1, 4).selectExpr(
        "id",
        f"if(id < {ROWS // 2}, '[a]*', '{{b,c}}') AS p",
        "if(id % 10 = 0, NULL, id) AS v",
        "timestamp_seconds(1767225600 + id * 60) AS t",
        "map('k', array(id)) AS m",
        "id AS desc",  # which SQL begins statements with, as with the next
        "id AS comment",
    )
    path = tmp_path_factory.mktemp("audit") / "a b"
    return hz.ZOrderTable(spark, write(rows, path, **SMALL))


def audited(table: hz.ZOrderTable, predicate: str) -> Audit:
    found = table.explain(predicate, audit=True).audit
    assert found is not None
    return found


def test_the_index_explains_the_same_files_and_is_not_audited(table: hz.ZOrderTable) -> None:
    pair = [table.explain("v > 3000", source=source).files for source in ONE_SOURCE]
    judged = [[(f.file, f.rows, f.skipped_by, f.reason) for f in files] for files in pair]
    assert judged[0] == judged[1]
    depths = [
        table.clustering_information(["v"], source=source).average_depth for source in ONE_SOURCE
    ]
    assert depths[0] == depths[1]
    with pytest.raises(hz.OptionError, match="'source' was 'index'; an audit looks at footers"):
        table.explain("v > 3000", audit=True, source="index")


def test_a_value_in_the_place_of_a_null_is_other_content(spark: Any) -> None:
    rows = ("1 AS a, int(null) AS b", "int(null) AS a, 1 AS b", "int(null) AS a, int(null) AS b")
    frames = [spark.sql(f"SELECT {row}") for row in rows]
    assert len({_counted(frame, F.lit(True)).head()["contents"] for frame in frames}) == 3


def test_an_audit_reads_by_options_of_hudi(table: hz.ZOrderTable) -> None:
    options = {"hoodie.schema.on.read.enable": "nonsense"}
    with pytest.raises(hz.PredicateError, match="nonsense"):
        table.explain("v > 3000", audit=True, hudi_options=options)
    with pytest.raises(hz.OptionError, match=r"'hudi_options' was .*; give audit=True"):
        table.explain("v > 3000", hudi_options=options)


@pytest.mark.parametrize(
    "predicate",
    quick_first(
        ["v > 100000 OR rand(5) > 2", "t > current_timestamp()", "t > now()", "t > current_date"],
        quick=2,
    ),
)
def test_what_differs_from_scan_to_scan_is_refused(table: hz.ZOrderTable, predicate: str) -> None:
    with pytest.raises(PredicateError, match="not the same for every scan"):
        audited(table, predicate)


@pytest.mark.parametrize(
    ("predicate", "matching", "least_tested"),
    quick_first(
        [
            ("v BETWEEN 5 AND 24", 18, 3900),
            ("p = '[a]*' AND v > 1995", 4, 3900),
            ("v IS NULL AND id < 100", 10, 3800),
            ("v < 0", 0, 4000),
            ("desc = 5", 1, 3900),
        ],
        quick=2,
    ),
)
def test_every_skipped_row_is_tested(
    table: hz.ZOrderTable, predicate: str, matching: int, least_tested: int
) -> None:
    report = table.explain(predicate, audit=True)
    assert report.audit is not None
    assert report.audit.passed, str(report)
    assert report.audit.matching_rows == matching
    assert report.audit.tested_rows == ROWS - report.page_level.rows_left >= least_tested
    assert "Audit passed" in str(report)
    assert report.to_dict()["audit"]["passed"] is True


def forged(report: SkippingReport, number: int, **changes: Any) -> SkippingReport:
    files: list[FileReport] = list(report.files)
    files[number] = replace(files[number], **changes)
    return replace(report, files=tuple(files))


@pytest.mark.parametrize("level", quick_first(["page", "row group", "file", "partition"]))
def test_a_wrong_report_is_found_out(spark: Any, table: hz.ZOrderTable, level: str) -> None:
    """Every row matches."""
    snapshot = TableSnapshot.open(table.path)
    report = explain(snapshot, "id >= 0")
    number = max(range(len(report.files)), key=lambda i: report.files[i].rows)
    file = report.files[number]
    assert file.row_groups > 1
    kept = ((0, 5), (10, file.rows)) if level == "page" else ()
    by = level if level in ("file", "partition") else ""

    findings = audit(spark, snapshot, forged(report, number, kept_rows=kept, skipped_by=by))

    assert (findings.explain_is_sound, findings.hudi_is_sound) == (False, True)
    assert "EXPLAIN IS WRONG" in str(findings)
    found = findings.wrongly_skipped
    place = (file.file, file.partition)
    assert {(part.file, part.partition, part.level) for part in found} == {(*place, level)}
    assert findings.tested_rows == (5 if level == "page" else file.rows)
    if level == "page":
        assert found == (WronglySkipped(*place, "page", 0, 5, 10, 5),)
    elif level == "row group":
        assert [part.row_group for part in found] == list(range(file.row_groups))
        assert sum(part.rows for part in found) == file.rows
    else:
        assert found == (WronglySkipped(*place, level, None, 0, file.rows, file.rows),)


def rewrite(path: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    """Writes the base files of a table anew."""
    for file in path.glob("*/*.parquet"):
        pq.write_table(change(pq.ParquetFile(file).read()), file)
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)


@pytest.fixture
def copy(table: hz.ZOrderTable, tmp_path: Path) -> Path:
    return shutil.copytree(table.path, tmp_path / "t")


def test_an_audit_that_comes_upon_fewer_rows_than_are_skipped_proves_nothing(
    spark: Any, copy: Path
) -> None:
    snapshot = TableSnapshot.open(copy)
    report = explain(snapshot, "v < 0")
    rewrite(copy, lambda rows: rows.slice(1))

    with pytest.raises(TableError, match=r"of 4,000 rows that are skipped, Spark's .* upon 3,996"):
        audit(spark, snapshot, report)


def test_of_files_without_a_partition_column_whole_ones_are_tested(spark: Any, copy: Path) -> None:
    rewrite(copy, lambda rows: rows.drop_columns(["p"]))
    snapshot = TableSnapshot.open(copy)
    report = explain(snapshot, "id >= 0")
    file = report.files[0]

    findings = audit(spark, snapshot, forged(report, 0, kept_rows=(), skipped_by="file"))

    assert (findings.tested_rows, findings.untested_rows) == (0, file.rows)
    whole = WronglySkipped(file.file, file.partition, "file", None, 0, file.rows, file.rows)
    assert findings.wrongly_skipped == (whole,)


def test_a_table_that_is_written_to_meanwhile_is_to_be_audited_again(
    spark: Any, copy: Path
) -> None:
    snapshot = TableSnapshot.open(copy)
    report = explain(snapshot, "v < 0")
    [commit] = (copy / ".hoodie/timeline").glob("*.commit")
    later = int(commit.name.split("_")[0]) + 60_000
    commit.with_name(f"{later}_{later + 1}.clean").touch()

    with pytest.raises(TableError, match=f"was written to meanwhile, by clean {later}"):
        audit(spark, snapshot, report)


@pytest.fixture
def settings(spark: Any) -> Iterator[Any]:
    keys = ("spark.sql.ansi.enabled", "spark.sql.session.timeZone")
    before = {key: spark.conf.get(key) for key in keys}
    yield spark.conf
    for key, value in before.items():
        spark.conf.set(key, value)


@pytest.mark.slow
def test_the_session_s_own_settings_hold(table: hz.ZOrderTable, settings: Any) -> None:
    predicate = "t < '2026-01-01 00:05:00'"
    assert audited(table, predicate).matching_rows == 5
    settings.set("spark.sql.session.timeZone", "America/New_York")
    assert audited(table, predicate).matching_rows == 305
    assert audited(table, "p > 5").matching_rows == 0
    settings.set("spark.sql.ansi.enabled", "true")
    with pytest.raises(PredicateError, match=r"Cannot audit the predicate 'p > 5': .*CAST_INVALID"):
        audited(table, "p > 5")


@pytest.mark.parametrize(
    ("predicate", "message"),
    [
        ("id IN (SELECT 5)", "which has a subquery"),
        ("comment IN (SELECT 5)", "which has a subquery"),
        ("v = 5 AND unknown_function(v)", "unknown_function"),
    ],
)
def test_what_cannot_be_audited_is_refused(
    table: hz.ZOrderTable, predicate: str, message: str
) -> None:
    with pytest.raises(PredicateError, match=message):
        audited(table, predicate)


@pytest.mark.parametrize("name", ["a`b", "`", "a.b", "a b", "größe", "a``.b"])
def test_quoted_names_mean_themselves_to_spark(spark: Any, name: str) -> None:
    """Hudi writes no backtick, as Avro allows none, but may bootstrap files that have one."""
    rows = spark.range(3).withColumnRenamed("id", name)
    assert rows.select(quoted(name)).columns == [name]
    assert rows.where(f"{quoted(name)} > 0").count() == 2


@pytest.mark.slow
def test_log_files_virtual_keys_and_later_writes(spark: Any, tmp_path: Path) -> None:
    merged = {
        "datasource__write__table__type": "MERGE_ON_READ",
        "populate__meta__fields": "false",
        "bulkinsert__sort__mode": "NONE",
    }
    rows = spark.range(200).selectExpr("id", "id AS v").repartitionByRange(2, "id")
    path = write(rows, tmp_path / "t", **merged)
    table = hz.ZOrderTable(spark, path)
    found = audited(table, "v = 150")
    assert (found.passed, found.matching_rows, found.tested_rows) == (True, 1, 100)
    snapshot = TableSnapshot.open(path)
    report = explain(snapshot, "v >= 1000")
    update = spark.range(10).selectExpr("id", "id + 1000 AS v")
    write(update, path, datasource__write__operation="upsert", **merged)
    with pytest.raises(TableError, match="was written to meanwhile, by deltacommit"):
        audit(spark, snapshot, report)
    found = audited(table, "v >= 1000")
    assert (found.passed, found.matching_rows, found.tested_rows) == (True, 10, 100)


@pytest.mark.slow
def test_what_hudi_makes_of_folders_is_found(spark: Any, tmp_path: Path) -> None:
    """It decodes names that were never encoded, and takes any with '=' for Hive style."""
    by_p = {"datasource__write__partitionpath__field": "p"}
    values = "array('f%41g', 'fAg', 'k=v', 'v')"
    rows = spark.range(40).selectExpr("id", f"{values}[cast(id % 4 AS int)] AS p")
    text = hz.ZOrderTable(spark, write(rows, tmp_path / "text", **by_p))
    read = spark.read.format("hudi").load(text.path)
    for value in ("fAg", "v"):
        found = audited(text, f"p = '{value}'")
        assert (found.explain_is_sound, found.matching_rows, found.lost_rows) == (True, 20, 10)
        assert "'p' is a partition column" in found.faults[0].cause
        assert read.where(f"concat(p, '') = '{value}'").count() == 20


@pytest.mark.slow
def test_a_query_that_fails_through_hudi_is_found(spark: Any, tmp_path: Path) -> None:
    """A partition of null values cannot be compared."""
    hive = {
        "datasource__write__partitionpath__field": "p",
        "datasource__write__hive_style_partitioning": "true",
        "datasource__write__partitionpath__urlencode": "true",
    }
    key = "if(id % 3 = 0, NULL, cast(id % 3 AS string)) AS p"
    rows = spark.range(60).selectExpr("id", key, "id * 2 AS v")
    table = hz.ZOrderTable(spark, write(rows, tmp_path / "t", **hive))
    found = audited(table, "v > 100 AND p > '0'")
    assert (found.passed, found.explain_is_sound, found.hudi_is_sound) == (False, True, False)
    assert found.matching_rows == 6
    assert "compareTo" in found.error
    assert "THE QUERY FAILS THROUGH HUDI" in str(found)


def test_the_command_fails_when_rows_are_lost(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark, "stop", lambda: None)  # the command stops its own session
    rows = spark.range(100).selectExpr("id", "concat('abc', id) AS s")
    path = write(rows, tmp_path / "t", bulkinsert__sort__mode="NONE")
    command = ["explain", path, "s LIKE 'a%'", "--audit"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 3
    assert "Audit FAILED: 100 rows match" in result.stdout
    assert "LOSES 100 of 100 rows" in result.stdout
    result = CliRunner().invoke(app, [*command, "--output", "json"])
    document = json.loads(result.stdout)["audit"]
    assert (result.exit_code, document["lost_rows"]) == (3, 100)
    assert document["faults"][0]["issue"] == "hudi#18791"
