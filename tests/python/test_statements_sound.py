"""A statement finds the same where its table holds no row but those that its condition is true of.

The oracle is DuckDB, which runs each statement twice: over all rows, and over those.
"""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hudi_zorder.workload.statements import conditions_of
from hudi_zorder.workload.table_names import TableNames

NAMES = TableNames.known("orders", ["/lake/orders"])
COLUMNS = ["a", "b", "k"]
NUMBERS = st.integers(0, 3)


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("SELECT setseed(0.5)")
        number = "nullif((random() * 5)::int, 4)"
        for name, size in (("orders", 40), ("x", 12)):
            columns = f"{number} AS a, {number} AS b, {number} AS k"
            connection.execute(f"CREATE TABLE {name} AS SELECT {columns} FROM range({size})")
        yield connection


def make_no_difference(database: duckdb.DuckDBPyConnection, statement: str) -> None:
    [condition] = conditions_of(statement, NAMES, COLUMNS)
    wanted = f"(SELECT * FROM orders WHERE {condition.replace('`', '')})"
    found = sorted(map(repr, database.sql(statement).fetchall()))
    assert sorted(map(repr, database.sql(statement.replace("orders", wanted)).fetchall())) == found


def comparisons(columns: list[str]) -> st.SearchStrategy[str]:
    column = st.sampled_from(columns)
    return st.one_of(
        st.builds("{} {} {}".format, column, st.sampled_from(["=", "<", ">=", "<>"]), NUMBERS),
        st.builds("{} = {}".format, column, column),
        st.builds("{} IS NULL".format, column),
        st.builds("{} IN ({}, {})".format, column, NUMBERS, NUMBERS),
    )


def conditions(columns: list[str]) -> st.SearchStrategy[str]:
    return st.recursive(
        comparisons(columns),
        lambda inner: (
            st.builds("({} {} {})".format, inner, st.sampled_from(["AND", "AND", "OR"]), inner)
            | st.builds("NOT ({})".format, inner)
        ),
        max_leaves=5,
    )


@st.composite
def statements(draw: st.DrawFn) -> str:
    """Draws a statement that reads the table once, perhaps as a derived table or a CTE."""
    source = draw(st.sampled_from(["orders", "derived", "derived", "cte"]))
    inner = draw(_selects("orders"))
    ours = {"orders": "orders", "derived": f"({inner})", "cte": "c"}[source]
    beginning = f"WITH c AS ({inner}) " if source == "cte" else ""
    return beginning + draw(_selects(ours))


@st.composite
def _selects(draw: st.DrawFn, ours: str) -> str:
    join = draw(st.sampled_from(["", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", ","]))
    columns = [f"{name}.{column}" for name in ("op" if join else "o") for column in COLUMNS]
    pair = [f"{ours} o", "x p"]
    if join and draw(st.booleans()):
        pair.reverse()
    bare: list[str] = []
    on = ""
    if join not in ("", ","):
        match draw(st.sampled_from(["on", "using", "natural"])):
            case "on":
                on = f"ON {draw(conditions(columns))}"
            case "using":
                on, bare = "USING (k)", ["k"]
            case _:
                join, bare = f"NATURAL {join}", COLUMNS
    tables = f"{pair[0]} {join} {pair[1]} {on}" if join else pair[0]
    where = draw(st.just("") | conditions(columns + 3 * bare).map("WHERE {}".format))
    chosen = draw(
        st.sampled_from(
            ["o.a, o.b, o.k", "o.b AS a, o.a AS b, o.k", "o.*", "o.a + 1 AS a, o.b, o.k"]
        )
        | st.just("DISTINCT o.*")
        | st.just("o.a, row_number() OVER (ORDER BY o.a, o.b, o.k) AS b, o.k")
        | st.just("max(o.a) AS a, max(o.b) AS b, max(o.k) AS k")
    )
    return f"SELECT {chosen} FROM {tables} {where}"


@pytest.mark.slow
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(statements())
def test_rows_that_a_condition_is_not_true_of_make_no_difference(
    database: duckdb.DuckDBPyConnection, statement: str
) -> None:
    make_no_difference(database, statement)


@pytest.mark.slow
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from(["SEMI", "ANTI"]),
    st.one_of(
        st.just("USING (k)"),
        conditions([f"{name}.{column}" for name in "op" for column in COLUMNS]).map("ON {}".format),
    ),
    st.sampled_from(["x p", "orders o"]),
    conditions(COLUMNS),
)
def test_nor_do_they_on_either_side_of_a_semi_or_anti_join(
    database: duckdb.DuckDBPyConnection, join: str, on: str, left: str, asked: str
) -> None:
    right = "x p" if left == "orders o" else "orders o"
    statement = f"SELECT * FROM {left} {join} JOIN {right} {on} WHERE {asked}"
    make_no_difference(database, statement)
