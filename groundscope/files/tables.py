"""Tables -> rows of named cells: text with any of the usual delimiters, the first sheet of an Excel workbook, and Parquet.

Workbooks and Parquet are read in a child process: a file of 500 KB can decode to gigabytes while it says otherwise.
"""

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from groundscope.errors import DataError
from groundscope.files.literals import MAX_FIELDS
from groundscope.files.sandbox import in_child

_SNIFFED = 100_000
"""Characters of a table's beginning by which its delimiter is chosen, and the rows in them that are compared."""
_SNIFFED_ROWS = 50
_TITLE_ROWS, _LONGEST_NAME = 5, 60
"""Rows among which the names of the columns are, and characters of such a name where another row stands above."""
_LONGEST_CELL = 100_000_000
"""Characters: no file is larger when it is unpacked."""
_DELIMITERS = ",;\t|"
_NO_NAME = re.compile(r"|unnamed: \d+", re.IGNORECASE)
"""What pandas calls an index that it writes as a column."""
_EMPTY = frozenset({"", "nan", "NaN", "NaT", "None", "NULL", "null", "<NA>", "#N/A"})
"""What programs write into a cell that holds nothing."""

_TOO_LARGE = "The {} file decodes to more than this app reads; split it into smaller files."
_TOO_WIDE = f"The table has more than {MAX_FIELDS:,} columns; leave out those that are not needed."
_DAMAGED = "The {} file is damaged or not {}."
_NEVER_CLOSED = "A quotation mark in it is never closed, so that it holds the rest of the file; correct the mark."

Cells = dict[str, Any]


