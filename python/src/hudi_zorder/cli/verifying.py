"""The verb of ``hudi-zorder`` that proves what a clustering has done."""

from __future__ import annotations

from typing import Annotated

import typer

from hudi_zorder.cli.application import Format, Output, TablePath, app, pairs_of
from hudi_zorder.cli.layout_flags import HudiOptions
from hudi_zorder.cli.opened_table import SparkOptions, opened
from hudi_zorder.errors import ExitCode


@app.command(epilog="Example: hudi-zorder verify /lake/orders")
def verify(
    path: TablePath,
    instant: Annotated[
        str | None,
        typer.Argument(help="The clustering's instant, as history prints it; the last by default."),
    ] = None,
    hudi: HudiOptions = None,
    conf: SparkOptions = None,
    output: Output = Format.TABLE,
) -> None:
    """Proves with Spark that a clustering kept all rows, and metadata agrees with them.

    The exit code is 3 when anything is wrong.
    """
    from hudi_zorder.cli import printing

    settings = pairs_of("--hudi", hudi)
    with opened(path, conf) as table:
        found = table.verify(instant, hudi_options=settings)
    try:
        if output is Format.JSON:
            printing.print_json(found.to_dict())
        else:
            printing.print_parts(found.parts())
    finally:  # also when nobody reads on
        if not found.passed:
            raise typer.Exit(ExitCode.ROWS_LOST)
