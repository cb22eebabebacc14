"""Which texts are statements: what comments, EXPLAIN and statements beside them make of these."""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_zorder.workload.query_file import read_queries
from hudi_zorder.workload.statement_texts import is_statement
from hudi_zorder.workload.statements import conditions_of
from hudi_zorder.workload.table_names import TableNames

NAMES = TableNames.known("orders", ["/lake/orders"], "db")
COLUMNS = ["a", "b", "explain"]
DASHES = "-" * 200  # of which a search in every way would not come to an end


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        (f"{DASHES}\nSELECT * FROM orders WHERE a = 5", ["a = 5"]),
        (f"{DASHES} orders\n{DASHES}\n(SELECT * FROM orders WHERE a = 5)", ["a = 5"]),
        (f"SELECT * FROM orders\n{DASHES}\nWHERE a = 5", ["a = 5"]),
        (f"SELECT * FROM orders WHERE a = '{DASHES}'", [f"a = '{DASHES}'"]),
        (f"{DASHES}\na = 5", [f"{DASHES}\na = 5"]),
        (f"/*{'*' * 200}\n/ */ SELECT * FROM orders WHERE a = 5", ["a = 5"]),
    ],
)
def test_comments_of_many_dashes_are_passed_at_once(
    tmp_path: Path, text: str, conditions: list[str]
) -> None:
    assert conditions_of(text, NAMES, COLUMNS) == conditions
    file = tmp_path / "queries.sql"
    file.write_text(f"SELECT * FROM x;\n{text};\n")
    assert len(read_queries(file)) == 2


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("SELECT * FROM orders WHERE a = 'please explain'", ["a = 'please explain'"]),
        ("SELECT * FROM orders WHERE explain = 5", ["explain = 5"]),
        ("SELECT * FROM orders /* explain cost */ WHERE a = 1", ["a = 1"]),
        ("EXPLAIN SELECT * FROM orders WHERE explain = 5", ["explain = 5"]),
        ("explain -- it\n formatted SELECT * FROM orders WHERE a = 1", ["a = 1"]),
        ("EXPLAIN (SELECT * FROM orders WHERE a = 1)", ["a = 1"]),
    ],
)
def test_explain_is_a_word_of_statements_at_their_beginning_alone(
    text: str, conditions: list[str]
) -> None:
    assert conditions_of(text, NAMES, COLUMNS) == conditions


@pytest.mark.parametrize(
    "text",
    [
        "with\n-- import\nx as (select * from orders where a = 5)\nselect * from x",
        "WITH /* c */ x AS (SELECT * FROM orders WHERE a = 5) SELECT * FROM x",
        "DELETE /* gdpr */ FROM orders WHERE a = 5",
        "DELETE/**/FROM orders WHERE a = 5",
        "UPDATE -- gdpr\norders SET b = 1 WHERE a = 5",
        "FROM (SELECT * FROM orders) x SELECT b WHERE a = 5",
    ],
)
def test_comments_stand_anywhere_in_a_statement(tmp_path: Path, text: str) -> None:
    (condition,) = conditions_of(text, NAMES, COLUMNS)
    assert condition.replace("`", "") == "a = 5"
    file = tmp_path / "queries.sql"
    file.write_text(f"{text};\nSELECT * FROM orders WHERE b = 1;\n")
    assert len(read_queries(file)) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("values (1, 2)", True),
        ("VALUES /* none */ (1)", True),
        ("update /* x */ in (1)", False),
        ("values in (1, 2)", False),
        ("values IS NULL", False),
        ("begin /* it */;", True),
        ("-- set x = 1\na = 5", False),
    ],
)
def test_columns_may_be_called_as_what_begins_a_statement(text: str, expected: bool) -> None:
    assert is_statement(text) == expected


def test_a_file_of_queries_may_have_values(tmp_path: Path) -> None:
    file = tmp_path / "queries.sql"
    file.write_text("values (1, 2);\nselect * from orders where a = 5;\n")
    assert [query.text for query in read_queries(file)] == [
        "values (1, 2)",
        "select * from orders where a = 5",
    ]


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("USE db; SELECT * FROM orders WHERE a = 5", ["a = 5"]),
        ("SET x = 1; SELECT * FROM orders WHERE a = 5;", ["a = 5"]),
        ("BEGIN; SELECT * FROM orders WHERE a = 5; COMMIT", ["a = 5"]),
        ("SET x = 'a;b'; EXPLAIN SELECT * FROM orders WHERE a = 5", ["a = 5"]),
        ("USE db; -- ;\nSELECT * FROM orders WHERE a = ';' /* ; */", ["a = ';'"]),
        ("SELECT * FROM orders WHERE a = 5; SHOW TABLES; SELECT * FROM orders WHERE b = 1",
         ["a = 5", "b = 1"]),
    ],
)  # fmt: skip
def test_beside_statements_that_read_nothing_others_count(text: str, conditions: list[str]) -> None:
    assert conditions_of(text, NAMES, COLUMNS) == conditions
