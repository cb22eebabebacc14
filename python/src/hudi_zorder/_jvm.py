"""The one module that touches py4j: Hudi's write client, its plans and its exceptions.

Everything comes back as texts, numbers and lists; no Java object leaves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark import SparkConf, SparkContext
from pyspark.errors.exceptions.captured import CapturedException
from pyspark.sql import DataFrame, SparkSession

from hudi_zorder.errors import (
    ClusteringError,
    ConflictError,
    HiddenRowsError,
    HudiZOrderError,
    OptionError,
    PlanInUseError,
    PredicateError,
    SessionError,
    TableError,
)
from hudi_zorder.options import EXECUTION_STRATEGY

if TYPE_CHECKING:
    import pyarrow as pa

_CLIENTS: Final = "org.apache.hudi.HoodieCLIUtils"

# Spark wraps what a task threw into a sentence of its own: "Job aborted ... most recent failure:
# Lost task 0.0 in stage 4.0 (TID 5) (host executor driver): java.lang.X: message\n\tat ...".
_TASK_FAILURE: Final = re.compile(r".*most recent failure: [^\n]*?\): ", re.DOTALL)
_REFUSAL: Final = "java.lang.IllegalArgumentException"
_HUDIS_CONFLICT: Final = "org.apache.hudi.exception.HoodieWriteConflictException"
_KINDS: Final[dict[str, type[HudiZOrderError]]] = {
    "io.hudizorder.HiddenRowsException": HiddenRowsError,
    "io.hudizorder.ConcurrentWriteException": ConflictError,
    "io.hudizorder.PlanInUseException": PlanInUseError,
}
_CLASS_PREFIX: Final = re.compile(r"^(?:[a-z_][\w$]*\.)+[\w$]+(?:: |$)")


def jvm_runs() -> bool:
    """Tells whether this process has started a JVM, whose class path is then settled."""
    return SparkContext._jvm is not None


def system_setting(key: str) -> str | None:
    """Returns a Spark setting that the running JVM was started with."""
    return SparkConf(loadDefaults=True).get(key)


def missing_classes() -> list[str]:
    """Returns those of Hudi's and our entry classes that the running JVM cannot load."""
    jvm: Any = SparkContext._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    missing = []
    for name in (_CLIENTS, EXECUTION_STRATEGY):
        try:
            loader.loadClass(name)
        except Py4JJavaError:
            missing.append(name)
    return missing


def require_session(action: str) -> Any:
    """Returns the running JVM with our classes.

    Args:
        action: what needs it, to follow "Cannot ".

    Raises:
        SessionError: when there is none.
    """
    if not jvm_runs() or EXECUTION_STRATEGY in missing_classes():
        raise SessionError(
            f"Cannot {action}: no Spark session with hudi-zorder's jar runs; start one by "
            "hudi_zorder.configure_spark(SparkSession.builder).getOrCreate()"
        )
    return SparkContext._jvm


class ZBox:
    """A box of z-values, which the JVM searches.

    Args:
        low: the lowest word of each column as 8 bytes, the most significant first.
        high: the highest words.
    """

    def __init__(self, low: bytes, high: bytes) -> None:
        self._key = require_session("search a box").io.hudizorder.key
        self._box = self._key.ZBox.of(low, high)
        self._bytes = len(low)

    def ranges(self, most: int | None) -> list[tuple[bytes, bytes]]:
        """Returns the ranges that cover the box, exactly or by so many at most."""
        ranges = self._key.ZRanges
        with jvm_errors("list the z-ranges of a box", OptionError):
            found = ranges.exact(self._box) if most is None else ranges.atMost(self._box, most)
        ends = bytes(ranges.bytes(found))
        step = self._bytes
        z_values = [ends[at : at + step] for at in range(0, len(ends), step)]
        return list(zip(z_values[::2], z_values[1::2], strict=True))

    def bigmin(self, z: bytes) -> bytes | None:
        """Returns the least z-value of the box above another, if there is one."""
        found = self._box.bigmin(z).orElse(None)
        return None if found is None else bytes(found)

    def litmax(self, z: bytes) -> bytes | None:
        """Returns the greatest z-value of the box below another, if there is one."""
        found = self._box.litmax(z).orElse(None)
        return None if found is None else bytes(found)


