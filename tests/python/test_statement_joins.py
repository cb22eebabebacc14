"""What joins leave of the conditions on a table: of columns that they hide, merge or share."""

from __future__ import annotations

import pytest

from hudi_zorder.workload.statements import conditions_of
from hudi_zorder.workload.table_names import TableNames

NAMES = TableNames.known("orders", ["/w/prod.db/orders"])
COLUMNS = ["id", "day", "a", "b", "s.x"]

ORDERS_ON_THE_RIGHT = pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("SELECT * FROM c LEFT ANTI JOIN orders o ON o.id = c.id", "true"),
        ("SELECT * FROM c LEFT SEMI JOIN orders o ON o.id = c.id AND o.b = 7", "`b` = 7"),
        ("SELECT * FROM c LEFT ANTI JOIN orders USING (id)", "true"),
        ("SELECT * FROM c LEFT ANTI JOIN (SELECT * FROM orders WHERE a > 1) o ON o.id = c.id",
         "a > 1"),
        ("WITH o AS (SELECT * FROM orders WHERE a > 1) SELECT * FROM c SEMI JOIN o USING (id)",
         "a > 1"),
        ("SELECT * FROM c LEFT ANTI JOIN orders o ON o.id = c.id AND o.b = 7 "
         "JOIN y ON y.id = c.id AND a = 5", "`b` = 7"),
        ("SELECT * FROM y JOIN (c LEFT ANTI JOIN orders o ON o.id = c.id) ON y.id = c.id", "true"),
    ],
)  # fmt: skip


@ORDERS_ON_THE_RIGHT
@pytest.mark.parametrize("asked", ["day = '1'", "c.day = '1'", "day IS NULL"])
def test_nothing_is_asked_of_the_right_of_a_semi_or_anti_join_after_it(
    text: str, condition: str, asked: str
) -> None:
    assert conditions_of(f"{text} WHERE {asked}", NAMES, COLUMNS) == [condition]


@ORDERS_ON_THE_RIGHT
def test_nothing_is_asked_of_it_by_queries_around_either(text: str, condition: str) -> None:
    beginning, select, rest = text.rpartition("SELECT * FROM c")
    if not beginning.endswith("("):
        text = f"{beginning}SELECT * FROM ({select}{rest}) z"
    assert conditions_of(f"{text} WHERE day = '1'", NAMES, COLUMNS) == [condition]


# As DuckDB finds it, too: test_statements_sound.py.
@pytest.mark.parametrize(
    ("joined", "condition"),
    [
        ("c LEFT JOIN orders o USING (id) WHERE id = 5 AND o.a IS NULL", "id = 5"),
        ("c LEFT JOIN orders o USING (id) WHERE o.id = 5 AND o.a IS NULL",
         "`id` = 5 AND `a` IS NULL"),
        ("c LEFT JOIN orders o USING (id) WHERE id = 5 AND o.a = 1", "id = 5 AND `a` = 1"),
        ("c LEFT JOIN orders o USING (id) WHERE id IS NULL", "true"),
        ("c LEFT JOIN orders o USING (id, day) WHERE day = '1' AND id < 3 AND o.a IS NULL",
         "day = '1' AND id < 3"),
        ("c LEFT JOIN orders o USING (id) WHERE id = 5 OR o.a IS NULL", "true"),
        ("c LEFT JOIN orders o USING (id) WHERE id = 5 AND (id = 6 OR o.a IS NULL)", "id = 5"),
        ("c NATURAL LEFT JOIN orders o WHERE id = 5 AND a IS NULL", "id = 5"),
        ("c NATURAL LEFT JOIN orders o WHERE (id = 5 AND a IS NULL) OR id = 6", "true"),
        ("c NATURAL LEFT JOIN orders o WHERE o.id = 5 AND o.a IS NULL", "`id` = 5 AND `a` IS NULL"),
        ("orders o RIGHT JOIN c USING (id) WHERE id = 5 AND o.a IS NULL", "id = 5"),
        ("c FULL JOIN orders o USING (id) WHERE id = 5 AND o.a IS NULL", "id = 5"),
        ("y JOIN (c LEFT JOIN orders o USING (id)) ON y.k = c.k WHERE id = 5 AND o.a IS NULL",
         "id = 5"),
        ("(SELECT * FROM c LEFT JOIN orders o USING (id)) x WHERE x.id = 5 AND x.a IS NULL",
         "`id` = 5"),
        ("orders o LEFT JOIN c USING (id) WHERE id = 5 AND a IS NULL", "id = 5 AND a IS NULL"),
        ("c JOIN orders o USING (id) WHERE id = 5 AND a IS NULL", "id = 5 AND a IS NULL"),
    ],
)  # fmt: skip
def test_a_column_that_a_join_has_merged_tells_no_nulls_in_place_of_the_table(
    joined: str, condition: str
) -> None:
    assert conditions_of(f"SELECT * FROM {joined}", NAMES, COLUMNS) == [condition]


PAIR = "prod.orders JOIN stage.orders ON prod.orders.id = stage.orders.id"


@pytest.mark.parametrize(
    ("joined", "condition"),
    [
        (f"{PAIR} WHERE stage.orders.a = 5", "true"),
        (f"{PAIR} WHERE stage.orders.a = 5 AND prod.orders.b = 3", "`b` = 3"),
        (f"{PAIR} WHERE spark_catalog.stage.orders.a = 5 AND spark_catalog.prod.orders.b = 3",
         "`b` = 3"),
        (f"{PAIR} WHERE stage.orders.id = 5", "`id` = 5"),
        ("orders JOIN stage.orders ON orders.id = stage.orders.k "
         "WHERE stage.orders.a = 5 AND prod.orders.b = 3 AND orders.id = 1",
         "`b` = 3 AND `id` = 1"),
        ("one.prod.orders JOIN two.prod.orders ON two.prod.orders.a = 5 AND one.prod.orders.b = 3",
         "`b` = 3"),
        ("orders JOIN x ON orders.id = x.id WHERE s.orders.x = 3 AND prod.orders.s.x = 5",
         "s.orders.x = 3 AND `s`.`x` = 5"),
    ],
)  # fmt: skip
def test_a_database_tells_columns_of_tables_of_one_name_apart(joined: str, condition: str) -> None:
    assert conditions_of(f"SELECT * FROM {joined}", NAMES, COLUMNS)[:1] == [condition]


def test_a_table_of_another_database_is_not_known_by_a_shared_name_alone() -> None:
    text = "SELECT * FROM orders JOIN stage.orders USING (id) WHERE stage.orders.a = 5"
    found = conditions_of(text, TableNames.known("orders", ["/w/orders"]), COLUMNS)
    assert found == ["true", "`a` = 5"]  # the second is of the other one, which this may be, too
