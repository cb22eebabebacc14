"""Hudi's write client for one table: plans scheduled, previewed, executed, cancelled."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from hudi_zorder.errors import ConflictError
from hudi_zorder.hudi.metadata_indexes import COLUMN_STATS_INDEX
from hudi_zorder.options import PREFIX
from hudi_zorder.spark._jvm.collections import listed, mapped
from hudi_zorder.spark._jvm.preview import Preview
from hudi_zorder.spark._jvm.process import hudi_jvm_of

_MARKER_INTERVAL: Final = "hoodie.markers.timeline_server_based.batch.interval_ms"
_BY_MARKERS: Final = "hoodie.rollback.using.markers"
# Hudi's own heart beats for as long as the client lives that planned, which here is another than
# that which executes: the execution shows ours, which Hudi's writers heed as well.
_OUR_HEART: Final = {"hoodie.clustering.enable.expirations": "false"}
_UNREADABLE_MARKERS: Final = "Error rolling back using marker files"
# What Hudi says when it begins to execute a plan that the timeline has not, or not any more.
_PLAN_IS_GONE: Final = re.compile(
    r"Unable to read clustering plan for instant"
    r"|No value present in Option\n(\tat .*\n)?\tat .*ClusteringCommitActionExecutor\.<init>"
)


@dataclass(frozen=True)
class ExecutionReport:
    """What only the executing JVM knows of a clustering.

    Attributes:
        seconds: duration of each phase, summed over groups, which may have run side by side.
        readers: how many groups each reader read, ``vectorised`` or ``merging``; some need both.
        forecast: lines of what queries were foretold to read, as Java's ``QueryForecast`` has them.
        locked_here_alone: whether the lock keeps no other process out, as the store has none.
    """

    seconds: Mapping[str, float] = field(default_factory=dict)
    readers: Mapping[str, int] = field(default_factory=dict)
    forecast: Sequence[str] = ()
    locked_here_alone: bool = False


@dataclass(frozen=True, slots=True)
class PlanLine:
    """A group of a plan that nobody wrote, or what such a plan leaves alone of a partition.

    Attributes:
        partition: its folder relative to the table, ``""`` when not partitioned.
        file_ids: the file groups that would be replaced; empty for what is left alone.
        files: how many files would replace them.
        metrics: our numbers by their names without ``hoodie.clustering.zorder.``.
    """

    partition: str
    file_ids: tuple[str, ...]
    files: int
    metrics: Mapping[str, float]

    @classmethod
    def of(cls, line: str) -> PlanLine:
        """Returns what a line of Java's ``UnwrittenPlan`` says."""
        files, ids, metrics, partition = line.split("\t", 3)
        numbers = (metric.split("=") for metric in metrics.split(",") if metric)
        ours = {
            name.removeprefix(PREFIX): float(number)
            for name, number in numbers
            if name.startswith(PREFIX)
        }
        return cls(partition, tuple(filter(None, ids.split(","))), int(files), ours)


@dataclass(frozen=True, slots=True)
class UnwrittenPlan:
    """What a plan that nobody wrote says.

    Attributes:
        lines: of its groups, and of what it leaves alone.
        forecast: lines of what queries would read, as Java's ``QueryForecast`` has them.
    """

    lines: Sequence[PlanLine]
    forecast: Sequence[str]


@dataclass(frozen=True, slots=True)
class CommittedClustering:
    """What a committed clustering has left, as Java's class of this name tells.

    Attributes:
        replaced: rows that were replaced; 0 where files of either side are gone.
        written: rows that were written; 0 likewise.
        same: whether they are the same rows, each as often; False likewise.
        cleaned: files of either that the cleaner was free to remove, and did.
        lost: files that were written and are no more, although nothing has taken their place.
        unlisted: files that were written, are there, and that the metadata table does not list,
            although queries are to read them; None where there is no such table.
        strays: files of its instant that its commit does not name.
        kept: file groups of its plan that its commit has not replaced.
        hidden: file groups that its commit has replaced and its plan does not name.
    """

    replaced: int
    written: int
    same: bool
    cleaned: tuple[str, ...]
    lost: tuple[str, ...]
    unlisted: tuple[str, ...] | None
    strays: tuple[str, ...]
    kept: tuple[str, ...]
    hidden: tuple[str, ...]


