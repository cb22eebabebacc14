"""What is added to a builder for Hudi and for a command, kept of the user's, and refused."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import hudi_zorder as hz
from hudi_zorder import SessionError
from hudi_zorder.options import CONCURRENCY_MODE, LOCK_PROVIDER, LOCKING
from hudi_zorder.spark import session
from hudi_zorder.spark._jvm import process
from hudi_zorder.spark.command_jvm import for_one_command
from hudi_zorder.spark.maven import local_jar
from hudi_zorder.spark.settings import (
    CLASS_PATH,
    JAVA_OPTIONS,
    JAVA_OPTIONS_OF_EXECUTORS,
)
from hudi_zorder.spark.settings import CLASS_PATH_OF_EXECUTORS as EXECUTORS
from plain_table import write_plain_table

BY_NAME = "hudi-zorder-0.1.0.jar"
OURS = f"/jars/{BY_NAME}"
EXTENSION = (
    "org.apache.spark.sql.hudi.HoodieSparkSessionExtension,"
    "io.hudizorder.ZOrderSparkSessionExtension"
)
KRYO = "org.apache.spark.serializer.KryoSerializer"
BUNDLE = "org.apache.hudi:hudi-spark3.5-bundle_2.12:1.2.0"
FILE = "hudi-spark3.5-bundle_2.12-1.2.0.jar"
MINE = f"/mine/{FILE}"
NO_LOOK = " ".join(
    f"-Djol.{look}=true"
    for look in ("skipHotspotSAAttach", "skipDynamicAttach", "skipInstallAttach")
)

Configure = Callable[..., dict[str, Any]]


@pytest.fixture
def configure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Configure:
    """Returns a function from the user's settings to those of the configured builder."""
    monkeypatch.setattr(process, "jvm_runs", lambda: False)
    monkeypatch.setattr(session, "strategy_jar", lambda: Path(OURS))
    monkeypatch.setattr(session, "local_jar", lambda coordinates: None)
    monkeypatch.delenv("PYSPARK_SUBMIT_ARGS", raising=False)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))

    def run(settings: dict[str, str] | None = None, **arguments: Any) -> dict[str, Any]:
        builder = SparkSession.Builder()
        for key, value in (settings or {}).items():
            builder.config(key, value)
        return dict(hz.configure_spark(builder, **arguments)._options)

    return run


def install_java(home: Path, version: str) -> None:
    """Makes the files of a Java by which it is known."""
    (home / "bin").mkdir(parents=True)
    (home / "bin/java").touch(0o755)
    (home / "release").write_text(f'IMPLEMENTOR="Acme"\nJAVA_VERSION="{version}"\n')


def test_an_empty_builder_gets_everything(configure: Configure) -> None:
    assert configure() == {
        "spark.jars": OURS,
        "spark.jars.packages": BUNDLE,
        "spark.sql.extensions": EXTENSION,
        "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar",
        "spark.serializer": KRYO,
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
        "spark.ui.showConsoleProgress": "false",
        **dict.fromkeys([JAVA_OPTIONS, JAVA_OPTIONS_OF_EXECUTORS], NO_LOOK),
        **{f"spark.{key}": value for key, value in LOCKING.items()},
    }


@pytest.mark.parametrize("key", [CONCURRENCY_MODE, LOCK_PROVIDER])
@pytest.mark.parametrize("line", ["{key}=mine", "{key}   mine", "  {key} = mine", "#{key}=mine"])
def test_a_lock_in_hudis_defaults_is_not_replaced(
    configure: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, key: str
) -> None:
    (tmp_path / "hudi").mkdir()
    said = f"# locks\n\nhoodie.a=b\n{line.format(key=key)}\n"
    (tmp_path / "hudi/hudi-defaults.conf").write_text(said, encoding="utf-8")
    monkeypatch.setenv("HUDI_CONF_DIR", str(tmp_path / "hudi"))
    assert (f"spark.{LOCK_PROVIDER}" in configure()) == line.startswith("#")


_LOCK = f"{LOCK_PROVIDER}=mine\n"
_DEFAULTS = "hudi-defaults.conf"


