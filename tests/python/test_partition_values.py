"""What folders say of partition columns, read as Java reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_zorder.hudi.partition_values import partition_bounds, told_columns
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.parquet.comparables import display
from plain_table import write_plain_table

# PartitionFoldersTest.java reads them, too.
VECTORS = json.loads(
    (Path(__file__).parents[1] / "vectors" / "partition_folders.json").read_text(encoding="utf-8")
)["vectors"]
COLUMNS: dict[str, pa.DataType] = {
    "day": pa.date32(),
    "region": pa.string(),
    "part": pa.int64(),
    "ratio": pa.float64(),
}


def properties(vector: dict[str, Any]) -> dict[str, str]:
    generator = vector.get("generator", "Simple")
    named = {
        "hoodie.table.keygenerator.class": f"org.apache.hudi.keygen.{generator}KeyGenerator",
    }
    return {
        "hoodie.table.partition.fields": vector["fields"],
        "hoodie.datasource.write.hive_style_partitioning": json.dumps("hive_style" in vector),
        "hoodie.datasource.write.partitionpath.urlencode": json.dumps("encoded" in vector),
        **(named if generator else {}),
    }


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["what"])
def test_a_folder_tells_values_or_nothing(vector: dict[str, Any], tmp_path: Path) -> None:
    rows = pa.table({name: pa.array([None], kind) for name, kind in COLUMNS.items()})
    snapshot = TableSnapshot.open(
        str(write_plain_table(tmp_path / "t", [rows], properties=properties(vector)))
    )
    bounds = partition_bounds(snapshot.config, vector["path"], snapshot.schema)
    told = {
        name: display(known.low, COLUMNS[name]).strip("'")
        for name, known in bounds.items()
        if known.known
    }
    assert told == vector["values"]
    assert told.keys() <= told_columns(snapshot.config, snapshot.schema)
