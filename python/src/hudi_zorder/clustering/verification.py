"""Proves what a clustering has left: the same rows, and metadata that tells the truth of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pyspark.sql import SparkSession

from hudi_zorder.clustering.verification_report import Verification
from hudi_zorder.errors import TableError
from hudi_zorder.hudi.history import clustering_commits
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.hudi.timeline import Instant, Timeline
from hudi_zorder.option_checks import checked_instant
from hudi_zorder.options import check_own_keys
from hudi_zorder.spark._jvm.exceptions import jvm_errors
from hudi_zorder.spark._jvm.write_client import CommittedClustering, HudiJvm
from hudi_zorder.spark.job_progress import run_with_progress
from hudi_zorder.stats.column_stats import contradictions
from hudi_zorder.stats.record_index import check_record_index

# Of a clustering that is archived: mostly its files are gone by then, as is what has outdated them.
_UNREAD: Final = CommittedClustering(
    replaced=0,
    written=0,
    same=False,
    cleaned=(),
    lost=(),
    unlisted=None,
    strays=(),
    kept=(),
    hidden=(),
)


def verify(
    spark: SparkSession, snapshot: TableSnapshot, instant: str | None, settings: Mapping[str, str]
) -> Verification:
    """Verifies a clustering that is committed; reads its files before and after.

    Of one that is archived it verifies the indexes alone.

    Args:
        spark: the session that does the work.
        snapshot: the table.
        instant: the clustering's; None for the last one.
        settings: further Hudi configuration.

    Raises:
        OptionError: for a setting that cannot be used.
        TableError: when the table has no such clustering.
        ClusteringError: when its files cannot be read.
    """
    check_own_keys(settings)
    if instant is not None:
        checked_instant("instant", instant)
    path = snapshot.url
    chosen = _chosen(snapshot.timeline, path, instant)
    time = chosen.time
    with jvm_errors(f"verify clustering {time} of '{path}'"):
        found = (
            _UNREAD
            if chosen.archived
            else run_with_progress(
                spark,
                f"Reading what clustering {time} replaced",
                lambda: HudiJvm(spark, path).committed(time, settings),
            )
        )
        # Without a metadata table that opens there are no indexes, whatever the table names.
        opens = chosen.archived or found.unlisted is not None
        index = check_record_index(spark, snapshot, path, settings) if opens else None
        return Verification(
            table=path,
            instant=time,
            archived=chosen.archived,
            rows_replaced=found.replaced,
            rows_written=found.written,
            same_rows=found.same,
            cleaned=found.cleaned,
            lost=found.lost,
            unlisted=found.unlisted,
            strays=found.strays,
            kept=found.kept,
            hidden=found.hidden,
            wrong_statistics=contradictions(snapshot) if opens else None,
            keys=index.keys if index else None,
            wrong_keys=index.wrong if index else 0,
            doubled_keys=index.doubled if index else 0,
        )


def _chosen(timeline: Timeline, path: str, instant: str | None) -> Instant:
    last = None
    for commit, _ in clustering_commits(timeline, {}):
        last = last or commit.time
        if instant in (None, commit.time):
            return commit
    if last is None:
        raise TableError(
            f"Cannot verify a clustering of '{path}': none was ever committed; cluster it first"
        )
    raise TableError(
        f"Cannot verify clustering '{instant}' of '{path}': none of that instant was committed; "
        f"the last one is {last}, and history() shows all"
    )
