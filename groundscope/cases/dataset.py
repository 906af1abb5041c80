"""Read files of cases; every rejected row is named by file, row and reason.

Read: what `groundscope.files.rows` reads, in the app's own format or in the shape of a public data set or of another tool's
export (`groundscope.cases.formats`); the shape is recognised from the fields. Good rows are kept whatever happens to the others.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from groundscope.cases.formats import FILE_NAME, HALVES, PUBLIC, Halves, Shape, Values, gathered, is_span, stated
from groundscope.cases.mapping.field_mapping import FieldMapping, shape_of
from groundscope.cases.own_format import own_case
from groundscope.cases.splitting import tuned_on_dev
from groundscope.errors import DataError
from groundscope.files.fields import ALIASES, clean, with_plain_names
from groundscope.files.rows import Rejected, Row, read_rows
from groundscope.text.sentences import sentence_id
from groundscope.types import Case

__all__ = ["LoadedDataset", "Rejected", "clean", "read", "read_many", "to_jsonl"]


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
    sources, rejected = _sources(giving, halves.key)
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


def _sources(files: Sequence[File], key: str) -> tuple[dict[str, Values], list[Rejected]]:
    sources: dict[str, Values] = {}
    rejected: list[Rejected] = []
    for file in files:
        for row in file.rows:
            if isinstance(row, Rejected):
                rejected.append(row)
            elif (name := _name(row.values, key)) is None:
                rejected.append(Rejected(file.name, row.number, f"'{key}' must be a text or a number."))
            elif name in sources:
                rejected.append(Rejected(file.name, row.number, f"Its '{key}' is used in an earlier row; the first one counts."))
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


@dataclass(frozen=True, slots=True)
class LoadedDataset:
    """What was read from one file, or from two that belong together.

    Attributes:
        rejected: the others, with the reason; row 0 stands for the whole file.
        notes: what a user must know: how a file was read where that is a guess, what the data set's licence keeps back.
        unknown: whether no case was found because the fields fit no shape: a mapping can say what they are.
        numbers: of the row that each case comes from, the first one where it comes from several; in JSONL that is its line.
    """

    name: str
    shapes: tuple[str, ...]
    cases: tuple[Case, ...]
    rejected: tuple[Rejected, ...]
    rows: int
    notes: tuple[str, ...] = ()
    unknown: bool = False
    numbers: tuple[int, ...] = ()

    @property
    def labels(self) -> Counter[str]:
        """How many cases are grounded, ungrounded, unlabelled."""
        words = {True: "grounded", False: "ungrounded", None: "no label"}
        return Counter(words[c.grounded] for c in self.cases)

    @property
    def splits(self) -> Counter[str]:
        """How many cases each split has."""
        return Counter(c.split or "no split" for c in self.cases)

    @property
    def refused(self) -> str:
        """Why the whole file could not be used; empty where it could be."""
        return self.rejected[0].reason if not self.rows and self.rejected else ""


_OWN = Shape(
    "Groundscope",
    lambda values: all(values.keys() & set(names) for names in ALIASES.values()),
    lambda values, default_id: iter((own_case(values, default_id),)),
)
_NUMBERED = "\x00"
"""Begins the ids that rows get here, so that none of a file is taken for one: files are read without this character."""
_ALONE = {sentence for halves in HALVES for sentence in (halves.alone, halves.lone_sources)}


def read(name: str, data: bytes, mapping: FieldMapping | None = None) -> LoadedDataset:
    """Read a file of cases.

    Raises:
        DataError: nothing in the file can be used; the message says why and what to do.
    """
    return _loaded(name, read_rows(name, data, whole=_is_record), mapping)


def read_many(files: Sequence[tuple[str, bytes]], mapping: FieldMapping | None = None) -> tuple[LoadedDataset, ...]:
    """Read files that came together, each as `read` does, but for data sets published as two files, which are joined.

    Which files belong together shows in their fields, not in their names. A file that cannot be used is in the result too
    (`LoadedDataset.refused`), and a name that comes twice gets a number.

    Raises:
        DataError: nothing in any of the files can be used; the message says why and what to do.
    """
    datasets: list[LoadedDataset] = []
    opened: list[File] = []
    for name, data in zip(unique_names([name for name, _ in files]), (data for _, data in files), strict=True):
        try:
            opened.append(File(name, list(read_rows(name, data, whole=_is_record))))
        except DataError as error:
            datasets.append(_refused(name, error))
    for file in joined(opened):
        try:
            datasets.append(_loaded(file.name, file.rows, mapping))
        except DataError as error:
            datasets.append(_refused(file.name, error))
    if datasets and all(f.refused for f in datasets):
        reasons = [f.refused if len(datasets) == 1 else f"{f.name}: {f.refused}" for f in datasets]
        raise DataError(" ".join(reasons))
    return tuple(datasets)


def unique_names(names: Sequence[str]) -> list[str]:
    """Name files that came together."""
    seen: Counter[str] = Counter()
    unique = []
    for name in names:
        seen[name] += 1
        stem, dot, ending = name.partition(".")
        unique.append(name if seen[name] == 1 else f"{stem} ({seen[name]}){dot}{ending}")
    return unique


def _refused(name: str, error: DataError) -> LoadedDataset:
    return LoadedDataset(name, (), (), (Rejected(name, 0, str(error)),), 0)


def _loaded(name: str, rows: Iterable[Row | Rejected], mapping: FieldMapping | None) -> LoadedDataset:
    cases: list[Case] = []
    numbers: list[int] = []
    rejected: list[Rejected] = []
    shapes: dict[str, None] = {}
    notes: dict[str, None] = {}
    count, unknown = 0, 0
    for number, shape, values, outcomes in _walked(name, _noted(rows, notes), mapping):
        count += 1
        unknown += shape is None and bool(values) and not _half(values)
        for outcome in outcomes:
            if isinstance(outcome, Rejected):
                rejected.append(outcome)
            elif shape:
                cases.append(outcome)
                numbers.append(number)
                shapes[shape.title] = None
                notes |= dict.fromkeys(filter(None, (shape.licence(values), stated(values))))
    if not cases and not rejected:
        raise DataError("The file has no rows.")
    if not cases and len(reasons := {r.reason for r in rejected}) == 1 and reasons <= _ALONE:
        raise DataError(rejected[0].reason)
    tuned = tuned_on_dev(cases)
    unread = bool(unknown) and not cases
    return LoadedDataset(name, tuple(shapes), tuned, tuple(rejected), count, tuple(notes), unread, tuple(numbers))


def _is_record(values: Values) -> bool:
    """Whether an object with a list of objects is one record, and no wrapping of many."""
    return is_span(values) or any(shape.fits(values) for shape in (*PUBLIC, _OWN)) or bool(_half(values))


def _noted(rows: Iterable[Row | Rejected], notes: dict[str, None]) -> Iterator[Row | Rejected]:
    for row in rows:
        if isinstance(row, Row) and row.note:
            notes[row.note] = None
        yield row


def read_rows_of(
    name: str, rows: Iterable[Row | Rejected], mapping: FieldMapping | None = None
) -> Iterator[tuple[int, Case | Rejected]]:
    """Read records one at a time, so that memory does not grow with their texts."""
    for number, _, _, outcomes in _walked(name, rows, mapping):
        yield from ((number, outcome) for outcome in outcomes)


def _walked(
    name: str, rows: Iterable[Row | Rejected], mapping: FieldMapping | None
) -> Iterator[tuple[int, Shape | None, Values, list[Case | Rejected]]]:
    """The number of each row, with its shape, its values and what came of it."""
    tried = (*((shape_of(mapping),) if mapping else ()), *PUBLIC, _OWN)
    ids: set[str] = set()
    names: dict[str, str] = {}
    for row in gathered(rows):
        if isinstance(row, Rejected):
            yield row.row, None, {}, [row]
            continue
        values = {FILE_NAME: name.partition(".")[0], **with_plain_names(row.values, names)}
        shape = next((shape for shape in tried if shape.fits(values)), None)
        outcomes: list[Case | Rejected] = []
        for case in _cases(shape, row, values):
            if isinstance(case, str):
                outcomes.append(Rejected(name, row.number, case))
            elif case.id in ids:
                outcomes.append(Rejected(name, row.number, "Its id is used in an earlier row; ids must be unique."))
            else:
                ids.add(case.id)
                outcomes.append(case)
        yield row.number, shape, values, outcomes


def _cases(shape: Shape | None, row: Row, values: Values) -> Iterator[Case | str]:
    """The cases of one row; a reason instead of one that cannot be used."""
    if shape is None:
        yield _half(values) or _unknown(row.values)
        return
    empty = True
    try:
        for case in shape.cases(values, f"{_NUMBERED}row-{row.number}"):
            empty = False
            yield _named(case) if isinstance(case, Case) and _NUMBERED in case.id else case
    except ValueError as error:
        yield str(error)
    else:
        if empty:
            yield "It holds no case."


def _named(case: Case) -> Case:
    """A case without an id of the file, under the id of its row."""
    id, group, parent = (name.replace(_NUMBERED, "") if name else name for name in (case.id, case.group, case.parent))
    return replace(case, id=id or "", group=group, parent=parent, numbered=True)


def _half(values: Values) -> str:
    """What to say of a row whose data set is published as two files; empty for any other."""
    for halves in HALVES:
        if halves.answers(values):
            return halves.alone
        if halves.lone_sources and halves.sources(values):
            return halves.lone_sources
    return ""


def _unknown(values: Values) -> str:
    names = ", ".join(sorted(clean(str(k))[:40] for k in values)[:12]) or "none"
    needed = "query, context and response (or the fields of a public data set), or a mapping that says what the fields are"
    return f"The format is not recognised. Its fields are: {names}. Needed: {needed}."


def to_jsonl(cases: Iterable[Case]) -> str:
    """Write cases in the app's own format; `read` gives the same cases back.

    Beside the fields of `Case`, for people and other programs: an error carries its `text`, evidence the `sentence` it lies
    in ("p2.3", the third sentence of the passage with the id "p2").
    """
    return "".join(to_line(to_row(case)) for case in cases)


def to_line(row: dict[str, Any]) -> str:
    """Write one line of `to_jsonl`."""
    return json.dumps(row, ensure_ascii=False) + "\n"


def to_row(case: Case) -> dict[str, Any]:
    """Convert a case to the object of its line."""
    row = asdict(case)
    whys = dict(row.pop("reasons"))
    row["error_types"] = [{"type": kind, "why": whys[kind]} if kind in whys else kind for kind in case.error_types]
    for passage in row["context"]:
        if not passage["pages"]:
            del passage["pages"]
    for name in ("note", "error_types", "numbered"):
        if not row[name]:
            del row[name]
    if case.contradicted is None:
        del row["contradicted"]
    for error in row["errors"]:
        error["text"] = case.response[error["start"] : error["end"]]
    for span, evidence in zip(row["evidence"], case.evidence, strict=True):
        span["sentence"] = sentence_id(case.context, evidence.passage, evidence.start)
    return row
