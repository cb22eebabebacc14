"""A session of one system, for whoever needs no data."""

from __future__ import annotations

from collections.abc import Mapping

from environment import CACHE
from pyspark.sql import SparkSession
from table_formats import System


def start_session(system: System, settings: Mapping[str, str], heap: str) -> SparkSession:
    """Starts Spark with the jars and settings of one system, two cores and a quiet log."""
    log = CACHE / "log4j2.properties"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(
        "rootLogger.level = error\nrootLogger.appenderRef.console.ref = console\n"
        "appender.console.type = Console\nappender.console.name = console\n"
        "appender.console.target = SYSTEM_ERR\nappender.console.layout.type = PatternLayout\n"
        "appender.console.layout.pattern = %p %c{1}: %m%n\n"
    )
    java = f"-Dlog4j2.configurationFile={log.as_uri()} {settings.get('java', '')}"
    own = {key: value for key, value in settings.items() if key != "java"}
    builder = SparkSession.builder.master("local[2]").appName(f"benchmark of {system.name}")
    everywhere = {
        "spark.jars": ",".join(str(jar) for jar in system.jars()),
        "spark.driver.memory": heap,
        "spark.driver.extraJavaOptions": java,
        "spark.local.dir": str(CACHE / "spark"),
        "spark.sql.warehouse.dir": str(CACHE / "warehouse"),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.parquet.compression.codec": "zstd",
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    for key, value in {**everywhere, **system.settings(), **own}.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()
