"""Bytes of a file -> rows, with limits on size and nesting so that a hostile file cannot harm the machine.

A row is a plain dict and its number. A row that cannot be read is a `Rejected`; a file that cannot be read at all raises
`DataError`. No message quotes the data.
"""

import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from groundscope.errors import DataError
from groundscope.files.literals import parse_json
from groundscope.files.tables import decoded, parquet_lines, sheet_rows, text_rows
from groundscope.files.wrappings import Whole, records, viewed

MAX_DECODED = 100_000_000
"""Largest size in bytes that a file may decode to, from gzip, Excel or Parquet."""
MAX_ROWS = 20_000
_JSON, _TABLES = (".jsonl", ".ndjson", ".json"), (".csv", ".tsv", ".txt")
ENDINGS = tuple(ending[1:] for ending in (*_JSON, *_TABLES, ".xlsx", ".parquet", ".gz"))
"""Of the files that are read, without the dot; `gz` follows another one."""
KINDS = "JSONL, JSON, CSV, TSV, TXT, Excel (XLSX) or Parquet, also compressed by gzip"
"""The same for people."""

_NO_OBJECT = "It is not a JSON object with named fields."
_NO_DATA = {
    b"version https://git-lfs": "The file is a pointer of Git LFS and not the data: download the file itself.",
    **dict.fromkeys((b"<!doctype", b"<html"), "The file is a web page and not the data: download the file itself."),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One record, `number` counted from 1 as a person would (a CSV's header line is not a row).

    Attributes:
        note: what a reader of the file must know, such as a guessed encoding; at its first row, else empty.
    """

    number: int
    values: dict[str, Any]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that could not be used, with the reason; the reason does not quote the row."""

    file: str
    row: int
    reason: str


def read_rows(
    name: str, data: bytes, *, whole: Whole | None = None, max_rows: int = MAX_ROWS, max_bytes: int = MAX_DECODED
) -> Iterator[Row | Rejected]:
    """Read a file by the ending of its name, and by how it begins where the ending leaves it open."""
    suffixes = [s.lower() for s in PurePath(name).suffixes]
    if suffixes[-1:] == [".gz"]:
        data, suffixes = _gunzip(data, max_bytes), suffixes[:-1]
    if not data.strip():
        raise DataError("The file is empty.")
    for beginning, why in _NO_DATA.items():
        if data.lstrip()[:30].lower().startswith(beginning):
            raise DataError(why)
    kind, note = suffixes[-1] if suffixes else "", ""
    if kind in (*_JSON, *_TABLES):
        text, note = decoded(data)
        if kind not in _JSON and not (kind == ".txt" and text.lstrip()[:1] in ("{", "[")):
            rows = _rows(name, text_rows(text))
        elif "\ufffd" in note or (note and sum(not letter.isascii() for letter in text) == 1):
            # One byte that is no UTF-8 makes no other encoding: its row is refused.
            rows, note = _json_rows(name, kind, data.removeprefix(b"\xef\xbb\xbf"), whole), ""
        else:
            rows = _json_rows(name, kind, text.encode(), whole)
    elif kind == ".xlsx":
        values, note = sheet_rows(data, max_rows=max_rows, max_bytes=max_bytes)
        rows = _rows(name, values)
    elif kind == ".parquet":
        rows = line_rows(name, parquet_lines(data, max_rows=max_rows, max_bytes=max_bytes))
    else:
        raise DataError(f"This kind of file is not supported; its name must end in {', '.join(f'.{e}' for e in ENDINGS)}.")
    for count, row in enumerate(rows, 1):
        if count > max_rows:
            yield Rejected(name, count, f"The file has more than {max_rows:,} rows; the rest was not read.")
            return
        yield replace(row, note=note) if note and isinstance(row, Row) else row
        note = "" if isinstance(row, Row) else note


def _rows(name: str, values: Iterable[Any], first: int = 1) -> Iterator[Row | Rejected]:
    """Number records; a text is the reason why there is none."""
    for number, item in enumerate(values, first):
        if isinstance(item, dict):
            yield Row(number, item)
        else:
            yield Rejected(name, number, item if isinstance(item, str) else _NO_OBJECT)


def _gunzip(data: bytes, max_bytes: int) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            unpacked = file.read(max_bytes + 1)
    except (OSError, EOFError, zlib.error):
        raise DataError("The gzip archive is damaged or cut off; compress the file again.") from None
    if len(unpacked) > max_bytes:
        raise DataError(f"The file unpacks to more than {max_bytes // 1_000_000} MB; split it into smaller files.")
    return unpacked


def line_rows(name: str, lines: Iterator[bytes] | io.BytesIO, first: int = 1) -> Iterator[Row | Rejected]:
    """Read a JSON object on each line, numbered from `first`."""
    numbered = enumerate(lines, first)
    for number, line in numbered:
        if line.rstrip() == b"{":
            yield from _printed_rows(name, number, line, numbered)
        elif line.strip():
            yield _row(name, number, line)


def _printed_rows(name: str, number: int, line: bytes, following: Iterator[tuple[int, bytes]]) -> Iterator[Row | Rejected]:
    """A row that was printed for people, between two lines that hold a brace alone; if it is none, a row for each line."""
    lines = [line]
    for _, line in following:
        lines.append(line)
        if line.rstrip() in {b"}", b"},"}:
            break
    row = _row(name, number, b"".join(lines))
    if isinstance(row, Row):
        yield row
    else:
        yield from (_row(name, n, line) for n, line in enumerate(lines, number) if line.strip())


def _row(name: str, number: int, line: bytes) -> Row | Rejected:
    try:
        # Lines cut out of a list end in a comma.
        item = viewed(parse_json(line.rstrip()[:-1] if line.rstrip().endswith(b"},") else line))
    except ValueError as error:
        return Rejected(name, number, str(error))
    return next(_rows(name, [item], first=number))


def _json_rows(name: str, kind: str, data: bytes, whole: Whole | None) -> Iterator[Row | Rejected]:
    """The records of one document, or of one on each line, whatever the ending says."""
    try:
        document = parse_json(data)
    except ValueError as error:
        if kind == ".json" and (data.lstrip()[:1] != b"{" or b"\n" not in data.strip()):
            raise DataError(str(error)) from None
        return line_rows(name, io.BytesIO(data))
    items = document if isinstance(document, list) else [document]
    if kind != ".json" and not any(isinstance(item, dict | list) for item in items):
        return line_rows(name, io.BytesIO(data))
    # A single row has the number of its line.
    blank = data[: len(data) - len(data.lstrip())].count(b"\n") if isinstance(document, dict) and kind != ".json" else 0
    return _rows(name, records(document, whole), 1 + blank)
