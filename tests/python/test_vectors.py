"""Golden vectors, derived a second time in plain Python: by arithmetic where Java shifts bits.

The same files are read by GoldenVectorsTest.java. The words documented in KEY_FORMAT.md must be
among them.
"""

from __future__ import annotations

import json
import re
import struct
from datetime import date, datetime, timedelta
from decimal import Decimal, localcontext
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
KEY_FORMAT = ROOT / "java" / "KEY_FORMAT.md"

INTEGER_BITS = {"byte": 8, "short": 16, "int": 32, "long": 64}


def load(name: str) -> Any:
    """The content of one file of tests/vectors."""
    return json.loads((ROOT / "tests" / "vectors" / name).read_text(encoding="utf-8"))


# ---------------------------------------------------------------- words


def integer_raw(value: int, bits: int) -> int:
    """A signed integer of so many bits, counted from the smallest, as the top of a word."""
    count = 1 << bits
    from_smallest = max(0, min(count - 1, value + count // 2))
    return (from_smallest << 64) // count


def floating_raw(text: str, code: str, bits: int) -> int:
    """IEEE bits: negatives counted down from the middle of the word, positives up."""
    unsigned = {"f": "I", "d": "Q"}[code]
    if text.startswith("0x"):
        (value,) = struct.unpack(f">{code}", bytes.fromhex(text[2:]))
    else:
        value = float(text)
    if value != value:
        value = float("nan")  # Python's own, whose sign is positive: one value for all
    magnitude: int
    (magnitude,) = struct.unpack(f">{unsigned}", struct.pack(f">{code}", abs(value)))
    half = 1 << (bits - 1)
    # Told apart by comparison, not by the sign bit: -0.0 is no negative here.
    return (half - 1 - magnitude if value < 0 else half + magnitude) << (64 - bits)


def decimal_raw(text: str, precision: int, scale: int) -> int:
    """The unscaled value in the bits that the precision needs, the top 64 of them."""
    with localcontext() as context:
        context.prec = 60
        unscaled = int(Decimal(text).scaleb(scale).to_integral_exact())
    bits = len(format(10**precision - 1, "b")) + 1
    return integer_raw(unscaled, bits)


def bytes_raw(value: bytes) -> int:
    """The first 8 bytes, filled with zeros on the right."""
    return int.from_bytes(value[:8].ljust(8, b"\0"), "big")


def raw(type_name: str, text: str) -> int:
    """The left-aligned bits of a value, before null gets a place below them."""
    if decimal := re.fullmatch(r"decimal\((\d+),(\d+)\)", type_name):
        return decimal_raw(text, int(decimal[1]), int(decimal[2]))
    if type_name in INTEGER_BITS:
        return integer_raw(int(text), INTEGER_BITS[type_name])
    match type_name:
        case "boolean":
            return {"false": 0, "true": 2**63}[text]
        case "float":
            return floating_raw(text, "f", 32)
        case "double":
            return floating_raw(text, "d", 64)
        case "date":
            return integer_raw((date.fromisoformat(text) - date(1970, 1, 1)).days, 32)
        case "timestamp":
            since_epoch = datetime.fromisoformat(text) - datetime(1970, 1, 1)
            return integer_raw(since_epoch // timedelta(microseconds=1), 64)
        case "string":
            return bytes_raw(text.encode())
        case "binary":
            return bytes_raw(bytes.fromhex(text.removeprefix("0x")))
    raise AssertionError(f"no derivation for the type '{type_name}'")


def word(type_name: str, text: str | None) -> int:
    """The word of a value; null is 0 and nothing else is."""
    return 0 if text is None else max(raw(type_name, text), 1)


def ordered_decimal(unscaled: int) -> bytes:
    """All the bits of a decimal, counted from the smallest that 128 bits hold."""
    return (unscaled + 2**127).to_bytes(16, "big")


WORDS = load("words.json")["vectors"]
ORDERED_DECIMALS = load("words.json")["ordered_decimals"]


@pytest.mark.parametrize("vector", WORDS, ids=lambda v: f"{v['type']}-{v['value']!a}")
def test_word_is_derived_again(vector: dict[str, Any]) -> None:
    assert format(word(vector["type"], vector["value"]), "016x") == vector["word"]


def test_words_of_each_type_are_listed_in_ascending_order() -> None:
    by_type: dict[str, list[str]] = {}
    for vector in WORDS:
        by_type.setdefault(vector["type"], []).append(vector["word"])
    for type_name, words in by_type.items():
        assert words == sorted(words), f"{type_name}: a later value has a smaller word"


@pytest.mark.parametrize("vector", ORDERED_DECIMALS, ids=lambda v: v["unscaled"])
def test_ordered_decimal_is_derived_again(vector: dict[str, str]) -> None:
    assert ordered_decimal(int(vector["unscaled"])).hex() == vector["bytes"]


# ---------------------------------------------------------------- z-values and Hilbert keys


def interleave(words: list[int]) -> bytes:
    """Bit strings, read across instead of along."""
    columns = [format(w, "064b") for w in words]
    bits = "".join("".join(level) for level in zip(*columns, strict=True))
    return int(bits, 2).to_bytes(8 * len(words), "big")


def deinterleave(z_value: bytes) -> list[int]:
    """Every k-th bit."""
    columns = len(z_value) // 8
    bits = format(int.from_bytes(z_value, "big"), f"0{8 * len(z_value)}b")
    return [int(bits[column::columns], 2) for column in range(columns)]


def hilbert_words(key: bytes) -> list[int]:
    """The inverse of the Hilbert key: Skilling's TransposetoAxes, as printed in his paper."""
    x = deinterleave(key)
    n = len(x)
    t = x[n - 1] >> 1
    for i in range(n - 1, 0, -1):
        x[i] ^= x[i - 1]
    x[0] ^= t
    q = 2
    while q != 2**64:
        p = q - 1
        for i in range(n - 1, -1, -1):
            if x[i] & q:
                x[0] ^= p
            else:
                t = (x[0] ^ x[i]) & p
                x[0] ^= t
                x[i] ^= t
        q <<= 1
    return x


def words_of(vector: dict[str, Any]) -> list[int]:
    return [int(w, 16) for w in vector["words"]]


ZVALUES = load("zvalues.json")
HILBERT = load("hilbert.json")["vectors"]


def describe(vector: dict[str, Any]) -> str:
    return f"{len(vector['words'])}-columns-{vector['what']}"


@pytest.mark.parametrize("vector", ZVALUES["vectors"], ids=describe)
def test_z_value_is_derived_again(vector: dict[str, Any]) -> None:
    assert interleave(words_of(vector)).hex() == vector["zvalue"]
    assert deinterleave(bytes.fromhex(vector["zvalue"])) == words_of(vector)


def test_z_value_of_the_rfc_28_example() -> None:
    y, x = 214, 97
    assert interleave([y << 56, x << 56])[:2] == bytes([0b10110110, 0b00101001])


def test_rows_listed_in_ascending_order_have_ascending_z_values() -> None:
    z_values = [interleave([int(w, 16) for w in row]) for row in ZVALUES["ascending"]]
    for earlier, later in combinations(z_values, 2):
        assert earlier < later


@pytest.mark.parametrize("vector", HILBERT, ids=describe)
def test_hilbert_key_leads_back_to_its_words(vector: dict[str, Any]) -> None:
    assert hilbert_words(bytes.fromhex(vector["key"])) == words_of(vector)


# ---------------------------------------------------------------- KEY_FORMAT.md


def documented(columns: int) -> list[tuple[str, ...]]:
    """The cells of the document's table rows that consist of so many code spans."""
    row = re.compile(r"^\|" + r"\s*`([^`]*)`\s*\|" * columns + "$", re.MULTILINE)
    return row.findall(KEY_FORMAT.read_text(encoding="utf-8"))


def test_documented_words_are_golden_vectors() -> None:
    golden = {(v["type"], v["value"], v["word"]) for v in WORDS}
    rows = [(t, None if v == "null" else v.strip('"'), w) for t, v, w in documented(3)]
    assert set(rows) <= golden
    family = re.compile(r"\(.*")
    assert {family.sub("", t) for t, _, _ in rows} == {family.sub("", v["type"]) for v in WORDS}


def test_documented_keys_are_golden_vectors() -> None:
    golden = {(" ".join(v["words"]), v["zvalue"]) for v in ZVALUES["vectors"]}
    golden |= {(" ".join(v["words"]), v["key"]) for v in HILBERT}
    golden |= {(v["unscaled"], v["bytes"]) for v in ORDERED_DECIMALS}
    rows = set(documented(2))
    assert rows <= golden
    assert any(len(key) == 32 and " " in words for words, key in rows), "no key is documented"
