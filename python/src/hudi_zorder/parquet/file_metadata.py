"""Reading a file's metadata without the Bloom filter of record keys that Hudi writes into it.

The filter is a value of the footer's key-value metadata, behind schema and row groups: 430 KB
beside a few thousand bytes of all else. It is neither fetched nor handed to pyarrow: the footer's
bytes before and behind it are joined, with an empty value in its place.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.parquet.map_keys import with_required_keys
from hudi_zorder.varints import varint

if TYPE_CHECKING:
    from pyarrow import NativeFile

_MAGIC: Final = b"PAR1"
_ENCRYPTED: Final = b"PARE"  # in its place, where the footer is encrypted
_SIGNATURE: Final = 28  # bytes behind a footer in plain, where columns are encrypted
_WINDOW: Final = 32 * 1024  # bytes read at a time: a footer without the filter, as a rule
_FILTER: Final = b"org.apache.hudi.bloomfilter"
# A KeyValue as the compact protocol writes it: field 1 and its length, the key, field 2.
_ENTRY: Final = b"\x18" + bytes([len(_FILTER)]) + _FILTER + b"\x18"
_LONGEST_LENGTH: Final = 5  # bytes of a 32-bit varint

TAIL: Final = 8
"""The bytes that end a file: the length of its footer and the magic number."""


class EncryptedFileError(Exception):
    """A file is encrypted by Parquet, its footer or some of its columns."""


def footer_length(end: bytes) -> int | None:
    """Returns the bytes of a footer by the end of its file; None where no Parquet file ends so."""
    if len(end) < TAIL or not end.endswith(_MAGIC):
        return None
    return int.from_bytes(end[-TAIL:-4], "little")


def read_metadata(file: NativeFile) -> Any:
    """Returns a ``pyarrow.parquet.FileMetaData``, in which a large Bloom filter of Hudi's is empty.

    Keys of maps are required in it, whatever the file says of them.

    Raises:
        OSError: when the file cannot be read.
        pyarrow.ArrowException: when it is no Parquet file.
        EncryptedFileError: when its keys are needed.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    size = file.size()
    tail = file.read_at(min(size, _WINDOW), max(0, size - _WINDOW))
    if tail.endswith(_ENCRYPTED):
        raise EncryptedFileError
    length = footer_length(tail)
    if length is None or length > size - TAIL:
        return pq.read_metadata(file)  # which says what is wrong with it
    footer = tail[-TAIL - length : -TAIL]
    if len(footer) < length:
        shorter = _without_filter(file.read_at(_WINDOW, size - TAIL - length), footer, length)
        if shorter is not None:
            # What looks like the filter may be a value in the statistics of a column of texts. Only
            # where the filter itself was found is it empty now.
            with contextlib.suppress(OSError, pa.ArrowException):
                metadata = _plain(shorter)
                if (metadata.metadata or {}).get(_FILTER) == b"":
                    return metadata
        footer = file.read_at(length, size - TAIL - length)
    return _plain(footer)


def _plain(footer: bytes) -> Any:
    """Returns what a footer says, if no column is encrypted.

    Asked for a column that is, pyarrow ends the process.
    """
    metadata = _parsed(footer)
    if len(footer) - metadata.serialized_size == _SIGNATURE:
        raise EncryptedFileError
    return metadata


def _parsed(footer: bytes) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = b"".join((_MAGIC, footer, len(footer).to_bytes(4, "little"), _MAGIC))
    try:
        return pq.read_metadata(pa.BufferReader(file))
    except pa.ArrowInvalid:
        readable = with_required_keys(footer)
        if readable == footer:
            raise
        return _parsed(readable)


def _without_filter(head: bytes, tail: bytes, length: int) -> bytes | None:
    """Returns a footer with an empty filter; None when not all else is in its head and tail."""
    at = head.find(_ENTRY) + len(_ENTRY)
    value = varint(head[at : at + _LONGEST_LENGTH]) if at >= len(_ENTRY) else None
    if value is None:
        return None
    behind = length - (at + value[1] + value[0])  # bytes that follow the filter
    if not 0 < behind <= len(tail):
        return None
    return b"".join((head[:at], b"\x00", tail[-behind:]))
