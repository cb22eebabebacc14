"""Bad tables and bad command lines: each gets an error that says what and why, and changes nothing.

What Spark or the JVM refuses is in ``test_strategy_refusals`` and ``test_options``.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import hudi_zorder as hz
from hudi_zorder.cli import app
from plain_table import CLUSTERED, write_clustered_table

Damage = Callable[[Path], object]


def properties(key: str, value: str) -> Damage:
    def damage(path: Path) -> None:
        file = path / ".hoodie/hoodie.properties"
        lines = [line for line in file.read_text().splitlines() if not line.startswith(f"{key}=")]
        file.write_text("\n".join([*lines, f"{key}={value}", ""]))

    return damage


def commit(content: bytes) -> Damage:
    return lambda path: commit_of(path).write_bytes(content)


def commit_of(path: Path) -> Path:
    [file] = path.glob(".hoodie/timeline/*.replacecommit")
    return file


def latest(path: Path) -> Path:
    return min(path.glob(f"*_{CLUSTERED}.parquet"))


def base_file(change: Callable[[bytes], bytes]) -> Damage:
    def damage(path: Path) -> None:
        file = latest(path)
        file.write_bytes(change(file.read_bytes()))

    return damage


def footer_length(length: int) -> Damage:
    return base_file(lambda content: content[:-8] + length.to_bytes(4, "little") + b"PAR1")


def noise_in_footer(content: bytes) -> bytes:
    length = int.from_bytes(content[-8:-4], "little")
    noise = bytes(n * 37 % 256 for n in range(length))
    return content[: -8 - length] + noise + content[-8:]


def replaced_by_a_file(path: Path) -> None:
    shutil.rmtree(path)
    path.write_text("no table")


def leads_to_itself(path: Path) -> None:
    folder = path / ".hoodie/timeline"
    shutil.rmtree(folder)
    folder.symlink_to(folder)


NO_TABLE = "there is no Hudi table, 'path' was"
NO_FILE = "there is no base file in"
DAMAGED = "the metadata of replacecommit '20260102000000000' is damaged"
NO_PARQUET = "is no readable Parquet file"
TABLES: dict[str, tuple[Damage, str]] = {
    "no folder": (shutil.rmtree, NO_TABLE),
    "a file": (replaced_by_a_file, NO_TABLE),
    "no metadata": (lambda path: shutil.rmtree(path / ".hoodie"), NO_TABLE),
    "no properties": (lambda path: (path / ".hoodie/hoodie.properties").unlink(), NO_TABLE),
    "empty properties": (
        lambda path: (path / ".hoodie/hoodie.properties").write_text(""),
        NO_TABLE,
    ),
    "properties that are no text": (
        lambda path: (path / ".hoodie/hoodie.properties").write_bytes(bytes(range(256))),
        "'hoodie.properties' in",
    ),
    "a version to come": (
        properties("hoodie.table.version", "99"),
        "'hoodie.table.version' was '99'",
    ),
    "a version that is no number": (
        properties("hoodie.table.version", "nine"),
        "'hoodie.table.version' was 'nine'",
    ),
    "a layout that is no number": (
        properties("hoodie.timeline.layout.version", "two"),
        "'hoodie.timeline.layout.version' was 'two'",
    ),
    "another file format": (
        properties("hoodie.table.base.file.format", "ORC"),
        "only Parquet base files have statistics",
    ),
    "a timeline elsewhere": (
        properties("hoodie.timeline.path", "../../../../etc"),
        "which leads out of the table",
    ),
    "a timeline at the root": (
        properties("hoodie.timeline.path", "/etc"),
        "which leads out of the table",
    ),
    "an archive elsewhere": (
        properties("hoodie.timeline.history.path", "../../../../etc"),
        "which leads out of the table",
    ),
    "a timeline of no name": (properties("hoodie.timeline.path", r"\u0000"), "names no folder"),
    "a timeline of a name too long": (
        properties("hoodie.timeline.history.path", "x" * 256),
        "names no folder",
    ),
    "a timeline that cannot be listed": (leads_to_itself, "timeline' cannot be listed"),
    "a version too long to be a number": (
        properties("hoodie.table.version", "9" * 5000),
        "which is no number",
    ),
    "a timeline of another layout": (properties("hoodie.timeline.layout.version", "1"), NO_FILE),
    "no timeline": (lambda path: shutil.rmtree(path / ".hoodie/timeline"), NO_FILE),
    "no commits": (
        lambda path: [file.unlink() for file in path.glob(".hoodie/timeline/*")],
        NO_FILE,
    ),
    "half a commit": (
        lambda path: commit_of(path).write_text(commit_of(path).read_text()[:40]),
        DAMAGED,
    ),
    "a commit of noise": (commit(b"Obj\x01" + b"\xff" * 30), DAMAGED),
    "half an Avro commit": (commit(b"Obj\x01\x02"), DAMAGED),
    "a commit that is a list": (commit(b"[1, 2]"), DAMAGED),
    "a commit that is a text": (commit(b'"x"'), DAMAGED),
    "replaced groups that are a list": (
        commit(json.dumps({"partitionToReplaceFileIds": [1]}).encode()),
        DAMAGED,
    ),
    "replaced groups that are a text": (
        commit(json.dumps({"partitionToReplaceFileIds": {"": "x"}}).encode()),
        DAMAGED,
    ),
    "a truncated file": (base_file(lambda content: content[:-20]), NO_PARQUET),
    "an empty file": (base_file(lambda _: b""), NO_PARQUET),
    "a short file": (base_file(lambda _: b"PAR1"), NO_PARQUET),
    "a file of text": (base_file(lambda _: b"no Parquet, whatever its name says"), NO_PARQUET),
    "a footer of two gigabytes": (footer_length(2**31 - 1), NO_PARQUET),
    "a footer of four gigabytes": (footer_length(2**32 - 1), NO_PARQUET),
    "a footer of no bytes": (footer_length(0), NO_PARQUET),
    "a footer of noise": (base_file(noise_in_footer), NO_PARQUET),
    "an encrypted file": (base_file(lambda content: content[:-4] + b"PARE"), "is encrypted"),
}
# A condition on a, b of whole numbers.
PARSE = "Cannot parse a predicate: 'predicate' was"
LINES: list[tuple[Sequence[str], str]] = [
    (["explain", "TABLE", ""], PARSE),
    (["explain", "TABLE", "   "], PARSE),
    (["explain", "TABLE", "a ="], PARSE),
    (["explain", "TABLE", "a = = 5"], PARSE),
    (["explain", "TABLE", "(a = 5"], PARSE),
    (["explain", "TABLE", "a = 5; DROP TABLE t"], PARSE),
    (["explain", "TABLE", "a = 5 a = 6"], PARSE),
    (["explain", "TABLE", "a BETWEEN 5"], PARSE),
    (["explain", "TABLE", "a = x'zz'"], PARSE),
    (["explain", "TABLE", "`a = 5"], PARSE),
    (["explain", "TABLE", "NOT"], PARSE),
    (["explain", "TABLE", "c = 5"], "there is no column 'c'; choose one of a, b"),
    (["explain", "TABLE", "a.b = 5"], "there is no column 'a.b'"),
    (["explain", "TABLE", "a = 'x'"], "compares a, which is int64, with 'x'; write a number"),
    (["explain", "TABLE", "a = DATE '2026-99-99'"], "write a number"),
    (["explain", "TABLE", "a = 5", "--select", "zz"], "there is no column 'zz'"),
    (["explain", "TABLE", "a = 5", "--time-zone", "Mars/Phobos"], "name one such as"),
    (["explain", "TABLE", "a = 5", "--conf", "x=1"], "give '--audit', too"),
    (["explain", "TABLE", "a = 5", "--readers", "0"], "'readers' was '0'"),
    (["stats", "TABLE", "--readers", "0"], "'readers' was '0'"),
    (["info", "TABLE", "-c", "a", "--readers", "0"], "'readers' was '0'"),
    (["explain", "TABLE", "a = 5", "--source", "index", "--select", "a"], "knows no pages"),
    (["explain", "TABLE", "a = 5", "--output", "xml"], "'xml' is not one of"),
    (["stats", "TABLE", "-c", "zz"], "there is no column 'zz'"),
    (["stats", "TABLE", "-c", "a,,b"], "there is no column ''"),
    (["stats", ""], "'path' was ''"),
    (["info", "TABLE"], "no clustering by columns is recorded"),
    (["info", "TABLE", "-c", "a,a"], "'a' is named twice"),
    (["plot", "TABLE", "-c", "a"], "name two columns"),
    (["plot", "TABLE", "-c", "a,b", "--to", "x.doc"], "end it in .png, .svg, .pdf"),
    (["plot", "TABLE", "-c", "a,b", "--to", "no/x.svg"], "name a file in a folder"),
    (["queries", "no.log"], "which is not there"),
    (["history", "TABLE", "x"], "unexpected extra argument"),
    (["repair"], "Missing argument 'path'"),
    (["nonsense"], "No such command 'nonsense'"),
    (["cluster", "TABLE"], "'columns' was not given"),
    (["cluster", "TABLE", "-c", "a,a"], "'columns' holds 'a' twice"),
    (["cluster", "TABLE", "-c", "a", "--weights", "a"], "write numbers, such as"),
    (["cluster", "TABLE", "-c", "a", "--weights", "a=x"], "write numbers, such as"),
    (["cluster", "TABLE", "-c", "a", "--weights", "a=-1"], "write a number above 0"),
    (["cluster", "TABLE", "-c", "a", "--weights", "a=nan"], "write a number above 0"),
    (["cluster", "TABLE", "-c", "a", "--weights", "z=1"], "names 'z', which is no sort column"),
    (["cluster", "TABLE", "-c", "a", "--target-file-size", "0"], "'target_file_size' was '0'"),
    (["cluster", "TABLE", "-c", "a", "--target-file-size", "12QB"], "such as '128MB'"),
    (["cluster", "TABLE", "-c", "a", "--strategy", "SPIRAL"], "ZORDER, HILBERT, LINEAR"),
    (["cluster", "TABLE", "-c", "a", "--mode", "some"], "incremental, full"),
    (["cluster", "TABLE", "-c", "a", "--hudi", "x"], "write key=value"),
    (["cluster", "TABLE", "-c", "a", "--conf", "=x"], "write key=value"),
]


def digest(path: Path) -> dict[str, str]:
    """What is in a folder."""
    files = sorted(file for file in path.rglob("*") if file.is_file())
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def told(arguments: Sequence[str]) -> tuple[int, str]:
    """The exit code, and all that is printed, as one line."""
    run = CliRunner().invoke(app, arguments)
    assert run.exception is None or isinstance(run.exception, SystemExit), run.exception
    assert "a fault of hudi-zorder" not in run.output
    assert "Traceback" not in run.output
    return run.exit_code, " ".join(run.output.split())


@pytest.mark.parametrize("name", TABLES)
def test_a_bad_table_gets_an_error_that_names_it(tmp_path: Path, name: str) -> None:
    damage, why = TABLES[name]
    path = write_clustered_table(tmp_path / "t")
    damage(path)
    before = digest(tmp_path)

    with pytest.raises(hz.TableError) as refused:
        hz.open_table(path).column_stats()
    code, printed = told(["stats", str(path)])

    assert why in str(refused.value)
    assert str(refused.value).startswith("Cannot ")
    assert (code, printed[:14]) == (1, "Error: Cannot ")
    assert " ".join(why.split()) in printed
    assert digest(tmp_path) == before


@pytest.mark.parametrize(("line", "why"), LINES, ids=[" ".join(line) for line, _ in LINES])
def test_a_bad_command_line_is_refused_before_anything_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: Sequence[str], why: str
) -> None:
    path = write_clustered_table(tmp_path / "t")
    monkeypatch.chdir(tmp_path)
    before = digest(tmp_path)

    code, printed = told([str(path) if word == "TABLE" else word for word in line])

    assert code == (1 if why in ("'path' was ''", "name a file in a folder") else 2)
    assert printed.startswith("Error: ")
    assert why in printed
    assert digest(tmp_path) == before


def test_a_name_on_the_timeline_leads_nowhere_else(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    pq.write_table(pa.table({"a": [1_000_000]}), secret / f"f9-0_0-0-0_{CLUSTERED}.parquet")
    path = write_clustered_table(tmp_path / "t")
    stats = [{"fileId": "f9-0", "path": f"../secret/f9-0_0-0-0_{CLUSTERED}.parquet"}]
    done = json.loads(commit_of(path).read_text())
    done["partitionToWriteStats"]["../secret"] = stats
    commit_of(path).write_text(json.dumps(done))

    seen = hz.open_table(path).column_stats(["a"])

    assert max(seen["a.max"].to_pylist()) < 1_000_000
