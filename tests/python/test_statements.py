"""What whole statements ask of one of the tables that they read."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from hudi_zorder.errors import PredicateError
from hudi_zorder.workload.statements import ReadsOthers, conditions_of
from hudi_zorder.workload.table_names import TableNames

NAMES = TableNames.known("orders", ["file:///lake/orders", "/lake/orders"], "db")
COLUMNS = ["a", "b", "s.x", "k"]


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
        ("CREATE OR REPLACE TABLE x AS SELECT a FROM orders WHERE a = 1", ["a = 1"]),
        ("EXPLAIN EXTENDED SELECT a FROM orders WHERE a = 1", ["a = 1"]),
        ("MERGE INTO x USING orders o ON x.k = o.k AND o.a = 1 WHEN MATCHED THEN DELETE", ["TRUE"]),
        ("FROM orders SELECT a WHERE a = 1", ["a = 1"]),
        ("set = 1 AND show LIKE 'x'", ["set = 1 AND show LIKE 'x'"]),
        ("create OR replace = 1", ["create OR replace = 1"]),
        ("update > 5 AND NOT delete", ["update > 5 AND NOT delete"]),
        ("begin < 5 AND comment = 'x'", ["begin < 5 AND comment = 'x'"]),
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
            ["a > 3 AND `b` = 3"],
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
            ["a > 3 AND `b` = 3"],
        ),
        ("/* from dbt */\n-- once\nSELECT * FROM orders WHERE a = 1", ["a = 1"]),
        (
            "SELECT * FROM orders a JOIN orders b ON a.k = b.k WHERE a.b = 1 AND b.a = 2",
            ["`b` = 1", "`a` = 2"],
        ),
        (
            f"SELECT * FROM orders WHERE {' AND '.join(f'a <> {n}' for n in range(1_500))}",
            [" AND ".join(f"a <> {n}" for n in range(1_500))],
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
        ("orders o, x WHERE (o.k = x.k AND o.a = 1 AND x.y = 2) OR (o.b > 3 AND (x.y = 4))",
         "`a` = 1 OR `b` > 3"),
        ("orders o, x WHERE (o.a = 1 AND x.y = 2) OR (o.k = x.k AND x.y = 4)", "true"),
        ("orders o, x WHERE NOT (o.a = 1 AND x.y = 2)", "true"),
        ("x LEFT JOIN orders o ON x.k = o.k WHERE (o.a = 1 AND x.y = 2) OR (o.a = 3 AND x.y = 4)",
         "`a` = 1 OR `a` = 3"),
        ("orders o, x, y WHERE o.k = x.k AND y.k = x.k AND y.k = 5 AND x.k < 9",
         "`k` = 5 AND `k` < 9"),
        ("orders o JOIN x ON o.k = x.k WHERE x.k IN (1, 2)", "`k` IN (1, 2)"),
        ("orders o JOIN x ON o.k = x.k WHERE o.k = 5 AND x.k = 5", "`k` = 5"),
        ("orders o LEFT JOIN x ON o.k = x.k AND x.k = 5", "true"),
        ("orders o JOIN x ON o.k < x.k WHERE x.k = 5", "true"),
        ("orders o JOIN x ON o.k = x.k WHERE x.k IN (SELECT k FROM y)", "true"),
    ],
)  # fmt: skip
def test_of_joins_those_conditions_count_that_reach_the_table(joined: str, condition: str) -> None:
    (found,) = conditions_of(f"SELECT * FROM {joined}", NAMES, COLUMNS)
    assert found.lower() == condition.lower()


# What Spark 3.5 pushes down: through what chooses, renames, filters and joins, and nothing else.
@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("SELECT * FROM (SELECT * FROM orders) x WHERE x.a = 1", ["`a` = 1"]),
        ("SELECT * FROM (SELECT o.* FROM orders o WHERE b < 3) x WHERE a = 1 LIMIT 5",
         ["b < 3 AND `a` = 1"]),
        ("SELECT * FROM ((SELECT a AS c, s FROM orders)) x WHERE x.c = 1 AND x.s.x > 2",
         ["a = 1 AND s.`x` > 2"]),
        ("SELECT * FROM (SELECT * FROM (SELECT * FROM orders) y WHERE b = 2) x WHERE x.a = 1",
         ["`b` = 2 AND `a` = 1"]),
        ("SELECT * FROM (SELECT DISTINCT a FROM orders) x JOIN y ON x.a = y.a WHERE y.a = 1",
         ["a = 1"]),
        ("SELECT * FROM (SELECT * FROM orders) x WHERE x.a = 1 OR x.z.b = 3 AND x.b = 4",
         ["`a` = 1 OR `z`.`b` = 3 AND `b` = 4"]),
        ("SELECT * FROM (SELECT a + 1 AS a, b FROM orders) x WHERE x.a = 1 AND x.b = 2",
         ["b = 2"]),
        ("WITH x AS (SELECT * FROM orders) SELECT * FROM x p, x q WHERE p.a = 1 AND q.b = 2",
         ["`a` = 1", "`b` = 2"]),
        ("WITH x AS (SELECT a AS c FROM orders), y AS (SELECT c AS d FROM x) "
         "SELECT * FROM y WHERE d = 1", ["a = 1"]),
        ("SELECT * FROM y LEFT JOIN (SELECT * FROM orders) x ON x.a = 1 WHERE x.b IS NULL",
         ["`a` = 1"]),
        ("SELECT * FROM y LEFT JOIN (SELECT * FROM orders) x ON x.k = y.k WHERE x.b = 3",
         ["`b` = 3"]),
        ("SELECT * FROM (SELECT o.a, o.b FROM y LEFT JOIN orders o ON o.k = y.k) x "
         "WHERE x.a IS NULL", ["TRUE"]),
        ("SELECT * FROM (SELECT o.a, o.b FROM y LEFT JOIN orders o ON o.k = y.k) x "
         "WHERE x.a = 5", ["`a` = 5"]),
        ("SELECT * FROM (SELECT * FROM orders LIMIT 5) x WHERE x.a = 1", ["TRUE"]),
        ("SELECT * FROM (SELECT b, max(a) a FROM orders GROUP BY b) x WHERE x.a = 1", ["TRUE"]),
        ("SELECT * FROM (SELECT max(a) AS a FROM orders) x WHERE x.a = 1", ["TRUE"]),
        ("SELECT * FROM (SELECT a, row_number() OVER (ORDER BY b) n FROM orders) x "
         "WHERE x.a = 1", ["TRUE"]),
        ("SELECT * FROM (SELECT * FROM orders UNION ALL SELECT * FROM y) x WHERE x.a = 1",
         ["TRUE"]),
        ("SELECT * FROM (SELECT * FROM orders) x (c, d) WHERE x.c = 1", ["TRUE"]),
        ("SELECT * FROM (SELECT * EXCEPT (b), b AS a FROM orders) x WHERE x.b = 1", ["TRUE"]),
        ("WITH x AS (SELECT a FROM orders) SELECT * FROM x TABLESAMPLE (5 ROWS) WHERE a = 1",
         ["TRUE"]),
        ("SELECT * FROM orders TABLESAMPLE (5 PERCENT) WHERE a = 1", ["TRUE"]),
        ("SELECT * FROM orders TABLESAMPLE (5 PERCENT) o JOIN y ON o.k = y.k AND o.a = 1",
         ["TRUE"]),
        ("SELECT * FROM orders o JOIN y TABLESAMPLE (5 ROWS) ON o.k = y.k WHERE o.a = 1",
         ["`a` = 1"]),
        ("SELECT * FROM (SELECT * FROM orders TABLESAMPLE (5 ROWS) WHERE b = 2) x WHERE x.a = 1",
         ["TRUE"]),
        ("SELECT * FROM (SELECT * FROM orders WHERE b = 2) TABLESAMPLE (5 ROWS) WHERE a = 1",
         ["b = 2"]),
        ("SELECT * FROM y WHERE y.a = 1 AND y.k IN (SELECT k FROM orders)", ["TRUE"]),
    ],
)  # fmt: skip
def test_what_is_asked_of_a_derived_table_is_asked_of_the_table(
    text: str, conditions: list[str]
) -> None:
    found = conditions_of(text, NAMES, COLUMNS)
    assert ["TRUE" if text == "true" else text for text in found] == conditions


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
        ("CREATE OR REPLACE TEMPORARY VIEW v AS SELECT * FROM orders WHERE a = 1", ()),
        ("MERGE INTO orders USING x ON x.k = orders.k WHEN MATCHED THEN DELETE", ("x",)),
        ("SHOW TABLES", ()),
        ("SET spark.sql.shuffle.partitions = 7", ()),
        ("CALL run_clustering(table => 'orders')", ()),
        ("COMMENT ON TABLE orders IS 'of today'", ()),
        ("GRANT SELECT ON TABLE orders TO PUBLIC", ()),
        ("OPTIMIZE orders", ()),
        ("BEGIN", ()),
        ("-- done\nCOMMIT;", ()),
        ("START TRANSACTION", ()),
    ],
)
def test_a_statement_that_does_not_read_the_table_tells_what_it_reads(
    text: str, tables: tuple[str, ...]
) -> None:
    with pytest.raises(ReadsOthers, match="write") as why:
        conditions_of(text, NAMES, COLUMNS)
    assert why.value.tables == tables


def test_a_statement_that_nests_too_deeply_is_refused() -> None:
    total = " + 1 - ".join(["b"] * 300)
    with pytest.raises(PredicateError, match="it nests too deeply"):
        conditions_of(f"SELECT * FROM orders o WHERE o.a = {total}", NAMES, COLUMNS)


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
