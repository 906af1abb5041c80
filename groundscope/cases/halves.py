"""Join each answer to its source, where a data set is published as two files."""

from collections.abc import Sequence
from dataclasses import dataclass

from groundscope.cases.formats import HALVES, Halves, Values
from groundscope.files.rows import Rejected, Row


@dataclass(frozen=True, slots=True)
class File:
    """The rows of one file."""

    name: str
    rows: list[Row | Rejected]


def joined(files: Sequence[File]) -> list[File]:
    """Join each answer to its source, where a data set is published as two files; which are halves shows in their fields.

    An answer without a source, and a source that comes twice, become rejected rows. Without the other half a file stays as it is.
    Files whose rows were used as sources are gone. Where both have a field, the answer's counts.
    """
    merged = list(files)
    for halves in HALVES:
        merged = _join(merged, halves)
    return merged


def _join(files: list[File], halves: Halves) -> list[File]:
    asking = [f for f in files if any(isinstance(r, Row) and halves.answers(r.values) for r in f.rows)]
    giving = [f for f in files if _gives(f, halves)]
    if not asking or not giving:
        return files
    sources, rejected = _sources(giving, halves)
    merged = []
    for file in files:
        if any(file is f for f in giving):
            continue
        rows = [_with_source(file.name, row, sources, halves) for row in file.rows]
        if file is asking[0]:
            rows += rejected
        merged.append(File(file.name, rows))
    return merged


def _gives(file: File, halves: Halves) -> bool:
    rows = [row for row in file.rows if isinstance(row, Row)]
    return bool(rows) and all(halves.sources(row.values) for row in rows)


def _sources(files: Sequence[File], halves: Halves) -> tuple[dict[str, Values], list[Rejected]]:
    sources: dict[str, Values] = {}
    rejected: list[Rejected] = []
    for file in files:
        for row in file.rows:
            if isinstance(row, Rejected):
                rejected.append(row)
            elif (name := _name(row.values, halves.key) or _name(row.values, halves.other)) is None:
                rejected.append(Rejected(file.name, row.number, f"'{halves.key}' must be a text or a number."))
            elif name in sources:
                rejected.append(Rejected(file.name, row.number, f"Its '{halves.key}' is used before; the first row counts."))
            else:
                sources[name] = row.values
    return sources, rejected


def _with_source(file: str, row: Row | Rejected, sources: dict[str, Values], halves: Halves) -> Row | Rejected:
    if isinstance(row, Rejected) or not halves.answers(row.values):
        return row
    source = sources.get(_name(row.values, halves.key) or "")
    if source is None:
        return Rejected(file, row.number, f"No row of the file of sources has its '{halves.key}'.")
    return Row(row.number, {**source, **row.values}, row.note)


def _name(values: Values, key: str) -> str | None:
    """Numbers and texts that are written alike are one name."""
    value = values.get(key)
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None
