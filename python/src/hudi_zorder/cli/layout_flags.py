"""The flags of ``hudi-zorder`` by which a clustering is asked for, and the layout they mean."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hudi_zorder.cli.application import names_of, pairs_of
from hudi_zorder.errors import OptionError

if TYPE_CHECKING:
    from hudi_zorder.options import ZOrderOptions


class OfUnsafe(str, Enum):
    """What to do about statistics by which Hudi loses rows."""

    WARN = "warn"
    REFUSE = "refuse"
    LEAVE_OUT = "leave-out"


HudiOptions = Annotated[
    list[str] | None,
    typer.Option("--hudi", metavar="KEY=VALUE", help="A Hudi option; can be given repeatedly."),
]
Where = Annotated[str | None, typer.Option(help="A condition on partition columns alone.")]
Strategy = Annotated[str, typer.Option(help="ZORDER, HILBERT or LINEAR.")]
FileSize = Annotated[str, typer.Option(help="Size of a full file, such as 128MB.")]
Mode = Annotated[str, typer.Option(help="incremental: what is new; full: every file again.")]
UnsafeStatistics = Annotated[
    OfUnsafe,
    typer.Option(help="Of columns by whose statistics Hudi would lose rows, such as with a NaN."),
]
Weights = Annotated[str | None, typer.Option(help="Weights of columns, such as customer=2,day=1.")]


def layout_options(
    columns: Sequence[str] | None,
    strategy: str,
    target_file_size: str,
    weights: str | None,
    mode: str = "incremental",
) -> ZOrderOptions:
    """Returns the options that flags mean; refuses weights that are no numbers."""
    from hudi_zorder.options import ZOrderOptions

    try:
        numbers = {
            name: float(weight)
            for name, weight in pairs_of("--weights", weights.split(",") if weights else ()).items()
        }
    except ValueError as fault:
        raise OptionError(
            f"Cannot read weights: '--weights' was '{weights}'; write numbers, such as a=2,b=1"
        ) from fault
    return ZOrderOptions(
        columns=names_of(columns) or [],
        strategy=strategy,
        target_file_size=target_file_size,
        column_weights=numbers,
        mode=mode,
    )


def layout_of(
    columns: Sequence[str] | None,
    strategy: str,
    target_file_size: str,
    weights: str | None,
    mode: str,
    *,
    asked: bool,
) -> dict[str, Any]:
    """Returns the layout that flags mean, as keywords of a call.

    Args:
        columns: the sort columns; where none are given, queries choose them, or else they, and what
            has its default here, are those of the last clustering.
        strategy: of the layout.
        target_file_size: of its files.
        weights: of the columns.
        mode: of the plan.
        asked: whether there are queries.
    """
    if names_of(columns):
        return {"options": layout_options(columns, strategy, target_file_size, weights, mode)}
    if weights:
        raise OptionError(
            f"Cannot read weights: '--weights' was '{weights}', and '--columns' was not given; "
            "name the columns, or leave the weights to the queries or to the last clustering"
        )
    from hudi_zorder.options import ZOrderOptions

    # Refused before Spark starts.
    options = layout_options(["any"], strategy, target_file_size, None, mode)
    chosen = {"strategy": strategy, "target_file_size": target_file_size, "mode": mode}
    default = ZOrderOptions(columns=["any"])
    return {
        name: value
        for name, value in chosen.items()
        if asked or getattr(options, name) != getattr(default, name)
    }