def described_options(spark: SparkSession) -> dict[str, str]:
    """Returns key and default of every option, as the Java class in the jar describes them."""
    text: str = _java(spark).io.hudizorder.ZOrderOptions.describe()
    return dict(line.split("=", 1) for line in text.splitlines() if line)


@dataclass(frozen=True)
class ExecutionReport:
    """What only the executing JVM knows of a clustering.

    Attributes:
        seconds: duration of each phase, summed over groups, which may have run side by side.
        readers: how many groups each reader read, ``vectorised`` or ``merging``; some need both.
    """

    seconds: Mapping[str, float]
    readers: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PlannedGroup:
    """What a plan would take together: a partition, unless that is divided.

    Attributes:
        partition: its folder relative to the table, ``""`` when not partitioned.
        file_ids: the file groups that would be replaced.
        files: how many files would replace them.
    """

    partition: str
    file_ids: tuple[str, ...]
    files: int


class Preview:
    """A plan that nobody wrote, and a sample of the rows that it would rewrite.

    Attributes:
        groups: its clustering groups.
    """

    def __init__(self, spark: SparkSession, preview: Any) -> None:
        self._spark = spark
        self._preview = preview
        lines = (line.split("\t", 2) for line in preview.describe().split("\n"))
        self.groups = tuple(
            PlannedGroup(partition, tuple(ids.split(",")), int(files))
            for files, ids, partition in lines
        )

    def sample(
        self, columns: Sequence[str], rows: Sequence[int], size: int
    ) -> tuple[pa.Array, list[pa.Array]]:
        """Samples rows, the same ones for the same rows and seed.

        Args:
            columns: the columns to be looked at.
            rows: about how many rows each group has.
            size: rows to sample at least, or all there are.

        Returns:
            The number of each row's group, and the values of each column.
        """
        import pyarrow as pa

        frame = DataFrame(self._preview.sample(list(columns), list(rows), size), self._spark)
        # Spark's public ways to Arrow all go through pandas.
        batches = frame._collect_as_arrow()
        if not batches:
            return pa.array([], pa.int32()), [pa.nulls(0) for _ in columns]
        groups, *values = pa.Table.from_batches(batches).columns
        return groups.combine_chunks(), [column.combine_chunks() for column in values]

    def files(self, layout: Mapping[str, str]) -> pa.Array:
        """Returns the number of the file that each sampled row would go to under a layout.

        Args:
            layout: Hudi options, whose sort columns are among those of the plan.
        """
        import pyarrow as pa

        found = bytes(self._preview.files(dict(layout)))
        return pa.Array.from_buffers(pa.int32(), len(found) // 4, [None, pa.py_buffer(found)])


class HudiJvm:
    """One Hudi table as its JVM classes see it.

    Args:
        spark: the session whose JVM is used.
        path: the table's base path.
    """

    def __init__(self, spark: SparkSession, path: str) -> None:
        self._spark = spark
        self._jvm = _java(spark)
        self._path = path

    def has_commits(self) -> bool:
        """Tells whether anything was ever written to the table."""
        timeline = self._meta_client().getActiveTimeline().getCommitsTimeline()
        return int(timeline.filterCompletedInstants().countInstants()) > 0

    def partitions(self, predicate: str) -> list[str]:
        """Returns the partition paths that satisfy a predicate over partition columns alone."""
        # Hudi's procedure finds its session by thread.
        self._jvm.org.apache.spark.sql.SparkSession.setActiveSession(self._spark._jsparkSession)
        procedures = self._jvm.org.apache.spark.sql.hudi.command.procedures
        paths = procedures.RunClusteringProcedure().prunePartition(self._meta_client(), predicate)
        return sorted(paths.split(",")) if paths else []

    def schedule(self, config: Mapping[str, str]) -> str | None:
        """Writes a clustering plan; returns its instant, or None when nothing can be clustered."""
        with self._client(config) as client:
            instant = client.scheduleClustering(self._option().empty())
            return str(instant.get()) if instant.isPresent() else None

    def execute(self, instant: str, config: Mapping[str, str]) -> None:
        """Executes a pending plan and commits it."""
        with self._client(config) as client:
            client.cluster(instant, True)
        if report := self._report(instant):
            report.committed()

    def report(self, instant: str) -> ExecutionReport:
        """Returns what our execution strategy measured; empty when another class executed."""
        if report := self._report(instant):
            return ExecutionReport(dict(report.seconds()), dict(report.readers()))
        return ExecutionReport({}, {})

    def _report(self, instant: str) -> Any:
        return self._jvm.io.hudizorder.ClusteringReport.of(instant)

    def cancel(self, instant: str, config: Mapping[str, str]) -> None:
        """Removes a pending plan with the files that an attempt to execute it has written."""
        with self._client(config) as client:
            if client.purgePendingClustering(instant):
                return
        # No attempt was made, so that the plan is all there is.
        meta_client = self._meta_client()
        timeline = meta_client.getActiveTimeline()
        requested = self._clustering().getRequestedClusteringInstant(
            instant, timeline, meta_client.getInstantGenerator()
        )
        timeline.deletePending(requested.get())

    def indexed_columns(self) -> list[str]:
        """Returns the columns that the column-statistics index was last defined for."""
        definition = self._meta_client().getIndexForMetadataPartition("column_stats")
        return list(definition.get().getSourceFields()) if definition.isPresent() else []

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

    @contextmanager
    def _client(self, config: Mapping[str, str]) -> Iterator[Any]:
        settings = {**self._keeping_indexes(), **config}
        scala_map = self._jvm.org.apache.spark.api.python.PythonUtils.toScalaMap(settings)
        client = self._jvm.org.apache.hudi.HoodieCLIUtils.createHoodieWriteClient(
            self._spark._jsparkSession, self._path, scala_map, self._jvm.scala.Option.empty()
        )
        try:
            yield client
        finally:
            client.close()

    def _keeping_indexes(self) -> dict[str, str]:
        """Returns the settings by which commits keep every index of the metadata table in step.

        Hudi deletes the indexes that the committing process does not ask for, such as the record
        index of a writer, and takes a partitioned one for global, so that keys would be found
        where they were before.
        """
        definition = self._meta_client().getIndexForMetadataPartition("record_index")
        partitioned = definition.isPresent() and (
            definition.get().getIndexOptions().get("isPartitioned") == "true"
        )
        return {
            "hoodie.metadata.auto.delete.partitions": "false",
            **({"hoodie.metadata.record.level.index.enable": "true"} if partitioned else {}),
        }

    def _meta_client(self) -> Any:
        hadoop = self._jvm.org.apache.hudi.hadoop.fs.HadoopFSUtils.getStorageConf(
            self._spark._jsparkSession.sessionState().newHadoopConf()
        )
        builder = self._jvm.org.apache.hudi.common.table.HoodieTableMetaClient.builder()
        return builder.setBasePath(self._path).setConf(hadoop).build()

    def _option(self) -> Any:
        return self._jvm.org.apache.hudi.common.util.Option

    def _clustering(self) -> Any:
        return self._jvm.org.apache.hudi.common.util.ClusteringUtils


def table_location(spark: SparkSession, name: str) -> str:
    """Returns the base path of a table in the catalog.

    Raises:
        TableError: when the catalog has no such table.
    """
    try:
        identifier = spark._jsparkSession.sessionState().sqlParser().parseTableIdentifier(name)
        table = spark._jsparkSession.sessionState().catalog().getTableMetadata(identifier)
        # A URI spells a space as %20, which Hadoop's paths do not.
        return str(_java(spark).org.apache.hadoop.fs.Path(table.location()).toString())
    except Exception as error:
        raise translated(error, f"find the table '{name}'", TableError) from error


def qualified(spark: SparkSession, path: str) -> str:
    """Returns a path with the scheme and host that the session's file systems give it."""
    conf = _hadoop(spark)
    place = _java(spark).org.apache.hadoop.fs.Path(path)
    with jvm_errors(f"find the file system of '{path}'", TableError):
        return str(place.getFileSystem(conf).makeQualified(place).toString())


def hadoop_settings(spark: SparkSession, prefix: str) -> dict[str, str]:
    """Returns the session's settings of Hadoop that start so, by their whole names."""
    found = _hadoop(spark).getPropsWithPrefix(prefix)
    return {f"{prefix}{key}": str(found[key]) for key in found}


def _hadoop(spark: SparkSession) -> Any:
    session: Any = spark
    return session._jsparkSession.sessionState().newHadoopConf()


def z_filtered(frame: DataFrame, predicate: str, most: int) -> DataFrame:
    """Returns the rows of which a predicate is true, asked by the table's z-column too."""
    with jvm_errors(f"ask for '{predicate}'", PredicateError):
        rows = _java(frame.sparkSession).io.hudizorder.zcolumn.ZColumns.where(
            frame._jdf, predicate, most
        )
    return DataFrame(rows, frame.sparkSession)


def z_predicate(frame: DataFrame, predicate: str, most: int) -> str | None:
    """Returns what a predicate means for the z-column, as text; None when that is nothing."""
    with jvm_errors(f"ask for '{predicate}'", PredicateError):
        found = _java(frame.sparkSession).io.hudizorder.zcolumn.ZColumns.predicate(
            frame._jdf, predicate, most
        )
    return str(found.get()) if found.isPresent() else None


def is_deterministic(frame: DataFrame) -> bool:
    """Tells whether a data frame has the same rows whenever it is evaluated.

    Spark calls the current time deterministic, which it is within one query alone.
    """
    plan = frame._jdf.queryExecution().analyzed()
    jvm: Any = SparkContext._jvm
    current_time = jvm.org.apache.spark.sql.catalyst.trees.TreePattern.CURRENT_LIKE()
    return bool(plan.deterministic()) and not plan.containsPattern(current_time)


@contextmanager
def jvm_errors(action: str, kind: type[HudiZOrderError] = ClusteringError) -> Iterator[None]:
    """Turns what the JVM throws within the block into a typed error.

    Args:
        action: what fails then, to follow "Cannot ".
        kind: the error's type; a fault in an option of ours becomes an OptionError in any case.
    """
    try:
        yield
    except (Py4JError, CapturedException, ConnectionError) as error:
        raise translated(error, action, kind) from error


def translated(error: Exception, action: str, kind: type[HudiZOrderError]) -> HudiZOrderError:
    """Returns the typed error for what py4j raised: its most telling message, with the remedy."""
    if isinstance(error, Py4JNetworkError | ConnectionError):
        return kind(f"Cannot {action}: Spark's JVM has ended; its log may say why")
    throwables = list(_throwables(error))
    classes = [throwable.getClass().getName() for throwable in throwables]
    if _HUDIS_CONFLICT in classes:  # Hudi's own words fill pages
        return ConflictError(
            f"Cannot {action}: a write has changed what it was to replace, as Hudi found when it "
            "held the lock; cluster again"
        )
    messages = list(_messages(throwables, error))
    kind = next((_KINDS[name] for name in classes if name in _KINDS), kind)
    ours = [(name, message) for name, message in messages if message.startswith("Cannot ")]
    if ours:  # complete as they stand, the outermost with the most to say
        refused = any(name == _REFUSAL for name, _ in ours)
        return (OptionError if refused else kind)(ours[0][1])
    name, root = messages[-1]
    first_line = root.partition("\n")[0].rstrip(".; ")
    if " " not in first_line:  # such as the bare name of a class that was not found
        first_line = f"{name.rpartition('.')[2]}: {first_line}"
    return kind(f"Cannot {action}: {first_line}")


def _throwables(error: Exception) -> Iterator[Any]:
    """Yields the Java exception behind an error and its causes, the outermost first."""
    throwable = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    while throwable is not None:
        yield throwable
        throwable = throwable.getCause()


def _messages(throwables: Sequence[Any], error: Exception) -> Iterator[tuple[str, str]]:
    """Yields class and message of each Java exception, or of the error where there is none."""
    if not throwables:
        yield type(error).__name__, str(error)
    for throwable in throwables:
        name = throwable.getClass().getName()
        message = _TASK_FAILURE.sub("", throwable.getMessage() or "")
        while prefix := _CLASS_PREFIX.match(message):
            name = prefix[0].rstrip(": ")
            message = message[prefix.end() :]
        message = message.split("\n\tat ")[0].split("\n\nDriver stacktrace")[0].strip()
        yield name, message or "no message"


def _java(spark: SparkSession) -> Any:
    return spark._jvm
