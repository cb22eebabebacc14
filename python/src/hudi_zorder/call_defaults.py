"""What calls take where an argument is not given, for rooms that they alone import."""

from __future__ import annotations

from typing import Final

# As many as clustering learns a layout from: fewer are one like it, more tell its files no better.
FORECAST_SAMPLE_ROWS: Final = 200_000

RECOMMEND_SAMPLE_ROWS: Final = 100_000
RECOMMEND_COLUMNS: Final = 4
