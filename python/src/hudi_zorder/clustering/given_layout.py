"""What a call says of a layout, whichever way it says it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import fields as dataclass_fields
from typing import Any

from hudi_zorder.clustering.hudi_options import as_settings, parted
from hudi_zorder.errors import OptionError
from hudi_zorder.hudi.history import layout_columns
from hudi_zorder.hudi.last_layout import completed, options_again, with_last_target
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.option_checks import column_names
from hudi_zorder.options import ZOrderOptions, options_from


@dataclass(frozen=True)
class GivenLayout:
    """The arguments of ``ZOrderTable.cluster`` that say how files are laid out.

    Attributes:
        fields: the fields of ``ZOrderOptions`` that somebody chose, by name.
        settings: further Hudi configuration, in which there is no such field.
    """

    fields: Mapping[str, Any]
    settings: Mapping[str, str]

    @classmethod
    def of(
        cls,
        columns: Sequence[str] | None,
        options: ZOrderOptions | None,
        fields: Mapping[str, Any],
        hudi_options: Mapping[str, Any] | None,
    ) -> GivenLayout:
        """Returns what arguments say; a key among ``hudi_options`` wins over its field.

        Raises:
            OptionError: for options that are given both whole and by fields, and ``hudi_options``
                that are none.
            ColumnError: for columns that are no texts.
        """
        if options is not None and not isinstance(options, ZOrderOptions):
            raise OptionError(
                f"Cannot cluster: 'options' was {options!r}; write options=ZOrderOptions("
                "columns=['a', 'b']), or the columns and fields by themselves"
            )
        if columns is not None:
            columns = column_names("columns", columns)  # once: they may be a generator's
        given = dict(fields) if columns is None else {"columns": columns, **fields}
        if options is not None:
            options_from(options, fields, columns)  # refuses both ways at once
            given = {f.name: getattr(options, f.name) for f in dataclass_fields(options)}
        by_key, settings = parted(as_settings(hudi_options))
        return cls({**given, **by_key}, settings)

    @property
    def columns(self) -> Sequence[str] | None:
        """The sort columns; None where nobody named any."""
        return self.fields.get("columns")

    def options(self, columns: Sequence[str] | None = None) -> ZOrderOptions:
        """Returns the options as given, and else their defaults; with columns where none are."""
        return options_from(None, self._others, columns if self.columns is None else self.columns)

    def completed(self, snapshot: TableSnapshot) -> ZOrderOptions:
        """Returns them with what nobody chose as the last clustering had it.

        Where nobody named columns, they are those of the last clustering, whichever these are.
        """
        if self.columns is not None:
            # Weights are taken from there where these are empty, be they chosen or not.
            return completed(snapshot, self.options(), self.fields)
        last = layout_columns(snapshot)
        if not last:
            self.options()  # refuses that
        again = options_again(snapshot, last)
        options_from(None, self._others, again.columns)  # refuses what is no field
        return replace(again, **self._others)

    def by_asked_columns(
        self, snapshot: TableSnapshot, columns: Sequence[str], weights: Mapping[str, float]
    ) -> ZOrderOptions:
        """Returns options by what queries ask, with files as large as those of the last clustering.

        Where they ask for its very columns, they have all else of it that nobody chose.
        """
        by_z = self.fields.get("z_column") is not None  # in which all columns weigh the same
        weighed = self._others if by_z else {"column_weights": weights, **self._others}
        fields = with_last_target(snapshot, weighed)
        return completed(snapshot, options_from(None, fields, columns), fields)

    def by_last_columns(self, snapshot: TableSnapshot, options: ZOrderOptions) -> ZOrderOptions:
        """Returns the options of the last clustering, if nobody chose its columns or weights.

        Args:
            snapshot: the table.
            options: what is taken else.
        """
        columns = layout_columns(snapshot)
        if not columns or options.z_column is not None or "column_weights" in self.fields:
            return options
        return replace(options_again(snapshot, columns), **self._others)

    @property
    def _others(self) -> dict[str, Any]:
        return {name: value for name, value in self.fields.items() if name != "columns"}