@pytest.mark.parametrize(
    ("files", "names_one"),
    [
        ({f"spark/{_DEFAULTS}": _LOCK}, True),
        ({f"hadoop/{_DEFAULTS}": _LOCK, f"own/{_DEFAULTS}": ""}, True),
        ({f"spark/{_DEFAULTS}": "", f"hadoop/{_DEFAULTS}": _LOCK}, False),  # the first stands alone
        ({f"spark/{_DEFAULTS}": "", f"own/{_DEFAULTS}": _LOCK}, False),
        ({f"system/{_DEFAULTS}": _LOCK, f"own/{_DEFAULTS}": "a=b"}, True),
        ({f"own/{_DEFAULTS}": "include=locks.conf\n", "own/locks.conf": _LOCK}, True),
        ({f"own/{_DEFAULTS}": "include = file:{root}/system/c", "system/c": _LOCK}, True),
        ({f"system/{_DEFAULTS}": "include={root}/own/c", "own/c": _LOCK}, True),
        ({f"own/{_DEFAULTS}": f"include={_DEFAULTS}\n"}, False),  # Hudi tells of the loop
        ({f"own/{_DEFAULTS}": "include=none.conf\n#include=c", "own/c": _LOCK}, False),
    ],
)
@pytest.mark.parametrize("scheme", ["", "file:", "file://"])
def test_hudis_defaults_are_read_from_where_hudi_takes_them(
    configure: Configure,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: dict[str, str],
    names_one: bool,
    scheme: str,
) -> None:
    for name in ("spark", "hadoop", "system", "own"):
        (tmp_path / name).mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text.replace("{root}", str(tmp_path)), encoding="utf-8")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path / "spark"))
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path / "hadoop"))
    monkeypatch.setattr("hudi_zorder.spark.settings.SYSTEM_FOLDER", str(tmp_path / "system"))
    monkeypatch.setenv("HUDI_CONF_DIR", f"{scheme}{tmp_path / 'own'}")
    assert (f"spark.{LOCK_PROVIDER}" not in configure()) == names_one


