"""z-ranges, BIGMIN and LITMAX from Python: an example, brute force, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from itertools import product

import pytest
from pyspark.sql import SparkSession

import hudi_zorder as hz
from hudi_zorder.spark.zvalues import Box

# 2 <= x <= 3 and 2 <= y <= 6, y leading: seed 001.
DELTA_ARTICLE = [(2, 6), (2, 3)]


def z_value(*row: int) -> bytes:
    bits = "".join("".join(level) for level in zip(*(f"{word:064b}" for word in row), strict=True))
    return int(bits, 2).to_bytes(8 * len(row), "big")


def numbers(ranges: list[tuple[bytes, bytes]]) -> list[tuple[int, int]]:
    return [(int.from_bytes(first, "big"), int.from_bytes(last, "big")) for first, last in ranges]


def test_the_example_of_the_delta_article(spark: SparkSession) -> None:
    assert numbers(hz.z_ranges(DELTA_ARTICLE)) == [(12, 15), (36, 39), (44, 45)]
    assert numbers(hz.z_ranges(DELTA_ARTICLE, 2)) == [(12, 15), (36, 45)]
    assert numbers(hz.z_ranges(DELTA_ARTICLE, max_ranges=1)) == [(12, 45)]
    assert {len(end) for ends in hz.z_ranges(DELTA_ARTICLE) for end in ends} == {16}


def test_a_box_is_searched_as_by_going_through_its_rows(spark: SparkSession) -> None:
    box = [(1, 2), (0, 1), (2, 3)]
    inside = sorted(z_value(*row) for row in product(*(range(a, b + 1) for a, b in box)))
    for z in (z_value(*row) for row in product(range(4), repeat=3)):
        assert hz.bigmin(z, box) == min((row for row in inside if row > z), default=None)
        assert hz.litmax(z, box) == max((row for row in inside if row < z), default=None)


def test_words_are_unsigned(spark: SparkSession) -> None:
    top = 2**64 - 1
    assert hz.z_ranges([(0, top)]) == [(bytes(8), b"\xff" * 8)]
    assert hz.bigmin(z_value(top, 0), [(2**63, top)] * 2) == z_value(2**63, 2**63)
    assert hz.litmax(z_value(0, 0), [(0, top)] * 2) is None


@pytest.mark.parametrize(
    ("box", "message"),
    [
        ([], r"it has 1 to 128 columns, 'box' was of 0"),
        ([(0, 1)] * 129, r"it has 1 to 128 columns, 'box' was of 129"),
        ([(0, 1), (5, 3)], r"column 1 was '5' to '3', and low is above high; exchange them"),
        ([(0, 2**64)], r"column 0 was '0' to '18446744073709551616'.*64 bits"),
        ([(-1, 1)], r"column 0 was '-1' to '1'.*from 0 to"),
        ([(0, 1, 2)], r"column 0 was '\(0, 1, 2\)'; pass a low and a high word"),
        ([(0.5, 1)], r"column 0 was '\(0\.5, 1\)'; pass a low and a high word"),
        pytest.param(
            [(1, 2**40)] * 2,
            r"there are more than 1000000; say how many ranges may cover it",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_box_without_ranges_is_refused(spark: SparkSession, box: Box, message: str) -> None:
    with pytest.raises(hz.OptionError, match=message):
        hz.z_ranges(box)


def test_no_range_and_z_values_of_other_columns_are_refused(spark: SparkSession) -> None:
    with pytest.raises(hz.OptionError, match=r"'max_ranges' was '0'; allow at least one range"):
        hz.z_ranges(DELTA_ARTICLE, 0)
    with pytest.raises(hz.OptionError, match=r"'z' was of 8 bytes.*2 columns has 16 bytes"):
        hz.bigmin(bytes(8), DELTA_ARTICLE)
    with pytest.raises(hz.OptionError, match=r"'z' was of 12,.*pass all of them"):
        hz.litmax(12, DELTA_ARTICLE)  # type: ignore[arg-type]


def test_without_a_session_the_remedy_is_named() -> None:
    script = """
import hudi_zorder as hz
for call in (lambda: hz.z_ranges([(0, 1)]), lambda: hz.zorder_words("z", 2)):
    try:
        call()
    except hz.SessionError as error:
        print(error)
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "Cannot search a box: no Spark session with hudi-zorder's jar runs" in run.stdout
    assert "Cannot call zorder_words: no Spark session" in run.stdout
