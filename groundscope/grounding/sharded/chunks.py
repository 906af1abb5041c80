"""Files of cases -> chunks, which any machine can read by itself: lines of JSONL, or rows of a Parquet file."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from io import BufferedReader, BytesIO
from itertools import pairwise
from typing import Any

from groundscope.errors import DataError
from groundscope.files.addresses import file_system, files_at, is_address, shown, unreadable
from groundscope.files.rows import Rejected, Row, line_rows

_PARQUET = ".parquet"
ENDINGS = (".jsonl", ".ndjson", _PARQUET)
_BLOCK = 1 << 22
_BYTES = 4
"""Of a token, about."""


@dataclass(frozen=True, slots=True)
class CaseChunk:
    """A part of a file.

    `start`: first byte of its lines; for Parquet its first row, from 0; `first`: number of its first row, from 1.
    """

    path: str
    start: int
    end: int
    first: int
    rows: int = 0

    @property
    def name(self) -> str:
        """The same for the same part of the same file; names the shard of its results."""
        return blake2b(json.dumps([self.path, self.start, self.end]).encode(), digest_size=10).hexdigest()

    @property
    def shown(self) -> str:
        """The path where people read it: an address without its options."""
        return shown(self.path)


def chunks_of(paths: Sequence[str], rows: int, tokens: int = 2_000_000) -> list[CaseChunk]:
    """Cut files into chunks."""
    files = [file for path in paths for file in files_at(path, ENDINGS)]
    for file in files:
        if not _bare(file).endswith(ENDINGS):
            raise DataError(f"{shown(file)} is of a kind that is not cut into chunks; files end in {', '.join(ENDINGS)}.")
    return [chunk for file in files for chunk in _cut(file, rows, tokens * _BYTES)]


def _bare(path: str) -> str:
    return path.partition("?")[0] if is_address(path) else path


def _cut(path: str, rows: int, size: int) -> Iterator[CaseChunk]:
    try:
        yield from (_cut_rows if _bare(path).endswith(_PARQUET) else _cut_lines)(path, rows, size)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def _cut_rows(path: str, rows: int, size: int) -> Iterator[CaseChunk]:
    import pyarrow.parquet as pq

    system, place = file_system(path)
    about = pq.read_metadata(place, filesystem=system)
    whole = sum(about.row_group(group).total_byte_size for group in range(about.num_row_groups))
    # Of a row only the mean size is known.
    rows = max(1, min(rows, size * about.num_rows // max(1, whole)))
    edges = [*range(0, about.num_rows, rows), about.num_rows]
    yield from (CaseChunk(path, start, end, start + 1, end - start) for start, end in pairwise(edges))


def _cut_lines(path: str, rows: int, size: int) -> Iterator[CaseChunk]:
    start, end, first, count = 0, 0, 1, 0
    with _opened(path) as file:
        for line in BufferedReader(file, _BLOCK):
            if count == rows or (count and end + len(line) - start > size):
                yield CaseChunk(path, start, end, first, count)
                start, first, count = end, first + count, 0
            end, count = end + len(line), count + 1
    if count:
        yield CaseChunk(path, start, end, first, count)


def _opened(path: str) -> Any:
    system, place = file_system(path)
    return system.open_input_file(place)


def rows_of(chunk: CaseChunk) -> Iterator[Row | Rejected]:
    """Read the rows of a chunk, as those of a whole file are read."""
    try:
        lines = _parquet_lines(chunk) if _bare(chunk.path).endswith(_PARQUET) else _lines(chunk)
        yield from line_rows(chunk.shown, lines, chunk.first)
    except (OSError, ValueError) as error:
        raise unreadable(chunk.path, error) from None


def _lines(chunk: CaseChunk) -> BytesIO:
    with _opened(chunk.path) as file:
        return BytesIO(file.read_at(chunk.end - chunk.start, chunk.start).removeprefix(b"\xef\xbb\xbf"))


def _parquet_lines(chunk: CaseChunk) -> Iterator[bytes]:
    import pyarrow.parquet as pq

    system, place = file_system(chunk.path)
    with pq.ParquetFile(place, filesystem=system) as file:
        before = 0
        for group in range(file.num_row_groups):
            count = file.metadata.row_group(group).num_rows
            low, high = max(chunk.start, before), min(chunk.end, before + count)
            if low < high:
                for row in file.read_row_group(group, use_threads=False).slice(low - before, high - low).to_pylist():
                    yield json.dumps(row, default=str).encode()
            before += count
