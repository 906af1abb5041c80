"""Bytes of a file -> rows, with limits on size and nesting so that a hostile file cannot harm the machine.

A row is a plain dict and its number. A row that cannot be read is a `Rejected`; a file that cannot be read at all raises
`DataError`. No message quotes the data.
"""

import gzip
import io
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from groundscope.errors import DataError
from groundscope.files.fields import NAMES, plain
from groundscope.files.literals import AS_JSON, parse_json
from groundscope.files.tables import decoded, parquet_lines, sheet_rows, text_rows

MAX_DECODED = 100_000_000
"""Largest size in bytes that a file may decode to, from gzip, Excel or Parquet."""
MAX_ROWS = 20_000
_JSON, _TABLES = (".jsonl", ".ndjson", ".json"), (".csv", ".tsv", ".txt")
ENDINGS = tuple(ending[1:] for ending in (*_JSON, *_TABLES, ".xlsx", ".parquet", ".gz"))
"""Of the files that are read, without the dot; `gz` follows another one."""
KINDS = "JSONL, JSON, CSV, TSV, TXT, Excel (XLSX) or Parquet, also compressed by gzip"
"""The same for people."""

_WRAPPERS = {"data", "rows", "examples", "records", "items", "results", "instances", "samples", "entries", "dataset", "cases"}
_DEEPEST = 4
_LOOKED_AT = 5
"""Items of a list by which it is judged."""
_CUT_OFF = "The viewer of the data set cut its texts off; download the data set itself."
_NO_NAMES = f"The file is a list of lists, without the names of their fields; {AS_JSON}."
_CONTEXTS = frozenset(map(plain, NAMES["context"]))
_NO_OBJECT = "It is not a JSON object with named fields."
_NO_DATA = {
    b"version https://git-lfs": "The file is a pointer of Git LFS and not the data: download the file itself.",
    **dict.fromkeys((b"<!doctype", b"<html"), "The file is a web page and not the data: download the file itself."),
}

Whole = Callable[[dict[str, Any]], bool]


@dataclass(frozen=True, slots=True)
class Row:
    """One record, `number` counted from 1 as a person would (a CSV's header line is not a row).

    `note`: what a reader of the file must know, such as a guessed encoding; at its first row, else empty.
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
        item = _viewed(parse_json(line.rstrip()[:-1] if line.rstrip().endswith(b"},") else line))
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
    return _rows(name, _records(document, whole), 1 + blank)


def _records(document: Any, whole: Whole | None = None) -> list[Any]:
    """Find the records of a document; a text stands in for one that cannot be used, and is the reason.

    A DataError where they have no names, or where it is not clear which list holds them.
    """
    if isinstance(document, list):
        if document and all(isinstance(item, list) for item in document):
            raise DataError(_NO_NAMES)
        return [_viewed(item) for item in document]
    if not isinstance(document, dict):
        return [None]
    framed = _frame(document)
    if framed is not None:
        return framed
    if "row_idx" in document or (whole and whole(document)):
        return [_viewed(document)]
    return _inside(document)


def _viewed(item: Any) -> Any:
    """A row of the viewer of Hugging Face without what stands around it; any other item as it is, a text as no record."""
    if isinstance(item, dict) and "row_idx" in item and isinstance(row := item.get("row"), dict):
        return _CUT_OFF if item.get("truncated_cells") else row
    return None if isinstance(item, str) else item


def _frame(values: dict[str, Any]) -> list[Any] | None:
    """The rows of a data frame that pandas wrote, or of an object of columns; None if it is none."""
    columns, data = values.get("columns"), values.get("data")
    if isinstance(columns, list) and isinstance(data, list) and all(isinstance(row, list) for row in data):
        return [dict(zip(map(str, columns), row, strict=False)) for row in data]
    if values.keys() == {"schema", "data"} and isinstance(values["schema"], dict) and isinstance(data, list):
        key = values["schema"].get("primaryKey")
        index = {"index", "level_0"} & set(key if isinstance(key, list) else ())
        return [{k: v for k, v in row.items() if k not in index} if isinstance(row, dict) else row for row in data]
    inner, columns_named = list(values.values()), _texts_of(dict.fromkeys(values)) > 1
    if inner and all(isinstance(v, dict) and v and v.keys() == inner[0].keys() for v in inner):
        if all(key.isdigit() for key in inner[0]) or columns_named:
            return [{name: column[key] for name, column in values.items()} for key in inner[0]]
        return inner if all(key.isdigit() for key in values) or _texts_of(inner[0]) > 1 else None
    if not columns_named or not all(isinstance(v, list) and len(v) == len(inner[0]) for v in inner):
        return None
    if any(isinstance(v[0] if v else None, dict) and plain(name) not in _CONTEXTS for name, v in values.items()):
        return None
    return [dict(zip(values, row, strict=True)) for row in zip(*inner, strict=True)]


def _inside(document: dict[str, Any]) -> list[Any]:
    """The list of objects of an object, if it holds more of a case than the object itself; else the object."""
    lists = dict(_lists(document))
    if not lists:
        wrapped = [value for name, value in document.items() if isinstance(value, dict) and plain(name) in _WRAPPERS]
        return (_frame(wrapped[0]) if len(wrapped) == 1 else None) or [document]
    held = {path: max(map(_texts_of, items[:_LOOKED_AT])) for path, items in lists.items()}
    best = max(held.values())
    paths = [path for path, texts in held.items() if texts == best]
    around = _texts_of({name: value for name, value in document.items() if name not in lists and not isinstance(value, dict)})
    if best < 2 and not (around == 0 and (len(document) == 1 or any(plain(p.rpartition(".")[2]) in _WRAPPERS for p in paths))):
        return [document]
    if around >= best > 0:
        return [document]
    if len(paths) > 1:
        paths = [path for path in paths if plain(path.rpartition(".")[2]) in _WRAPPERS] or paths
    if len(paths) > 1:
        named = ", ".join(f"‘{path[:40]}’" for path in paths[:6])
        raise DataError(f"The file holds several lists of rows ({named}), and any may be the cases; save one of them as a file.")
    return [_viewed(item) for item in lists[paths[0]]]


def _lists(values: Mapping[str, Any], before: str = "", depth: int = 1) -> Iterator[tuple[str, list[Any]]]:
    """The lists of objects in an object, with where they stand."""
    for name, value in values.items():
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            yield f"{before}{name}", value
        elif isinstance(value, dict) and depth < _DEEPEST:
            yield from _lists(value, f"{before}{name}.", depth + 1)


def _texts_of(values: Mapping[str, Any]) -> int:
    """How many of question, context and answer an object seems to hold, by the names of its fields: 0 to 3."""
    names = set(_names(values))
    return sum(any(plain(name) in names for name in called) for called in NAMES.values())


def _names(values: Mapping[str, Any], depth: int = 1) -> Iterator[str]:
    for name, value in values.items():
        yield plain(name)
        if isinstance(value, dict) and depth < _DEEPEST:
            yield from _names(value, depth + 1)
