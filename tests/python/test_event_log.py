"""Event logs: what was asked is read back, from logs that Spark itself has written."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

import hudi_zorder as hz
import z_tables
from hudi_tables import session_settings
from hudi_zorder.eventlog.events import ROWS, Application
from hudi_zorder.eventlog.log_files import find_logs
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.predicate.parser import parse
from hudi_zorder.predicate.tree import Unusable, leaves_of
from hudi_zorder.workload.workload import workload_of
from logged_queries import ASKED, CODECS, ask, event_logs, write_table

THRICE = "a = 5"
BERLIN = "ts >= TIMESTAMP '2026-01-02 02:04:05Z'"
JOINED = "price > 2.00"


@pytest.fixture(scope="module")
def table(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_table(spark, tmp_path_factory.mktemp("asked") / "orders")


@pytest.fixture(scope="module")
def logs(spark: SparkSession, table: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    days = str(folder / "days")
    spark.sql("SELECT '2026-01' AS day, 'first' AS label").write.parquet(days)
    with event_logs(spark, folder):
        ask(spark, table, [*ASKED, THRICE, THRICE])
        with session_settings(spark, {"spark.sql.session.timeZone": "Europe/Berlin"}):
            ask(spark, table, ["ts >= TIMESTAMP'2026-01-02 03:04:05'"])
        orders = spark.read.format("hudi").load(table)
        first = spark.read.parquet(days).where("label = 'first'")
        orders.where("price > 2").join(first, "day").select("id").collect()
        orders.where(f"a > (SELECT count(*) FROM parquet.`{days}`)").select("id").collect()
        orders.select("id").collect()
        frame = orders.where("a = 19").cache()
        for _ in range(2):
            frame.count()
        frame.unpersist()
    return folder


@pytest.fixture(scope="module")
def found(logs: Path) -> hz.Queries:
    return hz.queries_from_event_log(logs / "plain")


@pytest.mark.parametrize("asked", ASKED)
def test_a_query_is_read_back_as_it_was_asked(found: hz.Queries, asked: str) -> None:
    expected = ASKED[asked]
    predicates = [query.predicate for query in found]
    if expected is not None:
        assert predicates.count(expected) == 1
    else:
        assert not any(asked[:10] in predicate for predicate in predicates)


def test_what_is_read_back_selects_the_same_rows(
    spark: SparkSession, table: str, found: hz.Queries
) -> None:
    whole = {q: r for q, r in ASKED.items() if r is not None and "upper" not in q}
    each = [text for pair in whole.items() for text in pair]
    rows = spark.read.format("hudi").load(table)
    [counts] = rows.selectExpr(*(f"count_if({text})" for text in each)).collect()
    assert counts[::2] == counts[1::2]
    assert sum(count not in (0, 60) for count in counts) > len(counts) / 2
    for query in found:
        leaves = leaves_of(parse(query.predicate))
        assert not any(isinstance(leaf, Unusable) for leaf in leaves), query.predicate


def test_every_read_is_counted_once(found: hz.Queries, table: str) -> None:
    assert found.tables == (table,)
    times = {query.predicate: query.times for query in found}
    read_back = {text for text in ASKED.values() if text is not None}
    assert times == {**dict.fromkeys((*read_back, BERLIN, JOINED, "a = 19"), 1), THRICE: 3}
    assert found.used == sum(times.values())
    left_out = {part.reason: (part.queries, part.conditions) for part in found.left_out}
    assert left_out == {
        "no comparison of a column with a literal": (1, 1),
        "ambiguous, for the plan does not quote texts": (1, 0),
        "found only when the query ran, by a join or a subquery": (0, 1),
        "without a condition": (2, 0),  # of which one has a subquery
        "a cached frame was read in place of the table": (1, 0),
    }
    assert found.found == found.used + 5
    assert found.notes == ()


@pytest.mark.slow
def test_ranges_that_a_z_column_adds_are_no_part_of_a_query(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = z_tables.create(
        spark.sql("SELECT id, id % 100 a, id div 100 b FROM range(900)"), tmp_path / "z"
    )
    asked = ["a = 5", "a IN (3, 50, 97) AND b < 4", "a = 1000", "b >= 3 AND id != 7"]
    (tmp_path / "logs").mkdir()
    with event_logs(spark, tmp_path / "logs"):
        for condition in asked:
            frame = spark.read.format("hudi").load(path).where(condition)
            assert z_tables.asks(frame), condition
            frame.select("id").collect()
        spark.read.format("hudi").load(path).where("b = 9").select("_z").collect()
    found = hz.queries_from_event_log(tmp_path / "logs" / "plain")
    assert {query.predicate for query in found} == {*asked, "b = 9"}
    assert (found.used, found.left_out) == (5, ())


def test_rows_files_and_times_are_those_of_the_scans(found: hz.Queries) -> None:
    by_text = {query.predicate: query for query in found}
    thrice, partition = by_text[THRICE], by_text["day = '2026-01' AND a != 7"]
    assert (thrice.files, partition.files) == (6, 1)
    assert partition.rows == 30
    assert thrice.rows in (3 * 30, 3 * 60)  # with and without the help of dictionaries
    assert thrice.bytes == 3 * by_text["maybe IS NULL"].bytes > 0
    assert thrice.first < partition.first < thrice.last


@pytest.mark.parametrize("form", [*CODECS, "rolling"])
def test_every_form_of_a_log_says_the_same(found: hz.Queries, logs: Path, form: str) -> None:
    assert hz.queries_from_event_log(logs / form) == found


@pytest.mark.parametrize("form", ["plain", *CODECS])
def test_a_log_that_ends_too_early_tells_what_came_before(
    found: hz.Queries, logs: Path, form: str, tmp_path: Path
) -> None:
    [log] = (logs / form).iterdir()
    content = log.read_bytes()
    running = tmp_path / f"{log.name}.inprogress"
    running.write_bytes(content[: len(content) * 2 // 3])
    cut = hz.queries_from_event_log(running)
    assert {query.predicate for query in cut} < {query.predicate for query in found}
    assert cut.used > 5
    assert re.fullmatch(r"ended within an event.*: app-\w+(\.\w+)?\.inprogress", cut.notes[0])


def test_a_compacted_file_stands_for_those_before_it(
    found: hz.Queries, logs: Path, tmp_path: Path
) -> None:
    [log] = (logs / "plain").iterdir()
    lines = log.read_bytes().splitlines(keepends=True)
    folder = tmp_path / "eventlog_v2_app"
    folder.mkdir()
    middle = len(lines) // 2
    parts = {"events_1_app": lines[:9], "events_2_app": [], "events_2_app.compact": lines[:middle]}
    for name, part in {**parts, "events_10_app": lines[middle:], "appstatus_app": []}.items():
        (folder / name).write_bytes(b"".join(part))
    for place in (folder, tmp_path):
        whole = hz.queries_from_event_log(place)
        assert whole.queries == found.queries
        assert whole.notes == ("compacted, which drops what had ended by then: eventlog_v2_app",)


def test_logs_of_a_folder_are_added_up_and_other_files_are_told(
    found: hz.Queries, logs: Path, tmp_path: Path
) -> None:
    for n in range(2):
        shutil.copy(next((logs / "zstd").iterdir()), tmp_path / f"app{n}.zstd")
    (tmp_path / "notes.txt").write_text("of Monday")
    (tmp_path / "app2.inprogress").write_bytes(b"")
    (tmp_path / ".app0.crc").write_bytes(b"crc")
    both = hz.queries_from_event_log(tmp_path)
    assert both.used == 2 * found.used
    assert both.notes == (
        "not ended, for the application runs or was killed: app2.inprogress",
        "no event log of Spark 3.5: notes.txt",
    )


def lz4(stored: int, size: int) -> bytes:
    """The header of a block, whatever follows it."""
    sizes = b"".join(number.to_bytes(4, "little") for number in (stored, size, 0))
    return b"LZ4Block\x26" + sizes + bytes(20)


def snappy(stored: int, block: bytes) -> bytes:
    return b"\x82SNAPPY\x00" + bytes(8) + stored.to_bytes(4, "big") + block


def one_long_line(path: Path) -> None:
    with pa.CompressedOutputStream(pa.OSFile(str(path), "wb"), "zstd") as log:
        for _ in range(65):
            log.write(b" " * (1 << 20))


def test_events_of_another_shape_are_passed_over(tmp_path: Path) -> None:
    start = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart"
    bodies = ['"executionId":1', '"time":[]', '"sparkPlanInfo":7', '"a":' + "[" * 100_000]
    lines = ['{"Event":"SparkListenerLogStart"}']
    lines += (f'{{"Event":"{start}",{body}}}' for body in bodies)
    (tmp_path / "log").write_text("\n".join([*lines, ""]))
    assert "4 lines are no event, and passed over" in hz.queries_from_event_log(tmp_path).notes


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda path: None, "which is not there"),
        (lambda path: path.mkdir(), "has no event log in it"),
        (lambda path: path.write_text("a = 5\n"), "does not begin with an event"),
        (lambda path: path.write_text('{"a": 5}'), "does not begin with an event"),
        (lambda path: path.write_bytes(b"LZ4Block" + bytes(13) + b"x" * 30), "cannot be read"),
        (lambda path: path.write_bytes(lz4(9, 2**31)), "2,147,483,648 bytes, and none of Spark's"),
        (lambda path: path.write_bytes(lz4(2**31, 9)), "2,147,483,648 when compressed"),
        (lambda path: path.write_bytes(snappy(2**31, b"")), "2,147,483,648 bytes, and none of"),
        (lambda path: path.write_bytes(snappy(6, b"\x80" * 4 + b"\x08x")), "2,147,483,648 bytes"),
        (lambda path: path.write_bytes(snappy(9, b"\xff" * 9)), "bytes, and none of Spark's"),
        (one_long_line, "a line has more than 67,108,864 bytes"),
    ],
)
def test_what_is_no_event_log_is_refused(
    tmp_path: Path, make: Callable[[Path], object], named: str
) -> None:
    path = tmp_path / "log"
    make(path)
    with pytest.raises(hz.OptionError, match=named) as refused:
        hz.queries_from_event_log(path)
    assert str(path) in str(refused.value)


def test_of_rolled_files_those_count_that_no_compacted_one_stands_for(tmp_path: Path) -> None:
    folder = tmp_path / "eventlog_v2_app"
    folder.mkdir()
    for name in ("8_app", "9_app", "9_app.compact", "10_app", "11_app"):
        (folder / f"events_{name}").touch()
    _, [log] = find_logs(folder)
    assert [Path(file).name for file in log.files] == [
        "events_9_app.compact",
        "events_10_app",
        "events_11_app",
    ]


def test_rows_of_a_task_that_failed_are_not_counted() -> None:
    """Another attempt reads them again."""
    scan = {
        "nodeName": "Scan parquet ",
        "simpleString": "FileScan parquet [a#1] Batched: true",
        "metadata": {"Location": "HoodieFileIndex(1 paths)[file:/lake/t]"},
        "metrics": [{"name": ROWS, "accumulatorId": 7, "metricType": "sum"}],
    }
    sql = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart"
    started = {"Event": sql, "executionId": 0, "time": 1, "sparkPlanInfo": scan}
    ended = [
        {
            "Event": "SparkListenerTaskEnd",
            "Task End Reason": {"Reason": reason},
            "Task Info": {"Accumulables": [{"ID": 7, "Name": ROWS, "Update": rows}]},
        }
        for reason, rows in (("ExceptionFailure", 30), ("Success", 60), ("TaskKilled", 10))
    ]
    log = Application()
    for event in (started, *ended):
        assert log.take(json.dumps(event, separators=(",", ":")).encode())
    [found] = log.scans.values()
    assert (found.path, log.read(found, ROWS)) == ("/lake/t", 60)


def test_forecast_and_recommend_weigh_what_the_log_has(
    spark: SparkSession, table: str, found: hz.Queries
) -> None:
    orders = hz.ZOrderTable(spark, table)
    forecast = orders.forecast(["a"], predicates=found)
    reads = {read.text: read for read in forecast.layout("tree").reads}
    assert reads[THRICE].weight == 3
    asked = [read for read in reads.values() if read.kind == "predicate"]
    mean = sum(read.weight * read.after for read in asked) / found.used
    assert forecast.layout("tree").mean == pytest.approx(mean)
    told = f"the event logs have {found.found} reads of the table, of which {found.used} are used"
    assert forecast.notes[0] == told
    recommended = orders.recommend(found, max_columns=1)
    weights = {query.query: query.weight for query in recommended.queries}
    assert weights[THRICE] == pytest.approx(3 / found.used)
    assert recommended.notes[: len(found.left_out)] == forecast.notes[: len(found.left_out)]


def test_a_predicate_that_no_longer_fits_the_table_is_left_out(
    table: str, found: hz.Queries
) -> None:
    gone = hz.Queries(queries=tuple(_changed(query) for query in found))
    work = workload_of(gone, TableSnapshot.open(table), "UTC")
    assert {query.text for query in work.queries} == {q.predicate for q in found} - {THRICE}
    [told] = [note for note in work.notes if "'dropped'" in note]
    assert told.startswith("3 of those used left out: ")
    nothing = hz.Queries(queries=(), left_out=found.left_out)
    with pytest.raises(hz.PredicateError, match="no query of 'table' was usable"):
        workload_of(nothing, TableSnapshot.open(table), "UTC")


def test_the_command_prints_what_was_found(found: hz.Queries, logs: Path, table: str) -> None:
    from hudi_zorder.cli import app

    arguments = ["queries", str(logs / "plain"), "--table", table, "--output", "json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    assert [query["times"] for query in printed["queries"]] == [query.times for query in found]
    assert printed["queries"][0]["first"] == found.queries[0].first.isoformat()

    elsewhere = CliRunner().invoke(app, [*arguments[:3], f"{table}s"])
    assert elsewhere.exit_code == 0
    told = "".join(elsewhere.stdout.split())  # a long path is broken at its hyphens
    assert told.startswith("Noquerywasfound.")
    assert f"thelogshavenoqueryon'{table}s',buton" in told


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["forecast", "-c", "a", "-p", "a = 1"], "none has a query on 'table'"),
        (["recommend", "--query", "a = 1"], "--query was given beside it"),
        (["recommend"], "none has a query on 'table'"),
        (["info", "--logged-path", "/gone"], "none has a query on 'table', which was '/gone'"),
    ],
)
def test_the_command_refuses_what_does_not_fit_before_spark_starts(
    logs: Path, tmp_path: Path, arguments: list[str], named: str
) -> None:
    from hudi_zorder.cli import app

    command, *others = arguments
    given = [command, str(tmp_path), "--event-log", str(logs / "plain"), *others]
    result = CliRunner().invoke(app, given)
    assert result.exit_code == 2
    assert named in " ".join(result.stderr.split())


def test_the_queries_on_one_table_are_asked_of_a_copy_of_it(
    table: str, found: hz.Queries, logs: Path, tmp_path: Path
) -> None:
    from hudi_zorder.cli import app

    copy = str(shutil.copytree(table, tmp_path / "copy"))
    log = ["--event-log", str(logs / "plain")]
    arguments = ["info", copy, "-c", "a", *log, "--logged-path", table, "--output", "json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["queries"]["queries"] == len(found)

    without_log = CliRunner().invoke(app, ["info", copy, "--logged-path", table])
    assert without_log.exit_code == 2
    assert "give '--event-log' too" in " ".join(without_log.stderr.split())


def _changed(query: hz.LoggedQuery) -> hz.LoggedQuery:
    text = query.predicate
    return replace(query, predicate="dropped = 5" if text == THRICE else text)
