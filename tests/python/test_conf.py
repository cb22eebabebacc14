"""Every key in the examples of ``conf/`` is one that Hudi, Spark or this project reads."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from hudi_zorder import ZOrderOptions, options
from hudi_zorder.spark import session

CONF = Path(__file__).parents[2] / "conf"

_HUDI_CONFIG_CLASSES = (
    "org.apache.hudi.config.HoodieClusteringConfig",
    "org.apache.hudi.config.HoodieCompactionConfig",
    "org.apache.hudi.config.HoodiePreCommitValidatorConfig",
    "org.apache.hudi.common.config.HoodieMetadataConfig",
    "org.apache.hudi.config.HoodieLockConfig",
    "org.apache.hudi.config.HoodieWriteConfig",
)


def _pairs(name: str, prefix: str) -> dict[str, str]:
    """Returns the keys and values of an example, those behind a comment sign included."""
    lines = (CONF / name).read_text(encoding="utf-8").splitlines()
    settings = (line.removeprefix("#") for line in lines)
    matches = (re.match(rf"({prefix}[\w.]+)\s*[= ]\s*(.*)", line) for line in settings)
    return {match[1]: match[2] for match in matches if match}


def _deprecated_by_key(spark: SparkSession) -> dict[str, bool]:
    """Returns Hudi's clustering and metadata keys, and whether they are deprecated."""
    deprecated = {}
    for name in _HUDI_CONFIG_CLASSES:
        for field in _class_loader(spark).loadClass(name).getFields():
            if field.getType().getSimpleName() == "ConfigProperty":
                option = field.get(None)
                deprecated[option.key()] = option.getDeprecatedVersion().isPresent()
    return deprecated


def _class_loader(spark: SparkSession) -> Any:
    return spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()


def test_clustering_keys_are_current_options(spark: SparkSession) -> None:
    hudi = _deprecated_by_key(spark)
    current = {key for key, deprecated in hudi.items() if not deprecated}
    written = _pairs("clustering.properties", "hoodie")
    assert len(written) > 20
    reading = spark._jvm.org.apache.hudi.DataSourceReadOptions.ENABLE_DATA_SKIPPING().key()
    assert written.keys() - current - set(options.OWN_KEYS) == {options.STREAM, reading}


def test_every_own_option_is_in_the_example() -> None:
    assert set(options.OWN_KEYS) <= _pairs("clustering.properties", "hoodie").keys()


def test_the_example_as_defaults_is_not_about_one_table() -> None:
    lines = (CONF / "clustering.properties").read_text(encoding="utf-8").splitlines()
    active = {line.partition("=")[0] for line in lines}
    assert options.PLAN_CLASS in active
    assert active.isdisjoint([options.SORT_COLUMNS, options.Z_COLUMN, *options.SWITCHES])


def test_the_example_says_what_python_says() -> None:
    columns = ["customer", "demo"]
    weighted = ZOrderOptions(columns=columns, column_weights={"customer": 2, "demo": 1})
    plain = ZOrderOptions(columns=columns)
    layout = {**weighted.inline(), **plain.scheduled(), **plain.async_()}
    layout |= {options.COLUMN_WEIGHTS: weighted.to_dict()[options.COLUMN_WEIGHTS]}
    layout |= dict.fromkeys(options.SWITCHES, "true")  # each with a comment that says when
    written = _pairs("clustering.properties", "hoodie")
    assert {key: written.get(key) for key in layout} == layout


def test_spark_defaults_are_those_of_configure_spark(spark: SparkSession) -> None:
    written = _pairs("spark-defaults.conf", "spark")
    single = (session.SERIALIZER, session.REGISTRATOR, session.EXTENSIONS, session.CATALOG)
    running = spark.sparkContext.getConf()
    assert {key: written[key] for key in single} == {key: running.get(key) for key in single}
    locking = {f"spark.{key}": value for key, value in options.LOCKING.items()}
    assert {key: written[key] for key in written if key.startswith("spark.hoodie.")} == locking
    newest = session.HUDI_RELEASES["2.12"][0]
    assert written[session.PACKAGES] == session.bundle_of(newest, "2.12")
    version = re.search(r"hudi-zorder-([\d.]+)\.jar", written[session.JARS])
    assert version
    assert version[1] == session.strategy_jar().stem.removeprefix("hudi-zorder-")


def test_spark_keys_are_documented_ones(spark: SparkSession) -> None:
    registry = spark._jvm.org.apache.spark.internal.config.ConfigEntry
    written = _pairs("spark-defaults.conf", "spark")
    sparks = [key for key in written if not key.startswith("spark.hoodie.")]
    assert [key for key in sparks if not registry.findEntry(key)] == []


def test_the_platforms_are_told_the_same() -> None:
    text = (CONF / "PLATFORMS.md").read_text(encoding="utf-8")
    example = _pairs("clustering.properties", "hoodie")
    properties = dict(re.findall(r"^    (hoodie[\w.]+)=(.*)$", text, re.MULTILINE))
    assert len(properties) == 3
    assert properties.keys() <= example.keys()
    assert {key: value for key, value in properties.items() if key.endswith(".class")} == {
        key: value for key, value in example.items() if "io.hudizorder.ZOrderClustering" in value
    }
    assert set(re.findall(r"hudi-zorder-[\d.]+\.jar", text)) == {session.strategy_jar().name}
    bundles = set(re.findall(r"bundle_2\.12-([\d.]+)\.jar", text))
    assert bundles <= set(session.HUDI_RELEASES["2.12"])
    for key in (session.SERIALIZER, session.CATALOG):
        assert f"{key}={_pairs('spark-defaults.conf', 'spark')[key]}" in text


def test_the_pairs_of_spark_and_hudi_that_are_tried_are_cells_of_the_matrix() -> None:
    text = (CONF / "PLATFORMS.md").read_text(encoding="utf-8")
    makefile = (CONF.parent / "Makefile").read_text(encoding="utf-8")
    cells = re.search(r"^HUDI := (.*)$", makefile, re.MULTILINE)
    assert cells
    tried = re.findall(r"^\|[^|]+\| (3[\d.]+) \| ([\d.]+) \| (on 3\S+|yes)", text, re.MULTILINE)
    assert len(tried) == 4
    pairs = {f"{hudi}@{where.removeprefix('on ')}" for _, hudi, where in tried if where != "yes"}
    pairs |= {f"{hudi}@{spark}" for spark, hudi, where in tried if where == "yes"}
    assert pairs <= set(cells[1].split())


def test_every_release_has_its_cell_of_the_matrix() -> None:
    makefile = (CONF.parent / "Makefile").read_text(encoding="utf-8")
    cells = re.search(r"^HUDI := (.*)$", makefile, re.MULTILINE)
    assert cells
    newest = session.HUDI_RELEASES["2.12"][0]
    names = {
        cell.partition("@")[0].removesuffix(f"+{newest}").removesuffix("_2.12")
        for cell in cells[1].split()
    }
    suffixes = {"2.12": "", "2.13": "_2.13"}
    releases = {
        release + suffixes[scala] for scala, of in session.HUDI_RELEASES.items() for release in of
    }
    assert names == releases | {"unfit", "unfit_2.13"}


def test_loggers_are_packages_or_classes(spark: SparkSession) -> None:
    loggers = _pairs("log4j2.properties", "logger")
    names = [value.replace(".", "/") for key, value in loggers.items() if key.endswith(".name")]
    loader = _class_loader(spark)
    assert names
    for name in names:
        assert loader.getResource(name) or loader.getResource(f"{name}.class"), name
