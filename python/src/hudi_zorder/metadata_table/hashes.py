"""The hashes that keys of the metadata table are made of: ``HashID`` of Hudi 1.2.0.

The key of a column's statistics in a file is the Base64 text of the column's hash, then of the
partition's, then of the file's: the first and the last are reckoned here.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Final

FILE_HASH: Final = 24  # characters of Base64, the last ones of a key

_SEED: Final = 0xFFFF_FFFF_DABA_DABA  # an int in Java, made a long with its sign
_MASK: Final = (1 << 64) - 1
_P1, _P2, _P3, _P4, _P5 = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)


def column_hash(column: str) -> bytes:
    """Returns what the keys of a column's statistics begin with."""
    return base64.b64encode(_xxhash64(column.encode("utf-8")).to_bytes(8, "big"))


def file_hash(name: str) -> bytes:
    """Returns what the keys of a file's statistics end with."""
    digest = hashlib.md5(name.encode("utf-8"), usedforsecurity=False).digest()
    return base64.b64encode(digest)


def _xxhash64(data: bytes) -> int:
    """Returns the hash of the XXH64 algorithm with Hudi's seed."""
    place, length = 0, len(data)
    if length >= 32:
        lanes = [_SEED + _P1 + _P2, _SEED + _P2, _SEED, _SEED - _P1]
        while place + 32 <= length:
            words = (_word(data, place + 8 * lane, 8) for lane in range(4))
            lanes = [_round(lane, word) for lane, word in zip(lanes, words, strict=True)]
            place += 32
        turned = zip(lanes, (1, 7, 12, 18), strict=True)
        total = sum(_turned(lane, bits) for lane, bits in turned)
        for lane in lanes:
            total = ((total & _MASK) ^ _round(0, lane)) * _P1 + _P4
    else:
        total = _SEED + _P5
    total = (total + length) & _MASK
    for size, bits, first, second in ((8, 27, _P1, _P4), (4, 23, _P2, _P3), (1, 11, _P1, 0)):
        while place + size <= length:
            word = _word(data, place, size)
            mixed = _round(0, word) if size == 8 else word * (_P1 if size == 4 else _P5)
            total = (_turned(total ^ (mixed & _MASK), bits) * first + second) & _MASK
            place += size
    for bits, factor in ((33, _P2), (29, _P3), (32, 1)):
        total = ((total ^ (total >> bits)) * factor) & _MASK
    return total


def _word(data: bytes, place: int, size: int) -> int:
    return int.from_bytes(data[place : place + size], "little")


def _round(lane: int, word: int) -> int:
    return (_turned((lane + word * _P2) & _MASK, 31) * _P1) & _MASK


def _turned(number: int, bits: int) -> int:
    number &= _MASK
    return ((number << bits) | (number >> (64 - bits))) & _MASK
