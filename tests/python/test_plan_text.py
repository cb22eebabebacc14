"""What plans write without quotes is read only where it can mean one thing alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hudi_zorder import times
from hudi_zorder.eventlog.plan_literals import column_types
from hudi_zorder.eventlog.plan_text import PlanText
from hudi_zorder.eventlog.session_times import in_utc
from hudi_zorder.eventlog.where_clause import where_clause

SCHEMA = (
    "struct<a:int,b:bigint,name:string,price:decimal(10,2),x:double,y:float,d:date,ts:timestamp,"
    "local:timestamp_ntz,flag:boolean,raw:binary,s:struct<u:int,v:array<struct<w:int>>>,"
    "m:map<string,decimal(3,1)>,last:string>"
)


def read(filters: str, pushed: str = "", met: str = "") -> str | None:
    text = PlanText(column_types(SCHEMA), pushed)
    berlin = times.time_zone("Europe/Berlin")
    conditions = [
        replace(condition, meaning=in_utc(condition.meaning, berlin))
        for condition in text.conditions(f"[{filters}]")
    ]
    return where_clause(conditions, met.split()).predicate


def test_types_of_nested_columns_are_found_by_their_paths() -> None:
    types = column_types(SCHEMA)
    assert types["s.u"] == "int"
    assert types["m"] == "map<string,decimal(3,1)>"
    assert types["last"] == "string"


@pytest.mark.parametrize(
    ("filters", "predicate"),
    [
        ("(a#1 = 5)", "a = 5"),
        ("(5 < b#2L)", "b > 5"),
        ("(s#9.u >= 3)", "s.u >= 3"),
        ("(x#5 = NaN)", "x = double('nan')"),
        ("(x#5 < -1.0E-7)", "x < -1e-07D"),
        ("(y#5 = 0.1)", "y = 0.1F"),
        ("(price#4 < 1E+3)", "price < 1000."),
        ("(cast(a#1 as decimal(11,1)) > 2.5)", "a > 2.5"),
        ("(cast(b#2L as decimal(20,0)) > 3)", "b > 3."),
        ("(cast(price#4 as decimal(12,4)) = 5.0000)", "price = 5.0000"),
        ("(cast(price#4 as double) = 5.0)", "price = 5.0D"),
        ("(cast(d#6 as timestamp) < 2026-07-01 00:00:00)", "d < TIMESTAMP '2026-06-30 22:00:00Z'"),
        ("(local#8 = 2026-07-01 00:00:00.5)", "local = TIMESTAMP_NTZ '2026-07-01 00:00:00.5'"),
        ("(raw#9 = 0x00FF)", "raw = X'00FF'"),
        ("(day#77 = 2026-01-01)", "day = '2026-01-01'"),  # partition columns have no type here
        ("isnull(a#1)", "a IS NULL"),
        ("NOT ((a#1 = 5) OR isnull(b#2L))", "a != 5 AND b IS NOT NULL"),
        ("EndsWith(name#3, 1_)", r"name LIKE '%1\\_'"),
        ("name#3 LIKE a/_b% ESCAPE '/'", "name LIKE 'a/_b%' ESCAPE '/'"),
        ("(name#3 = it's \\ (all), a AND b)", r"name = 'it\'s \\ (all), a AND b'"),
        ("(name#3 = )", "name = ''"),
        ("(name#3 = null)", "name = 'null'"),
        ("name#3 IN (a,b)", "name IN ('a', 'b')"),
        ("a#1 IN (1,2,3)", "a IN (1, 2, 3)"),
        ("((name#3 LIKE a AND b AND flag#7) OR flag#7)", "(name LIKE 'a AND b' AND flag) OR flag"),
        ("isnotnull(a#1), (a#1 = 5)", "a = 5"),
        ("isnotnull(a#1), ((a#1 + 1) = 5)", None),
        ("isnotnull(a#1), ((a#1 = 5) OR (b#2L = 1))", "a IS NOT NULL AND (a = 5 OR b = 1)"),
        ("((a#1 = 5) AND (upper(name#3) = N)), flag#7", "a = 5 AND flag"),
        ("isnotnull(a#1), (a#1 = 5), CASE WHEN (b#2L = 1) THEN (a#1 = 2) ELSE (d#6 = x) END",
         "a = 5"),
        ("(a#1 = 5), if ((b#2L = 1)) flag#7 else (d#6 = 2026-01-01), (b#2L = 3)",
         "a = 5 AND b = 3"),
        ("(a#1 = 5), HiveSimpleUDF#org.x.In$Range(name#3)", "a = 5"),
        ("(a#1 = 5), NOT CASE WHEN flag#7 THEN (b#2L = 1) END", "a = 5"),
        ("(CASE WHEN flag#7 THEN (b#2L = 1) END AND (a#1 = 5))", "a = 5"),
        ("((a#1 = 5) OR (upper(name#3) = N)), flag#7", "flag"),
        ("", None),
    ],
)  # fmt: skip
def test_what_has_one_meaning_is_read(filters: str, predicate: str | None) -> None:
    assert read(filters) == predicate


@pytest.mark.parametrize(
    "filters",
    [
        "(name#3 = a), (b)",
        "name#3 LIKE a, CASE WHEN b END",
        "CASE WHEN flag#7 THEN (b#2L = 1) END",
        "(name#3 = a (b)",
        "(name#3 = a) AND (b)",
        "(name#3 = *********(redacted))",
        "(name#3 = Suite#5)",
        "name#3 IN (a, b,c)",
        "NOT " * 2000 + "(a#1 = 5)",
        "name#3 IN (a,null)",
        "name#3 INSET a, b,  c",
        "NOT a#1 IN (1,null)",
        "(cast(name#3 as int) = 5)",
        "(cast(x#5 as int) = 5)",
        "(cast(x#5 as float) = 0.1)",
        "(cast(price#4 as decimal(10,0)) = 5)",  # 5.25 is 5 then
        "(cast(price#4 as decimal(12,1)) = 5.2)",
        "(cast(price#4 as decimal(9,2)) = 5.20)",  # what is longer is null then
        "(cast(price#4 as decimal(10,4)) = 5.2000)",
        "(cast(price#4 as int) = 5)",
        "(cast(a#1 as decimal(10,1)) > 2.5)",
        "(cast(b#2L as decimal(19,1)) > 2.5)",
        "(cast(x#5 as decimal(20,4)) = 5.0000)",
        "(a#1 = b#2L)",
        "(a#1 = 1.5)",
        "(d#6 = +12026-01-01)",
        "dynamicpruningexpression(a#1 IN dynamicpruning#9)",
        "might_contain(Subquery scalar-subquery#9, [id=#1], xxhash64(a#1, 42))",
        "(a#1 > ReusedSubquery Subquery scalar-subquery#9, [id=#1])",
    ],
)
def test_what_has_two_meanings_or_none_is_left_out(filters: str) -> None:
    assert read(filters) is None
    assert read(f"{filters}, (b#2L = 7)") in ("b = 7", None)


def test_a_long_list_of_texts_is_proven_by_what_was_pushed_down() -> None:
    listed = "name#3 INSET a, b, c"
    assert read(listed, "[In(a, [1,2]), In(name, [c,a,b])]") == "name IN ('a', 'b', 'c')"
    assert read(listed, "[In(name, [a,b, c])]") is None


@pytest.mark.parametrize(
    ("filters", "pushed", "supposed"),
    [
        ("name#3 IN (a,b)", "", False),  # of one text it would be an equality
        ("name#3 IN (a,b,c)", "[In(name, [a,b,c])]", True),
        ("name#3 INSET a, b, c", "[In(name, [a,b,c])]", False),
        ("day#77 INSET a, b, c", "", True),
        ("a#1 IN (1,2,3)", "", False),
    ],
)
def test_what_is_so_only_if_no_text_has_a_comma_is_marked(
    filters: str, pushed: str, supposed: bool
) -> None:
    text = PlanText(column_types(SCHEMA), pushed)
    assert where_clause(text.conditions(f"[{filters}]"), ()).supposed is supposed


def test_that_a_joined_column_is_not_null_is_no_condition_of_the_query() -> None:
    filters = "isnotnull(a#1), isnotnull(b#2L)"
    assert read(filters, met="2 9") == "a IS NOT NULL"
