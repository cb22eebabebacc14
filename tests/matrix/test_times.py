"""Times keep what they are, in whichever unit, or are refused before anything is planned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from by_configuration import run_clustering, strategy
from cell import HUDI, IS_FIT
from py4j.protocol import Py4JJavaError

import hudi_zorder as hz

pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(not IS_FIT, reason=f"Hudi {HUDI} is refused"),
]

ROWS = 2000
STRATEGY = strategy(("a", "id"), 30_000)
# Their writer of rows knows one unit for all times of a file.
OF_ONE_UNIT = HUDI in ("0.15.0", "1.0.2")
REFUSED = "times in milliseconds that Hudi before 1.1 cannot write"


def time_in(unit: str) -> dict[str, str]:
    return {"type": "long", "logicalType": f"timestamp-{unit}"}


def write(spark: Any, path: Path, first: int, *columns: str, **more: str) -> None:
    """Writes rows from an id on, with a column ``a`` and those that are given."""
    frame = spark.range(first, first + ROWS, 1, 2).selectExpr(
        "id", f"cast((id * 7919) % {ROWS} as int) a", *columns
    )
    options = {
        "hoodie.table.name": "t",
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.precombine.field": "id",
        "hoodie.datasource.write.operation": "bulk_insert",
        "hoodie.parquet.small.file.limit": "0",
        **{f"hoodie.{key.replace('__', '.')}": value for key, value in more.items()},
    }
    frame.write.format("hudi").options(**options).mode("append").save(str(path))


def write_in_units(spark: Any, path: Path, first: int, **units: str) -> None:
    """Writes rows with columns of times, as numbers that the schema tells the units of."""
    columns = {name: nullable(time_in(unit)) for name, unit in units.items()}
    schema = struct(id="long", a=nullable("int"), **columns)
    write(
        spark,
        path,
        first,
        *(f"if(id < 0, null, id * 86400003 - 5) {name}" for name in units),
        datasource__write__operation="insert",
        write__schema=json.dumps(schema),
    )


def struct(**fields: Any) -> dict[str, Any]:
    typed = [
        {"name": name, "type": kind, "default": None}
        if isinstance(kind, list)
        else {"name": name, "type": kind}
        for name, kind in fields.items()
    ]
    return {"type": "record", "name": "r_" + "_".join(fields), "fields": typed}


def nullable(kind: Any) -> list[Any]:
    return ["null", kind]


MILLIS, MICROS = time_in("millis"), time_in("micros")
# Per case: a column of a file and of its table, and whether a number means the same in both.
UNITS = {
    "same": (MICROS, nullable(MICROS), True),
    "another": (MILLIS, nullable(MICROS), False),
    "missing": (struct(n="long"), nullable(struct(n="long", t=nullable(MICROS))), True),
    "dropped": (struct(n="long", t=MICROS), struct(n="long"), True),
    "another within": (nullable(struct(t=nullable(MILLIS))), struct(t=MICROS), False),
    "swapped": (struct(a=MILLIS, b=MICROS), struct(a=MICROS, b=MILLIS), False),
    "both": (struct(a=MILLIS, b=MICROS), struct(b=MICROS, a=MILLIS), True),
    "another of an array": (
        {"type": "array", "items": nullable(MILLIS)},
        {"type": "array", "items": MICROS},
        False,
    ),
    "another of a map": (
        {"type": "map", "values": nullable(struct(t=MICROS))},
        {"type": "map", "values": struct(t=MILLIS)},
        False,
    ),
}


@pytest.mark.skipif(not OF_ONE_UNIT, reason="its readers know the unit of a file")
@pytest.mark.parametrize("case", list(UNITS))
def test_units_are_compared_where_file_and_table_have_a_time(spark: Any, case: str) -> None:
    file, table, same = UNITS[case]
    jvm = spark._jvm

    def schema(kind: Any) -> Any:
        return jvm.org.apache.avro.Schema.Parser().parse(json.dumps(struct(column=kind)))

    units = jvm.io.hudizorder.hudi.v1_0.TimeUnits
    assert units.areSame(schema(file), schema(table)) == same


def content(spark: Any, path: Path) -> list[Any]:
    rows = spark.read.format("hudi").load(str(path))
    columns = [name for name in rows.columns if not name.startswith("_hoodie")]
    return sorted(rows.select(columns).collect(), key=lambda row: row.id)


@pytest.mark.parametrize("unit", ["TIMESTAMP_MILLIS", "INT96"])
def test_microseconds_stay_whatever_the_unit_of_spark(
    spark: Any, tmp_path: Path, unit: str
) -> None:
    path = tmp_path / "t"
    write(spark, path, 0, "timestamp_micros(id * 86400000003 - 5) at")
    rows = content(spark, path)

    run_clustering(spark, str(path), {**STRATEGY, "hoodie.parquet.outputtimestamptype": unit})

    assert content(spark, path) == rows
    # Hudi's own writer reads the files by Avro to merge them.
    again = {"datasource__write__operation": "upsert"}
    write(spark, path, 0, "timestamp_micros(id * 86400000003 - 5) at", **again)
    assert content(spark, path) == rows


def test_what_cannot_be_written_is_not_planned(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "t"
    write_in_units(spark, path, 0, at="millis", seen="micros")
    rows = content(spark, path)

    if OF_ONE_UNIT:
        for op in ("schedule", "scheduleAndExecute"):
            with pytest.raises(Py4JJavaError, match=REFUSED):
                run_clustering(spark, str(path), STRATEGY, op)
        assert hz.ZOrderTable(spark, str(path)).pending() == []
    else:
        run_clustering(spark, str(path), STRATEGY)
        assert hz.ZOrderTable(spark, str(path)).history()
    assert content(spark, path) == rows


@pytest.mark.skipif(not OF_ONE_UNIT, reason="it writes them")
def test_a_plan_from_before_such_times_stays_for_another_hudi(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "t"
    write_in_units(spark, path, 0, at="millis")
    run_clustering(spark, str(path), STRATEGY, "schedule")
    write_in_units(spark, path, ROWS, at="millis", seen="micros")
    rows = content(spark, path)

    with pytest.raises(Py4JJavaError, match=f"{REFUSED}.*stays pending for whoever can"):
        run_clustering(spark, str(path), STRATEGY, "execute")

    assert [plan.state for plan in hz.ZOrderTable(spark, str(path)).pending()] == ["requested"]
    assert content(spark, path) == rows


@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_a_struct_with_a_later_time_is_clustered(spark: Any, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "t"
    of_kind = {"datasource__write__table__type": kind}
    write(spark, path, 0, "named_struct('n', id) s", **of_kind)
    write(
        spark,
        path,
        ROWS,
        "named_struct('n', id, 't', if(id < 0, null, timestamp_micros(id * 86400000003 - 5))) s",
        **of_kind,
    )
    rows = content(spark, path)

    run_clustering(spark, str(path), STRATEGY)

    assert hz.ZOrderTable(spark, str(path)).history()
    assert content(spark, path) == rows
    assert rows[0].s.t is None
    assert rows[-1].s.t is not None
