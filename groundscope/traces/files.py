"""A file of spans, or a folder that grows: complete records from where the last reading ended."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from groundscope.errors import DataError
from groundscope.files.ordinary import unreadable
from groundscope.files.rows import Rejected, parse_json, read_rows
from groundscope.traces.spans import TraceSpan, spans_of

GROWING = (".jsonl", ".json", ".ndjson")
"""Endings of files that other programs append to."""
WHOLE = (".jsonl.gz", ".json.gz", ".ndjson.gz", ".parquet")
"""Endings of files that are complete once they are there."""
LONGEST = 64_000_000
"""Bytes of the longest record."""
_MOST = 2_000_000_000
_ROWS = 5_000_000


class FilePlace(NamedTuple):
    """Where reading of a file ended.

    Attributes:
        number: of the file on the disk; another file of the same name has another one.
    """

    offset: int = 0
    line: int = 0
    number: int = 0


class SpanRecord(NamedTuple):
    """What one record holds.

    Attributes:
        spans: in their order; none where it cannot be used.
        reason: why it cannot be used; empty if it can.
    """

    start: FilePlace
    end: FilePlace
    spans: tuple[TraceSpan, ...]
    reason: str = ""


def files_of(path: Path) -> list[Path]:
    """List the files of spans.

    Raises:
        DataError: there is no such file or folder, or it is a file of another kind.
    """
    if path.is_dir():
        found = [p for p in path.rglob("*") if _ending(p) and not p.name.startswith(".") and not unreadable(p, _MOST)]
        return sorted(found, key=lambda p: (_changed(p), str(p)))
    if why := unreadable(path, _MOST):
        raise DataError(f"{path} is {why}.")
    if not path.exists():
        raise DataError(f"{path} is not there. Name a file of spans, or the folder that they are written to.")
    if not _ending(path):
        raise DataError(f"{path.name} is no file of spans; these end in {', '.join((*GROWING, *WHOLE))}.")
    return [path]


def _ending(path: Path) -> str:
    return next((e for e in (*GROWING, *WHOLE) if path.name.lower().endswith(e)), "")


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def records(path: Path, after: FilePlace, *, growing: bool) -> Iterator[SpanRecord]:
    """Read the records of a file that are new."""
    try:
        found = path.stat()
        if found.st_ino != after.number or found.st_size < after.offset:
            after = FilePlace(number=found.st_ino)
        if found.st_size == after.offset:
            return
        if _ending(path) in GROWING:
            with path.open("rb") as file:
                file.seek(after.offset)
                yield from _lines(file, after, growing=growing)
        else:
            yield from _rows(path, after, found.st_size)
    except FileNotFoundError:
        # Its writer has moved it away.
        return
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}).") from None


def _rows(path: Path, after: FilePlace, size: int) -> Iterator[SpanRecord]:
    for row in read_rows(path.name, path.read_bytes(), nan=True, max_rows=_ROWS, max_bytes=_MOST):
        if isinstance(row, Rejected):
            yield SpanRecord(after, after._replace(line=row.row), (), row.reason)
        else:
            yield _record(after, after._replace(line=row.number), row.values)
    yield SpanRecord(after, after._replace(offset=size), ())


def _lines(file: BinaryIO, after: FilePlace, *, growing: bool) -> Iterator[SpanRecord]:
    start, held = after, b""
    while line := file.readline(LONGEST):
        ended = line.endswith(b"\n")
        if not ended and (growing and len(line) < LONGEST):
            return
        after = after._replace(offset=after.offset + len(line), line=after.line + ended)
        if len(held) + len(line) >= LONGEST:
            after = _skipped(file, after) if not ended else after
            yield SpanRecord(start, after, (), f"A record has more than {LONGEST // 1_000_000} MB.")
            start, held = after, b""
            continue
        # What the SDK prints for people stands on many lines, between two that hold a brace alone.
        if held or line.rstrip() == b"{":
            held += line
            if line.rstrip() not in {b"}", b"},"} and line:
                continue
            line, held = held.rstrip().rstrip(b","), b""
        if line.strip(b" \t\r\n[],"):
            yield _parsed(start, after, line.lstrip(b"\xef\xbb\xbf").strip().rstrip(b","))
        start = after
    if held and not growing:
        yield _parsed(start, after, held)


def _skipped(file: BinaryIO, after: FilePlace) -> FilePlace:
    """The place after a line that is too long."""
    while line := file.readline(LONGEST):
        ended = line.endswith(b"\n")
        after = after._replace(offset=after.offset + len(line), line=after.line + ended)
        if ended:
            break
    return after


def _parsed(start: FilePlace, end: FilePlace, line: bytes) -> SpanRecord:
    try:
        values = parse_json(line, nan=True)
    except ValueError as error:
        return SpanRecord(start, end, (), str(error))
    return _record(start, end, values)


def _record(start: FilePlace, end: FilePlace, values: object) -> SpanRecord:
    if not isinstance(values, dict):
        return SpanRecord(start, end, (), "It is no JSON object.")
    try:
        return SpanRecord(start, end, tuple(spans_of(values)))
    except ValueError as error:
        return SpanRecord(start, end, (), str(error))
