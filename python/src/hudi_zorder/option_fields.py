"""The fields of ``ZOrderOptions`` as keywords of a call, for editors and type checkers.

``ZOrderOptions`` documents each; a test holds names and types together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict


class SharedFields(TypedDict, total=False):
    """The fields that mean the same whichever columns a layout has."""

    strategy: str
    build: str
    sample_size: int
    target_file_size: int | str
    max_bytes_per_group: int | str | None
    max_groups: int | None
    cuts: str
    file_order: str
    page_row_limit: int
    seed: int
    verify: str
    wait_for_writers: int
    mode: str
    max_bytes_per_plan: int | str | None
    read_threshold: float
    small_file_limit: int | str | None
    stats_columns: Sequence[str] | None


class LayoutFields(SharedFields, total=False):
    """All fields but ``columns``."""

    column_weights: Mapping[str, float]
    z_column: str | None
