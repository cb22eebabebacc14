"""``configure_spark`` in a job of spark-submit, whose JVM runs before the job does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from hudi_zorder.options import CONCURRENCY_MODE, LOCK_PROVIDER
from hudi_zorder.spark import session
from hudi_zorder.spark.maven import local_jar
from hudi_zorder.spark.settings import JAVA_OPTIONS_OF_EXECUTORS, spark_home

# Asks before the jars are there, and again once they are, put there as spark-submit puts those of
# --jars; no context is made, which would take seconds.
JOB = """
import json, sys
from pyspark import SparkContext
from pyspark.sql import SparkSession
import hudi_zorder as hz

try:
    hz.configure_spark(SparkSession.builder)
except hz.SessionError as error:
    refused = str(error)
jvm = SparkContext._jvm
for jar in sys.argv[1:]:
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    loader.addURL(jvm.java.io.File(jar).toURI().toURL())
options = hz.configure_spark(SparkSession.builder)._options
assert SparkContext._active_spark_context is None
print(json.dumps([refused, options]))
"""
SUBMITTED = {
    f"spark.{CONCURRENCY_MODE}": "optimistic_concurrency_control",
    f"spark.{LOCK_PROVIDER}": "org.acme.Lock",
    session.EXTENSIONS: "org.acme.Extension",
    session.REGISTRATOR: "org.acme.Registrator",
    session.CONSOLE_PROGRESS: "true",
    JAVA_OPTIONS_OF_EXECUTORS: "-Da=b",
}


def test_what_is_submitted_stays_and_a_jar_that_is_not_is_told(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(JOB, encoding="utf-8")
    bundle = local_jar(session.bundle_of(session.HUDI_RELEASES["2.12"][0], "2.12"))
    assert bundle
    done = subprocess.run(
        [
            spark_home() / "bin/spark-submit",
            "--driver-java-options=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            *(f"--conf={key}={value}" for key, value in SUBMITTED.items()),
            tmp_path / "job.py",
            bundle,
            session.strategy_jar(),
        ],
        env={**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_CONF_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    refused, options = json.loads(done.stdout.splitlines()[-1])

    assert "a JVM already runs without org.apache.hudi.HoodieCLIUtils, io.hudizorder." in refused
    assert "submit with --packages" in refused
    zorder = "io.hudizorder.ZOrderSparkSessionExtension"
    hudi = "org.apache.spark.sql.hudi.HoodieSparkSessionExtension"
    assert options == {
        session.EXTENSIONS: f"org.acme.Extension,{hudi},{zorder}",
        session.REGISTRATOR: "org.acme.Registrator,org.apache.spark.HoodieSparkKryoRegistrar",
        session.SERIALIZER: "org.apache.spark.serializer.KryoSerializer",
        session.CATALOG: "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
    }
