"""What somebody does to a table beside a clustering, and the rows that it has afterwards."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hudi_zorder as hz
from clusterings import IS_GONE, LOCKED_OUT, PATIENT, cancel_what_waits, told_of
from hudi_zorder.options import CONCURRENCY_MODE, LOCK_PROVIDER, LOCKING
from sql_statements import delete, insert_overwrite, merge, say, update
from storage_calls import WATCHED_LOCK, WATCHED_LOCK_IN_PROCESS
from trial_table import COLUMNS, ROWS, UPDATED, Rows, TrialTable, timeline_of

UNAWARE = "unaware"
_LOCKS: Mapping[str, Mapping[str, str]] = {
    "locked": {**LOCKING, LOCK_PROVIDER: WATCHED_LOCK},
    "locked in the process": {**LOCKING, LOCK_PROVIDER: WATCHED_LOCK_IN_PROCESS},
}
SETTINGS: Mapping[str, Mapping[str, str]] = {
    UNAWARE: {CONCURRENCY_MODE: "single_writer"},
    **_LOCKS,
    **{f"{name}, patient": {**lock, **PATIENT} for name, lock in _LOCKS.items()},
}
ADDED = range(ROWS, ROWS + 10)
OF_ONE_PARTITION = range(0, ROWS, 4)


def locks_of(settings: Mapping[str, str]) -> Mapping[str, str]:
    """A clustering locks the table as whoever is beside it does, and where that does not, too."""
    return settings if LOCK_PROVIDER in settings else SETTINGS["locked"]


# By what Hudi refuses who comes second; whatever else somebody fails by is a fault.
REFUSED = re.compile(
    f"{LOCKED_OUT}"
    "|Cannot resolve conflicts for overlapping writes"
    "|Not allowed to update the clustering file group"
)


def require_refused(operation: Operation, failed: BaseException) -> None:
    """Raises why somebody beside a clustering failed, unless they were refused.

    The plan of which they want something may be gone, and what has been written by it.
    """
    told = told_of(failed)
    ours = isinstance(failed, hz.ConflictError | hz.HiddenRowsError)
    gone = operation.wants_plan and IS_GONE.search(told)
    if not ours and not gone and not REFUSED.search(told):
        raise AssertionError(f"was not refused, but failed: {told}") from failed


@dataclass(frozen=True)
class Trial:
    """Where and by which of Hudi's settings it is done, and what waits for the clustering's end."""

    table: TrialTable
    path: Path
    settings: Mapping[str, str]
    wait: Callable[[], None]


@dataclass(frozen=True)
class Operation:
    """What somebody does to a table.

    Attributes:
        does: does it.
        after: the rows that the table has afterwards.
        fits: whether it is for such a table.
        wants_lock: whether Hudi loses something where it does not lock the table.
        breaks_clustering: whether it may hide rows of a clustering that is done, until the table is
            repaired: HUDI_FAULTS.md.
        ends_clustering: whether the clustering may fail by it wherever it is, in Hudi itself: its
            plan is gone, or what it reads.
        hides_logs: whether the metadata table of a table of version 6, which it does not lock, may
            lack the logs of what it undoes, and its own: HUDI_FAULTS.md.
        is_in_vain: whether Hudi says that it is done and does nothing, the clustering came first.
        is_patient: whether it waits for a clustering longer than any is stopped.
        wants_plan: whether it does something with a plan that is pending, and else nothing.
        leaves_plans: whether a plan stays of it when it is refused, or is brought back by it.
    """

    does: Callable[[Trial], None]
    after: Callable[[TrialTable], Rows] = lambda table: table.states[-1]
    fits: Callable[[TrialTable], bool] = lambda table: True
    wants_lock: bool = False
    ends_clustering: bool = False
    breaks_clustering: bool = False
    hides_logs: bool = False
    is_in_vain: Callable[[Path], bool] = lambda path: False
    is_patient: bool = False
    wants_plan: bool = False
    leaves_plans: bool = False


def _writes(operation: str, ids: Sequence[int], **more: str) -> Callable[[Trial], None]:
    settings = {f"hoodie.{key.replace('__', '.')}": value for key, value in more.items()}
    return lambda trial: trial.table.write(
        trial.path, ids, "-1", operation, {**trial.settings, **settings}
    )


def _says(statement: str) -> Callable[[Trial], None]:
    return lambda trial: say(
        trial.table.spark,
        trial.path,
        statement,
        {**trial.table.keeps, **trial.settings},
        merges_on_read=trial.table.merges_on_read,
    )


def _asks(act: Callable[[Any, Trial], object], **more: str) -> Callable[[Trial], None]:
    """Asks a write client of Hudi's, which has these settings besides."""
    settings = {f"hoodie.{key.replace('__', '.')}": value for key, value in more.items()}

    def does(trial: Trial) -> None:
        with trial.table.client(trial.path, {**trial.settings, **settings}) as client:
            act(client, trial)

    return does


