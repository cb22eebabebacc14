"""One small Spark session for all tests of a process, and a writer of real Hudi tables."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import hypothesis
import pytest

Run = Callable[..., Any]

# At its default size a Bloom filter makes every file 430 KB, however few its rows.
SMALL_BLOOM_FILTERS = ("hoodie.index.bloom.num_entries", "100")

METADATA_TABLE = "hoodie.metadata.enable"
TEST_CLASSES = Path(__file__).parents[2] / "target" / "test-classes"

# These take minutes each with their slow tests: no process is to be left with one at the end.
LONGEST = (
    "test_crashes.py",
    "test_tables_people_have.py",
    "test_table_services.py",
    "test_verify_files.py",
    "test_modes.py",
    "test_last_look.py",
    "test_standalone_cluster.py",
)

# Hadoop's own file system starts a process for each file that it creates; without its class, as
# long as nobody has compiled tests/java, the tests take longer.
LOCAL_FILES = "io.hudizorder.LocalFiles"

# Verifying what is loaded takes a tenth of a session's time; the Java tests and the matrix do it.
JAVA_OPTIONS = "-XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
# Compiling took two fifths of its processor time, most of it in the compiler that pays off after
# many minutes alone. Without it Java has room for less code by default, and throws some away.
COMPILES_QUICKLY = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"

# Between two instants Hudi lets pass what clocks of different machines may differ by, 200 ms.
CLOCK_SKEW = ("hoodie.time.generator.max_expected_clock_skew_ms", "1")

# Otherwise a server collects them, 50 ms long each time, for which every file is waited for.
QUICK_MARKERS = ("hoodie.write.markers.type", "DIRECT")

# Hudi's reader of logs sets it for good: Parquet's reader then counts only the rows that pass.
SWITCHED_ON_BY_HUDI = "spark.sql.parquet.recordLevelFilter.enabled"


def pytest_configure(config: pytest.Config) -> None:
    """Registers markers and seeds, so that this folder runs without the project's settings."""
    config.addinivalue_line("markers", "spark: needs a Spark session")
    config.addinivalue_line("markers", "slow: takes more than some ten seconds")
    config.addinivalue_line("markers", "soak: takes many minutes")
    # The same code gives the same results, whenever it is run, however busy the machine is.
    hypothesis.settings.register_profile("same", derandomize=True, deadline=None)
    hypothesis.settings.load_profile("same")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what uses the session, and runs it after what does not, slow tests last.

    Of several processes, each takes file by file in this order: first those of which is known that
    they take long, then those that use the session, so that short ones even out who ends when.
    """
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.spark)
    one_of_several = "PYTEST_XDIST_WORKER" in os.environ
    long = {item.path for item in items if _has(item, "spark")}
    items.sort(
        key=lambda item: (
            one_of_several and item.path.name not in LONGEST,
            one_of_several and item.path not in long,
            _has(item, "slow"),
            _has(item, "spark"),
        )
    )


def quick_first(values: Iterable[Any], quick: int = 1) -> list[Any]:
    """Returns the parameters of a test of which ``make test`` takes the first ones alone."""
    listed = list(values)
    return [
        *listed[:quick],
        *(
            pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.slow)
            for value in listed[quick:]
        ),
    ]


def _has(item: pytest.Item, marker: str) -> bool:
    return item.get_closest_marker(marker) is not None


def local_session(scratch: Path, java_options: str = COMPILES_QUICKLY) -> Any:
    """A session of two threads, made as a user would make it, which keeps its files in a folder."""
    from pyspark.sql import SparkSession

    import hudi_zorder as hz

    options = f"-Dderby.system.home={scratch} {JAVA_OPTIONS} {java_options}"
    builder = (
        SparkSession.builder.master("local[2]")
        .appName("hudi-zorder tests")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "2g")
        # The file system that fails when a test wants it to, of tests/java; others do without.
        .config("spark.driver.extraClassPath", str(TEST_CLASSES))
        # By default every sort takes 32 MB at once, for which the collector stops the process.
        .config("spark.buffer.pageSize", "1m")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.default.parallelism", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", str(scratch / "warehouse"))
        .config("spark.driver.extraJavaOptions", options)
    )
    if (TEST_CLASSES / LOCAL_FILES.replace(".", "/")).with_suffix(".class").exists():
        builder = builder.config("spark.hadoop.fs.file.impl", LOCAL_FILES)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    session = hz.configure_spark(builder).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session.conf.set(*SMALL_BLOOM_FILTERS)
    session.conf.set(*CLOCK_SKEW)
    return session


@pytest.fixture(scope="session")
def spark(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    """The session of all tests of a process."""
    lasts = any(_has(item, "slow") for item in request.session.items)
    session = local_session(tmp_path_factory.mktemp("spark"), "" if lasts else COMPILES_QUICKLY)
    yield session
    session.stop()


@pytest.fixture(autouse=True)
def _settings_kept(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails a test that leaves the shared session other settings than it found."""
    if "spark" not in request.fixturenames:
        yield
        return
    session = request.getfixturevalue("spark")
    session.conf.unset(SWITCHED_ON_BY_HUDI)
    before = _settings(session)
    yield
    changed = before ^ _settings(session)
    assert not changed, f"the test leaves the session that all share with: {sorted(changed)}"


