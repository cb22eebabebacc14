"""What reads, from Python and the command line, in a process that cannot import Spark."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.memory import MemoryFileSystem
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

import hudi_zorder as hz
from hudi_zorder.errors import ColumnError, OptionError, TableError
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import SORT_COLUMNS
from plain_table import CLUSTERED, tell_of_clustering, write_clustered_table, write_plain_table

# Whatever of these is imported, from wherever, is not there.
BLOCKED = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pyspark", "py4j"):
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)

sys.meta_path.insert(0, Blocker())
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_clustered_table(tmp_path / "t")


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", BLOCKED + script, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def answers(table: hz.HudiTable) -> dict[str, Any]:
    """All that a table tells."""
    return {
        "stats": table.column_stats(["a"]).to_pylist(),
        "explain": table.explain("a = 5", select=["*"], time_zone="UTC").to_dict(),
        "information": table.clustering_information(["a", "b"]).to_dict(),
        "history": [asdict(past) for past in table.history()],
        "pending": [plan.to_dict() for plan in table.pending()],
    }


def test_a_table_tells_everything_where_spark_is_not_installed(table: Path) -> None:
    script = (
        "import json, hudi_zorder as hz; table = hz.open_table(sys.argv[1]);"
        "print(json.dumps([table.column_stats(['a']).to_pylist(),"
        " table.explain('a = 5', select=['*'], time_zone='UTC').to_dict(),"
        " table.clustering_information(['a', 'b']).to_dict(),"
        " [past.to_dict() for past in table.history()],"
        " [plan.to_dict() for plan in table.pending()]]))"
    )
    done = run(script, str(table))
    assert done.returncode == 0, done.stderr
    here = answers(hz.open_table(table))
    assert json.loads(done.stdout) == json.loads(json.dumps(list(here.values())))
    assert [row["a.max"] for row in here["stats"]] == [39, 79, 119]
    assert here["explain"]["files"]["skipped"] == 2
    assert [past["instant"] for past in here["history"]] == [CLUSTERED]


# Runs each command line of the JSON in its argument in a process of its own, which has what others
# than we have made, such as PyArrow, from this one; prints how each ended, and what it printed.
COMMANDS = """
import json, os, tempfile
import pyarrow.parquet, rich.table, sqlglot.dialects.spark, typer

def ended(arguments):
    streams = [tempfile.TemporaryFile("w+") for _ in range(2)]
    if child := os.fork():
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return code, *((stream.seek(0), stream.read())[1] for stream in streams)
    for number, stream in enumerate(streams, 1):
        os.dup2(stream.fileno(), number)
    sys.argv[1:] = arguments
    from hudi_zorder.cli import main
    main()