class HudiJvm:
    """One Hudi table as its JVM classes see it.

    Args:
        spark: the session whose JVM is used.
        path: the table's base path.
    """

    def __init__(self, spark: SparkSession, path: str) -> None:
        self._spark = spark
        self._path = path

    @cached_property
    def _jvm(self) -> Any:
        return hudi_jvm_of(self._spark)

    def has_commits(self) -> bool:
        """Tells whether anything was ever written to the table."""
        timeline = self._meta_client().getActiveTimeline().getCommitsTimeline()
        return int(timeline.filterCompletedInstants().countInstants()) > 0

    def partitions(self, predicate: str) -> list[str]:
        """Returns the partition paths that satisfy a predicate over partition columns alone."""
        procedures = self._jvm.org.apache.spark.sql.hudi.command.procedures
        with self._active_session():
            procedure = procedures.RunClusteringProcedure()
            paths = procedure.prunePartition(self._meta_client(), predicate)
        return sorted(paths.split(",")) if paths else []

    def schedule(self, config: Mapping[str, str], notes: Mapping[str, str]) -> str | None:
        """Writes a clustering plan; returns its instant, or None when nothing can be clustered.

        Args:
            config: Hudi options.
            notes: what the plan says besides.
        """
        with self._client(config) as client:
            instant = client.scheduleClustering(self._option().of(dict(notes)))
            return str(instant.get()) if instant.isPresent() else None

    def execute(self, instant: str, config: Mapping[str, str]) -> None:
        """Executes a pending plan and commits it.

        Raises:
            ConflictError: when somebody takes the plan away as its execution begins.
        """
        try:
            with self._client(config) as client:
                client.cluster(instant, True)
        except Py4JJavaError as failed:
            if not _PLAN_IS_GONE.search(str(failed)):
                raise
            raise ConflictError(
                f"Cannot execute clustering {instant}: its plan is gone, for another process has "
                f"cancelled it or rolled it back; nothing was written to '{self._path}'"
            ) from failed
        if report := self._report(instant):
            report.committed()

    def report(self, instant: str) -> ExecutionReport:
        """Returns what our execution strategy measured; empty when another class executed."""
        if report := self._report(instant):
            return ExecutionReport(
                mapped(report.seconds()),
                mapped(report.readers()),
                listed(report.forecast()),
                report.isLockedHereAlone(),
            )
        return ExecutionReport()

    def _report(self, instant: str) -> Any:
        return self._jvm.io.hudizorder.ClusteringReport.of(self._path, instant)

    def committed(self, instant: str, config: Mapping[str, str]) -> CommittedClustering:
        """Reads what a committed clustering has replaced and written, and who lists its files."""
        with self._client(config) as client:
            found = self._jvm.io.hudizorder.verify.CommittedClustering.of(client, instant)
            return CommittedClustering(
                replaced=found.rowsReplaced(),
                written=found.rowsWritten(),
                same=found.hasSameRows(),
                cleaned=listed(found.cleaned()),
                lost=listed(found.lost()),
                unlisted=listed(found.unlisted()) if found.hasMetadataTable() else None,
                strays=listed(found.strays()),
                kept=listed(found.kept()),
                hidden=listed(found.hidden()),
            )

    def process(self) -> str:
        """Returns the name of the JVM's process; ``""`` where the system does not tell."""
        return str(self._jvm.io.hudizorder.concurrency.ProcessIdentity.ofThis())

    def cancel(
        self,
        instant: str,
        partitions: Sequence[str],
        config: Mapping[str, str],
        *,
        executing: bool,
    ) -> None:
        """Removes a plan of these partitions with the files that attempts to execute it have left.

        The heartbeat of who is ``executing`` stays: by it, should Hudi fail to commit what is no
        more pending and nobody take its files away, these are found once it is silent.
        """
        try:
            self._purge(instant, config)
        except Py4JJavaError as failed:
            if _UNREADABLE_MARKERS not in str(failed):
                raise
            # Its executor has died while it wrote them: the files are looked for.
            self._purge(instant, {**config, _BY_MARKERS: "false"})
        leftovers = self._jvm.io.hudizorder.plan.Leftovers
        if executing:
            leftovers.removeMarkers(self._meta_client(), instant)
        else:
            with self._client(config) as client:
                leftovers.removeAll(client, instant, list(partitions))
            self.end_execution(instant)

    def _purge(self, instant: str, config: Mapping[str, str]) -> None:
        with self._client(config) as client:
            self._jvm.io.hudizorder.plan.PendingPlan.cancel(client, instant)

    def take_back(self, instant: str, config: Mapping[str, str]) -> None:
        """Makes a clustering pending again of which Hudi failed to write the commit."""
        plans = self._jvm.io.hudizorder.plan.PendingPlan
        plans.takeBackHalf(self._meta_client(), dict(config), instant)

    def last_look(self, instant: str, config: Mapping[str, str]) -> str:
        """Looks at a committed clustering in place of its dead executor.

        Returns:
            Why it was rolled back; ``""`` if it hides nothing.
        """
        looks = self._jvm.io.hudizorder.concurrency.LastLook
        with self._client(config) as client:
            return str(looks.inPlaceOfDead(client, instant))

    def remove_leftovers(self, instant: str, config: Mapping[str, str]) -> None:
        """Removes heartbeat, markers and files that an instant has that is no more pending.

        Those are taken out of the metadata table, too.
        """
        with self._client(config) as client:
            # Of a plan that is gone nobody knows where it would have written.
            self._jvm.io.hudizorder.plan.Leftovers.removeAll(client, instant, [""])

    def end_execution(self, instant: str) -> None:
        """Shows that this process executes a plan no more."""
        self._jvm.io.hudizorder.concurrency.ClusteringAttempt.end(self._meta_client(), instant)

    def give_up(self, instant: str) -> None:
        """Leaves a plan as that of somebody dead, which this process cannot take back."""
        self._jvm.io.hudizorder.concurrency.ClusteringAttempt.giveUp(self._meta_client(), instant)

    def look_after(self, instant: str) -> None:
        """Looks at what this process has committed, where Hudi failed before it came to that."""
        attempts = self._jvm.io.hudizorder.concurrency.ClusteringAttempt
        attempts.lookAfter(self._meta_client(), instant)

    def ask_no_more(self, columns: Sequence[str]) -> None:
        """Has queries ask the column-statistics index for some columns no more.

        Hudi does the same at each write, with the columns that it has statistics of.
        """
        if not columns:
            return
        table = self._meta_client()
        definitions = table.getIndexMetadata().get().getIndexDefinitions()
        known = definitions.get(COLUMN_STATS_INDEX)
        kept = [name for name in listed(known.getSourceFields()) if name not in columns]
        table.buildIndexDefinition(known.toBuilder().withSourceFields(kept).build())

    @contextmanager
    def preview(self, config: Mapping[str, str]) -> Iterator[Preview | None]:
        """Plans a clustering without writing the plan; None when nothing can be clustered."""
        with self._client(config) as client:
            found = self._jvm.io.hudizorder.ClusteringPreview.of(client)
            try:
                yield None if found is None else Preview(self._spark, found)
            finally:
                if found is not None:
                    found.close()

    def plan(self, config: Mapping[str, str], foretold_groups: int) -> UnwrittenPlan:
        """Plans a clustering without writing the plan, and finds out what it leaves alone.

        Args:
            config: Hudi options.
            foretold_groups: of how many groups at most rows are sampled to tell what the queries
                to be cut for would read; those of most files.
        """
        with self._client(config) as client:
            made = self._jvm.io.hudizorder.UnwrittenPlan.explained(client)
            lines = [PlanLine.of(line) for line in made.describe().split("\n") if line]
            return UnwrittenPlan(lines, listed(made.forecast(foretold_groups)))

    @contextmanager
    def _client(self, config: Mapping[str, str]) -> Iterator[Any]:
        settings = {**self._hurrying(), **self._keeping_indexes(), **config, **_OUR_HEART}
        scala_map = self._jvm.org.apache.spark.api.python.PythonUtils.toScalaMap(settings)
        with self._active_session():
            client = self._jvm.org.apache.hudi.HoodieCLIUtils.createHoodieWriteClient(
                self._spark._jsparkSession, self._path, scala_map, self._jvm.scala.Option.empty()
            )
            try:
                yield client
            finally:
                client.close()

    @contextmanager
    def _active_session(self) -> Iterator[None]:
        """Has Hudi find the session, as it does by thread, within the block."""
        sessions = self._jvm.org.apache.spark.sql.SparkSession
        # None in a thread that Python has started, where the JVM would take the first of all.
        outer = sessions.getActiveSession()
        sessions.setActiveSession(self._spark._jsparkSession)
        try:
            yield
        finally:
            if outer.isDefined():
                sessions.setActiveSession(outer.get())
            else:
                sessions.clearActiveSession()

    def default_of(self, key: str) -> str | None:
        """Returns what Hudi's own defaults say, those of ``hudi-defaults.conf``."""
        properties = self._jvm.org.apache.hudi.common.config.DFSPropertiesConfiguration
        value: str | None = properties.getGlobalProps().getProperty(key)
        return value

    def _hurrying(self) -> dict[str, str]:
        """Returns the setting by which a file waits less for its marker, unless the session has it.

        It waits up to the interval at which Hudi's server writes those asked for, 50 ms.
        """
        chosen = self._spark.conf.get(_MARKER_INTERVAL, None)
        return {} if chosen else {_MARKER_INTERVAL: "5"}

    def _keeping_indexes(self) -> dict[str, str]:
        """Returns the settings by which commits keep every index of the metadata table in step.

        Hudi deletes the indexes that the committing process does not ask for, such as the record
        index of a writer, and takes a partitioned one for global, so that keys would be found
        where they were before.
        """
        indexes = self._jvm.io.hudizorder.table.MetadataIndexes
        return mapped(indexes.keeping(self._meta_client()))

    def _meta_client(self) -> Any:
        hadoop = self._jvm.org.apache.hudi.hadoop.fs.HadoopFSUtils.getStorageConf(
            self._spark._jsparkSession.sessionState().newHadoopConf()
        )
        builder = self._jvm.org.apache.hudi.common.table.HoodieTableMetaClient.builder()
        return builder.setBasePath(self._path).setConf(hadoop).build()

    def _option(self) -> Any:
        return self._jvm.org.apache.hudi.common.util.Option