def decoded(data: bytes) -> tuple[str, str]:
    """Decode a text; gives also what a reader must know of it: its encoding is a guess, or some bytes are none of it."""
    marks = {b"\xff\xfe\0\0": "utf-32", b"\0\0\xfe\xff": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
    encoding = next((name for mark, name in marks.items() if data.startswith(mark)), "utf-8-sig")
    # Without a mark, Latin letters in UTF-16 have a NUL beside each of them; a stray NUL is damage of one place.
    if encoding == "utf-8-sig" and b"\0" in data[:2] and 3 * data[:1_000].count(0) > len(data[:1_000]):
        encoding = "utf-16-le" if data[0] else "utf-16-be"
    try:
        return data.decode(encoding), ""
    except UnicodeDecodeError:
        if encoding != "utf-8-sig":
            raise DataError(f"The file begins as {encoding.upper()} does and is damaged; save it as UTF-8.") from None
    if data.startswith(b"PK\3\4"):
        raise DataError("The file is a ZIP archive or a workbook under another name: unpack it, or end its name in .xlsx.")
    text = data.decode(encoding, "replace")
    if 2 * (bad := text.count("\ufffd")) < sum(not letter.isascii() for letter in text):
        return text, f"Characters in it that cannot be read became \ufffd ({bad:,}): save the file as UTF-8."
    # Spreadsheets on Windows still write this; every byte is a character in it.
    note = "Its bytes are no UTF-8 and were read as Windows-1252: check accents and quotation marks."
    return data.decode("cp1252", "replace"), note


def text_rows(text: str) -> Iterator[Cells | str]:
    """Read rows of cells; a reason stands in for one that cannot be used."""
    # For all readers of the process, and so always the same.
    csv.field_size_limit(_LONGEST_CELL)
    first, _, rest = text.partition("\n")
    if sep := re.fullmatch(r'"?sep=([^\w"\r\n])"?\s*', first):
        delimiter, text = sep[1], rest
    else:
        delimiter = _delimiter(text)
    stream = io.StringIO(text, newline="")
    rows = (row for row in csv.reader(stream, delimiter=delimiter) if row)
    try:
        ended = text.rstrip("\r\n").endswith('"')
        # The row that ends with the text, inside a quotation.
        checked = (_NEVER_CLOSED if not ended and "\n" in row[-1] and stream.tell() == len(text) else row for row in rows)
        yield from _named(checked)
    except csv.Error as error:
        yield f"The table cannot be read from here on ({error})."


def _delimiter(text: str) -> str:
    """The delimiter by which most rows have as many cells as the header, and of those the one with the most columns."""
    sample = text[:_SNIFFED]
    if len(text) > _SNIFFED:
        sample = sample.rpartition("\n")[0] or sample
    best, best_fit = ",", (0.0, 1)
    for delimiter in _DELIMITERS:
        rows = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
        try:
            header, *others = [len(row) for row in islice((row for row in rows if row), _SNIFFED_ROWS)] or [1]
        except csv.Error:
            continue
        alike = sum(count == header for count in others) / len(others) if others else 1.0
        if header > 1 and (alike, header) > best_fit:
            best, best_fit = delimiter, (alike, header)
    return best


def _header(rows: Sequence[Sequence[str] | str]) -> int:
    """Which of the first rows names the columns: a title above, or names of groups of columns, fill half of a row at most."""
    filled = [0 if isinstance(row, str) else sum(map(bool, map(str.strip, row))) for row in rows]
    most = max(filled, default=0)
    place = next((i for i, count in enumerate(filled) if 2 * count > most), 0)
    names, above = [cell for cell in rows[place] if cell.strip()] if rows else [], rows[:place]
    sure = most > 2 and len({*names}) == len(names) and max(map(len, names)) <= _LONGEST_NAME
    return place if sure and all(len(row) == 1 or len(row) >= most for row in above) else 0


def _named(rows: Iterable[Sequence[str] | str]) -> Iterator[Cells | str]:
    """Rows by the names of their columns; a column without a name is an index, and no field."""
    rows = iter(rows)
    first = list(islice(rows, _TITLE_ROWS))
    place = _header(first)
    header, rows = first[place] if first else (), chain(first[place + 1 :], rows)
    names = [name.strip() for name in header]
    if len(names) > MAX_FIELDS:
        raise DataError(_TOO_WIDE)
    places = [(i, name) for i, name in enumerate(names) if not _NO_NAME.fullmatch(name)]
    if len({name for _, name in places}) < len(places):
        raise DataError("The table's header names a column twice; name each column once.")
    for row in rows:
        if isinstance(row, str):
            yield row
        elif any(cell.strip() for cell in row[len(names) :]):
            yield "It has more cells than the header has columns."
        else:
            yield {name: "" if row[i].strip() in _EMPTY else row[i] for i, name in places if i < len(row)}


_Reader = Callable[[io.BytesIO, int, int], Iterator[bytes]]


def sheet_rows(data: bytes, *, max_rows: int, max_bytes: int) -> tuple[Iterator[Cells | str], str]:
    """Read the first sheet of an Excel workbook that has rows, with what a reader must know of it; empty = nothing."""
    *lines, last = map(json.loads, _lines_of("Excel", _sheet, data, max_rows, max_bytes))
    return _named(lines), last


def parquet_lines(data: bytes, *, max_rows: int, max_bytes: int) -> Iterator[bytes]:
    """Convert Parquet to JSON lines; columns with text, numbers, booleans, lists and records of those."""
    return _lines_of("Parquet", _parquet, data, max_rows, max_bytes)


def _lines_of(title: str, read: _Reader, data: bytes, max_rows: int, max_bytes: int) -> Iterator[bytes]:
    large = _TOO_LARGE.format(title)
    return iter(io.BytesIO(in_child(_written, title, read, data, max_rows, max_bytes, slow=large, heavy=large)))


def _written(title: str, read: _Reader, data: bytes, max_rows: int, max_bytes: int) -> bytes:
    """All lines of a file; in the child process."""
    lines = bytearray()
    try:
        for line in read(io.BytesIO(data), max_rows, max_bytes):
            lines += line
            if len(lines) > max_bytes:
                raise _TooLargeTable
    except _TooLargeTable:
        raise DataError(_TOO_LARGE.format(title)) from None
    except (DataError, MemoryError):
        raise
    except Exception:  # What libraries raise of a damaged file has no common class.
        raise DataError(_DAMAGED.format(title, title)) from None
    return bytes(lines)


class _TooLargeTable(Exception):
    """A file has more rows, or decodes to more, than is read."""


def _parquet(data: io.BytesIO, max_rows: int, max_bytes: int) -> Iterator[bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = pq.ParquetFile(data)
    if file.metadata.num_columns > MAX_FIELDS:
        raise DataError(_TOO_WIDE)
    if file.metadata.num_rows > max_rows:
        raise _TooLargeTable
    kinds = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
    columns = [f.name for f in file.schema_arrow if not any(is_kind(f.type) for is_kind in kinds)]
    for batch in file.iter_batches(batch_size=16, use_threads=False, columns=columns):
        if batch.nbytes > max_bytes:
            raise _TooLargeTable
        for row in batch.to_pylist():
            yield json.dumps(row, default=str).encode() + b"\n"


def _sheet(data: io.BytesIO, max_rows: int, max_bytes: int) -> Iterator[bytes]:
    """The cells of each row as texts, and at last what a reader must know."""
    import openpyxl

    with zipfile.ZipFile(data) as parts:
        # A part never unpacks to more than it says here; in XML a cell takes several times its text.
        if sum(part.file_size for part in parts.infolist()) > 4 * max_bytes:
            raise _TooLargeTable
    copies = [io.BytesIO(data.getvalue()) for _ in range(2)]
    values = openpyxl.load_workbook(copies[0], read_only=True, data_only=True)
    formulas = openpyxl.load_workbook(copies[1], read_only=True)
    for sheet in (*values.worksheets, *formulas.worksheets):
        # The size that the file states is often wrong.
        sheet.reset_dimensions()
    filled = {sheet.title: width for sheet in values if (width := _width(sheet))}
    chosen = next((title for title, width in filled.items() if width > 1), next(iter(filled), ""))
    count = unknown = 0
    pairs = zip(values[chosen].values, formulas[chosen].values, strict=True) if filled else ()
    for row, written in pairs:
        cells = [_cell(value) for value in row]
        unknown += sum(cell is None and str(typed).startswith("=") for cell, typed in zip(row, written, strict=False))
        if any(cells):
            yield json.dumps(cells).encode() + b"\n"
            count += 1
            if count > max_rows + 1:
                break
    notes = [f"Of the sheets, ‘{chosen[:40]}’ was read, the first one with a table."] if len(filled) > 1 else []
    if unknown:
        cells_are = "1 cell is a formula" if unknown == 1 else f"{unknown:,} cells are formulas"
        notes.append(f"{cells_are} without a value and read as empty: open the file in a spreadsheet program and save it there.")
    yield json.dumps(" ".join(notes)).encode()


def _width(sheet: Any) -> int:
    """The most cells that a row of a sheet fills, by its first rows."""
    return max((sum(map(bool, map(_cell, row))) for row in islice(sheet.values, _SNIFFED_ROWS)), default=0)


def _cell(value: object) -> str:
    """A cell as the spreadsheet program would write it into CSV."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, str) else str(value)
