"""The jars as platforms take them: spark-submit to a master whose executors are processes apart.

conf/PLATFORMS.md says which way is whose.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from by_configuration import strategy
from cell import HUDI, IS_FIT, SCALA
from cluster_job import LOADS, ROWS
from hudi import HudiTableBuilder

import hudi_zorder as hz
from hudi_zorder.spark import session
from hudi_zorder.spark.maven import local_jar
from hudi_zorder.spark.settings import spark_home

pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(not IS_FIT, reason=f"Hudi {HUDI} is refused"),
]
OURS = session.strategy_jar()
BUNDLE = local_jar(session.bundle_of(HUDI, SCALA))
CLASS_PATH = ("spark.driver.extraClassPath", "spark.executor.extraClassPath")
MASTER = "local-cluster[1,2,1024]"
SESSION = {
    session.SERIALIZER: "org.apache.spark.serializer.KryoSerializer",
    session.REGISTRATOR: "org.apache.spark.HoodieSparkKryoRegistrar",
    session.EXTENSIONS: "org.apache.spark.sql.hudi.HoodieSparkSessionExtension",
    session.CATALOG: "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
}
PROPERTIES = {
    **strategy(("a", "b"), 60_000),
    # Later ones than 0.15 have these by default.
    "hoodie.metadata.enable": "true",
    "hoodie.metadata.index.column.stats.enable": "true",
    "hoodie.enable.data.skipping": "true",
}


def class_path(*jars: object) -> dict[str, str]:
    return dict.fromkeys(CLASS_PATH, os.pathsep.join(map(str, jars)))


WAYS: Mapping[str, tuple[Sequence[object], Mapping[str, str]]] = {
    "both by --jars": ([BUNDLE, OURS], {}),
    "both on the class path": ([], class_path(BUNDLE, OURS)),
}


def submit(
    folder: Path, jars: Sequence[object], conf: Mapping[str, str], home: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Submits the job with the properties in the ``hudi-defaults.conf`` of a folder."""
    lines = (f"{key}={value}\n" for key, value in PROPERTIES.items())
    (folder / "hudi-defaults.conf").write_text("".join(lines))
    flags = [f"--conf={key}={value}" for key, value in {**SESSION, **conf}.items()]
    flags += [f"--jars={','.join(map(str, jars))}"] if jars else []
    home = home or spark_home()
    job = Path(__file__).with_name("cluster_job.py")
    return subprocess.run(
        [home / "bin/spark-submit", f"--master={MASTER}", *flags, job, folder / "t"],
        env={
            **os.environ,
            "SPARK_HOME": str(home),
            "HUDI_CONF_DIR": str(folder),
            "PYSPARK_PYTHON": sys.executable,
        },
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def check_laid_out(path: Path, done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stderr[-4000:]
    table = hz.open_table(str(path))
    assert [entry.columns for entry in table.history()] == [("a", "b")]
    assert table.clustering_information(["a", "b"]).share_read < 0.75
    read = re.search(r"^files read: (\d+)$", done.stdout, re.MULTILINE)
    assert read
    assert 0 < int(read[1]) < table.column_stats(["a"]).num_rows
    batches = HudiTableBuilder.from_base_uri(str(path)).build().read()
    ids = sorted(value for batch in batches for value in batch["id"].to_pylist())
    assert ids == list(range(ROWS))
    assert LOADS < len(list(path.glob("*.parquet")))


@pytest.mark.parametrize("way", list(WAYS))
def test_clusters(tmp_path: Path, way: str) -> None:
    jars, conf = WAYS[way]

    check_laid_out(tmp_path / "t", submit(tmp_path, jars, conf))


def test_clusters_where_both_are_among_the_jars_of_spark(tmp_path: Path) -> None:
    home = tmp_path / "spark"
    (home / "jars").mkdir(parents=True)
    for jar in [*(spark_home() / "jars").iterdir(), OURS, BUNDLE]:
        (home / "jars" / jar.name).symlink_to(jar)
    for folder in ("bin", "python"):
        (home / folder).symlink_to(spark_home() / folder)

    check_laid_out(tmp_path / "t", submit(tmp_path, [], {}, home))


def test_a_hudi_on_the_class_path_finds_no_jar_of_the_flag(tmp_path: Path) -> None:
    done = submit(tmp_path, [OURS], class_path(BUNDLE))

    assert done.returncode != 0
    # Spark 3.5.0 sends what Python raises to the output, 3.5.9 to the errors.
    said = done.stdout + done.stderr
    assert "ClassNotFoundException: io.hudizorder.ZOrderClustering" in said
