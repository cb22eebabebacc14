"""The notebook of ``python/examples``, run as a user runs it."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

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
    assert "image/png" in shown
