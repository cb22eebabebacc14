"""The Python options and the Java options are the same ones."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

import hudi_zorder as hz
from hudi_zorder import _jvm, options


def test_every_java_option_has_its_python_twin_with_the_same_default(spark: SparkSession) -> None:
    java = _jvm.described_options(spark)
    python = hz.ZOrderOptions(columns=["a"]).to_dict()
    # Those that have no default: columns must be given, weights are 1, and there is no z-column.
    assert java.pop(options.SORT_COLUMNS) == ""
    assert java.pop(options.COLUMN_WEIGHTS) == ""
    assert java.pop(options.Z_COLUMN) == ""
    assert {key: python.get(key) for key in java} == java


def test_own_keys_are_the_same_in_the_same_order(spark: SparkSession) -> None:
    java = [key for key in _jvm.described_options(spark) if key.startswith(options.PREFIX)]
    assert tuple(java) == options.OWN_KEYS


def test_the_classes_that_the_options_name_are_in_the_jar(spark: SparkSession) -> None:
    assert _jvm.missing_classes() == []


def test_only_one_module_touches_py4j() -> None:
    package = Path(hz.__file__).parent
    touching = [file.name for file in package.glob("*.py") if "py4j" in _imports(file)]
    assert touching == ["_jvm.py"]


def _imports(file: Path) -> str:
    lines = file.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if line.strip().startswith(("import ", "from ")))
