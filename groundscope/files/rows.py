"""Bytes of a file -> rows, with limits on size and nesting so that a hostile file cannot harm the machine.

A row is a plain dict and its number. A row that cannot be read is a `Rejected`; a file that cannot be read at all raises
`DataError`. No message quotes the data.
"""

import csv
import gzip
import io
import json
import math
import os
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from groundscope.errors import DataError
from groundscope.files.sandbox import child, limit

MAX_DECODED = 100_000_000
"""Largest size in bytes that a file may decode to, from gzip or Parquet."""
MAX_ROWS = 20_000
MAX_FIELDS = 10_000
"""Fields of a row, or of an object in it, and columns of a table."""

_MEMORY = 2_000_000_000
_SECONDS = 60
_TOO_LARGE = "The Parquet file decodes to more than this app reads; split it into smaller files."
_TOO_WIDE = f"The table has more than {MAX_FIELDS:,} columns; leave out those that are not needed."
_DAMAGED = "The Parquet file is damaged or not Parquet."

_ENDINGS = ".jsonl, .json, .csv, .parquet, and .gz of the first three"


@dataclass(frozen=True, slots=True)
class Row:
    """One record, `number` counted from 1 as a person would (a CSV's header line is not a row)."""

    number: int
    values: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that could not be used, with the reason; the reason does not quote the row."""

    file: str
    row: int
    reason: str


def read_rows(
    name: str, data: bytes, *, nan: bool = False, max_rows: int = MAX_ROWS, max_bytes: int = MAX_DECODED
) -> Iterator[Row | Rejected]:
    """Read a file by the extension of its name.

    Args:
        name: of the file; `.gz` after another extension is unpacked.
        data: content of the file.
        nan: read `NaN` in JSON, which other programs write for a missing number, as null; otherwise its row is rejected.
        max_rows: rows to read; a Parquet file with more is refused.
        max_bytes: largest decoded size in bytes.

    Yields:
        Rows and rejected rows, in the order of the file.
    """
    suffixes = [s.lower() for s in PurePath(name).suffixes]
    if suffixes[-1:] == [".gz"]:
        data, suffixes = _gunzip(data, max_bytes), suffixes[:-1]
    if not data.strip():
        raise DataError("The file is empty.")
    kind = suffixes[-1] if suffixes else ""
    if kind in {".jsonl", ".ndjson"}:
        rows = _jsonl_rows(name, data, nan)
    elif kind == ".json":
        rows = _json_rows(name, data, nan)
    elif kind == ".csv":
        rows = _csv_rows(name, data)
    elif kind == ".parquet":
        rows = _line_rows(name, _parquet_rows(data, max_rows=max_rows, max_bytes=max_bytes), nan)
    else:
        raise DataError(f"This kind of file is not supported; use {_ENDINGS}.")
    for count, row in enumerate(rows, 1):
        if count > max_rows:
            yield Rejected(name, count, f"The file has more than {max_rows:,} rows; the rest was not read.")
            return
        yield row


def parse_json(text: str | bytes, *, nan: bool = False) -> Any:
    """Parse JSON strictly: no infinity, no repeated key, no excessive nesting.

    Args:
        text: one JSON value, as text or in UTF-8.
        nan: read `NaN` as null instead of refusing it.

    Returns:
        The value in Python's own types; every number is finite.
    """
    try:
        return json.loads(
            text,
            parse_constant=_null_or_no_constant if nan else _no_constant,
            parse_float=_finite,
            parse_int=_whole,
            object_pairs_hook=unique_keys,
        )
    except RecursionError:
        raise ValueError("The brackets are nested too deeply.") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"It is not UTF-8 (byte {error.start + 1}).") from None
    except json.JSONDecodeError as error:
        raise ValueError(
            f"It is not complete JSON ({error.msg.lower().removesuffix(' at')}, character {error.pos + 1})."
        ) from None


def _no_constant(name: str) -> float:
    raise ValueError(f"It holds {name}, which is not a number that JSON allows.")


def _null_or_no_constant(name: str) -> float | None:
    return None if name == "NaN" else _no_constant(name)


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError("It holds a number too large to represent.")
    return value


def _whole(digits: str) -> int:
    if len(digits) > 400:
        raise ValueError("It holds a number too large to represent.")
    return int(digits)


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of the pairs that `json.loads` has parsed.

    A repeated key is refused, since neither value is the author's, and so are more than `MAX_FIELDS`.
    """
    if len(pairs) > MAX_FIELDS:
        raise ValueError(f"It has an object of more than {MAX_FIELDS:,} fields; leave out those that are not needed.")
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("It names the same field twice.")
    return values


def _gunzip(data: bytes, max_bytes: int) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            decoded = file.read(max_bytes + 1)
    except (OSError, EOFError, zlib.error):
        raise DataError("The gzip archive is damaged or cut off; compress the file again.") from None
    if len(decoded) > max_bytes:
        raise DataError(f"The file unpacks to more than {max_bytes // 1_000_000} MB; split it into smaller files.")
    return decoded


