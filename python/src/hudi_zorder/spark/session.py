"""A Spark session that can write and cluster Hudi tables: jars and settings appended to the user's.

Nothing here starts a JVM: settings are added to the builder, and what is wrong is refused before.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pyspark
from pyspark.sql import SparkSession

from hudi_zorder import __version__
from hudi_zorder.errors import PredicateError, SessionError, SessionWarning
from hudi_zorder.options import CONCURRENCY_MODE, LOCK_PROVIDER, LOCKING
from hudi_zorder.spark._jvm import process
from hudi_zorder.spark.java import check_java
from hudi_zorder.spark.maven import local_jar
from hudi_zorder.spark.settings import (
    CLASS_PATH,
    CLASS_PATH_OF_EXECUTORS,
    JARS,
    JAVA_OPTIONS,
    JAVA_OPTIONS_OF_EXECUTORS,
    PACKAGES,
    Settings,
    add_java_options,
    hudi_defaults,
    separator,
    spark_home,
)
from hudi_zorder.times import time_zone

SPARK_LINE: Final = "3.5"
HUDI_RELEASES: Final = {"2.12": ("1.2.0", "1.1.1", "1.0.2", "0.15.0"), "2.13": ("1.1.1",)}
"""By Scala, what Hudi released for it that this package was tried with; others of the same lines
fit."""
_PYPI_SCALA: Final = "2.12"
_BUNDLE_NAME: Final = f"org.apache.hudi:hudi-spark{SPARK_LINE}-bundle"

EXTENSIONS: Final = "spark.sql.extensions"
CATALOG: Final = "spark.sql.catalog.spark_catalog"
SERIALIZER: Final = "spark.serializer"
REGISTRATOR: Final = "spark.kryo.registrator"
CONSOLE_PROGRESS: Final = "spark.ui.showConsoleProgress"

_HUDI_EXTENSION: Final = "org.apache.spark.sql.hudi.HoodieSparkSessionExtension"
_ZORDER_EXTENSION: Final = "io.hudizorder.ZOrderSparkSessionExtension"
_HUDI_CATALOG: Final = "org.apache.spark.sql.hudi.catalog.HoodieCatalog"
_KRYO: Final = "org.apache.spark.serializer.KryoSerializer"
_HUDI_REGISTRATOR: Final = "org.apache.spark.HoodieSparkKryoRegistrar"

_OUR_JAR: Final = re.compile(r"hudi-zorder-(\d[\w.]*)\.jar$")
# A platform's own is hudi-spark-bundle.jar, without its versions.
_ANY_BUNDLE: Final = re.compile(r"hudi-spark[^/:]*-bundle[^/]*$")
_BUNDLE: Final = re.compile(r"hudi-spark([\d.]+)-bundle_([\d.]+)(?:-|:)(\d[\w.-]*?)(?:\.jar)?$")

# To measure objects for its caches, Hudi has a library start two more JVMs, which look into this
# one, for seconds, and fail, unless they are root's; then it estimates, as it does with these.
_NO_LOOK_INSIDE: Final = (
    "-Djol.skipHotspotSAAttach=true",
    "-Djol.skipDynamicAttach=true",
    "-Djol.skipInstallAttach=true",
)

# Settings which, all true, give a sign in a predicate another meaning.
_PARSER_SETTINGS: Final = {
    "\\": ("spark.sql.parser.escapedStringLiterals",),
    '"': ("spark.sql.ansi.enabled", "spark.sql.ansi.doubleQuotedIdentifiers"),
    "'": ("spark.sql.legacy.typeCoercion.datetimeToString.enabled",),  # beside dates and times
}


def configure_spark(
    builder: SparkSession.Builder,
    *,
    hudi: str | None = None,
    hudi_bundle: str | os.PathLike[str] | None = None,
    extra_jars: Sequence[str | os.PathLike[str]] = (),
) -> SparkSession.Builder:
    """Adds what Hudi and this package need to a session builder, and returns the builder.

    Lists (jars, packages, extensions, Kryo registrators) are appended to. Of the single values,
    a catalog other than Hudi's is kept with a SessionWarning, for reading, writing and clustering
    by path need none; a serializer other than Kryo is refused, for Hudi will not write with it.
    Spark's own console progress, which would overwrite ours, is turned off unless it is set, and
    Hudi is kept from starting two more JVMs at its first write, to measure objects of this one.
    This package's jar goes to the jars, and to the class path where Hudi is on it; executors of
    other machines, but for YARN's, then need it at the same path. To a JVM that runs, as that of
    spark-submit, no jar is added: those that were submitted are looked for.

    SQL statements of the session lock the tables that they write to, unless a concurrency mode or a
    lock is set, in ``hudi-defaults.conf`` too, as ``cluster`` does in any session. Hudi before 1.2
    and a ``CALL`` take these settings without ``spark.`` before them alone: ``SET`` them. A data
    frame's writer takes none from its session: ``inline()`` and ``async_()`` have them for it.

    Args:
        builder: the builder, with the user's own settings made before.
        hudi: the release of Hudi, such as ``1.0.2``, in place of its bundle.
        hudi_bundle: a jar file or Maven coordinates; by default the newest bundle for the Scala of
            SPARK_HOME, or of PySpark from PyPI, from Maven's local repository or Ivy's if it is
            there, unless one is already on the class path, or in the user's jars or packages.
        extra_jars: further jar files for the class path.

    Raises:
        SessionError: for what is no builder, a missing Java, a Spark, Scala or Hudi that does not
            fit, a missing jar, a serializer that Hudi refuses, or a JVM that already runs without
            the jars.
    """
    if not isinstance(builder, SparkSession.Builder):
        raise SessionError(
            f"Cannot configure Spark: 'builder' was {builder!r}; give SparkSession.builder, and "
            "call getOrCreate() on what is returned"
        )
    if isinstance(extra_jars, str | os.PathLike):
        raise SessionError(
            f"Cannot configure Spark: 'extra_jars' was '{os.fspath(extra_jars)}'; write a list: "
            f"extra_jars=['{os.fspath(extra_jars)}']"
        )
    home, scala = _checked_home()
    user = Settings(builder)
    if user.jvm_runs:
        _check_running_jvm(scala)
    else:
        check_java(user)
        _append(builder, user, JARS, [_existing(jar) for jar in extra_jars])
        _add_hudi_and_ours(builder, user, home, scala, _bundle(hudi, hudi_bundle, scala))
        for key in (JAVA_OPTIONS, JAVA_OPTIONS_OF_EXECUTORS):
            present = user.get(key) or ""
            missing = [option for option in _NO_LOOK_INSIDE if option not in present]
            add_java_options(builder, user, key, missing)
    _append(builder, user, EXTENSIONS, [_HUDI_EXTENSION, _ZORDER_EXTENSION])
    _append(builder, user, REGISTRATOR, [_HUDI_REGISTRATOR])
    _set_single_values(builder, user)
    # By this prefix Hudi's SQL knows them, and Spark does not warn of them.
    chosen = (CONCURRENCY_MODE, LOCK_PROVIDER)
    given = [user.get(prefix + key) for prefix in ("", "spark.") for key in chosen]
    if not any(given) and hudi_defaults().keys().isdisjoint(chosen):
        for key, value in LOCKING.items():
            builder.config(f"spark.{key}", value)
    if user.get(CONSOLE_PROGRESS) is None:
        builder.config(CONSOLE_PROGRESS, "false")
    return builder


def strategy_jar() -> Path:
    """Returns the jar of this version: the installed one, or that of a checkout.

    Raises:
        SessionError: when there is none.
    """
    package = Path(__file__).resolve().parents[1]
    folders = [package / "jars"]
    if len(package.parents) > 2:  # <checkout>/python/src/hudi_zorder
        folders.append(package.parents[2] / "target")
    name = f"hudi-zorder-{__version__}.jar"
    for folder in folders:
        if (folder / name).exists():
            return folder / name
    searched = " and ".join(str(folder) for folder in folders)
    raise SessionError(
        f"Cannot configure Spark: there is no {name} in {searched}; "
        "install the package again, or run 'make setup' in a checkout"
    )


def session_time_zone(spark: SparkSession) -> str | None:
    """Returns the time zone in which a session means times without one.

    None when Python does not know it, such as ``PST``: such times then skip what they skip in every
    zone.
    """
    name = spark.conf.get("spark.sql.session.timeZone")
    try:
        time_zone(name or "")
    except ValueError:
        return None
    return name


def check_predicate_settings(spark: SparkSession, predicate: str) -> None:
    """Refuses a predicate that the session's parser reads in another way than Spark's default.

    Raises:
        PredicateError: naming the setting.
    """
    text = predicate if isinstance(predicate, str) else ""  # what is no text, explain refuses
    for sign, settings in _PARSER_SETTINGS.items():
        values = [spark.conf.get(name, "false") or "" for name in settings]
        if sign in text and all(value.lower() == "true" for value in values):
            raise PredicateError(
                f"Cannot explain a predicate: 'predicate' was '{predicate}', and "
                f"'{settings[-1]}' is 'true', by which its {sign} means something else; "
                "unset that, or write the predicate without it"
            )


def bundle_of(hudi: str, scala: str) -> str:
    """Returns the coordinates of a release of Hudi for a Scala."""
    return f"{_BUNDLE_NAME}_{scala}:{hudi}"


def _bundle(
    hudi: str | None, hudi_bundle: str | os.PathLike[str] | None, scala: str
) -> str | os.PathLike[str] | None:
    if hudi is None:
        return hudi_bundle
    if hudi_bundle is not None:
        raise SessionError(
            f"Cannot configure Spark: 'hudi' was '{hudi}', and 'hudi_bundle' '{hudi_bundle}'; "
            "give one of them"
        )
    bundle = bundle_of(hudi, scala)
    _check_bundle(bundle, scala)
    return local_jar(bundle) or bundle


def _add_hudi_and_ours(
    builder: SparkSession.Builder,
    user: Settings,
    home: Path,
    scala: str,
    given: str | os.PathLike[str] | None,
) -> None:
    paths = {key: [*user.class_path(key, home)] for key in (CLASS_PATH, CLASS_PATH_OF_EXECUTORS)}
    jars = [*paths[CLASS_PATH], *user.served()]
    present = [entry for entry in jars if _ANY_BUNDLE.search(entry)]
    if given is not None:
        bundle = os.fspath(given)
        is_file = bundle.endswith(".jar")
        _append(
            builder, user, JARS if is_file else PACKAGES, [_existing(bundle) if is_file else bundle]
        )
        present.append(bundle)
    elif not present:
        newest = bundle_of(HUDI_RELEASES[scala][0], scala)
        local = local_jar(newest)
        _append(builder, user, JARS if local else PACKAGES, [str(local or newest)])
    for entry in present:
        _check_bundle(entry, scala)
    for entry in (*jars, *paths[CLASS_PATH_OF_EXECUTORS]):
        _check_ours(entry)
    # Hudi looks classes up where it was loaded from. YARN's executors have what is served by name.
    for key, names in ((CLASS_PATH, ["{0}"]), (CLASS_PATH_OF_EXECUTORS, ["{0}", "{0.name}"])):
        if any(map(_ANY_BUNDLE.search, paths[key])) and not any(map(_OUR_JAR.search, paths[key])):
            _append(builder, user, key, [name.format(strategy_jar()) for name in names])
    if not any(map(_OUR_JAR.search, jars)):
        _append(builder, user, JARS, [str(strategy_jar())])


def _check_bundle(entry: str, wanted_scala: str) -> None:
    match = _BUNDLE.search(entry)
    if match is None:  # renamed by somebody, who may know better
        return
    spark, scala, hudi = match.groups()
    wanted = (SPARK_LINE, wanted_scala)
    newest, *older = HUDI_RELEASES[wanted_scala]
    lines = {release.rpartition(".")[0] + "." for release in (newest, *older)}
    if (spark, scala) != wanted or not any(hudi.startswith(line) for line in lines):
        raise SessionError(
            f"Cannot configure Spark: the Hudi bundle '{entry}' is Hudi {hudi} for Spark {spark} "
            f"and Scala {scala}, and this Spark has Scala {wanted_scala}; "
            f"use {bundle_of(newest, wanted_scala)}"
            + (f", or one of Hudi {', '.join(older)}" if older else "")
        )


def _check_ours(entry: str) -> None:
    match = _OUR_JAR.search(entry)
    if match is not None and match[1] != __version__:
        misfit = process.of_other_version(f"'{entry}'", match[1])
        raise SessionError(f"Cannot configure Spark: {misfit}")


def _append(
    builder: SparkSession.Builder, user: Settings, key: str, entries: Sequence[str]
) -> None:
    present = user.entries(key)
    missing = [entry for entry in entries if entry not in present]
    if not missing:
        return
    flag = user.flag(key)
    if flag is not None:
        # spark-submit prefers its flag to the setting, so that an appended setting has no effect.
        raise SessionError(
            f"Cannot configure Spark: PYSPARK_SUBMIT_ARGS sets '{key}' to '{flag}', which hides "
            f"the builder's; add {','.join(missing)} there, or set '{key}' on the builder instead"
        )
    builder.config(key, separator(key).join([*present, *missing]))


def _set_single_values(builder: SparkSession.Builder, user: Settings) -> None:
    serializer = user.get(SERIALIZER)
    if serializer not in (None, _KRYO):
        raise SessionError(
            f"Cannot configure Spark: '{SERIALIZER}' was '{serializer}' and Hudi writes with Kryo "
            f"alone; remove the setting, or set it to {_KRYO}"
        )
    builder.config(SERIALIZER, _KRYO)
    catalog = user.get(CATALOG)
    if catalog in (None, _HUDI_CATALOG):
        builder.config(CATALOG, _HUDI_CATALOG)
    else:
        warnings.warn(
            f"Kept '{CATALOG}' = '{catalog}': tables are read, written and clustered by path, but "
            f"SQL statements that create or change Hudi tables need {_HUDI_CATALOG}",
            SessionWarning,
            stacklevel=3,
        )


def _check_running_jvm(scala: str) -> None:
    missing = process.missing_classes()
    if missing:
        raise SessionError(
            f"Cannot configure Spark: a JVM already runs without {', '.join(missing)}, and jars "
            "cannot be added to it; start Python anew, or submit with "
            f"--packages {bundle_of(HUDI_RELEASES[scala][0], scala)} --jars {strategy_jar()}, "
            "or give the latter as Hudi is given, where that is on the class path"
        )
    process.require_same_version("configure Spark")
    misfit = process.misfit()
    if misfit is not None:
        raise SessionError(misfit.replace("Cannot cluster", "Cannot configure Spark", 1))
    session = SparkSession.getActiveSession()
    if session is None:
        return
    # These are read when a context starts; getOrCreate() would drop them without a word.
    wanted = (
        (SERIALIZER, _KRYO),
        (EXTENSIONS, _HUDI_EXTENSION),
    )
    conf = session.sparkContext.getConf()
    for key, value in wanted:
        present = conf.get(key, "") or ""
        if value not in present.split(","):
            raise SessionError(
                f"Cannot configure Spark: a session already runs in which '{key}' is '{present}' "
                f"and should hold {value}; call stop() on it first"
            )
    if _ZORDER_EXTENSION not in (conf.get(EXTENSIONS, "") or "").split(","):
        warnings.warn(
            f"Kept the running session, whose '{EXTENSIONS}' lacks {_ZORDER_EXTENSION}: it "
            "clusters, and does not know zorder_value() and its kin; call stop() on it first for "
            "these",
            SessionWarning,
            stacklevel=3,
        )


def _checked_home() -> tuple[Path, str]:
    """The folder of a Spark that fits, and its Scala."""
    if not pyspark.__version__.startswith(SPARK_LINE + "."):
        raise SessionError(
            f"Cannot configure Spark: pyspark is {pyspark.__version__} and the Hudi bundle is for "
            f"Spark {SPARK_LINE}; run pip install 'pyspark=={SPARK_LINE}.*'"
        )
    home = spark_home()
    scala = _PYPI_SCALA
    for core in sorted((home / "jars").glob("spark-core_*.jar")):
        match = re.match(r"spark-core_([\d.]+)-([\d.]+)", core.name)
        if match is None:
            continue
        scala = match[1]
        if scala not in HUDI_RELEASES or not match[2].startswith(SPARK_LINE + "."):
            raise SessionError(
                f"Cannot configure Spark: '{home}' holds Spark {match[2]} for Scala {scala}; "
                f"unset SPARK_HOME or let it name a Spark {SPARK_LINE} "
                f"for Scala {' or '.join(HUDI_RELEASES)}"
            )
    return home, scala


def _existing(jar: str | os.PathLike[str]) -> str:
    path = os.fspath(jar)
    if "://" not in path and not Path(path).is_file():
        raise SessionError(
            f"Cannot configure Spark: there is no jar '{path}'; give the path of an existing file"
        )
    return path
