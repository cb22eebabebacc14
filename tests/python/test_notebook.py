"""The notebook of ``python/examples``, run as a user runs it."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pyarrow as pa
import pytest
from nbclient import NotebookClient

from plain_table import write_plain_table

NOTEBOOK = Path(__file__).parents[2] / "python" / "examples" / "flights.ipynb"


@pytest.mark.slow
def test_the_notebook_runs_and_shows_fewer_files_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells)

    NotebookClient(notebook, timeout=600, kernel_name="python3").execute()

    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    said = "".join(output.get("text", "") for output in outputs)
    read = dict(re.findall(r"^(before|after) (\d+) of", said, re.MULTILINE))
    assert int(read["after"]) * 2 < int(read["before"])
    shown = [kind for output in outputs for kind in output.get("data", ())]
    assert shown.count("text/html") >= 4  # two reports, the forecast, the result
    # What a cell ends with, and nothing beside it.
    by_html = {o.output_type for o in outputs if "text/html" in o.get("data", ())}
    assert by_html == {"execute_result"}
    assert "image/png" in shown


def test_a_result_is_one_output_and_its_text_none(tmp_path: Path) -> None:
    table = write_plain_table(tmp_path / "t", [pa.table({"a": [n]}) for n in range(3)])
    cells = [
        f"import hudi_zorder as hz; report = hz.open_table({str(table)!r}).explain('a = 1')",
        "text = str(report)",
        "print(report)",
        "report",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    nothing, text, [printed], [shown] = (cell.outputs for cell in notebook.cells)
    assert (nothing, text) == ([], [])
    assert (printed.output_type, shown.output_type) == ("stream", "execute_result")
    assert "3" in printed.text
    assert shown.data["text/plain"] == printed.text.removesuffix("\n")
    assert "<pre>" in shown.data["text/html"]
