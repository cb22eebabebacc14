"""Queries with weights: from Python, from files, and out of whole statements."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp

from hudi_zorder.errors import OptionError, PredicateError
from hudi_zorder.workload.query_file import read_queries
from hudi_zorder.workload.statements import ReadsOthers, conditions_of
from hudi_zorder.workload.table_names import TableNames
from hudi_zorder.workload.weighted_queries import GivenQueries, WeightedQuery, queries_of

NAMES = TableNames.known("orders", ["file:///lake/orders", "/lake/orders"], "db")
COLUMNS = ["a", "b", "s.x", "k"]


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


def test_a_query_that_comes_again_was_asked_last_when_it_was_asked_last() -> None:
    early, late = (dt.datetime(2026, 11, day, tzinfo=dt.timezone.utc) for day in (1, 2))
    for times in ((early, late, None), (late, None, early)):
        [query] = queries_of([WeightedQuery("a = 1", 2.0, time) for time in times])
        assert (query.weight, query.last) == (6.0, late)


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
            "SELECT 2; -- done\nb = 2;\n",
            [("a = 1", 1),
             ("SELECT a -- of ';\nFROM orders\n\nWHERE s = ';\n' AND a = 1", 20),
             ("SELECT 2; -- done", 1), ("b = 2", 1)],
        ),
        ("SELECT a\r\nFROM orders\r\n", [("SELECT a\nFROM orders", 1)]),
        ("SELECT 1\nSELECT 2\nb = 2\n", [("SELECT 1", 1), ("SELECT 2", 1), ("b = 2", 1)]),
        ("SELECT 1\n3\tSELECT 2;\nb = 2\n", [("SELECT 1", 1), ("SELECT 2", 3), ("b = 2", 1)]),
        ("SET x = 1\nSELECT a FROM orders;\n", [("SET x = 1", 1), ("SELECT a FROM orders", 1)]),
        ("/* by\ndbt */ SELECT 1\nFROM x;\n", [("/* by\ndbt */ SELECT 1\nFROM x", 1)]),
        ("SELECT a\nFROM (;\na = 1\n", [("SELECT a\nFROM (", 1), ("a = 1", 1)]),
        ("MERGE INTO x\nUSING orders\nON x.k = orders.k\nWHEN MATCHED THEN DELETE;\n",
         [("MERGE INTO x\nUSING orders\nON x.k = orders.k\nWHEN MATCHED THEN DELETE", 1)]),
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


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("a = 5 OR b < 3", ["a = 5 OR b < 3"]),
        ("SELECT * FROM orders o WHERE o.a = 5 AND o.s.x < 3", ["`a` = 5 AND `s`.`x` < 3"]),
        ("SELECT a FROM hudi.`/lake/orders` WHERE a = 1", ["a = 1"]),
        ("SELECT a FROM db.orders WHERE db.orders.a = 5", ["`a` = 5"]),
        ("SELECT a FROM Orders_RO WHERE a = 1", ["a = 1"]),
        ("SELECT a FROM hudi.`file:/lake/orders/` WHERE a = 1", ["a = 1"]),
        ("INSERT INTO x SELECT a FROM orders WHERE a = 1", ["a = 1"]),
        ("CREATE TABLE x AS SELECT a FROM orders WHERE a = 1", ["a = 1"]),
        ("EXPLAIN EXTENDED SELECT a FROM orders WHERE a = 1", ["a = 1"]),
        ("FROM orders SELECT a WHERE a = 1", ["a = 1"]),
        ("set = 1 AND show LIKE 'x'", ["set = 1 AND show LIKE 'x'"]),
        (
            "SELECT * FROM (WITH orders AS (SELECT * FROM x) SELECT * FROM orders WHERE a = 1) y, "
            "orders o WHERE o.b = 2",
            ["`b` = 2"],
        ),
        (
            "MERGE INTO x USING (SELECT * FROM orders WHERE a = 1) o ON x.k = o.k "
            "WHEN MATCHED THEN DELETE",
            ["a = 1"],
        ),
        ("SELECT a FROM orders", ["TRUE"]),
        ("DELETE FROM orders WHERE a = 3", ["a = 3"]),
        ("UPDATE orders SET a = 1 WHERE b = 2", ["b = 2"]),
        (
            "(SELECT a FROM orders WHERE a = 1) UNION ALL (SELECT a FROM orders WHERE b = 2)",
            ["a = 1", "b = 2"],
        ),
        (
            "WITH x AS (SELECT * FROM orders WHERE a > 3) SELECT * FROM x WHERE b = 3",
            ["a > 3"],
        ),
        (
            "SELECT * FROM orders o JOIN dim d ON o.k = d.k WHERE d.a = 2 AND year = 3 AND b = 1",
            ["b = 1"],
        ),
        (
            "SELECT * FROM orders LATERAL VIEW explode(items) t AS item WHERE item = 5",
            ["TRUE"],
        ),
        (
            "SELECT * FROM orders o JOIN dim d ON o.k = d.k WHERE o.a = 1 AND (d.a = 2 OR o.b = 3)",
            ["`a` = 1"],
        ),
        (
            "WITH orders AS (SELECT * FROM db.orders WHERE a > 3) SELECT * FROM orders WHERE b = 3",
            ["a > 3"],
        ),
        ("/* from dbt */\n-- once\nSELECT * FROM orders WHERE a = 1", ["a = 1"]),
        (
            "SELECT * FROM orders a JOIN orders b ON a.k = b.k WHERE a.b = 1 AND b.a = 2",
            ["`b` = 1", "`a` = 2"],
        ),
        (
            f"SELECT * FROM orders WHERE {' AND '.join(['a = 1'] * 1_500)}",
            [" AND ".join(["a = 1"] * 1_500)],
        ),
        (
            "SELECT * FROM c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.k = c.id AND c.z = 1)",
            ["TRUE"],
        ),
    ],
)  # fmt: skip
def test_the_conditions_of_a_statement_are_those_on_the_table(
    text: str, conditions: list[str]
) -> None:
    found = conditions_of(text, NAMES, COLUMNS)
    assert [text.upper() if text == "true" else text for text in found] == conditions


# What Spark 3.5 pushes to its scan of the table, save that it adds IS NOT NULL.
@pytest.mark.parametrize(
    ("joined", "condition"),
    [
        ("x LEFT JOIN orders o ON x.k = o.k WHERE o.a IS NULL", "true"),
        ("x LEFT JOIN orders o ON x.k = o.k WHERE o.a = 5 AND o.b IS NULL",
         "`a` = 5 AND `b` IS NULL"),
        ("x LEFT JOIN orders o ON x.k = o.k WHERE o.a = 5 OR x.y = 1", "true"),
        ("x LEFT JOIN orders o ON x.k = o.k WHERE NOT o.a <=> 5", "true"),
        ("x LEFT JOIN orders o ON x.k = o.k AND o.b = 7 WHERE o.a IS NULL", "`b` = 7"),
        ("orders o LEFT JOIN x ON x.k = o.k AND o.b = 7 WHERE o.a IS NULL", "`a` IS NULL"),
        ("orders o RIGHT JOIN x ON x.k = o.k AND o.b = 7 WHERE o.a IS NULL", "`b` = 7"),
        ("x RIGHT JOIN orders o ON x.k = o.k AND o.b = 7 WHERE o.a IS NULL", "`a` IS NULL"),
        ("x FULL JOIN orders o ON x.k = o.k AND o.b = 7 WHERE o.a IS NULL", "true"),
        ("orders o JOIN x ON x.k = o.k AND (o.b = 7 AND o.a > 1) AND x.y = 1 WHERE o.a < 9",
         "`b` = 7 AND `a` > 1 AND `a` < 9"),
        ("orders o JOIN x USING (k) CROSS JOIN y WHERE o.a = 5 OR o.b = 6", "`a` = 5 OR `b` = 6"),
        ("x LEFT SEMI JOIN orders o ON x.k = o.k AND o.b = 7", "`b` = 7"),
        ("orders o LEFT SEMI JOIN x ON x.k = o.k AND o.b = 7", "`b` = 7"),
        ("x LEFT ANTI JOIN orders o ON x.k = o.k AND o.b = 7", "`b` = 7"),
        ("orders o LEFT ANTI JOIN x ON x.k = o.k AND o.b = 7 WHERE o.a = 5", "`a` = 5"),
        ("x LEFT JOIN orders o ON x.k = o.k JOIN y ON y.k = x.k AND o.b IS NULL WHERE o.a = 5",
         "`b` IS NULL AND `a` = 5"),
        ("x LEFT JOIN orders o ON x.k = o.k JOIN y ON o.b = 7 RIGHT JOIN z ON true", "`b` = 7"),
        ("x JOIN (y LEFT JOIN orders o ON y.k = o.k) ON x.k = y.k WHERE o.a IS NULL", "true"),
        ("x JOIN (orders o JOIN y ON y.k = o.k) ON x.k = y.k WHERE o.a = 5", "`a` = 5"),
    ],
)  # fmt: skip
def test_of_joins_those_conditions_count_that_reach_the_table(joined: str, condition: str) -> None:
    (found,) = conditions_of(f"SELECT * FROM {joined}", NAMES, COLUMNS)
    assert found.lower() == condition.lower()


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        ("SELECT 1", ()),
        ("SELECT * FROM x, y WHERE x.a = 1", ("x", "y")),
        ("SELECT a FROM orders_of_today WHERE a = 1", ("orders_of_today",)),
        ("SELECT a FROM archive.orders WHERE a = 1", ("archive.orders",)),
        ("SELECT a FROM hudi.`/old/orders` o WHERE a = 1", ("hudi.`/old/orders`",)),
        ("WITH orders AS (SELECT * FROM x) SELECT * FROM orders WHERE a = 1", ("x",)),
        ("INSERT INTO orders SELECT * FROM x WHERE a = 1", ("x",)),
        ("CREATE VIEW v AS SELECT * FROM orders WHERE a = 1", ()),
        ("MERGE INTO orders USING x ON x.k = orders.k WHEN MATCHED THEN DELETE", ()),
        ("SHOW TABLES", ()),
        ("SET spark.sql.shuffle.partitions = 7", ()),
        ("CALL run_clustering(table => 'orders')", ()),
    ],
)
def test_a_statement_that_does_not_read_the_table_tells_what_it_reads(
    text: str, tables: tuple[str, ...]
) -> None:
    with pytest.raises(ReadsOthers, match="write") as why:
        conditions_of(text, NAMES, COLUMNS)
    assert why.value.tables == tables


def test_what_is_no_statement_is_refused() -> None:
    with pytest.raises(PredicateError, match="Cannot parse a query"):
        conditions_of("SELECT (", NAMES, COLUMNS)


@pytest.mark.parametrize(
    ("path", "database", "named", "is_meant"),
    [
        ("/w/sales.db/orders", "", "sales.orders", True),
        ("/w/sales.db/orders", "", "archive.orders", False),
        ("/w/orders", "", "archive.orders", True),
        ("/w/orders", "sales", "spark_catalog.sales.orders", True),
        ("/w/orders_v2", "", "orders_v2", True),
        ("s3a://w/orders", "", "hudi.`s3://w/orders`", True),
    ],
)
def test_a_database_tells_tables_of_one_name_apart(
    path: str, database: str, named: str, is_meant: bool
) -> None:
    names = TableNames.known("orders", [path], database)
    assert names.mean(sqlglot.parse_one(named, into=exp.Table, read="spark")) == is_meant
