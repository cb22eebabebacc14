"""What trees are written as: the same predicate, in Spark's SQL."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.predicate import literals as kinds
from hudi_zorder.predicate import tree as p
from hudi_zorder.predicate.literals import Literal
from hudi_zorder.predicate.parser import parse
from hudi_zorder.skipping.explain import explain
from plain_table import write_plain_table

WORDS = ["a", "_1", "order", "select", "a b", "a`b", "`", "é", "1a", "", "date", "a-b", "NULL"]
NAMES = st.sampled_from([word for word in WORDS if word])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(".".join)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ["it's", 'a"b', "\\", "\\\\'", "a%_", "\n\t", "x\\_", "--", "/*"]
)
LITERALS = st.one_of(
    st.integers(-(1 << 70), 1 << 70).map(lambda n: Literal(kinds.INTEGER, n)),
    st.decimals(
        allow_nan=False, allow_infinity=False, places=3, min_value=-9999, max_value=9999
    ).map(lambda n: Literal(kinds.DECIMAL, n)),
    st.floats(allow_nan=False).map(lambda n: Literal(kinds.DOUBLE, n)),
    st.floats(allow_nan=False, width=32).map(lambda n: Literal(kinds.FLOAT, n)),
    st.booleans().map(lambda b: Literal(kinds.BOOLEAN, b)),
    st.binary(max_size=4).map(lambda b: Literal(kinds.BINARY, b)),
    TEXTS.map(lambda s: Literal(kinds.STRING, s)),
    st.sampled_from([kinds.DATE, kinds.TIMESTAMP, kinds.TIMESTAMP_NTZ]).map(
        lambda kind: Literal(kind, "2026-01-02")
    ),
)
LEAVES: st.SearchStrategy[p.Predicate] = st.one_of(
    st.builds(p.Comparison, PATHS, st.sampled_from(list(p.NEGATED)), LITERALS),
    st.builds(
        p.InList, PATHS, st.lists(LITERALS, min_size=1, max_size=3).map(tuple), st.booleans()
    ),
    st.builds(p.Like, PATHS, TEXTS, st.sampled_from(["\\", "!", "'"]), st.booleans()),
    st.builds(p.NullTest, PATHS, st.booleans()),
    st.builds(p.Truth, PATHS, st.booleans()),
)
TREES = LEAVES | st.builds(
    lambda kind, other, first, second, third: kind((first, other((second, third)))),
    st.sampled_from([p.And]),
    st.sampled_from([p.Or]),
    LEAVES,
    LEAVES,
    LEAVES,
)


@settings(max_examples=400)
@given(TREES)
def test_a_tree_is_read_from_its_own_text(tree: Any) -> None:
    assert parse(tree.text) == tree


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        (Literal(kinds.DECIMAL, Decimal("1E+2")), "100."),
        (Literal(kinds.DOUBLE, float("nan")), "double('nan')"),
        (Literal(kinds.FLOAT, float("-inf")), "float('-inf')"),
    ],
)
def test_literals_keep_their_type(literal: Literal, text: str) -> None:
    assert literal.text == text
    assert parse(f"a = {text}").literal.kind == literal.kind


def test_explaining_a_tree_reports_its_sql(tmp_path: Path) -> None:
    files = [pa.table({"a b": [n], "c": [-n]}) for n in range(4)]
    snapshot = TableSnapshot.open(write_plain_table(tmp_path / "t", files))
    report = explain(snapshot, parse("NOT (`a b` < 2 OR c IS NULL)"))
    assert report.predicate == "(`a b` >= 2) AND (c IS NOT NULL)"
    assert explain(snapshot, report.predicate) == report