def test_a_lock_that_a_file_elsewhere_may_name_is_not_replaced_and_told(
    configure: Configure, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("HUDI_CONF_DIR", "hdfs://host/hudi")
    assert f"spark.{LOCK_PROVIDER}" not in configure()
    assert [record.getMessage() for record in caplog.records] == [
        "Set no lock for the SQL statements of the session, as "
        "'hdfs://host/hudi/hudi-defaults.conf' may name one, which only Hudi can read; "
        f"if it names none, set '{LOCK_PROVIDER}'"
    ]


@pytest.mark.parametrize("key", [JAVA_OPTIONS, JAVA_OPTIONS_OF_EXECUTORS])
def test_options_of_the_jvm_are_kept_and_have_the_last_word(configure: Configure, key: str) -> None:
    own = "-Da=b -Djol.skipDynamicAttach=false"
    assert configure({key: own})[key] == f"{NO_LOOK} {own}"
    assert configure({key: NO_LOOK})[key] == NO_LOOK


@pytest.mark.parametrize("prefix", ["", "spark."])
@pytest.mark.parametrize("key", [CONCURRENCY_MODE, LOCK_PROVIDER])
def test_a_lock_or_mode_of_the_users_own_is_kept(
    configure: Configure, prefix: str, key: str
) -> None:
    options = configure({prefix + key: "mine"})
    locking = {key for key in options if "hoodie." in key}
    assert locking == {prefix + key}


def test_a_bundle_that_maven_has_fetched_is_taken_from_there(
    configure: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = "/repository/hudi-spark3.5-bundle_2.12-1.2.0.jar"
    monkeypatch.setattr(session, "local_jar", {BUNDLE: Path(local)}.get)
    options = configure()
    assert local in options["spark.jars"].split(",")
    assert "spark.jars.packages" not in options


def test_the_bundle_of_a_platform_is_left_alone(configure: Configure) -> None:
    theirs = "/usr/lib/hudi/hudi-spark-bundle.jar"
    options = configure({"spark.jars": theirs})
    assert options["spark.jars"] == f"{theirs},{OURS}"
    assert "spark.jars.packages" not in options


@pytest.mark.parametrize(
    "place",
    [
        ".m2/repository/org/acme/thing/1.0/thing-1.0.jar",
        ".ivy2/jars/org.acme_thing-1.0.jar",
    ],
)
def test_a_jar_is_found_where_maven_or_ivy_has_put_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, place: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert local_jar("org.acme:thing:1.0") is None
    (tmp_path / place).parent.mkdir(parents=True)
    (tmp_path / place).touch()
    assert local_jar("org.acme:thing:1.0") == tmp_path / place


def test_lists_are_appended_to(configure: Configure) -> None:
    options = configure(
        {
            "spark.jars": "/mine/a.jar, /mine/b.jar",
            "spark.jars.packages": "org.acme:thing:1",
            "spark.sql.extensions": "org.acme.Extension",
            "spark.kryo.registrator": "org.acme.Registrator",
            "spark.ui.showConsoleProgress": "true",
        }
    )
    assert options["spark.jars"] == f"/mine/a.jar,/mine/b.jar,{OURS}"
    assert options["spark.jars.packages"] == f"org.acme:thing:1,{BUNDLE}"
    assert options["spark.sql.extensions"] == f"org.acme.Extension,{EXTENSION}"
    assert options["spark.kryo.registrator"].startswith("org.acme.Registrator,org.apache")
    assert options["spark.ui.showConsoleProgress"] == "true"


def test_configuring_twice_changes_nothing(configure: Configure) -> None:
    once = configure({"spark.jars": "/mine/a.jar"})
    assert configure(once) == once


def test_the_defaults_file_is_appended_to_as_well(configure: Configure, tmp_path: Path) -> None:
    (tmp_path / "spark-defaults.conf").write_text(
        "# a comment\nspark.jars=/site/x.jar\nspark.sql.extensions   org.acme.Extension\n"
    )
    options = configure()
    assert options["spark.jars"] == f"/site/x.jar,{OURS}"
    assert options["spark.sql.extensions"] == f"org.acme.Extension,{EXTENSION}"


@pytest.mark.parametrize(
    ("settings", "driver", "executors"),
    [
        ({"spark.jars.packages": BUNDLE.replace("1.2.0", "1.2.1")}, None, None),
        ({"spark.jars": MINE}, None, None),
        ({CLASS_PATH: MINE}, [MINE, OURS], None),
        ({CLASS_PATH: MINE, "spark.jars": OURS}, [MINE, OURS], None),
        ({CLASS_PATH: MINE, EXECUTORS: "/mine/*"}, [MINE, OURS], None),
        ({CLASS_PATH: "{tmp}/jars/*"}, ["{tmp}/jars/*", OURS], None),
        ({CLASS_PATH: MINE, EXECUTORS: MINE}, [MINE, OURS], [MINE, OURS, BY_NAME]),
        ({"SPARK_HOME": "{tmp}"}, [OURS], [OURS, BY_NAME]),
    ],
)
def test_a_bundle_of_the_users_is_enough_and_has_our_jar_beside_it(
    configure: Configure,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    settings: dict[str, str],
    driver: list[str] | None,
    executors: list[str] | None,
) -> None:
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / FILE).touch()
    given = {key: value.format(tmp=tmp_path) for key, value in settings.items()}
    if "SPARK_HOME" in given:
        monkeypatch.setenv("SPARK_HOME", given.pop("SPARK_HOME"))
    options = configure(given)
    assert BUNDLE not in options.get("spark.jars.packages", "")
    assert options["spark.jars"].split(",").count(OURS) == 1
    for key, expected in ((CLASS_PATH, driver), (EXECUTORS, executors)):
        path = os.pathsep.join(expected).format(tmp=tmp_path) if expected else given.get(key)
        assert options.get(key) == path
    assert configure(options) == options


def test_our_jar_is_not_given_where_it_is(configure: Configure) -> None:
    both = os.pathsep.join([MINE, OURS])
    options = configure({CLASS_PATH: both, EXECUTORS: both})
    assert options[CLASS_PATH] == options[EXECUTORS] == both
    assert "spark.jars" not in options


@pytest.mark.parametrize("key", ["spark.jars", CLASS_PATH, EXECUTORS])
def test_a_jar_of_ours_of_another_version_is_refused(configure: Configure, key: str) -> None:
    with pytest.raises(SessionError) as caught:
        configure({key: "/site/hudi-zorder-0.0.9.jar"})
    assert str(caught.value) == (
        "Cannot configure Spark: '/site/hudi-zorder-0.0.9.jar' is of hudi-zorder 0.0.9, and this "
        f"is hudi-zorder {hz.__version__}; give the jar of this package in its place, or install "
        "the package 0.0.9"
    )


@pytest.mark.parametrize(
    ("bundle", "what"),
    [
        ("org.apache.hudi:hudi-spark3.4-bundle_2.12:1.2.0", "Hudi 1.2.0 for Spark 3.4"),
        ("org.apache.hudi:hudi-spark3.5-bundle_2.13:1.2.0", "Scala 2.13"),
        ("org.apache.hudi:hudi-spark3.5-bundle_2.12:0.14.1", "Hudi 0.14.1"),
        ("/x/hudi-spark3.5-bundle_2.12-1.3.0.jar", "Hudi 1.3.0"),
    ],
)
def test_a_bundle_that_does_not_fit_is_refused(
    configure: Configure, bundle: str, what: str
) -> None:
    key = "spark.jars" if bundle.endswith(".jar") else "spark.jars.packages"
    with pytest.raises(SessionError) as caught:
        configure({key: bundle})
    assert what in str(caught.value)
    assert str(caught.value).endswith(
        f"this Spark has Scala 2.12; use {BUNDLE}, or one of Hudi 1.1.1, 1.0.2, 0.15.0"
    )


def test_a_bundle_can_be_given_as_a_file_or_by_coordinates(
    configure: Configure, tmp_path: Path
) -> None:
    file = tmp_path / "hudi-spark3.5-bundle_2.12-1.2.0.jar"
    file.touch()
    assert configure(hudi_bundle=file)["spark.jars"] == f"{file},{OURS}"
    newer = BUNDLE.replace("1.2.0", "1.2.3")
    assert configure(hudi_bundle=newer)["spark.jars.packages"] == newer
    with pytest.raises(SessionError, match=r"there is no jar '/nowhere\.jar'"):
        configure(hudi_bundle="/nowhere.jar")


def test_a_release_of_hudi_stands_for_its_bundle(configure: Configure) -> None:
    options = configure(hudi="1.0.7")
    assert options["spark.jars.packages"] == BUNDLE.replace("1.2.0", "1.0.7")
    with pytest.raises(SessionError, match=r"is Hudi 0\.14\.1 .*, or one of Hudi 1\.1\.1, 1\.0\.2"):
        configure(hudi="0.14.1")
    with pytest.raises(SessionError, match=r"give one of them"):
        configure(hudi="1.0.2", hudi_bundle=BUNDLE)


def test_extra_jars_are_appended_and_must_exist(configure: Configure, tmp_path: Path) -> None:
    (tmp_path / "more.jar").touch()
    options = configure({"spark.jars": "/mine/a.jar"}, extra_jars=[tmp_path / "more.jar"])
    assert options["spark.jars"] == f"/mine/a.jar,{tmp_path}/more.jar,{OURS}"
    with pytest.raises(SessionError, match=r"there is no jar '/no/such\.jar'"):
        configure(extra_jars=["/no/such.jar"])
    for jar in ("/mine/a.jar", Path("/mine/a.jar")):
        with pytest.raises(SessionError, match=r"write a list: extra_jars=\['/mine/a\.jar'\]"):
            configure(extra_jars=jar)


@pytest.mark.parametrize("version", ["1.8.0_412", "23.0.1", "25"])
def test_a_java_that_spark_does_not_run_on_is_refused(
    configure: Configure, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str
) -> None:
    install_java(tmp_path / "jdk", version)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    number = version.removeprefix("1.").partition(".")[0]
    with pytest.raises(SessionError, match=rf"jdk' is Java {number}, .*; install a JDK from 11 to"):
        configure()
    assert configure({JAVA_OPTIONS: "-Djava.security.manager=allow"})
    (tmp_path / "jdk/release").unlink()
    assert configure()


@pytest.mark.parametrize("found", ["8", None])
def test_a_java_that_sparks_own_script_may_replace_is_not_judged(
    configure: Configure, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, found: str | None
) -> None:
    if found:
        install_java(tmp_path / "jdk", found)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    with pytest.raises(SessionError, match="Cannot start Spark"):
        configure()
    (tmp_path / "spark-env.sh").write_text("export JAVA_HOME=/usr/lib/jvm/java-17\n")
    assert configure()


def test_another_serializer_is_refused_since_hudi_refuses_it(configure: Configure) -> None:
    with pytest.raises(SessionError, match=r"'spark.serializer' was 'org.acme.Mine'.*set it to"):
        configure({"spark.serializer": "org.acme.Mine"})
    assert configure({"spark.serializer": KRYO})["spark.serializer"] == KRYO


def test_another_catalog_is_kept_with_a_warning(configure: Configure) -> None:
    with pytest.warns(hz.SessionWarning, match=r"Kept .* = 'org.acme.Catalog'"):
        options = configure({"spark.sql.catalog.spark_catalog": "org.acme.Catalog"})
    assert options["spark.sql.catalog.spark_catalog"] == "org.acme.Catalog"


@pytest.mark.parametrize(
    "arguments",
    [
        "--jars /mine/a.jar pyspark-shell",
        "--conf spark.jars=/mine/a.jar pyspark-shell",
        "--conf=spark.jars=/mine/a.jar pyspark-shell",
        f"--driver-class-path={MINE} pyspark-shell",
    ],
)
def test_jars_of_submit_arguments_would_hide_ours(
    configure: Configure, monkeypatch: pytest.MonkeyPatch, arguments: str
) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", arguments)
    with pytest.raises(SessionError, match=rf"add {OURS} there"):
        configure()


def test_submit_arguments_may_bring_both_jars(
    configure: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"--packages {BUNDLE} --jars={OURS} pyspark-shell")
    options = configure()
    assert "spark.jars" not in options
    assert "spark.jars.packages" not in options


@pytest.mark.parametrize("file", ["mine", "spark-defaults.conf"])
def test_the_file_of_properties_is_that_of_the_submit_arguments(
    configure: Configure, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, file: str
) -> None:
    """Spark reads it in place of its defaults, and takes none but its own keys from either."""
    (tmp_path / "spark-defaults.conf").write_text("spark.jars /site/x.jar\n")
    lines = f"# caf\xe9\nspark.jars /mine/a.jar\n{LOCK_PROVIDER}=dropped\n"
    (tmp_path / file).write_bytes(lines.encode("latin-1"))
    arguments = f"--properties-file {tmp_path}/mine --conf {LOCK_PROVIDER}=dropped pyspark-shell"
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", arguments if file == "mine" else "pyspark-shell")
    options = configure()
    assert options["spark.jars"] == f"/mine/a.jar,{OURS}"
    assert options[f"spark.{LOCK_PROVIDER}"] == LOCKING[LOCK_PROVIDER]


def test_another_pyspark_is_refused(configure: Configure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyspark.__version__", "4.0.1")
    with pytest.raises(SessionError, match=r"pyspark is 4\.0\.1.*pip install 'pyspark==3\.5\.\*'"):
        configure()


@pytest.mark.parametrize("core", ["spark-core_2.13-4.0.1.jar", "spark-core_2.12-3.4.2.jar"])
def test_another_spark_or_scala_is_refused(
    configure: Configure, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, core: str
) -> None:
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / core).touch()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    with pytest.raises(SessionError, match=r"for Scala .*; unset SPARK_HOME"):
        configure()


@pytest.fixture
def scala_2_13(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A Spark 3.5 of Scala 2.13."""
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "spark-core_2.13-3.5.1.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))


@pytest.mark.usefixtures("scala_2_13")
def test_a_spark_of_scala_2_13_gets_the_bundle_for_it(configure: Configure) -> None:
    assert configure()["spark.jars.packages"] == ("org.apache.hudi:hudi-spark3.5-bundle_2.13:1.1.1")


@pytest.mark.usefixtures("scala_2_13")
@pytest.mark.parametrize("settings", [{"spark.jars.packages": BUNDLE}, {}])
def test_a_bundle_that_is_not_for_scala_2_13_is_refused(
    configure: Configure, settings: dict[str, str]
) -> None:
    with pytest.raises(SessionError) as caught:
        configure(settings, **({} if settings else {"hudi": "1.2.0"}))
    assert str(caught.value).endswith(
        "this Spark has Scala 2.13; use org.apache.hudi:hudi-spark3.5-bundle_2.13:1.1.1"
    )


def test_a_missing_jar_of_ours_is_named_with_the_folders_searched(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "python" / "src" / "hudi_zorder"
    monkeypatch.setattr(session, "__file__", str(package / "spark" / "session.py"))
    with pytest.raises(SessionError, match=rf"{package}/jars and {tmp_path}/target; .*make setup"):
        session.strategy_jar()
    (tmp_path / "target").mkdir()
    ours = f"hudi-zorder-{hz.__version__}.jar"
    for name in ("hudi-zorder-9.jar", "hudi-zorder-sources.jar", ours):
        with pytest.raises(SessionError, match=f"there is no {ours} in"):
            session.strategy_jar()
        (tmp_path / "target" / name).touch()
    assert session.strategy_jar().name == ours


def test_a_running_session_that_fits_is_used(spark: SparkSession) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert hz.configure_spark(SparkSession.builder).getOrCreate() is spark
    with pytest.raises(SessionError, match=r"'builder' was <.*>; give SparkSession\.builder"):
        hz.configure_spark(spark)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "ask",
    [
        lambda spark, path: hz.configure_spark(SparkSession.builder),
        lambda spark, path: hz.ZOrderTable(spark, path).plan(["a"]),
        lambda spark, path: hz.z_ranges([(0, 1)]),
    ],
)
def test_a_running_jvm_with_our_jar_of_another_version_is_refused(
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    ask: Callable[[SparkSession, str], object],
) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    monkeypatch.setattr(process, "__version__", "9.1")
    both = rf"the jar in its JVM is of hudi-zorder {hz.__version__}, and this is hudi-zorder 9\.1; "
    with pytest.raises(SessionError, match=both):
        ask(spark, str(path))


@pytest.mark.slow
def test_a_running_jvm_without_the_jars_is_refused_and_reads(
    spark: SparkSession, write_hudi: Callable[..., str], tmp_path: Path
) -> None:
    path = write_hudi(spark.range(10), tmp_path / "t")
    script = f"""
from pyspark.sql import SparkSession
import hudi_zorder as hz
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
table = hz.ZOrderTable(spark, {path!r})
for call in (
    lambda: hz.configure_spark(SparkSession.builder),
    lambda: table.cluster(columns=["id"]),
    lambda: table.plan(columns=["id"]),
    lambda: table.schedule(columns=["id"]),
    lambda: table.forecast(["id"]),
    lambda: table.z_predicate("id = 1"),
):
    try:
        print(call())
    except hz.SessionError as error:
        print("SessionError", error)
print(len(table.column_stats(["id"])))
"""
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120
    )
    *refused, read = run.stdout.splitlines()
    assert [line.split(":")[0] for line in refused] == [
        "SessionError Cannot configure Spark",
        *["SessionError Cannot use this Spark session"] * 5,
    ]
    assert "a JVM already runs without org.apache.hudi.HoodieCLIUtils" in refused[0]
    assert "submit with --packages" in refused[0]
    assert "its JVM runs without org.apache.hudi.HoodieCLIUtils" in refused[1]
    assert int(read) > 0


def test_a_job_of_spark_connect_is_not_connected_to_a_jvm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    monkeypatch.setenv("PYSPARK_GATEWAY_SECRET", "none")
    monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
    monkeypatch.setattr("pyspark.SparkContext._gateway", None)
    monkeypatch.setattr("pyspark.SparkContext._jvm", None)
    assert not process.jvm_runs()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of PySpark's own
@pytest.mark.parametrize("ask", [hz.ZOrderTable, hz.ZOrderTable.for_name])
@pytest.mark.parametrize("kind", ["pyspark.sql.connect.session.SparkSession", "NoneType"])
def test_what_has_no_jvm_here_is_refused_as_a_session(ask: Any, kind: str, tmp_path: Path) -> None:
    from pyspark.sql.connect.session import SparkSession as ConnectSession

    # It connects when something is asked.
    session = None if kind == "NoneType" else ConnectSession("sc://localhost:15002")
    with pytest.raises(hz.SessionError, match=rf"'spark' was a \S*{kind}, .*open_table\(path\)"):
        ask(session, str(tmp_path))


Command = Callable[..., dict[str, Any]]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """Returns a function from a configured builder's settings to those of a command's JVM."""
    monkeypatch.setattr(process, "jvm_runs", lambda: False)
    for name in ("PYSPARK_SUBMIT_ARGS", "MASTER", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"):
        monkeypatch.delenv(name, raising=False)
    install_java(tmp_path / "jdk", "17.0.15")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))

    def run(settings: dict[str, str], **arguments: Any) -> dict[str, Any]:
        builder = SparkSession.Builder()
        for key, value in settings.items():
            builder.config(key, value)
        return dict(for_one_command(builder, **arguments)._options)

    return run


@pytest.fixture
def jars(tmp_path: Path) -> list[str]:
    files = [tmp_path / "a.jar", tmp_path / "b.jar"]
    for file in files:
        file.write_text("of classes")
    return [str(file) for file in files]


def test_the_jars_of_a_command_are_on_its_class_path(command: Command, jars: list[str]) -> None:
    settings = {"spark.jars": ",".join(jars), CLASS_PATH: f"/mine{os.pathsep}{jars[0]}"}
    found = command(settings)
    assert found[CLASS_PATH].split(os.pathsep) == ["/mine", *jars]
    assert "spark.jars" not in found
    assert "-XX:+UseParallelGC" in found[JAVA_OPTIONS].split()


@pytest.mark.parametrize("jar", ["/nowhere/c.jar", "s3://bucket/c.jar"])
def test_jars_that_spark_must_fetch_stay_in_its_list(
    command: Command, jars: list[str], jar: str
) -> None:
    settings = {"spark.jars": ",".join([*jars, jar])}
    assert command(settings)["spark.jars"] == settings["spark.jars"]


def test_jars_beside_packages_stay_in_the_list_where_they_see_these(
    command: Command, jars: list[str]
) -> None:
    settings = {"spark.jars": ",".join(jars), "spark.jars.packages": BUNDLE}
    found = command(settings)
    assert found["spark.jars"] == settings["spark.jars"]
    assert CLASS_PATH not in found


@pytest.mark.parametrize("master", ["yarn", "local-cluster[2,1,1024]", "spark://host:7077"])
def test_on_a_cluster_a_command_starts_the_jvm_that_the_user_asks_for(
    command: Command, jars: list[str], master: str
) -> None:
    settings = {"spark.jars": ",".join(jars), "spark.master": master}
    assert command(settings) == settings


@pytest.mark.parametrize("name", ["JAVA_TOOL_OPTIONS", "spark.driver.defaultJavaOptions"])
@pytest.mark.parametrize(
    ("said", "ours"), [("-XX:+UseZGC", "-XX:+UseParallelGC"), ("-Xshare:off", ".jsa")]
)
def test_what_the_user_says_of_the_jvm_stands(
    command: Command, monkeypatch: pytest.MonkeyPatch, name: str, said: str, ours: str
) -> None:
    assert ours in command({}, keep_classes=True)[JAVA_OPTIONS]
    if name.startswith("JAVA"):
        monkeypatch.setenv(name, said)
    settings = {} if name.startswith("JAVA") else {name: said}
    assert ours not in command(settings, keep_classes=True)[JAVA_OPTIONS]
    own = command({JAVA_OPTIONS: f"-Da=b {said}"}, keep_classes=True)[JAVA_OPTIONS]
    assert own.endswith(f"-Da=b {said}")
    assert ours not in own


def test_classes_are_archived_once_and_again_when_a_jar_has_changed(
    command: Command, jars: list[str], tmp_path: Path
) -> None:
    def archive(option: str, **arguments: Any) -> Path | None:
        options = command({"spark.jars": ",".join(jars)}, **arguments)[JAVA_OPTIONS]
        found = re.search(rf'"-XX:{option}=([^"]*)"', options)
        assert (".jsa" in options) == (found is not None)
        return Path(found[1]) if found else None

    assert archive("SharedArchiveFile") is None
    first = archive("ArchiveClassesAtExit", keep_classes=True)
    assert first is not None
    first.write_bytes(bytes(8))  # its JVM was killed
    assert archive("ArchiveClassesAtExit", keep_classes=True) == first
    first.write_bytes(b"head")
    assert archive("SharedArchiveFile") == archive("SharedArchiveFile", keep_classes=True) == first
    Path(jars[1]).write_text("of other classes")
    assert archive("SharedArchiveFile") is None
    second = archive("ArchiveClassesAtExit", keep_classes=True)
    assert second != first
    assert not first.exists()
    (tmp_path / "spark-env.sh").touch()
    assert archive("any", keep_classes=True) is None  # of which Java, nobody knows
    (tmp_path / "spark-env.sh").unlink()
    (tmp_path / "jdk" / "release").write_text('JAVA_VERSION="11.0.2"\n')
    assert archive("any", keep_classes=True) is None


def test_archives_are_kept_of_the_installations_used_last(command: Command, tmp_path: Path) -> None:
    def archive(installation: int) -> Path:
        jar = tmp_path / f"{installation}.jar"
        if not jar.exists():
            jar.touch()
        options = command({"spark.jars": str(jar)}, keep_classes=True)[JAVA_OPTIONS]
        [name] = re.findall(r'=([^"=]*\.jsa)"', options)
        found = Path(name)
        if not found.exists():
            found.write_bytes(b"head")
            os.utime(found, (installation, installation))
        return found

    archives = [archive(installation) for installation in range(3)]
    assert archive(0) == archives[0]  # used again
    archives.append(archive(3))
    assert [file.exists() for file in archives] == [True, False, True, True]


def test_without_a_place_for_an_archive_there_is_none(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert ".jsa" not in command({}, keep_classes=True)[JAVA_OPTIONS]


def test_a_user_without_a_home_has_no_archive_and_no_jars_there(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", home)
    assert ".jsa" not in command({}, keep_classes=True)[JAVA_OPTIONS]
    assert local_jar("org.apache.hudi:hudi-spark3.5-bundle_2.12:1.2.0") is None


@pytest.mark.slow
def test_the_next_command_maps_the_classes_of_the_last(tmp_path: Path) -> None:
    log = tmp_path / "loaded.txt"
    script = f"""
from pathlib import Path
from pyspark.sql import SparkSession
from hudi_zorder.spark.command_jvm import for_one_command
import hudi_zorder as hz
builder = SparkSession.builder.master("local[1]").config(
    "spark.driver.extraJavaOptions", "-Xlog:class+load:file={log}"
)
spark = for_one_command(hz.configure_spark(builder), keep_classes=True).getOrCreate()
spark.stop()
"""
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}

    def mapped() -> bool:
        subprocess.run([sys.executable, "-c", script], check=True, env=environment, timeout=120)
        lines = log.read_text().splitlines()
        ours = [line for line in lines if "HoodieSparkSessionExtension " in line]
        assert ours
        return all("shared objects file (top)" in line for line in ours)

    assert not mapped()
    ends = time.monotonic() + 120
    while not mapped():  # the JVM outlives its command while it writes
        assert time.monotonic() < ends