def _nothing_more(trial: Trial) -> Any:
    jvm: Any = trial.table.spark._jvm
    return jvm.org.apache.hudi.common.util.Option.empty()


def _compacts(client: Any, trial: Trial) -> None:
    instant = client.scheduleCompaction(_nothing_more(trial))
    if instant.isPresent():
        client.compact(instant.get(), True)


def _compacts_logs(client: Any, trial: Trial) -> None:
    instant = client.scheduleLogCompaction(_nothing_more(trial))
    if instant.isPresent():
        client.logCompact(instant.get(), True)


def _clusters(client: Any, trial: Trial) -> None:
    instant = client.scheduleClustering(_nothing_more(trial))
    if instant.isPresent():
        client.cluster(instant.get(), True)


def _cancels(trial: Trial) -> None:
    """Takes the plan away from who executes it."""
    cancel_what_waits(trial.table, trial.path, locks_of(trial.settings))


def _executes(trial: Trial) -> None:
    """Executes the same plan."""
    clustering = hz.ZOrderTable(trial.table.spark, trial.path)
    for plan in clustering.pending():
        clustering.execute(plan.instant, hudi_options=trial.settings)


def _executes_as_hudi(client: Any, trial: Trial) -> None:
    """As Hudi's writers and services do, who look at no heartbeat."""
    for plan in hz.ZOrderTable(trial.table.spark, trial.path).pending():
        client.cluster(plan.instant, True)


def _restores(client: Any, trial: Trial) -> None:
    first = trial.table.instants[0]
    client.savepoint(first, "trial", "the first load")
    client.restoreToSavepoint(first)


def _is_of_what_was_clustered(path: Path) -> bool:
    """A rollback of files that were replaced before it began: HUDI_FAULTS.md."""
    timeline = timeline_of(path)
    began = [file.stat().st_ctime_ns for file in timeline.glob("*.rollback.requested")]
    committed = [file.stat().st_ctime_ns for file in timeline.glob("*.replacecommit")]
    return bool(began and committed) and max(began) > max(committed)


def _reads(trial: Trial) -> None:
    """Begins before the clustering goes on, and ends when it has ended."""
    reader = trial.table.spark.read.format("hudi").options(**trial.settings)
    frame = reader.load(str(trial.path)).select(*COLUMNS)
    frame._jdf.queryExecution().executedPlan()
    trial.wait()
    assert Counter(map(tuple, frame.collect())) == trial.table.before, "other rows were read"


def _changed(
    ids: Sequence[int] = (), gone: Callable[[int], bool] = lambda row: False, b: int | None = None
) -> Callable[[TrialTable], Rows]:
    def after(table: TrialTable) -> Rows:
        kept = {row: values for row, values in table.states[-1].items() if not gone(row)}
        return {**kept, **table.written(ids, -1, b)}

    return after