def _settings(session: Any) -> set[str]:
    """What the next test of this process finds set of Hudi's: in the session, and by default."""
    from hudi_zorder.spark._jvm.collections import mapped

    hudis = session._jvm.org.apache.hudi.common.config.DFSPropertiesConfiguration
    return {
        *filter(_names_hudi, session._jsparkSession.conf().getAll().mkString("\n").splitlines()),
        *(f"{key} -> {value}" for key, value in mapped(hudis.getGlobalProps()).items()),
    }


def _names_hudi(setting: str) -> bool:
    """Whether a setting is one of Hudi's: reading a table has Hudi set some of Spark's."""
    return "hoodie" in setting


@pytest.fixture(scope="module")
def without_metadata_table(spark: Any) -> Iterator[None]:
    """While a module lasts whose facts are of data files alone, nobody writes a metadata table.

    It takes most of the time of a small write.
    """
    spark.conf.set(METADATA_TABLE, "false")
    yield
    spark.conf.unset(METADATA_TABLE)


@pytest.fixture
def write_hudi() -> Callable[..., str]:
    """Returns a function that writes a data frame as a Hudi table."""
    return write


@pytest.fixture
def run() -> Run:
    """Returns a function that runs the command in this process, and returns what it printed.

    Its arguments are the command's, and the exit code that it must end with.
    """
    from typer.testing import CliRunner

    from hudi_zorder.cli import app

    def invoke(*arguments: object, code: int = 0) -> Any:
        result = CliRunner().invoke(app, [str(part) for part in arguments])
        assert result.exit_code == code, result.output + result.stderr
        return result

    return invoke


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Returns a function that makes a table once for the tests of a module, and copies it to each.

    Its arguments are the copy's path, whose name is the table's, and what makes the table.
    """
    models = tmp_path_factory.mktemp("models")

    def copy(path: Path, make: Callable[[Path], object]) -> str:
        model = models / path.name
        if not model.exists():
            make(model)
        return str(shutil.copytree(model, path))

    return copy


def as_keywords(options: Mapping[str, object]) -> dict[str, str]:
    """Hudi options as ``write`` takes them: without ``hoodie.``, dots written as ``__``."""
    return {
        key.removeprefix("hoodie.").replace(".", "__"): str(value) for key, value in options.items()
    }


def write(frame: Any, path: Path | str, mode: str = "append", **options: str) -> str:
    """Writes a data frame as a Hudi table with the record key ``id``, and returns its path.

    Args:
        frame: the rows, with a column ``id``.
        path: the table's base path.
        mode: Spark's save mode.
        **options: Hudi options as ``as_keywords`` spells them.
    """
    name = Path(path).name.replace("-", "_")
    chosen = {
        "hoodie.table.name": name,
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.operation": "bulk_insert",
        "hoodie.bulkinsert.shuffle.parallelism": "4",
        "hoodie.upsert.shuffle.parallelism": "2",
        # New rows in files of their own: otherwise an insert rewrites the small files of a test.
        "hoodie.parquet.small.file.limit": "0",
        **dict([SMALL_BLOOM_FILTERS, CLOCK_SKEW, QUICK_MARKERS]),
        METADATA_TABLE: frame.sparkSession.conf.get(METADATA_TABLE, "true"),
        **{f"hoodie.{key.replace('__', '.')}": value for key, value in options.items()},
    }
    frame.write.format("hudi").options(**chosen).mode(mode).save(str(path))
    return str(path)
