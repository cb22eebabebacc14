"""Spark's SQL as trees: what is understood, what is named as unusable, what is refused."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from hudi_zorder import times
from hudi_zorder.errors import PredicateError
from hudi_zorder.predicate.like import Pattern
from hudi_zorder.predicate.parser import parse
from hudi_zorder.predicate.tree import And, Constant, Or, Unusable, leaves_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 5", "a = 5"),
        ("a == 5", "a = 5"),
        ("!a = 5", "a != 5"),
        ("5 < a", "a > 5"),
        ("5 >= a", "a <= 5"),
        ("a <> -5", "a != -5"),
        ("a <=> 5", "a <=> 5"),
        ("NOT a <=> 5", "NOT a <=> 5"),
        ("a IS DISTINCT FROM 5", "NOT a <=> 5"),
        ("a <=> NULL", "a IS NULL"),
        ("NOT (a <=> NULL)", "a IS NOT NULL"),
        ("a IS UNKNOWN", "a IS NULL"),
        ("isnotnull(a)", "a IS NOT NULL"),
        ("NOT isnull(a)", "a IS NOT NULL"),
        ("NOT a < 5", "a >= 5"),
        ("a IN (1, NULL, 2)", "a IN (1, 2)"),
        ("a NOT IN (1, 2)", "a NOT IN (1, 2)"),
        ("a = 5L", "a = 5"),
        ("a = 1.5BD", "a = 1.5"),
        ("a = 1.5F", "a = 1.5F"),
        ("a = 1e3", "a = 1000.0D"),
        ("a = - -5", "a = 5"),
        ("a = -(-(5)) - 6", "a = -1"),
        ("a = -(1.5D)", "a = -1.5D"),
        ("a = -5S", "a = -5"),
        ("a > -5Y", "a > -5"),
        ("a = -5L", "a = -5"),
        ("a = -0.0", "a = 0.0"),
        ("a = -12345678901234567890123456789012.5", "a = -12345678901234567890123456789012.5"),
        ("a.b.c = 'it\\'s'", "a.b.c = 'it\\'s'"),
        ('`a b` = "x"', "`a b` = 'x'"),
        ("s = 'a' 'b'", "s = 'ab'"),
        ("s NOT LIKE 'a!%' ESCAPE '!'", "s NOT LIKE 'a!%' ESCAPE '!'"),
        ("startswith(s, '5%_')", "s LIKE '5\\\\%\\\\_%'"),
        ("d = DATE '2026-01-02'", "d = DATE '2026-01-02'"),
        ("d = CAST('2026-01-02' AS DATE)", "d = DATE '2026-01-02'"),
        ("d = DATE '2026-01-02 12:00:00'", "d = DATE '2026-01-02'"),
        ("d = date('2026-01-02T12:00:00Z')", "d = DATE '2026-01-02'"),
        ("d = CAST('2026-01-02 x' AS DATE)", "d = DATE '2026-01-02'"),
        ("a = CAST(1.1F AS DOUBLE)", "a = 1.100000023841858D"),
        ("a = CAST('1.45' AS DECIMAL(3, 2))", "a = 1.45"),
        ("a = CAST('00.45' AS DECIMAL(2, 2))", "a = 0.45"),
        ("t > TIMESTAMP '2026-01-02'", "t > TIMESTAMP '2026-01-02'"),
        ("x = X'1f'", "x = X'1F'"),
        ("flag", "flag"),
        ("NOT flag", "NOT flag"),
        ("flag IS NOT TRUE", "NOT flag <=> TRUE"),
        ("a < 20 + 4 * 2", "a < 28"),
        ("(1 + 2) * 3 = a", "a = 9"),
        ("a = 3000000000 + 1", "a = 3000000001"),
        ("a = 10L - 11", "a = -1"),
        ("a > 7 / 2", "a > 3.5D"),
        ("a = 0.06 - 0.01", "a = 0.05"),
        ("a = 1.5 * 2", "a = 3.0"),
        ("a = 1e0 + 0.5D", "a = 1.5D"),
        ("d < date '1994-01-01' + interval '1' year", "d < DATE '1995-01-01'"),
        ("d < date '2024-01-31' + interval 1 month", "d < DATE '2024-02-29'"),
        ("d < date '2024-02-29' - interval '1' year", "d < DATE '2023-02-28'"),
        ("d <= cast('1998-12-01' AS date) - interval 90 days", "d <= DATE '1998-09-02'"),
        ("d <= interval 2 weeks + date '2024-01-31'", "d <= DATE '2024-02-14'"),
        ("d = date '2024-02-28' + 2", "d = DATE '2024-03-01'"),
        ("d = date_add(date '2024-02-28', 3)", "d = DATE '2024-03-02'"),
        ("d = date_sub('2024-03-01', 1 + 1)", "d = DATE '2024-02-28'"),
        ("d = add_months(date '2024-01-31', -11)", "d = DATE '2023-02-28'"),
        ("d = to_date('2024-01-31')", "d = DATE '2024-01-31'"),
        ("d = cast(date '2024-01-31' + interval '1' day AS date)", "d = DATE '2024-02-01'"),
    ],
)
def test_leaves(text: str, expected: str) -> None:
    assert getattr(parse(text), "text", None) == expected


@pytest.mark.parametrize(
    "text",
    [
        "a = NULL",
        "NOT (a = NULL)",
        "a > NULL",
        "a IN (NULL)",
        "a NOT IN (1, NULL)",
        "NULL",
        "FALSE",
        "NOT TRUE",
        "NOT NULL",
        "1 = 0",
        "NOT 1 < 1 + 1",
    ],
)
def test_what_is_never_true(text: str) -> None:
    tree = parse(text)
    assert isinstance(tree, Constant)
    assert not tree.holds


@pytest.mark.parametrize("text", ["s = 'a\ud800'", "s LIKE '\udcff%'", "`\udc80` = 1"])
def test_half_a_character_is_refused_in_words_that_can_be_printed(text: str) -> None:
    with pytest.raises(
        PredicateError, match=r"was '.*\\ud[89c].*' *, whose character \d+ is"
    ) as why:
        parse(text)
    assert str(why.value).isascii()


def test_negation_goes_to_the_leaves() -> None:
    tree = parse("NOT (a < 5 AND (b IS NULL OR c IN (1)) OR d BETWEEN 1 AND 2)")
    assert isinstance(tree, And)
    assert isinstance(tree.parts[0], Or)
    assert [leaf.text for leaf in leaves_of(tree)] == [
        "a >= 5",
        "b IS NOT NULL",
        "c NOT IN (1)",
        "d < 1",
        "d > 2",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "lower(s) = 'x'",
        "a + 1 > 3",
        "a = b",
        "cast(a AS string) = '5'",
        "a = cast(1.55 AS int)",
        "a = cast('1.55' AS decimal(2, 1))",
        "a = cast('123.45' AS decimal(3, 2))",
        "a = cast('1.5' AS decimal(a, b))",
        "a = cast(timestamp '2026' AS double)",
        "a = cast(1e39F AS double)",
        "a = cast(300 AS tinyint)",
        "s RLIKE 'a'",
        "s ILIKE 'a'",
        "s LIKE ANY ('a%')",
        "a BETWEEN SYMMETRIC 2 AND 1",
        "a IN (SELECT 1)",
        "exists(SELECT 1)",
        "a > current_date()",
        "a[0] = 1",
        "(a, b) IN ((1, 2))",
        "1 = '1'",
        "a = 2147483647 + 1",
        "a = 9223372036854775807 + 1",
        "a = 100Y + 100Y",
        "a = -(-5S) * 30000S",
        "a = -cast(-128 AS tinyint)",
        "a = 1 / 0",
        "a = 1.0 / 3",
        "a = 9007199254740993 / 3",
        "a = 0.00001 * 0.01",
        "a = '5' + 3",
        "a = 2024 - 01 - 02",
        "a = 1.5F + 1",
        "d < '2024-01-31' + interval 1 day",
        "d < date '2024-01-31' + interval 1 hour",
        "d < date '2024-01-31' * interval 1 day",
        "d < date '9999-12-31' + 1",
        "d < date_add(d, 1)",
        "d = to_date('31.01.2024', 'dd.MM.yyyy')",
        "d = to_date('2024-1-31')",
        "t < timestamp '2024-03-31 00:00:00' + interval 1 day",
        "a = 1e400D",
        "s = '\\u0041'",
        "s = r'\\d'",
        "CASE WHEN a THEN b END",
        "s LIKE concat('a', b)",
        "a = double('1_0')",
        "(a > 1) IS NULL",
    ],
)
def test_what_statistics_cannot_decide_is_named(text: str) -> None:
    for negated in (False, True):
        tree = parse(f"NOT ({text})" if negated else text)
        assert isinstance(tree, Unusable), tree
        assert tree.reason
        assert tree.text.startswith("NOT (") == negated


@pytest.mark.parametrize(
    "text",
    ["", "a =", "a = 5 b", "a = 5; DROP TABLE x", "SELECT 1", "a &&", "DELETE FROM t", "a = 'x"],
)
def test_what_is_no_predicate_is_refused(text: str) -> None:
    with pytest.raises(PredicateError, match="Cannot parse a predicate: 'predicate' was"):
        parse(text)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("9" * 5000, "it has a number of 5,000 digits"),
        (f"-{'9' * 5000}L", "it has a number of 5,000 digits"),
        (" + 1 - ".join(map(str, range(300))), "it nests too deeply"),
        (" + b - ".join(map(str, range(300))), "it nests too deeply"),
    ],
)
def test_what_is_too_long_to_be_read_is_refused(value: str, why: str) -> None:
    with pytest.raises(PredicateError, match=why):
        parse(f"a = {value}")


@pytest.mark.parametrize(
    ("pattern", "escape", "prefix", "is_prefix"),
    [
        ("ab%", "\\", b"ab", True),
        ("ab", "\\", b"ab", False),
        ("ab%c", "\\", b"ab", False),
        ("ab%%", "\\", b"ab", False),
        ("a_%", "\\", b"a", False),
        ("%", "\\", b"", True),
        ("", "\\", b"", False),
        ("a\\%b%", "\\", b"a%b", True),
        ("a!_!!%", "!", b"a_!", True),
        ("é%", "\\", "é".encode(), True),
    ],
)
def test_patterns(pattern: str, escape: str, prefix: bytes, is_prefix: bool) -> None:
    parsed = Pattern.parse(pattern, escape)
    assert parsed is not None
    assert (parsed.prefix, parsed.is_prefix) == (prefix, is_prefix)


@pytest.mark.parametrize(
    ("pattern", "escape"), [("a\\b", "\\"), ("a\\", "\\"), ("a", "%"), ("a", "ab")]
)
def test_patterns_that_spark_refuses(pattern: str, escape: str) -> None:
    assert Pattern.parse(pattern, escape) is None


def test_a_pattern_decides_single_texts() -> None:
    parsed = Pattern.parse("a_\\%%", "\\")
    assert parsed is not None
    assert parsed.may_match("a😀%\n".encode())
    assert not parsed.may_match(b"ab")
    assert parsed.may_match(b"\xff")  # no text: who knows
    assert parsed.may_not_match(b"\xff")
    assert parsed.starts.high == b"b"


def test_the_range_of_a_prefix_ends_after_its_last_text() -> None:
    afters = {"a": "b", "a\xff": "a\u0100", "😿": "🙀", "\ud7ff": "\ue000", "a\U0010ffff": "b"}
    for prefix, after in afters.items():
        pattern = Pattern.parse(f"{prefix}%", "\\")
        assert pattern is not None
        assert pattern.starts.high == after.encode()
    for prefix in ("", "\U0010ffff"):
        pattern = Pattern.parse(f"{prefix}%", "\\")
        assert pattern is not None
        assert pattern.starts.high is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-01 01:30:00", (5.5, 5.5)),  # twice on that day; Spark takes the earlier
        ("2026-11-01", (4, 4)),
        ("2026-11-01T01:30:00Z", (1.5, 1.5)),
        ("2026-11-01T01:30", (5.5, 5.5)),
        # Spark makes a null of these.
        ("2026-11-01T01:30Z", None),
        ("2026-11-01 01:30:00+02:75", None),
        ("2026-11-01 01:30:00+02:00", (-0.5, -0.5)),
        ("1960-11-01 00:00:00", (-18, 18)),  # zone tables differ there
        ("2026-11-01 01:30:00.1234567", None),
        ("2026-11-1", None),
        ("2026-13-01", None),
        ("2026-11-01 25:00:00", None),
    ],
)
def test_instants(text: str, expected: tuple[float, float] | None) -> None:
    found = times.instants(text, ZoneInfo("America/New_York"))
    if expected is None or found is None:
        assert found == expected
        return
    day = dt.datetime.fromisoformat(text[:10]).replace(tzinfo=dt.timezone.utc)
    start = int(day.timestamp()) * 1_000_000
    assert tuple((end - start) / 3_600_000_000 for end in found) == expected


def test_without_a_zone_every_zone_is_allowed_for() -> None:
    low, high = times.instants("2026-11-01", None) or (0, 0)
    assert high - low == 36 * 3_600_000_000


def test_a_gap_in_the_clock_is_crossed_as_java_does() -> None:
    zone = ZoneInfo("America/New_York")
    assert times.instants("2026-03-08 02:30:00", zone) == times.instants(
        "2026-03-08 03:30:00", zone
    )


@pytest.mark.parametrize("name", ["UTC", "Z", "+02:00", "GMT-05:30", "Europe/Berlin", "Etc/GMT+2"])
def test_time_zones(name: str) -> None:
    assert times.time_zone(name).utcoffset(dt.datetime(2026, 1, 1)) is not None


@pytest.mark.parametrize(
    ("name", "hours"),
    [("GMT+2", 2), ("UTC-03", -3), ("UT+5:30", 5.5), ("+0230", 2.5), ("PST", -8), ("EST", -5)],
)
def test_time_zones_have_the_names_that_java_gives_them(name: str, hours: float) -> None:
    offset = times.time_zone(name).utcoffset(dt.datetime(2026, 1, 1))
    assert offset == dt.timedelta(hours=hours)


@pytest.mark.parametrize("name", ["UTC", "+02:00", "Etc/GMT-2"])
@pytest.mark.parametrize("year", ["0001", "1900", "2050", "9999"])
def test_a_zone_that_has_always_had_one_offset_has_it_in_any_year(name: str, year: str) -> None:
    first, last = times.instants(f"{year}-07-01 12:00:00", times.time_zone(name)) or (0, 1)
    assert first == last


@pytest.mark.parametrize("name", ["Mars/Base", "", "../etc/passwd", "GMT+230", "+2:3", "pst"])
def test_unknown_time_zones_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="there is no time zone"):
        times.time_zone(name)


@pytest.mark.parametrize("name", ["call", "comment", "load", "set", "show", "use"])
def test_a_column_may_be_called_as_a_command(name: str) -> None:
    text = f"{name} = 5 AND b > 3"
    found = parse(text)
    assert isinstance(found, And)
    assert [part.text for part in found.parts] == [f"`{name}` = 5", "b > 3"]


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        # A hair above the middle of 1 and the next float, and the double that is nearest to it.
        ("1.0000000596046447754F", 1 + 2**-23),
        ("float('1.0000000596046447754')", 1 + 2**-23),
        ("1.0000000596046447753F", 1.0),
        ("float(1.0000000596046448D)", 1.0),
        ("1e-50F", 0.0),
        ("16777217F", 16777216.0),
    ],
)
def test_a_float_is_rounded_once(literal: str, value: float) -> None:
    [leaf] = leaves_of(parse(f"f = {literal}"))
    assert leaf.literal.value == value


def test_a_float_out_of_range_skips_nothing() -> None:
    assert isinstance(parse("f = 1e39F"), Unusable)


def test_a_match_may_begin_with_what_is_no_text() -> None:
    """A regular expression sees it as U+FFFD, as which nobody has written it."""
    pattern = Pattern.parse("a\ufffd_", "\\")
    assert pattern is not None
    assert pattern.starts.low == b"a"
    assert pattern.starts.high == b"b"
