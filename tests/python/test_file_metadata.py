"""A footer is read without the Bloom filter in it, and says what it says with the filter."""

from __future__ import annotations

import base64
import contextlib
import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow.fs import LocalFileSystem
from pyarrow.parquet import encryption

import hudi_zorder as hz
from hudi_zorder.parquet.file_metadata import read_metadata
from plain_table import base_file, write_plain_table

FILTER = "org.apache.hudi.bloomfilter"
LARGE = "/" * 400_000
# What the compact protocol writes for an entry of the filter, with a value of 395,000 bytes.
LOOKALIKE = b"\x18\x1b" + FILTER.encode() + b"\x18\xf8\x8d\x18" + b"x" * 50


def write(path: Path, metadata: dict[str, str], text: bytes = b"b", rows: int = 100) -> Path:
    """Writes a file with these entries in its footer, before those of pyarrow's own."""
    table = pa.table({"i": range(rows), "t": [text] * rows})
    with pq.ParquetWriter(path, table.schema, store_schema=False) as writer:
        writer.write_table(table, row_group_size=rows // 2)
        writer.add_key_value_metadata(metadata)
    return path


class Counted(io.BytesIO):
    """A file that counts the bytes that are read of it."""

    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        """Reads and counts."""
        content = super().read(size)
        self.taken += len(content)
        return content


def read(path: Path) -> tuple[Any, int]:
    """Returns the metadata, and how many bytes of the file were read for it."""
    counted = Counted(path.read_bytes())
    return read_metadata(pa.PythonFile(counted, mode="r")), counted.taken


def essence(metadata: Any) -> Any:
    """Everything in a footer but its key-value metadata and the footer's own size."""
    found = metadata.to_dict()
    return {key: found[key] for key in found if key != "serialized_size"}


@pytest.mark.parametrize(
    "entries",
    [
        {FILTER: LARGE},
        {"org.apache.spark.version": "3.5.9", FILTER: LARGE, "hoodie_max_record_key": "9"},
        {FILTER: ""},
        {FILTER: "small"},
        {"another": LARGE},
        {"another": LARGE, FILTER: LARGE},
        {FILTER: LARGE, "another": LARGE},
        {},
    ],
    ids=lambda entries: "+".join(f"{key.split('.')[-1]}:{len(entries[key])}" for key in entries),
)
def test_all_but_the_filter_is_read_as_pyarrow_reads_it(
    tmp_path: Path, entries: dict[str, str]
) -> None:
    path = write(tmp_path / "f.parquet", entries)
    found, _ = read(path)
    whole = pq.read_metadata(path)
    assert essence(found) == essence(whole)
    assert found.created_by == whole.created_by
    expected, got = dict(whole.metadata or {}), dict(found.metadata or {})
    if FILTER in entries:
        assert got.pop(FILTER.encode()) in (b"", expected.pop(FILTER.encode()))
    assert got == expected


def test_the_filter_is_not_even_fetched(tmp_path: Path) -> None:
    _, taken = read(write(tmp_path / "f.parquet", {"first": "1", FILTER: LARGE, "last": "2"}))
    assert taken < 100_000


@pytest.mark.parametrize("entries", [{"another": LARGE}, {FILTER: LARGE}])
def test_a_text_that_looks_like_the_filter_is_a_text(
    tmp_path: Path, entries: dict[str, str]
) -> None:
    """Bounds are bytes of any kind, such as those of a filter's own entry."""
    path = write(tmp_path / "f.parquet", entries, LOOKALIKE, rows=2)
    found, _ = read(path)
    assert found.row_group(0).column(1).statistics.min_raw == LOOKALIKE
    assert essence(found) == essence(pq.read_metadata(path))


@pytest.mark.parametrize("damage", [b"", b"PAR1", b"\xff\xff\xff\x7fPAR1"])
def test_what_is_no_parquet_file_is_refused_by_pyarrow(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "f.parquet"
    path.write_bytes(damage)
    with (
        LocalFileSystem().open_input_file(str(path)) as file,
        pytest.raises((OSError, pa.ArrowException)),
    ):
        read_metadata(file)


class PlainKeys(encryption.KmsClient):
    """A key service that keeps no secret."""

    def wrap_key(self, key_bytes: bytes, master_key_identifier: str) -> bytes:
        """Returns the key as text."""
        return base64.b64encode(key_bytes)

    def unwrap_key(self, wrapped_key: bytes, master_key_identifier: str) -> bytes:
        """Returns the key."""
        return base64.b64decode(wrapped_key)


@pytest.mark.parametrize("plaintext_footer", [True, False])
@pytest.mark.parametrize("more", [{}, {FILTER: LARGE}])
def test_an_encrypted_file_is_named_with_what_can_read_it(
    tmp_path: Path, plaintext_footer: bool, more: dict[str, str]
) -> None:
    rows = pa.table({"i": [1], "secret": [2]})
    path = write_plain_table(tmp_path / "t", [rows])
    keys = encryption.EncryptionConfiguration(
        footer_key="footer", column_keys={"column": ["secret"]}, plaintext_footer=plaintext_footer
    )
    connection = encryption.KmsConnectionConfig()
    properties = encryption.CryptoFactory(lambda _: PlainKeys()).file_encryption_properties(
        connection, keys
    )
    with pq.ParquetWriter(
        path / base_file("0"), rows.schema, encryption_properties=properties
    ) as writer:
        writer.write_table(rows)
        writer.add_key_value_metadata(more)
    message = f"{base_file('0')}' is encrypted, .* cluster it by CALL run_clustering"
    with pytest.raises(hz.TableError, match=message):
        hz.open_table(path).explain("i = 1")


# Whether a map's key is required, in a footer: of a key of a simple type, and of a struct.
REQUIRED_KEYS = {b"\x25\x00\x18\x03key": b"\x25\x02\x18\x03key"}
REQUIRED_KEYS[b"\x35\x00\x18\x03key"] = b"\x35\x02\x18\x03key"
TEXTS = pa.map_(pa.string(), pa.int64())


def write_optional_keys(path: Path, kind: pa.DataType, entries: dict[str, str]) -> tuple[Path, Any]:
    """Writes a table of a map as Hudi 0.13 did by Flink; returns it and its footer as it was."""
    rows = pa.table({"key": ["a", "b"], "m": pa.nulls(2, kind), "i": [1, 2]})
    write_plain_table(path, [rows], store_schema=False, compression="none")
    file = path / base_file("0")
    with pq.ParquetWriter(file, rows.schema, store_schema=False) as writer:
        writer.write_table(rows)
        writer.add_key_value_metadata(entries)
    required = pq.read_metadata(file)
    held = file.read_bytes()
    for as_required, as_optional in REQUIRED_KEYS.items():
        held = held.replace(as_required, as_optional)
    file.write_bytes(held)
    return path, required


@pytest.mark.parametrize("entries", [{}, {FILTER: LARGE}, {"another": LARGE}])
@pytest.mark.parametrize(
    "kind",
    [
        TEXTS,
        pa.map_(pa.string(), TEXTS),
        pa.struct([("inner", TEXTS), ("key", pa.string())]),
        pa.map_(pa.struct([("key", pa.string())]), TEXTS),
    ],
    ids=str,
)
def test_a_map_may_have_optional_keys(
    tmp_path: Path, kind: pa.DataType, entries: dict[str, str]
) -> None:
    path, required = write_optional_keys(tmp_path / "t", kind, entries)
    file = path / base_file("0")
    with pytest.raises(pa.ArrowInvalid, match="Map keys"):
        pq.read_metadata(file)
    found, _ = read(file)
    assert found.schema.equals(required.schema)
    assert essence(found) == essence(required)
    table = hz.open_table(path)
    assert table.explain("key = 'c'").kept == ()
    assert table.clustering_information(["i"]).sampled_rows == 256


def test_a_damaged_footer_of_optional_keys_is_no_parquet_file(tmp_path: Path) -> None:
    path, _ = write_optional_keys(tmp_path / "t", TEXTS, {})
    whole = (path / base_file("0")).read_bytes()
    begin = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    for place in range(begin, len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 0xFF
        with contextlib.suppress(OSError, pa.ArrowException, UnicodeDecodeError):
            read_metadata(pa.BufferReader(bytes(damaged)))