def _jsonl_rows(name: str, data: bytes, nan: bool) -> Iterator[Row | Rejected]:
    return _line_rows(name, io.BytesIO(data.removeprefix(b"\xef\xbb\xbf")), nan)


def _line_rows(name: str, lines: Iterator[bytes] | io.BytesIO, nan: bool) -> Iterator[Row | Rejected]:
    numbered = enumerate(lines, 1)
    for number, line in numbered:
        if line.rstrip() == b"{":
            yield from _printed_rows(name, number, line, numbered, nan)
        elif line.strip():
            yield _row(name, number, line, nan)


def _printed_rows(
    name: str, number: int, line: bytes, following: Iterator[tuple[int, bytes]], nan: bool
) -> Iterator[Row | Rejected]:
    """A row that was printed for people, between two lines that hold a brace alone; if it is none, a row for each line."""
    lines = [line]
    for _, line in following:
        lines.append(line)
        if line.rstrip() in {b"}", b"},"}:
            break
    row = _row(name, number, b"".join(lines).rstrip().removesuffix(b","), nan)
    if isinstance(row, Row):
        yield row
    else:
        yield from (_row(name, n, line, nan) for n, line in enumerate(lines, number) if line.strip())


def _row(name: str, number: int, line: bytes, nan: bool) -> Row | Rejected:
    try:
        values = parse_json(line, nan=nan)
    except ValueError as error:
        return Rejected(name, number, str(error))
    if not isinstance(values, dict):
        return Rejected(name, number, "It is not a JSON object with named fields.")
    return Row(number, values)


def _json_rows(name: str, data: bytes, nan: bool) -> Iterator[Row | Rejected]:
    try:
        document = parse_json(data.removeprefix(b"\xef\xbb\xbf"), nan=nan)
    except ValueError as error:
        if data.lstrip()[:1] == b"{" and b"\n" in data.strip():
            yield from _jsonl_rows(name, data, nan)
            return
        raise DataError(str(error)) from None
    records = document if isinstance(document, list) else [document]
    for number, values in enumerate(records, 1):
        if isinstance(values, dict):
            yield Row(number, values)
        else:
            yield Rejected(name, number, "It is not a JSON object with named fields.")


def _csv_rows(name: str, data: bytes) -> Iterator[Row | Rejected]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        # Spreadsheets on Windows still write this; every byte is a character in it.
        text = data.decode("cp1252", "replace")
    csv.field_size_limit(MAX_DECODED)
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        names = [n.strip() for n in reader.fieldnames or ()]
        if len(names) > MAX_FIELDS:
            raise DataError(_TOO_WIDE)
        if len(set(names)) < len(names):
            raise DataError("The CSV's header names a column twice; name each column once.")
        for number, values in enumerate(reader, 1):
            if None in values:
                yield Rejected(name, number, "It has more cells than the header has columns.")
            else:
                yield Row(number, {str(k).strip(): v for k, v in values.items() if v is not None})
    except csv.Error as error:
        yield Rejected(name, reader.line_num, f"The CSV cannot be read from here on ({error}).")


def _parquet_rows(data: bytes, *, max_rows: int, max_bytes: int) -> Iterator[bytes]:
    """Convert Parquet to JSON lines, in a child process; columns with text, numbers, booleans, lists and records of those."""
    # A file of 500 KB can decode to gigabytes while its metadata says otherwise: the child may fall over its limit, the app not.
    # Arrow's own allocators reserve address space ahead and would trip over the limit with small files.
    environment = {"ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "1"}
    limits = (str(max_rows), str(max_bytes))
    ended = child("groundscope.files.rows", *limits, data=data, seconds=_SECONDS, environment=environment)
    if ended.code == 0:
        return iter(io.BytesIO(ended.out))
    raise DataError({1: _DAMAGED, 3: _DAMAGED, 5: _TOO_WIDE}.get(ended.code or 0, _TOO_LARGE))


def _main(max_rows: int, max_bytes: int) -> int:
    limit(_MEMORY, _SECONDS)
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(sys.stdin.buffer.read()))
    except (pa.ArrowInvalid, OSError):
        return 3
    if file.metadata.num_columns > MAX_FIELDS:
        return 5
    if file.metadata.num_rows > max_rows:
        return 4
    columns = [f.name for f in file.schema_arrow if not _is_bytes(f.type)]
    written = 0
    try:
        for batch in file.iter_batches(batch_size=16, use_threads=False, columns=columns):
            if batch.nbytes > max_bytes:
                return 4
            for row in batch.to_pylist():
                line = json.dumps(row, default=str).encode() + b"\n"
                written += len(line)
                if written > max_bytes:
                    return 4
                sys.stdout.buffer.write(line)
    except (pa.ArrowMemoryError, MemoryError):
        return 4
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        return 3
    return 0


def _is_bytes(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind))


if __name__ == "__main__":
    code = _main(int(sys.argv[1]), int(sys.argv[2]))
    sys.stdout.flush()
    # Arrow's threads sometimes abort an interpreter that takes itself down, after all was written.
    os._exit(code)
