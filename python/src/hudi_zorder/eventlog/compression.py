"""The bytes of an event log as Spark compresses them, by zstd, lz4, snappy or lzf.

zstd is a stream of that format. The others are blocks as Java libraries frame them, with their
sizes: ``LZ4BlockOutputStream``, ``SnappyOutputStream``, ``LZFOutputStream``. A log whose writer was
killed, or still runs, ends within a block: what comes before that is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyarrow import NativeFile

_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_LZ4: Final = b"LZ4Block"
_LZ4_STORED: Final = 0x10
_SNAPPY: Final = b"\x82SNAPPY\x00"
_SNAPPY_VERSIONS: Final = 8  # bytes after the name
_LZF: Final = b"ZV"
_JSON: Final = b'{"'
_READ: Final = 1 << 20
# Bytes of the largest block that LZ4BlockOutputStream can make. Spark has it, and
# SnappyOutputStream, make blocks of 32 KB, unless it is told otherwise.
_LARGEST: Final = 32 << 20
_LONGEST_SIZE: Final = 5  # bytes of a size of 32 bits, of which each has seven


class NoLog(Exception):
    """The file does not begin as an event log."""


class Torn(Exception):
    """The file ends before its last block does."""


class Damaged(Exception):
    """A block is not what its codec would have written."""


def blocks(opened: Callable[[], NativeFile]) -> Iterator[bytes]:
    """Yields the uncompressed bytes of a file, in pieces.

    Args:
        opened: opens the file.

    Raises:
        NoLog: when it begins neither as JSON nor as one of the codecs.
        Torn: after all that is whole, when it ends within a block.
        Damaged: when a block cannot be uncompressed.
    """
    with opened() as file:
        start = file.read(len(_LZ4))
        file.seek(0)
        if start.startswith(_LZ4):
            yield from _lz4(file)
        elif start.startswith(_SNAPPY):
            yield from _snappy(file)
        elif start.startswith(_LZF):
            yield from _lzf(file)
        elif start.startswith(_JSON):
            while block := file.read(_READ):
                yield block
        elif not start.startswith(_ZSTD) and start:
            known = any(name.startswith(start) for name in (_LZ4, _SNAPPY, _LZF, _JSON, _ZSTD))
            raise Torn if known else NoLog
    if start.startswith(_ZSTD):
        yield from _zstd(opened)


def _zstd(opened: Callable[[], NativeFile]) -> Iterator[bytes]:
    import pyarrow as pa

    # A stream closes its file.
    stream, done, size = pa.CompressedInputStream(opened(), "zstd"), 0, _READ
    while size:
        try:
            block = stream.read(size)
        except OSError as fault:
            if "Truncated" not in str(fault):
                raise Damaged(str(fault)) from fault
            # What it had uncompressed of these bytes is lost: again, and half as many.
            size //= 2
            stream = pa.CompressedInputStream(opened(), "zstd")
            for start in range(0, done, _READ):
                stream.read(min(_READ, done - start))
            continue
        if not block:
            return
        done += len(block)
        yield block
    raise Torn


def _lz4(file: NativeFile) -> Iterator[bytes]:
    while start := file.read(len(_LZ4)):
        header = start[len(_LZ4) :] + _whole(file, len(_LZ4) + 13 - len(start))
        if start != _LZ4:
            if _LZ4.startswith(start):
                raise Torn
            raise Damaged("no block of lz4 begins where one should")
        stored, size = (int.from_bytes(header[i : i + 4], "little") for i in (1, 5))
        if stored > size:  # such a block is stored as it is
            raise Damaged(f"a block of lz4 has {size:,} bytes, and {stored:,} when compressed")
        _refuse_larger(size)
        data = _whole(file, stored)
        if size:  # a block of none ends a stream
            plain = header[0] & 0xF0 == _LZ4_STORED
            yield data if plain else _decompressed("lz4_raw", data, size)


def _snappy(file: NativeFile) -> Iterator[bytes]:
    while start := file.read(4):
        if start == _SNAPPY[:4]:  # a stream, perhaps after another one
            _whole(file, len(_SNAPPY) - 4 + _SNAPPY_VERSIONS)
            continue
        if len(start) < 4:
            raise Torn
        stored = int.from_bytes(start, "big")
        _refuse_larger(stored)
        data = _whole(file, stored)
        size = 0
        for place, byte in enumerate(data[:_LONGEST_SIZE]):
            size |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                break
        _refuse_larger(size)
        yield _decompressed("snappy", data, size)


def _lzf(file: NativeFile) -> Iterator[bytes]:
    while start := file.read(5):
        if len(start) < 5:
            raise Torn
        if not start.startswith(_LZF):
            raise Damaged("no block of lzf begins where one should")
        stored = int.from_bytes(start[3:], "big")
        if start[2] == 0:
            yield _whole(file, stored)
        else:
            size = int.from_bytes(_whole(file, 2), "big")
            yield _lzf_block(_whole(file, stored), size)


def _lzf_block(data: bytes, size: int) -> bytes:
    """Returns the bytes of a block: runs of its own, and copies of what came before."""
    out = bytearray()
    i = 0
    try:
        while i < len(data):
            control = data[i]
            i += 1
            if control < 32:
                out += data[i : i + control + 1]
                i += control + 1
                continue
            length = control >> 5
            if length == 7:
                length += data[i]
                i += 1
            distance = ((control & 31) << 8 | data[i]) + 1
            i += 1
            length += 2
            begin = len(out) - distance
            if begin < 0:
                raise Damaged("a block of lzf copies what is before it")
            piece = out[begin : begin + length]
            out += (piece * (length // distance + 1))[:length]  # which may reach into itself
    except IndexError as fault:
        raise Damaged("a block of lzf ends too early") from fault
    if len(out) != size:
        raise Damaged(f"a block of lzf has {len(out)} bytes, not {size}")
    return bytes(out)


def _refuse_larger(size: int) -> None:
    if size > _LARGEST:
        raise Damaged(f"a block has {size:,} bytes, and none of Spark's more than {_LARGEST:,}")


def _whole(file: NativeFile, size: int) -> bytes:
    data: bytes = file.read(size) if size else b""
    if len(data) < size:
        raise Torn
    return data


def _decompressed(codec: str, data: bytes, size: int) -> bytes:
    import pyarrow as pa

    try:
        found: bytes = pa.decompress(data, size, codec=codec, asbytes=True)
    except OSError as fault:
        raise Damaged(str(fault)) from fault
    if len(found) != size:
        raise Damaged(f"a block has {len(found)} bytes, not {size}")
    return found
