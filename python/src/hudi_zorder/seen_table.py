"""What a table shows alike, whether it was opened with Spark or without."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hudi_zorder.hudi import history
from hudi_zorder.hudi.clusterings import PastClusterings, PendingClusterings
from hudi_zorder.hudi.pending_plans import pending
from hudi_zorder.hudi.time_travel import LAST
from hudi_zorder.option_checks import column_names

# Each method imports what it alone needs: who looks at a table rarely asks for all there is.
if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hudi_zorder.hudi.snapshot import TableSnapshot
    from hudi_zorder.stats.information_report import ClusteringInformation


class SeenTable:
    """A Hudi table to look at."""

    def _seen(self) -> TableSnapshot:
        """Returns the table as it is to be looked at."""
        raise NotImplementedError

    def clustering_information(self, columns: Sequence[str] | None = None) -> ClusteringInformation:
        """Returns how well the table is clustered by any columns, clustered by them or not."""
        raise NotImplementedError

    def pending(self) -> PendingClusterings:
        """Returns the plans that are scheduled and not completed, the oldest first."""
        return pending(self._seen())

    def history(self) -> PastClusterings:
        """Returns the completed clusterings, the oldest first, archived ones included."""
        return history.history(self._seen())

    def plot_layout(
        self,
        x: str,
        y: str,
        *,
        path: str | os.PathLike[str] | None = None,
        before: str | None = LAST,
    ) -> Figure:
        """Draws the boxes of files in two columns, before a clustering and now, depth as colour.

        Returns the figure of matplotlib's, which a notebook shows; writes it where ``path`` says.

        Takes and raises what ``hudi_zorder.pictures.plots.plot_layout`` does; needs the extra
        ``plots``.
        """
        from hudi_zorder.pictures import plots

        x, y = column_names("x and y", [x, y])
        return plots.plot_layout(self._seen(), x, y, path, before)

    def plot_depth(
        self,
        columns: Sequence[str] | None = None,
        *,
        path: str | os.PathLike[str] | None = None,
    ) -> Figure:
        """Draws, for each column, the share of rows by the number of files that hold their value.

        Raises what ``clustering_information`` and ``hudi_zorder.pictures.plots.plot_depth`` do.
        """
        from hudi_zorder.pictures import plots

        return plots.plot_depth(self.clustering_information(columns), path)

    def plot_shares(
        self,
        columns: Sequence[str] | None = None,
        *,
        path: str | os.PathLike[str] | None = None,
    ) -> Figure:
        """Draws, for each column, the share of rows that an equality reads, and what a grid would.

        Raises what ``clustering_information`` and ``hudi_zorder.pictures.plots.plot_shares`` do.
        """
        from hudi_zorder.pictures import plots

        return plots.plot_shares(self.clustering_information(columns), path)

    def report(
        self, path: str | os.PathLike[str] = "report.html", columns: Sequence[str] | None = None
    ) -> None:
        """Writes the pictures, the information and the history as one HTML file.

        Takes and raises what ``hudi_zorder.pictures.html_report.write_report`` does; needs the
        extra ``plots``.
        """
        from hudi_zorder.pictures.html_report import write_report

        names = None if columns is None else column_names("columns", columns)
        write_report(self._seen(), path, names)
