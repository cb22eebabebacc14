"""Queries with weights: from Python and from files."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from hudi_zorder.errors import OptionError
from hudi_zorder.workload.query_file import read_queries
from hudi_zorder.workload.weighted_queries import GivenQueries, WeightedQuery, queries_of


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["a = 1", "b = 2"], [("a = 1", 1), ("b = 2", 1)]),
        ([("a = 1", 3), "b = 2"], [("a = 1", 3), ("b = 2", 1)]),
        ({"a = 1": 0.5}, [("a = 1", 0.5)]),
        (["a = 1", ("a = 1", 2)], [("a = 1", 3)]),
        ([WeightedQuery("a = 1", 4)], [("a = 1", 4)]),
    ],
)
def test_weights_of_one_query_are_added_up(
    given: GivenQueries, expected: list[tuple[str, float]]
) -> None:
    assert queries_of(given) == [WeightedQuery(*pair) for pair in expected]


def test_a_query_that_comes_again_was_asked_each_time_that_it_was_asked() -> None:
    early, late = (dt.datetime(2026, 11, day, tzinfo=dt.timezone.utc) for day in (1, 2))
    for times in (((early,), (late,), ()), ((late,), (), (early,))):
        [query] = queries_of([WeightedQuery("a = 1", 2.0, asked) for asked in times])
        assert (query.weight, query.asked, query.last) == (6.0, (early, late), late)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ([], "'queries' is empty"),
        ("a = 1", "write a list"),
        ([("a = 1", 0)], "the weight of 'a = 1' was '0'"),
        ({"a = 1": float("nan")}, "was 'nan'"),
        ([("a = 1", True)], "was 'True'"),
        ([None], "one of them was None"),
        ([("a = 1", 2, 3)], "write a text, or a text and a weight"),
    ],
)
def test_what_is_no_query_with_a_weight_is_refused(given: GivenQueries, named: str) -> None:
    with pytest.raises(OptionError, match=named):
        queries_of(given)


def test_a_file_has_a_query_on_each_line(tmp_path: Path) -> None:
    path = tmp_path / "log.sql"
    path.write_text(
        "# the log of a day\n"
        "\n"
        "a = 1\n"
        "20\tb = 2 AND a IN (1,\t2)\n"
        '{"query": "a > 3", "weight": 0.5}\n'
        '{"query": "a > 4"}\n'
        "-- a remark\n",
        encoding="utf-8",
    )
    assert read_queries(path) == [
        WeightedQuery("a = 1", 1),
        WeightedQuery("b = 2 AND a IN (1,\t2)", 20),
        WeightedQuery("a > 3", 0.5),
        WeightedQuery("a > 4", 1),
    ]


def test_a_mark_of_its_encoding_is_no_part_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "log.sql"
    path.write_text("a = 1\n", encoding="utf-8-sig")
    assert read_queries(path) == [WeightedQuery("a = 1", 1)]


def read(tmp_path: Path, text: str) -> list[tuple[str, float]]:
    path = tmp_path / "log.sql"
    path.write_bytes(text.encode())
    return [(query.text, query.weight) for query in read_queries(path)]


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        (
            "a = 1\n\n20\tSELECT a -- of ';\nFROM orders\n\nWHERE s = ';\n' AND a = 1;\n"
            "SELECT 2; -- done\nSELECT 3; /* all */ -- of it\nb = 2;\n",
            [("a = 1", 1),
             ("SELECT a -- of ';\nFROM orders\n\nWHERE s = ';\n' AND a = 1", 20),
             ("SELECT 2; -- done", 1), ("SELECT 3; /* all */ -- of it", 1), ("b = 2", 1)],
        ),
        ("SELECT a\r\nFROM orders\r\n", [("SELECT a\nFROM orders", 1)]),
        ("SELECT 1\nSELECT 2\nb = 2\n", [("SELECT 1", 1), ("SELECT 2", 1), ("b = 2", 1)]),
        ("SELECT 1\n3\tSELECT 2;\nb = 2\n", [("SELECT 1", 1), ("SELECT 2", 3), ("b = 2", 1)]),
        ("SET x = 1\nSELECT a FROM orders;\n", [("SET x = 1", 1), ("SELECT a FROM orders", 1)]),
        ("/* by\ndbt */ SELECT 1\nFROM x;\n", [("/* by\ndbt */ SELECT 1\nFROM x", 1)]),
        ("SELECT a\nFROM (;\na = 1\n", [("SELECT a\nFROM (", 1), ("a = 1", 1)]),
        ("MERGE INTO x\nUSING orders\nON x.k = orders.k\nWHEN MATCHED THEN DELETE;\n",
         [("MERGE INTO x\nUSING orders\nON x.k = orders.k\nWHEN MATCHED THEN DELETE", 1)]),
        ("BEGIN;\nCREATE OR REPLACE TABLE x AS\nSELECT a FROM orders;\nCOMMIT;\nbegin = 1\n",
         [("BEGIN", 1), ("CREATE OR REPLACE TABLE x AS\nSELECT a FROM orders", 1), ("COMMIT", 1),
          ("begin = 1", 1)]),
        ("COMMENT ON TABLE orders IS 'all'\nGRANT SELECT ON orders TO x\nOPTIMIZE orders\na = 1\n",
         [("COMMENT ON TABLE orders IS 'all'", 1), ("GRANT SELECT ON orders TO x", 1),
          ("OPTIMIZE orders", 1), ("a = 1", 1)]),
        ("s = 'x\u0085y\u2028z\x0cw'\n", [("s = 'x\u0085y\u2028z\x0cw'", 1)]),
        ('{"query": "SELECT a\\nFROM orders;"}', [("SELECT a\nFROM orders", 1)]),
    ],
)  # fmt: skip
def test_statements_of_a_file_end_with_a_semicolon_or_their_line(
    tmp_path: Path, text: str, queries: list[tuple[str, float]]
) -> None:
    assert read(tmp_path, text) == queries


BAD_KEY = '{"query": "a = 1", "weigth": 7}'


@pytest.mark.parametrize(
    "line",
    [
        BAD_KEY,
        '{"q": "a = 1"}',
        '{"query": "a = 1", "weight": "much"}',
        "{",
        '{"query": 7}',
        '{"query": null}',
        '{"query": "a = 1", "weight": true}',
        "a = ",
        "a equals 5",
        "0\ta = 1",
        "1e\ta = 1",
    ],
)
def test_a_bad_line_of_a_file_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "log.sql"
    path.write_text(f"a = 1\n{line}\n", encoding="utf-8")
    with pytest.raises(OptionError, match="line 2 of"):
        read_queries(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"log\.sql"):
        read_queries(tmp_path / "log.sql")
