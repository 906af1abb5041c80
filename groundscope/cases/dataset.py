"""Read files of cases; every rejected row is named by file, row and reason.

Read: what `groundscope.files.rows` reads, in the app's own format or in the shape of a public data set or of another tool's
export (`groundscope.cases.formats`); the shape is recognised from the fields. Good rows are kept whatever happens to the others.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

from groundscope.cases.formats import FILE_NAME, HALVES, PUBLIC, FieldMapping, Shape, Values, gathered, is_span, shape_of, stated
from groundscope.cases.halves import File, joined
from groundscope.cases.labels import on_a_scale
from groundscope.cases.mapping.field_mapping import ExtraColumns, MappingUse
from groundscope.cases.own_format import OWN_FIELDS, own_case, own_labels
from groundscope.cases.set_counts import SetCounts, counted
from groundscope.cases.splitting import tuned_on_dev
from groundscope.errors import DataError
from groundscope.files.fields import ALIASES, clean, plain_names, with_plain_names
from groundscope.files.rows import Rejected, Row, read_rows
from groundscope.text.sentences import sentence_id
from groundscope.types import Case

__all__ = ["LoadedDataset", "Rejected", "clean", "read", "read_many", "to_jsonl"]


@dataclass(frozen=True, slots=True)
class LoadedDataset:
    """What was read from one file, or from two that belong together.

    Attributes:
        rejected: the others, with the reason; row 0 stands for the whole file.
        notes: what a user must know: how a file was read where that is a guess, what the data set's licence keeps back.
        unknown: whether no case was found because the fields fit no shape: a mapping can say what they are.
        numbers: of the row that each case comes from, the first one where it comes from several; in JSONL that is its line.
        unsure: what has to be asked, in a sentence with the mapping to use: what a label means, or of an unknown file what its
            fields are; else empty.
    """

    name: str
    shapes: tuple[str, ...]
    cases: tuple[Case, ...]
    rejected: tuple[Rejected, ...]
    rows: int
    notes: tuple[str, ...] = ()
    unknown: bool = False
    numbers: tuple[int, ...] = ()
    counts: SetCounts = field(default_factory=lambda: counted(()))
    unsure: str = ""

    def having(self, cases: Sequence[Case]) -> "LoadedDataset":
        """This set with its cases divided or drawn, counted again."""
        labels = Counter({(value, meaning): number for value, meaning, number in self.counts.labels})
        return replace(self, cases=tuple(cases), counts=counted(cases, rows=self.rows, labels=labels))

    @property
    def refused(self) -> str:
        """Why the whole file could not be used; empty where it could be."""
        return self.rejected[0].reason if not self.rows and self.rejected else ""


_OWN = Shape(
    "Groundscope",
    lambda values: all(values.keys() & set(names) for names in ALIASES.values()),
    lambda values, default_id: iter((own_case(values, default_id),)),
    labels=own_labels,
    uses=OWN_FIELDS,
)
_NUMBERED = "\x00"
"""Begins the ids that rows get here, so that none of a file is taken for one: files are read without this character."""
_ALONE = {sentence for halves in HALVES for sentence in (halves.alone, halves.lone_sources)}


def read(name: str, data: bytes, mapping: FieldMapping | None = None) -> LoadedDataset:
    """Read a file of cases; raises a DataError that says what to do where nothing in it can be used."""
    rows = list(read_rows(name, data, whole=_is_record))
    _check(rows, mapping)
    return _loaded(name, rows, mapping)


def read_records(rows: list[Row | Rejected], mapping: FieldMapping | None = None) -> LoadedDataset:
    """Read records that are all there, as those of a file without a name."""
    _check(rows, mapping)
    return _loaded("", rows, mapping)


def read_many(files: Sequence[tuple[str, bytes]], mapping: FieldMapping | None = None) -> tuple[LoadedDataset, ...]:
    """Read files that came together, each as `read` does, but for data sets published as two files, which are joined.

    Which files belong together shows in their fields, not in their names. A file that cannot be used is in the result too
    (`LoadedDataset.refused`), and a name that comes twice gets a number. Raises a DataError where none can be used.
    """
    datasets: list[LoadedDataset] = []
    opened: list[File] = []
    for name, data in zip(unique_names([name for name, _ in files]), (data for _, data in files), strict=True):
        try:
            opened.append(File(name, list(read_rows(name, data, whole=_is_record))))
        except DataError as error:
            datasets.append(_refused(name, error))
    files_joined = joined(opened)
    _check([row for file in files_joined for row in file.rows], mapping)
    for file in files_joined:
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


def _loaded(name: str, rows: Sequence[Row | Rejected], mapping: FieldMapping | None) -> LoadedDataset:
    notes = dict.fromkeys(row.note for row in rows if isinstance(row, Row) and row.note)
    gathered_rows = list(gathered(rows))
    there = [row for row in gathered_rows if isinstance(row, Row)]
    names: dict[str, str] = {}
    extra = ExtraColumns.of([plain_names(row.values, names) for row in there])
    cases: list[Case] = []
    numbers: list[int] = []
    rejected: list[Rejected] = []
    shapes: dict[str, Shape] = {}
    labels: Counter[tuple[str, str]] = Counter()
    unknown = 0
    for walked in _walked(name, gathered_rows, mapping, extra):
        shape, values = walked.shape, walked.values
        unknown += shape is None and bool(values) and not _half(values)
        for outcome in walked.outcomes:
            if isinstance(outcome, Rejected):
                rejected.append(outcome)
            elif shape:
                cases.append(outcome)
                numbers.append(walked.number)
                shapes[shape.title] = shape
                notes |= dict.fromkeys(filter(None, (shape.licence(values), stated(values))))
        if shape and not all(isinstance(outcome, Rejected) for outcome in walked.outcomes):
            labels.update((word, read.meaning) for word, read in extra.labels(shape, values))
    if not cases and not rejected:
        raise DataError("The file has no rows.")
    if not cases and len(reasons := {r.reason for r in rejected}) == 1 and reasons <= _ALONE:
        raise DataError(rejected[0].reason)
    if not any(word for word, _ in labels):
        labels.clear()
    scale = "" if mapping and mapping.grounded else on_a_scale(word for word, _ in labels)
    if scale:
        cases = [replace(case, grounded=None, contradicted=None) for case in cases]
        labels = Counter({(word, "no label (a number of several)"): count for (word, _), count in labels.items()})
    unsure, words = extra.notes(there, list(shapes.values()), labels)
    if scale:
        unsure = f'{scale} Say which of them mean grounded: --map "{extra.line(there, None)}"'
        words = [*words, unsure]
    if unknown and not cases:
        unsure = f'say what its fields are, such as --map "{extra.line(there, None)}".'
    counts = counted(
        cases,
        rows=len(gathered_rows),
        left_out=((row.row, row.reason) for row in rejected),
        labels=labels,
        notes=words,
    )
    return LoadedDataset(
        name,
        tuple(shapes),
        tuned_on_dev(cases),
        tuple(rejected),
        len(gathered_rows),
        tuple(notes),
        bool(unknown) and not cases,
        tuple(numbers),
        counts,
        unsure if scale or not mapping else "",
    )


def _is_record(values: Values) -> bool:
    """Whether an object with a list of objects is one record, and no wrapping of many."""
    return is_span(values) or any(shape.fits(values) for shape in (*PUBLIC, _OWN)) or bool(_half(values))


def read_rows_of(
    name: str, rows: Iterable[Row | Rejected], mapping: FieldMapping | None = None
) -> Iterator[tuple[int, Case | Rejected]]:
    """Read records one at a time, so that memory does not grow with their texts.

    Columns beside the texts are judged by all rows of a list. Of one row it is not clear whether a number is a score: there it is
    no label, but under `grounded` or as mapped. Raises DataError if no row has a field or a value that the mapping names.
    """
    use = MappingUse(mapping) if mapping else None
    extra = ExtraColumns.of([plain_names(r.values, {}) for r in rows if isinstance(r, Row)]) if isinstance(rows, list) else None
    for walked in _walked(name, gathered(rows), mapping, extra):
        if use and walked.values:
            use.see(walked.values)
        yield from ((walked.number, outcome) for outcome in walked.outcomes)
    if use:
        use.check()


def _check(rows: Iterable[Row | Rejected], mapping: FieldMapping | None) -> None:
    there = [row.values for row in rows if isinstance(row, Row)]
    if mapping and there:
        use, names = MappingUse(mapping), dict[str, str]()
        for values in there:
            use.see(with_plain_names(values, names))
        use.check()


class _Walked(NamedTuple):
    """A row with its shape and what came of it."""

    number: int
    shape: Shape | None
    values: Values
    outcomes: list[Case | Rejected]


def _walked(
    name: str, rows: Iterable[Row | Rejected], mapping: FieldMapping | None, extra: ExtraColumns | None
) -> Iterator[_Walked]:
    """Walk the rows; without knowledge of all columns each row is read by its own."""
    tried = (*((shape_of(mapping),) if mapping else ()), *PUBLIC, _OWN)
    ids: set[str] = set()
    names: dict[str, str] = {}
    for row in rows:
        if isinstance(row, Rejected):
            yield _Walked(row.row, None, {}, [row])
            continue
        values = {FILE_NAME: name.partition(".")[0], **with_plain_names(row.values, names)}
        shape = next((shape for shape in tried if shape.fits(values)), None)
        filled = values
        if shape and shape.uses and any(values.get(part) in (None, "") for part in ("grounded", "split")):
            filled = (extra or ExtraColumns.of([plain_names(row.values, names)], scores=True)).added(shape, values)
        outcomes: list[Case | Rejected] = []
        for case in _cases(shape, row, filled):
            if isinstance(case, str):
                outcomes.append(Rejected(name, row.number, case))
            elif case.id in ids:
                outcomes.append(Rejected(name, row.number, "Its id is used in an earlier row; ids must be unique."))
            else:
                ids.add(case.id)
                outcomes.append(case)
        yield _Walked(row.number, shape, values, outcomes)


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
