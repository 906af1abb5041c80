"""Files of cases -> chunks, which any machine can read by itself: lines of JSONL, or rows of a Parquet file."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import Any, BinaryIO

from groundscope.errors import DataError
from groundscope.files.addresses import file_system, files_at, is_address, shown, unreadable
from groundscope.files.literals import parse_json
from groundscope.files.rows import Rejected, Row

_PARQUET = ".parquet"
ENDINGS = (".jsonl", ".ndjson", _PARQUET)
_BLOCK = 1 << 22
_BYTES = 4
"""Of a token, about."""
_LONGEST = 64_000_000
"""Bytes of the longest line."""


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
    return [chunk for path in paths for file in _files(path) for chunk in _cut(file, rows, tokens * _BYTES)]


def _files(path: str) -> list[str]:
    files = files_at(path, ENDINGS)
    for file in files:
        if not _bare(file).endswith(ENDINGS):
            raise DataError(f"{shown(file)} is of a kind that is not cut into chunks; files end in {', '.join(ENDINGS)}.")
    return files


def _bare(path: str) -> str:
    return path.partition("?")[0] if is_address(path) else path


def _cut(path: str, rows: int, size: int) -> Iterator[CaseChunk]:
    try:
        if _bare(path).endswith(_PARQUET):
            import pyarrow.parquet as pq

            system, place = file_system(path)
            about = pq.read_metadata(place, filesystem=system)
            whole = sum(about.row_group(group).total_byte_size for group in range(about.num_row_groups))
            # Of a row only the mean size is known.
            rows = max(1, min(rows, size * about.num_rows // max(1, whole)))
            edges = [*range(0, about.num_rows, rows), about.num_rows]
            yield from (CaseChunk(path, start, end, start + 1, end - start) for start, end in pairwise(edges))
            return
        with _opened(path) as file:
            yield from _cut_lines(path, file, rows, size)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def _cut_lines(path: str, file: BinaryIO, rows: int, size: int) -> Iterator[CaseChunk]:
    start, first, lines, at = 0, 1, 0, 0
    ends = 0
    while block := file.read(_BLOCK):
        position = block.find(b"\n")
        while position >= 0:
            if lines and at + position + 1 - start > size:
                # This line would be too much; the chunk ends before it.
                yield CaseChunk(path, start, ends, first, lines)
                start, first, lines = ends, first + lines, 0
            lines, ends = lines + 1, at + position + 1
            if lines == rows:
                yield CaseChunk(path, start, ends, first, lines)
                start, first, lines = ends, first + rows, 0
            position = block.find(b"\n", position + 1)
        at += len(block)
    if at > start:
        yield CaseChunk(path, start, at, first, lines + (at > ends))


def _opened(path: str) -> Any:
    system, place = file_system(path)
    return system.open_input_file(place)


def rows_of(chunk: CaseChunk) -> Iterator[Row | Rejected]:
    """Read the rows of a chunk."""
    try:
        lines = _parquet_lines(chunk) if _bare(chunk.path).endswith(_PARQUET) else _lines(chunk)
        for number, line in enumerate(lines, chunk.first):
            if isinstance(line, str):
                yield Rejected(chunk.shown, number, line)
            elif line.strip():
                yield _row(chunk.shown, number, line)
    except (OSError, ValueError) as error:
        raise unreadable(chunk.path, error) from None


def _row(path: str, number: int, line: bytes) -> Row | Rejected:
    try:
        values = parse_json(line)
    except ValueError as error:
        return Rejected(path, number, str(error))
    return (
        Row(number, values) if isinstance(values, dict) else Rejected(path, number, "It is not a JSON object with named fields.")
    )


def _lines(chunk: CaseChunk) -> Iterator[bytes | str]:
    with _opened(chunk.path) as file:
        file.seek(chunk.start)
        whole = file.read(chunk.end - chunk.start)
    for line in whole.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        yield line if len(line) <= _LONGEST else f"It has more than {_LONGEST // 1_000_000} MB."


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