print(json.dumps([ended(arguments) for arguments in json.loads(sys.argv[1])]))
"""


def test_the_command_line_reads_where_spark_is_not_installed(table: Path) -> None:
    path = str(table)
    commands = [
        ["stats", path],
        ["explain", path, "a = 5"],
        ["info", path, "--columns", "a", "--readers", "2"],
        ["stats", path, "--source", "index"],
        ["explain", path, "a = 5", "--source", "index"],
        ["info", path, "--columns", "a", "--source", "index"],
        ["history", path],
        ["pending", path],
        ["--version"],
    ]
    done = run(COMMANDS, json.dumps(commands))
    assert done.returncode == 0, done.stderr
    for arguments, (code, printed, error) in zip(commands, json.loads(done.stdout), strict=True):
        no_index = f"Warning: {table}: there is no column-statistics index" in error
        assert no_index == (arguments == ["stats", path, "--source", "index"]), arguments
        assert (code, error.count("\n")) == (0, no_index), arguments
        assert printed, arguments


def test_pictures_and_what_is_to_repair_need_no_spark(table: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    script = (
        "import hudi_zorder as hz; table = hz.open_table(sys.argv[1]); to = sys.argv[2]\n"
        "table.plot_layout('a', 'b', path=to + '/l.svg')\n"
        "table.plot_depth(['a'], path=to + '/d.svg')\n"
        "table.plot_shares(['a', 'b'], path=to + '/s.svg')\n"
        "table.report(to + '/r.html', ['a', 'b'])\n"
        "print(table.repair(dry_run=True).plans)\n"
        "try: table.repair(dry_run=False)\n"
        "except hz.OptionError as error: print(error)"
    )
    done = run(script, str(table), str(tmp_path))
    assert done.returncode == 0, done.stderr
    plans, refused = done.stdout.splitlines()
    assert plans == "()"
    assert refused.endswith("call ZOrderTable(spark, path).repair()")
    assert all((tmp_path / name).stat().st_size for name in ("l.svg", "d.svg", "s.svg", "r.html"))


def test_the_columns_are_those_of_the_last_clustering_where_none_are_named(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1, 2], "b": [3, 4]})])
    with pytest.raises(
        OptionError, match="no clustering by columns is recorded of the table; name"
    ):
        hz.open_table(path).clustering_information()
    tell_of_clustering(path, {SORT_COLUMNS: "b,a"})
    assert hz.open_table(path).clustering_information().columns == ("b", "a")


def test_what_needs_spark_says_how_to_install_it() -> None:
    script = (
        "import hudi_zorder as hz\n"
        "for name in sys.argv[1:]:\n"
        "    try: getattr(hz, name)\n"
        "    except hz.SessionError as error: print(error)"
    )
    names = ["ZOrderTable", "configure_spark", "zorder_value", "z_ranges"]
    done = run(script, *names)
    for name, told in zip(names, done.stdout.splitlines(), strict=True):
        assert re.fullmatch(
            f"Cannot use hudi_zorder.{name}: the Python package 'py(spark|4j)' is not installed; "
            r"run pip install 'hudi-zorder\[spark\]'",
            told,
        ), done.stderr


def test_what_needs_spark_is_not_there_for_tools_and_the_rest_is() -> None:
    script = (
        "import inspect, pydoc, hudi_zorder as hz\n"
        "from hudi_zorder import *\n"
        "print(open_table.__name__, Verification.__name__, SessionWarning.__name__)\n"
        "print(hasattr(hz, 'ZOrderTable'), getattr(hz, 'zorder_value', None), len(hz.__all__))\n"
        "told = pydoc.plain(pydoc.render_doc(hz))\n"
        "print('class HudiTable' in told, len(inspect.getmembers(hz)) > 50)\n"
        "try: from hudi_zorder import ZOrderTable\n"
        "except ImportError as error: print(isinstance(error, hz.SessionError), error)"
    )
    done = run(script)
    assert done.stdout.splitlines() == [
        "open_table Verification SessionWarning",
        f"False None {len(hz.__all__) - 10}",
        "True True",
        "True Cannot use hudi_zorder.ZOrderTable: the Python package 'pyspark' is not installed; "
        "run pip install 'hudi-zorder[spark]'",
    ], done.stderr


def test_a_verb_that_needs_spark_says_how_to_install_it(table: Path) -> None:
    done = run("from hudi_zorder.cli import main; main()", "cluster", str(table), "--columns", "a")
    assert done.returncode == 1
    assert "run pip install 'hudi-zorder[spark]'" in done.stderr


def test_a_file_system_of_one_s_own_holds_the_table(table: Path) -> None:
    expected = {**answers(hz.open_table(table))}
    memory = MemoryFileSystem()
    memory.put(str(table), "/shelf/t", recursive=True)
    try:
        opened = [
            hz.open_table("shelf/t", filesystem=memory),
            hz.open_table("memory://shelf/t", filesystem=memory),
            hz.open_table("memory://shelf/t"),
            hz.open_table("memory://shelf/t", storage_options={"use_listings_cache": False}),
            hz.open_table(
                "t", filesystem=DirFileSystem(str(table.parent), fsspec.filesystem("file"))
            ),
            hz.open_table(
                "s3a://t", filesystem=SubTreeFileSystem(str(table.parent), LocalFileSystem())
            ),
        ]
        for one in opened:
            found = answers(one)
            for part in ("explain", "information"):  # which name the table as it was opened
                assert found[part].pop("table") == one.path
                found[part]["table"] = str(table)
            found["information"]["advice"] = expected["information"]["advice"]
            assert found == expected, one
    finally:
        memory.rm("/shelf", recursive=True)


def test_a_table_stays_as_it_was_opened(table: Path) -> None:
    opened = hz.open_table(table)
    before = answers(opened)
    (clustering,) = (table / ".hoodie" / "timeline").glob("*.replacecommit")
    later = clustering.name.replace(CLUSTERED[:8], "20260103")
    (clustering.parent / later).write_bytes(clustering.read_bytes())
    assert answers(opened) == before
    assert len(hz.open_table(table).history()) == 2
    assert repr(opened) == f"open_table({str(table)!r})"


def test_what_cannot_be_is_refused(table: Path) -> None:
    with pytest.raises(TableError, match="there is no Hudi table"):
        hz.open_table(table / "nowhere")
    for readers in (0, True, 1.5):
        with pytest.raises(OptionError, match=f"'readers' was '{readers}'"):
            hz.open_table(table, readers=readers)  # type: ignore[arg-type]
    with pytest.raises(ColumnError, match="there is no column 'c'"):
        hz.open_table(table).column_stats(["c"])


ONE_COLUMN: dict[str, Any] = {
    "column_stats": lambda table, columns: table.column_stats(columns),
    "clustering_information": lambda table, columns: table.clustering_information(columns),
    "explain": lambda table, columns: table.explain("a = 5", select=columns),
    "plot_depth": lambda table, columns: table.plot_depth(columns),
    "plot_shares": lambda table, columns: table.plot_shares(columns),
    "report": lambda table, columns: table.report("report.html", columns),
}


@pytest.mark.parametrize("call", ONE_COLUMN)
def test_a_text_is_no_list_of_its_letters(table: Path, call: str) -> None:
    asked = hz.open_table(table)
    with pytest.raises(ColumnError, match=r"was the text 'ab'; write a list: (columns|select)="):
        ONE_COLUMN[call](asked, "ab")
    for wrong in ([None], [5], 5):
        with pytest.raises(ColumnError, match="Cannot read columns: "):
            ONE_COLUMN[call](asked, wrong)


def test_columns_are_any_texts_in_a_row(table: Path) -> None:
    asked = hz.open_table(table)
    expected = asked.column_stats(["a"])
    for columns in (("a",), {"a"}, np.array(["a"]), pd.Series(["a"]), (c for c in "a")):
        assert asked.column_stats(columns).equals(expected)
    with pytest.raises(ColumnError, match=r"holds '\['a'\]'; a column name is a text"):
        asked.plot_layout(["a"], "b")  # type: ignore[arg-type]


def test_what_is_no_text_is_refused_in_our_words(table: Path) -> None:
    asked: Any = hz.open_table(table)
    for predicate in (None, 5, ["a = 5"]):
        with pytest.raises(hz.PredicateError, match="write a text such as 'a = 5'"):
            asked.explain(predicate)
    with pytest.raises(OptionError, match="'source' was 'None'"):
        asked.column_stats(["a"], source=None)
    for path in (None, 5, b"/t"):
        with pytest.raises(TableError, match="which names no folder"):
            hz.open_table(path)  # type: ignore[arg-type]
    for given in ({"filesystem": LocalFileSystem()}, {}):
        with pytest.raises(OptionError, match="'storage_options' were given"):
            hz.open_table(table, storage_options={"key": "k"}, **given)
    assert hz.open_table(table, readers=np.int64(2)).history() == asked.history()


@pytest.mark.parametrize("spelt", ["file:{}", "file://{}", "FILE:{}", "File://localhost{}"])
def test_a_local_url_is_found_however_it_is_spelt(table: Path, spelt: str) -> None:
    url = spelt.format(table)
    for given in ({}, {"filesystem": LocalFileSystem()}):
        assert hz.open_table(url, **given).history() == hz.open_table(table).history()


def test_some_of_a_list_of_results_are_a_table_too(table: Path) -> None:
    past = hz.open_table(table).history()
    assert isinstance(past[-1:], hz.PastClusterings)
    assert past[-1:].to_arrow().num_rows == 1
    assert str(past[:0]) == "No clustering is recorded."
    assert past[0] == past[-1]


def test_a_session_s_table_tells_the_same(spark: Any, table: Path) -> None:
    plain, of_session = hz.open_table(table), hz.ZOrderTable(spark, table)
    assert of_session.history() == plain.history()
    assert of_session.pending() == plain.pending()
    assert of_session.clustering_information(["a"]) == plain.clustering_information(["a"])
    assert of_session.repair(dry_run=True) == plain.repair(dry_run=True)
    zone = spark.conf.get("spark.sql.session.timeZone")
    assert of_session.explain("a = 5") == plain.explain("a = 5", time_zone=zone)
    stats = of_session.column_stats(["a"], source="footers")
    assert stats.equals(plain.column_stats(["a"]))
    assert isinstance(stats, pa.Table)


def test_a_session_s_table_reads_as_many_files_at_a_time_as_it_is_told(
    spark: Any, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_session = hz.ZOrderTable(spark, table, readers=np.int64(7))
    took: list[int] = []
    opened = TableSnapshot.open

    def watched(*given: Any, **named: Any) -> TableSnapshot:
        snapshot = opened(*given, **named)
        took.append(snapshot.readers)
        return snapshot

    monkeypatch.setattr(TableSnapshot, "open", watched)
    calls: list[Callable[[], object]] = [
        of_session.history,
        of_session.pending,
        lambda: of_session.column_stats(["a"], source="footers"),
        lambda: of_session.clustering_information(["a"]),
        lambda: of_session.explain("a = 5"),
        lambda: of_session.repair(dry_run=True),
        of_session.repair,
        lambda: of_session.plot_layout("a", "b"),
        lambda: of_session.plot_depth(["a"]),
        lambda: of_session.plot_shares(["a"]),
        lambda: of_session.report(tmp_path / "r.html", ["a", "b"]),
    ]
    for call in calls:
        took.clear()
        call()
        assert set(took) == {7}, call
    with pytest.raises(OptionError, match="'readers' was '0'; write a whole number from 1"):
        hz.ZOrderTable(spark, table, readers=0)
