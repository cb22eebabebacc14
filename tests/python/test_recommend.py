"""Recommendations: the best of the sets that were tried, proven by clustering as advised."""

from __future__ import annotations

import json
import shutil
import statistics
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from typer.testing import CliRunner

import hudi_zorder as hz
from conftest import write
from hudi_tables import pending_instants

pytestmark = pytest.mark.usefixtures("without_metadata_table")

ROWS = 20_000
SIZE = "60KB"


@pytest.fixture(scope="module")
def path(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Independent ``a`` and ``b``; ``like_a`` follows ``a``; three values each of kind and day."""
    frame = spark.range(ROWS).select(
        "id",
        F.expr("cast(hash(id) as int)").alias("a"),
        F.expr("xxhash64(id, 7) % 1000000").alias("b"),
        F.expr("cast(hash(id) / 1000 as int) + cast(id % 50 as int)").alias("like_a"),
        F.expr("concat('kind', hash(id, 3) % 2)").alias("kind"),
        F.expr("concat('2026-11-0', 1 + id % 3)").alias("day"),
        F.expr("repeat(md5(cast(id as string)), 2)").alias("text"),
    )
    folder = tmp_path_factory.mktemp("recommend") / "orders"
    return write(frame, folder, datasource__write__partitionpath__field="day")


def recommended(spark: SparkSession, path: str, queries: Any, **options: Any) -> hz.Recommendation:
    return hz.ZOrderTable(spark, path).recommend(queries, target_file_size=SIZE, **options)


@pytest.mark.slow
def test_what_is_recommended_comes_true(spark: SparkSession, path: str, tmp_path: Path) -> None:
    queries = {
        "a BETWEEN 5 AND 90000000": 3.0,
        "SELECT text FROM orders o WHERE o.b < 9000 AND o.kind = 'kind1'": 1.0,
        "b = 77 AND upper(text) = 'X'": 1.0,
        "a = 5 AND day = '2026-11-02'": 1.0,
    }
    found = recommended(spark, path, queries)
    assert set(found.columns) == {"a", "b"}
    assert pending_instants(path) == []
    least = min(candidate.share for candidate in found.candidates)
    assert found.share_after <= 1.01**2 * least
    assert found.share_after < 0.6 * found.share_now
    weights = [query.weight for query in found.queries]
    assert weights == pytest.approx([1 / 2, 1 / 6, 1 / 6, 1 / 6])
    assert found.share_after == pytest.approx(
        sum(query.weight * query.after for query in found.queries)
    )
    copy = tmp_path / "orders"
    shutil.copytree(path, copy)
    table = hz.ZOrderTable(spark, copy)
    eval(found.call, {"table": table})
    real = [
        table.explain(condition).share_read
        for condition in (
            "a BETWEEN 5 AND 90000000",
            "b < 9000 AND kind = 'kind1'",
            "b = 77",
            "a = 5 AND day = '2026-11-02'",
        )
    ]
    assert [query.after for query in found.queries] == pytest.approx(real, rel=1e-6)
    again = recommended(spark, str(copy), queries)
    assert again.share_now == pytest.approx(found.share_after, rel=1e-6)


def test_the_weight_of_queries_decides(spark: SparkSession, path: str) -> None:
    for heavy, light in (("a", "b"), ("b", "a")):
        queries = [(f"{heavy} = 5", 1000), f"{light} = 5"]
        found = recommended(spark, path, queries)
        [*_, share] = sorted((query.weight, query.after) for query in found.queries)
        assert share[1] < 0.25
        assert heavy in found.columns
        weights = {heavy: 1, light: 1, **found.column_weights}
        assert found.columns == (heavy,) or weights[heavy] > weights[light]


def test_columns_weigh_as_often_as_they_are_asked(spark: SparkSession, path: str) -> None:
    found = recommended(spark, path, [*[f"a = {i}" for i in range(0, 300, 10)], ("b = 5", 10)])
    files = found.files / 3  # of each partition
    bound = 2 * (3 / 4 * 1 / 4) ** (1 / 2) * files ** (-1 / 2)
    assert found.share_after <= 1.15 * bound


def test_advice_names_what_the_sources_name(spark: SparkSession, path: str) -> None:
    queries = ["a = 5", "like_a = 5", "kind = 'kind1'", "day = '2026-11-02'", "b = 7"]
    found = recommended(spark, path, queries)
    advice = "\n".join(found.advice)
    assert "kind has 3 distinct values: few to sort by" in advice
    assert "day is a partition column, by which partitions are skipped already" in advice
    assert not {"a", "like_a"} <= set(found.columns)
    assert "goes with" in advice
    assert "and adds " in advice
    assert "high cardinality first" in advice
    assert "day" not in found.columns


def test_a_table_that_is_laid_out_well_is_left_as_it_is(
    spark: SparkSession, path: str, tmp_path: Path
) -> None:
    """What is not told is as the last clustering had it: of large files all would be read."""
    copy = tmp_path / "orders"
    shutil.copytree(path, copy)
    hz.ZOrderTable(spark, copy).cluster(["a"], target_file_size=SIZE)
    found = hz.ZOrderTable(spark, copy).recommend(["a = 5"])
    assert not found
    assert [candidate.share < 0.5 for candidate in found.candidates] == [True]
    assert (found.columns, found.command) == ((), "")
    assert found.share_after == found.share_now
    assert str(found).startswith("Leave it as it is")


def test_it_prints_within_80_columns_and_as_json(spark: SparkSession, path: str) -> None:
    found = recommended(spark, path, ["a = 5 AND upper(text) LIKE '%something that is long%'"])
    lines = [line for line in str(found).splitlines() if found.command not in line]
    assert all(len(line) <= 80 for line in lines)
    assert json.loads(json.dumps(found.to_dict()))["columns"] == ["a"]
    assert statistics.fmean(query.now for query in found.queries) == found.share_now


@pytest.mark.parametrize(
    ("queries", "options", "kind", "named"),
    [
        ([], {}, hz.OptionError, "'queries' is empty"),
        (["a ="], {}, hz.PredicateError, "Cannot parse"),
        (["nothing = 1"], {}, hz.PredicateError, "no column 'nothing'"),
        (["upper(text) = 'X'"], {}, hz.PredicateError, "no query compares a column"),
        (["day = '2026-11-02'"], {}, hz.PredicateError, "partitions are skipped already"),
        (["a = 1"], {"max_columns": 0}, hz.OptionError, "'max_columns' was '0'"),
        (["a = 1"], {"sample_rows": -1}, hz.OptionError, "'sample_rows' was '-1'"),
        (["a = 1"], {"columns": ["a"]}, hz.OptionError, "'columns' was given"),
        (["a = 1"], {"cut": "tree"}, hz.OptionError, "did you mean 'cuts'"),
    ],
)
def test_what_cannot_be_recommended_for_is_refused(
    spark: SparkSession, path: str, queries: Any, options: Any, kind: type, named: str
) -> None:
    with pytest.raises(kind, match=named):
        recommended(spark, path, queries, **options)


def test_the_command_refuses_bad_queries_before_spark_starts(tmp_path: Path) -> None:
    from hudi_zorder.cli import app

    (tmp_path / "log.sql").write_text("0\ta = 1\n", encoding="utf-8")
    arguments = ["recommend", str(tmp_path), "--queries", str(tmp_path / "log.sql")]
    result = CliRunner().invoke(app, [*arguments, "--output", "json"])
    assert result.exit_code == 2
    assert json.loads(result.stderr)["error"]["kind"] == "OptionError"


def test_meta_columns_are_no_candidates(spark: SparkSession, path: str) -> None:
    query = "_hoodie_commit_time > '2026' AND _hoodie_partition_path = '2026-11-01' AND a = 5"
    found = recommended(spark, path, [query])
    assert {name for candidate in found.candidates for name in candidate.columns} == {"a"}
