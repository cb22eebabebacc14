"""The verb of ``hudi-zorder`` that proves what a clustering has done."""

from __future__ import annotations

from typing import Annotated

import typer

from hudi_zorder.cli.application import Format, Output, Readers, TablePath, app, pairs_of
from hudi_zorder.cli.layout_flags import HudiOptions
from hudi_zorder.cli.opened_table import SparkOptions, opened
from hudi_zorder.cli.results import print_result
from hudi_zorder.cli.streams import failing_with
from hudi_zorder.errors import ExitCode
from hudi_zorder.parallel import READERS


@app.command(epilog="Example: hudi-zorder verify /lake/orders")
def verify(
    path: TablePath,
    instant: Annotated[
        str | None,
        typer.Argument(help="The clustering's instant, as history prints it; the last by default."),
    ] = None,
    hudi: HudiOptions = None,
    conf: SparkOptions = None,
    readers: Readers = READERS,
    output: Output = Format.TABLE,
) -> None:
    """Proves with Spark that a clustering kept all rows, and metadata agrees with them.

    The exit code is 3 when anything is wrong.
    """
    settings = pairs_of("--hudi", hudi)
    with opened(path, conf, readers=readers) as table:
        found = table.verify(instant, hudi_options=settings)
    with failing_with(ExitCode.DONE if found.passed else ExitCode.ROWS_LOST):
        print_result(found, output)