def _is_even(row: int) -> bool:
    return row % 2 == 0


OPERATIONS: Mapping[str, Operation] = {
    "upsert": Operation(_writes("upsert", UPDATED), _changed(UPDATED)),
    "delete": Operation(_writes("delete", UPDATED), _changed(gone=UPDATED.__contains__)),
    "insert": Operation(_writes("insert", ADDED), _changed(ADDED)),
    "bulk insert": Operation(_writes("bulk_insert", ADDED), _changed(ADDED)),
    "insert overwrite": Operation(
        _writes("insert_overwrite", OF_ONE_PARTITION), _changed(OF_ONE_PARTITION, _is_even)
    ),
    "insert overwrite table": Operation(
        _writes("insert_overwrite_table", OF_ONE_PARTITION),
        _changed(OF_ONE_PARTITION, lambda row: True),
    ),
    "delete partition": Operation(
        _writes(
            "delete_partition", OF_ONE_PARTITION, datasource__write__partitions__to__delete="p0"
        ),
        _changed(gone=_is_even),
    ),
    "SQL UPDATE": Operation(_says(update("a = -1", "id % 7 = 0")), _changed(UPDATED)),
    "SQL DELETE": Operation(_says(delete("id % 7 = 0")), _changed(gone=UPDATED.__contains__)),
    "SQL MERGE": Operation(
        _says(
            merge(
                "SELECT id, -1 AS a, 1L AS b, concat('p', id % 2) AS part"
                f" FROM range({ROWS + 10}) WHERE id % 7 = 0 OR id >= {ROWS}"
            )
        ),
        _changed([*UPDATED, *ADDED], b=1),
    ),
    "SQL INSERT OVERWRITE": Operation(
        _says(
            insert_overwrite("part = 'p0'", f"SELECT id, -1 AS a, 1L AS b FROM range(0, {ROWS}, 4)")
        ),
        _changed(OF_ONE_PARTITION, _is_even, b=1),
    ),
    # Hudi takes away what is there, and writes nothing by which one could tell where.
    "SQL INSERT OVERWRITE by nothing": Operation(
        _says(
            insert_overwrite(
                "part = 'p0'", "SELECT id, -1 AS a, 1L AS b FROM range(1) WHERE id > 0"
            )
        ),
        _changed(gone=_is_even),
    ),
    "compaction": Operation(
        _asks(_compacts, compact__inline__max__delta__commits="1"),
        fits=lambda table: table.merges_on_read,
    ),
    "log compaction": Operation(
        _asks(_compacts_logs, log__compaction__blocks__threshold="1"),
        fits=lambda table: table.merges_on_read,
    ),
    "cleaner": Operation(_asks(lambda client, trial: client.clean(), clean__commits__retained="1")),
    "rollback": Operation(
        _asks(lambda client, trial: client.rollback(trial.table.instants[-1])),
        lambda table: table.states[-2],
        ends_clustering=True,
        hides_logs=True,
        is_in_vain=_is_of_what_was_clustered,
    ),
    # It takes what is being committed off the timeline, and leaves it in the metadata table.
    "restore": Operation(
        _asks(_restores),
        lambda table: table.states[0],
        wants_lock=True,
        ends_clustering=True,
        leaves_plans=True,
    ),
    "clustering": Operation(
        lambda trial: trial.table.cluster(trial.path, hudi_options=trial.settings) and None,
        is_patient=True,
    ),
    "cancel": Operation(_cancels, ends_clustering=True, wants_plan=True),
    "execution": Operation(_executes, is_patient=True, wants_plan=True),
    "execution of Hudi's": Operation(
        _asks(_executes_as_hudi), ends_clustering=True, breaks_clustering=True, wants_plan=True
    ),
    "clustering of Hudi's": Operation(
        _asks(_clusters, clustering__plan__strategy__sort__columns="b"), leaves_plans=True
    ),
    "reader": Operation(_reads),
}
