"""The flags of ``hudi-zorder`` by which a clustering is asked for, and the layout they mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
_OF_LAST = "but as the last clustering had it where --columns are its own, or are not given"
Strategy = Annotated[
    str | None,
    typer.Option(help=f"ZORDER, HILBERT or LINEAR; by default ZORDER, {_OF_LAST}."),
]
FileSize = Annotated[
    str | None,
    typer.Option(help=f"Size of a full file; by default 128MB, {_OF_LAST}."),
]
Mode = Annotated[str, typer.Option(help="incremental: what is new; full: every file again.")]
UnsafeStatistics = Annotated[
    OfUnsafe,
    typer.Option(
        help="Columns by whose statistics Hudi would lose rows, such as with a NaN: warn of them, "
        "refuse to make them (exit code 3), or leave them out."
    ),
]
Weights = Annotated[str | None, typer.Option(help="Weights of columns, such as customer=2,day=1.")]


def _layout_options(
    columns: Sequence[str] | None,
    given: Mapping[str, Any],
    weights: str | None,
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
        column_weights=numbers,
        **given,
    )


def layout_of(
    columns: Sequence[str] | None,
    strategy: str | None,
    target_file_size: str | None,
    weights: str | None,
    mode: str,
) -> dict[str, Any]:
    """Returns the layout that flags mean, as keywords of a call.

    Args:
        columns: the sort columns; where none are given, queries choose them, or else they are those
            of the last clustering. What else is not given is as that had it.
        strategy: of the layout.
        target_file_size: of its files.
        weights: of the columns.
        mode: of the plan.
    """
    flags = {"strategy": strategy, "target_file_size": target_file_size, "mode": mode}
    given = {name: value for name, value in flags.items() if value is not None}
    if named := names_of(columns):
        # Not as a whole: what is not given is that of the last clustering by the same columns.
        weighed = _layout_options(columns, given, weights).column_weights
        return {"columns": named, **given, **({"column_weights": weighed} if weighed else {})}
    if weights:
        raise OptionError(
            f"Cannot read weights: '--weights' was '{weights}', and '--columns' was not given; "
            "name the columns, or leave the weights to the queries or to the last clustering"
        )
    _layout_options(["any"], given, None)  # refused before Spark starts
    return given
