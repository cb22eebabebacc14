"""Each execution of a frame counts by itself, with what it has read."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import pytest

import hudi_zorder as hz
from hudi_zorder.eventlog import queries
from hudi_zorder.eventlog.events import (
    CACHED,
    FAILED,
    INCREMENTAL,
    NOT_RUN,
    REPEATED,
    Application,
)
from hudi_zorder.eventlog.queries import same_place
from hudi_zorder.screen import NamedRows
from logged_events import (
    BEGUN,
    TABLE,
    Event,
    below,
    ended,
    job,
    job_failed,
    lines_of,
    listed,
    read,
    scan,
    started,
    submitted,
    task,
    updated,
    write_log,
)

SCAN = scan()
FILLED = below("InMemoryTableScan", SCAN)


def again(execution: int, plan: Event, *tasks: Event) -> list[Event]:
    """Another execution of a frame whose files the driver has listed before."""
    return [
        started(execution, plan),
        job(execution, execution, [0, execution]),
        *tasks,
        ended(execution),
    ]


def logged(table: str, predicate: str, times: int) -> hz.LoggedQuery:
    return hz.LoggedQuery(
        table=table, names=(), predicate=predicate, times=times, first=BEGUN, last=BEGUN, rows=1,
        files=1, bytes=1,
    )  # fmt: skip


def found_in(tmp_path: Path, *events: Event) -> tuple[hz.LoggedQuery | None, dict[str, int]]:
    """The one predicate of a log, and how many reads are left out for each reason."""
    found = hz.queries_from_event_log(write_log(tmp_path / "log", *events))
    assert found.notes == ()
    query = found.queries[0] if found.queries else None
    return query, {part.reason: part.queries for part in found.left_out}


def counted(query: hz.LoggedQuery | None) -> tuple[int | None, ...]:
    assert query is not None
    return query.times, query.rows, query.files, query.bytes


def test_a_frame_that_is_collected_thrice_is_asked_thrice(tmp_path: Path) -> None:
    events = read(0, SCAN)
    for execution in (1, 2):
        events += again(execution, SCAN, task(execution, 10))
    query, left_out = found_in(tmp_path, *events)
    assert (counted(query), left_out) == ((3, 30, 6, 300), {})


def test_what_executions_read_at_once_is_told_apart(tmp_path: Path) -> None:
    later = scan("[(a#1 = 5), (a#1 < 9)]")
    begun = [*read(0, SCAN)[:-1], started(1, later), job(1, 1, [1])]
    found = hz.queries_from_event_log(
        write_log(
            tmp_path / "log", *begun, task(1, 300), task(0, 4), task(1, 50), ended(0), ended(1)
        )
    )
    assert {query.predicate: query.rows for query in found} == {"a = 5": 14, "a = 5 AND a < 9": 350}


@pytest.mark.parametrize("name", ["InMemoryTableScan", "Scan In-memory table people"])
def test_only_below_a_cache_is_a_frame_cached(tmp_path: Path, name: str) -> None:
    plan = below("Project", below(name, below("Filter", SCAN)))
    events = [*read(0, plan), *again(1, plan, task(1, 10, first=90)), *again(2, plan)]
    query, left_out = found_in(tmp_path, *events)
    assert (counted(query), left_out) == ((1, 10, 2, 100), {CACHED: 2})


def test_what_a_cache_has_lost_is_read_again_from_an_unknown_number_of_files(
    tmp_path: Path,
) -> None:
    query, left_out = found_in(tmp_path, *read(0, FILLED), *again(1, FILLED, task(1, 4)))
    assert (counted(query), left_out) == ((2, 14, 2, 100), {})


def test_a_cache_that_was_filled_before_the_log_begins_is_one(tmp_path: Path) -> None:
    query, left_out = found_in(tmp_path, *again(7, FILLED))
    assert (query, left_out) == (None, {CACHED: 1})


def test_what_was_shuffled_before_is_no_read_of_the_table(tmp_path: Path) -> None:
    """Nor is it a cached frame, which nobody has cached."""
    query, left_out = found_in(tmp_path, *read(0, SCAN), *again(1, SCAN, task(1, 10, first=90)))
    assert (counted(query), left_out) == ((1, 10, 2, 100), {REPEATED: 1})


def test_a_stage_that_runs_again_reads_for_the_query_that_lacks_it(tmp_path: Path) -> None:
    events = [*read(0, SCAN), *again(1, SCAN, submitted(0, 1, attempt=1), task(0, 7))]
    query, left_out = found_in(tmp_path, *events)
    assert (counted(query), left_out) == ((2, 17, 4, 200), {})


def test_a_repeated_scan_that_finds_no_row_has_read(tmp_path: Path) -> None:
    timed = {**SCAN, "metrics": [*SCAN["metrics"], {"name": "scan time", "accumulatorId": 3}]}
    events = read(0, timed)
    accumulables = [{"ID": 3, "Name": "scan time", "Update": 0}]
    none = {**task(1, 0), "Task Info": {"Accumulables": accumulables}}
    query, left_out = found_in(tmp_path, *events, *again(1, timed, none))
    assert (counted(query), left_out) == ((2, 10, 4, 200), {})


def test_rows_of_tasks_that_no_job_is_known_of_are_not_given_to_any(tmp_path: Path) -> None:
    first = [event for event in read(0, SCAN) if event["Event"] != "SparkListenerJobStart"]
    query, left_out = found_in(tmp_path, *first, started(1, SCAN), task(1, 10), ended(1))
    assert (counted(query), left_out) == ((1, None, 2, 100), {REPEATED: 1})


def test_rows_count_that_are_told_before_the_plan_that_they_are_of(tmp_path: Path) -> None:
    """As of a subquery whose plan Spark has changed: it tells of the whole plan later."""
    begun = [started(0, SCAN), job(0, 0, [0]), listed(0, first=50), task(0, 10, first=50)]
    query, left_out = found_in(tmp_path, *begun, updated(0, scan(first=50)), ended(0))
    assert (counted(query), left_out) == ((1, 10, 2, 100), {})


def test_rows_of_a_plan_that_is_not_in_the_log_are_none_of_a_later_one(tmp_path: Path) -> None:
    query, left_out = found_in(tmp_path, *read(0, SCAN)[1:], started(1, SCAN), ended(1))
    assert (query, left_out) == (None, {NOT_RUN: 1})


def test_a_query_takes_little_memory_however_much_its_plan_says() -> None:
    """And nothing of what other operators than scans have counted."""
    schema = f"struct<{','.join(f'c{n}:string' for n in range(200))}>"
    application = Application()

    def take(queries: range) -> None:
        for n in queries:
            first = 100 * n
            plan = scan(f"[(a#{first} = {n % 10})]", first, schema)
            others = [task(n, 5, first + 10 + place) for place in range(50)]
            for line in lines_of([*read(n, plan, first=first)[:-1], *others, ended(n)]):
                assert application.take(line)

    take(range(10))
    tracemalloc.start()
    take(range(10, 510))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(application.scans) == 510
    assert held / 500 < 4_000


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ([ended(1, "Job aborted due to stage failure")], FAILED),
        ([job_failed(1), ended(1, "Job 1 cancelled")], FAILED),
        ([job_failed(1), ended(1, error=None)], FAILED),
        ([job_failed(1)], FAILED),
        ([job_failed(1), ended(1)], None),  # as of a join that needs one side no more
        ([ended(1, error=None)], None),
        ([], None),
    ],
)
def test_a_query_that_failed_is_none_that_succeeded(
    tmp_path: Path, end: Sequence[Event], reason: str | None
) -> None:
    other = [started(1, scan(first=10)), listed(1, 10), job(1, 1, [1]), task(1, 3, 10)]
    query, left_out = found_in(tmp_path, *read(0, SCAN), *other, *end)
    if reason is None:
        assert (counted(query), left_out) == ((2, 13, 4, 200), {})
    else:
        assert (counted(query), left_out) == ((1, 10, 2, 100), {reason: 1})


def test_a_plan_that_has_not_run_is_left_out_as_such(tmp_path: Path) -> None:
    query, left_out = found_in(tmp_path, started(0, SCAN), ended(0))
    assert (query, left_out) == (None, {NOT_RUN: 1})


@pytest.mark.parametrize("index", ["HoodieIncrementalFileIndex", "HoodieCDCFileIndex"])
def test_a_read_whose_files_commits_tell_is_none_that_a_layout_serves(
    tmp_path: Path, index: str
) -> None:
    incremental = scan(first=10, index=index)
    query, left_out = found_in(tmp_path, *read(0, SCAN), *read(1, incremental, first=10))
    assert (counted(query), left_out) == ((1, 10, 2, 100), {INCREMENTAL: 1})


def test_reads_of_folders_below_a_table_are_left_out_and_counted(tmp_path: Path) -> None:
    events = read(0, SCAN)
    for number, folder in enumerate(("day=1", "day=1", "day=2/hour=3", "../t2"), 1):
        plan = scan(first=10 * number, place=f"{TABLE}/{folder}")
        events += read(number, plan, first=10 * number)
    found = hz.queries_from_event_log(write_log(tmp_path / "log", *events)).for_table(TABLE)
    assert (len(found), found.used, found.found) == (1, 1, 4)
    assert found.for_table(TABLE) == found
    assert found.summary() == (
        "the event logs have 4 reads of the table, of which 1 are used",
        "3 left out: a read of a folder below the table, as of one partition, such as "
        f"{TABLE}/day=1",
    )


def test_a_table_is_one_however_it_is_spelled() -> None:
    found = hz.Queries(
        queries=(logged("s3://b/t", "a = 5", 3), logged("s3a://b/t/", "b = 6", 2)),
        left_out=(
            hz.LeftOut(table="s3a://b/t/", reason="why", queries=2, conditions=0, example=""),
            hz.LeftOut(table="s3n://b/t/day=1", reason="why", queries=1, conditions=0, example=""),
        ),
    )
    assert found.tables == ("s3a://b/t/", "s3n://b/t/day=1")
    lines = str(found).splitlines()
    assert [line for line in lines if line in found.tables] == [*found.tables]
    assert sum("8 reads of the table, of which 5" in line for line in lines) == 1
    assert all(len([line for line in lines if text in line]) == 1 for text in ("a = 5", "b = 6"))
    assert found.for_table("s3://b/t").used == 5


def test_of_many_tables_each_place_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(queries, "same_place", lambda url: asked.append(url) or same_place(url))
    many = [f"/lake/{n}" for n in range(5_000)]
    found = hz.Queries(queries=tuple(logged(table, "a = 5", 1) for table in many))
    assert sum(isinstance(part, NamedRows) for part in found.parts()) == len(many)
    assert sorted(asked) == sorted(many)
