"""Map the fields of an unknown file to those of a case, and read labels and splits beside the texts where that is sure.

A field inside another one is written with a dot (`metadata.topic`), also in a list of objects.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from groundscope.cases.formats import FieldMapping, Shape, Values, at
from groundscope.cases.labels import (
    TAKEN,
    ColumnUse,
    LabelReading,
    column_use,
    is_number,
    label,
    on_a_scale,
    reversed_sense,
    word_of,
)
from groundscope.errors import DataError
from groundscope.files.fields import NAMES, bare, plain_names
from groundscope.files.rows import Row, read_rows
from groundscope.text.humanize import instead


def from_line(line: str) -> FieldMapping:
    """Read a mapping as it is typed in a shell."""
    names = [field.name for field in fields(FieldMapping)]
    chosen: dict[str, Any] = {}
    for part in line.split(","):
        name, sign, value = (word.strip() for word in part.partition("="))
        if not sign or name not in names or not value:
            raise ValueError(f"--map has parts such as context=FIELD, parted by commas; the names are {', '.join(names)}")
        chosen[name] = tuple(value.split("|")) if name == "grounded" else value.replace("[]", "")
    if "context" not in chosen or not chosen.keys() & {"answer", "sentence"}:
        raise ValueError("--map must name at least the fields of context and answer: context=FIELD,answer=FIELD")
    if ("sentence" in chosen) != ("sentence_label" in chosen):
        raise ValueError("--map names sentence and sentence_label together, or neither")
    return FieldMapping(**{"answer": "", **chosen})


class MappingUse:
    """Whether the rows of a file have what a mapping names."""

    def __init__(self, mapping: FieldMapping) -> None:
        self._mapping = mapping
        self._missing = dict.fromkeys(mapping.named.values())
        self._words: dict[str, None] = {}
        self._names: dict[str, None] = {}

    def see(self, values: Mapping[str, Any]) -> None:
        """Take in a row."""
        for field in [field for field in self._missing if at(values, field) is not None]:
            del self._missing[field]
        if self._missing and len(self._names) < _MOST_FIELDS:
            self._names |= dict.fromkeys(name for name, _ in _flat(values))
        if self._mapping.grounded and len(self._words) < _MOST_FIELDS:
            votes = at(values, self._mapping.label or self._mapping.sentence_label)
            self._words |= dict.fromkeys(filter(None, map(word_of, _votes(votes))))

    def check(self) -> None:
        """Raise `DataError` if no row has a field or a value that the mapping names."""
        if faults := misfits(self._mapping, tuple(self._missing), tuple(self._names), tuple(self._words)):
            raise DataError(f"The mapping does not fit: {'; '.join(faults)}.")


def misfits(mapping: FieldMapping, missing: Sequence[str], names: Sequence[str], words: Sequence[str]) -> list[str]:
    """What a mapping names and no row has, each with what to write instead."""
    parts = {field: part for part, field in mapping.named.items()}
    faults = [f"{parts[field]}={field}: no row has this field; {instead(field, names)}" for field in missing]
    if {mapping.label or mapping.sentence_label} & {*missing}:
        return faults
    there, meant = {word.casefold() for word in words}, {word.casefold() for word in mapping.grounded}
    absent = [word for word in mapping.grounded if word.casefold() not in there]
    others = [word for word in words if word.casefold() not in meant]
    # A file may lack answers of one label: yes without a yes, where the others are no.
    if all(not label(word).why for word in (*absent, *others)):
        absent = []
    elif len(absent) < len(mapping.grounded):
        absent = [word for word in absent if instead(word, others).startswith("write")]
    return faults + [f"grounded={word}: no row has this value; {instead(word, others)}" for word in absent]


def _votes(value: Any) -> Iterator[Any]:
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]:
        if isinstance(item, dict | list):
            yield from _votes(item)
        else:
            yield item


_PREVIEWED = 3
_MOST_FIELDS, _DEEPEST = 200, 3
_MOST_VALUES = 12
"""Different values that a label may have; a field with more is no label."""
_LONGEST_VALUE = 60


@dataclass(frozen=True, slots=True)
class FieldOfFile:
    """A field of a file; the example is how its first value that is not empty begins.

    `values` are all its values, sorted, if they are few and short; else empty.
    """

    name: str
    example: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FieldsOfFile:
    """The fields of a file in their order, and its first rows."""

    fields: tuple[FieldOfFile, ...]
    rows: tuple[Row, ...]

    @property
    def objects(self) -> set[str]:
        """The fields that have others inside."""
        return {field.name.rpartition(".")[0] for field in self.fields}


def fields_of(name: str, data: bytes) -> FieldsOfFile:
    """Read which fields a file has."""
    rows = [row for row in read_rows(name, data) if isinstance(row, Row)]
    if not rows:
        raise DataError("The file has no row that can be read.")
    return fields_of_rows(rows)


def fields_of_rows(rows: Sequence[Row]) -> FieldsOfFile:
    """Read which fields some rows have."""
    read: dict[str, tuple[str, set[str] | None]] = {}
    for row in rows:
        for field, value in _flat(row.values):
            example, values = read.get(field, ("", set[str]()))
            if (example and values is None) or (field not in read and len(read) == _MOST_FIELDS):
                continue
            words = {*filter(None, map(word_of, _votes(value)))}
            if words and values is not None:
                values |= words
                values = values if max(map(len, words)) <= _LONGEST_VALUE and len(values) <= _MOST_VALUES else None
            read[field] = example or word_of(value)[:_LONGEST_VALUE], values
    listed = (FieldOfFile(field, example, tuple(sorted(values or ()))) for field, (example, values) in read.items())
    return FieldsOfFile(tuple(listed), tuple(rows[:_PREVIEWED]))


def column_uses(file: FieldsOfFile) -> list[ColumnUse]:
    """The fields that look like labels or splits, by their names, or by few values that are words of labels."""
    uses, objects = [], file.objects
    for field in file.fields:
        if field.name in objects or any(word[0] in "[{" for word in field.values):
            continue
        # Of a field with many values, numbers are of interest: its name may make scores look like labels.
        words = field.values or (field.example,) * is_number(field.example)
        use = column_use(field.name, words) if words else None
        # Inside an object, a name alone says little: a prompt may have a label.
        if use and ("." not in use.name or use.part == "split" or not any(label(word).why for word in words)):
            uses.append(use._replace(sure=use.sure and bool(field.values)))
    return uses


def _flat(values: Mapping[str, Any], inside: str = "", depth: int = 1) -> Iterator[tuple[str, Any]]:
    """All fields with their values, also those of objects inside, and of all objects of a list."""
    for key, value in values.items():
        name = f"{inside}{key}"
        yield name, value
        if isinstance(value, list) and value and isinstance(value[0], dict):
            objects = [item for item in value if isinstance(item, dict)]
            value = {inner: [item.get(inner) for item in objects] for inner in objects[0]}
        if isinstance(value, dict) and depth < _DEEPEST:
            yield from _flat(value, f"{name}.", depth + 1)


_NAMES: Mapping[str, Sequence[str]] = {
    "context": NAMES["context"],
    "answer": NAMES["response"],
    "question": NAMES["query"],
    "group": ("group", "question_id", "query_id", "document_id", "doc_id", "source_id", "topic"),
}
_SENTENCES = ("sentence", "text", "claim", "segment", "statement", "content")
"""What the text is called beside the label of a sentence."""


def guess(file: FieldsOfFile, column: ColumnUse | None = None) -> FieldMapping:
    """Guess what the fields of a file are, from their names; a column that is the label or the split may be named."""
    by_name = {bare(field.name): field for field in reversed(file.fields)}
    texts = {name: field for name, field in by_name.items() if field.name not in file.objects}
    chosen = {
        ours: next((there[n].name for n in names if n in there), "")
        for ours, names in _NAMES.items()
        for there in (by_name if ours == "context" else texts,)
    }
    uses = sorted(column_uses(file), key=lambda use: (use != column, use.scores, not use.sure))
    best = {part: next((use for use in uses if use.part == part), None) for part in ("label", "split")}
    chosen |= {part: use.name if use else "" for part, use in best.items()}
    grounded = meaning_grounded(chosen["label"], best["label"].words if best["label"] else ())
    inside = chosen["label"].rpartition(".")[0]
    if sentence := next((name for text in _SENTENCES if (name := f"{inside}.{text}") in {f.name for f in file.fields}), ""):
        chosen |= {"label": "", "sentence": sentence, "sentence_label": chosen["label"]}
    return FieldMapping(**chosen, grounded=grounded)


def meaning_grounded(field: str, values: Sequence[str]) -> tuple[str, ...]:
    """Guess which values of a label mean grounded; of numbers that are not 0 and 1 alone none."""
    return () if on_a_scale(values) else tuple(value for value in values if label(value, field).grounded)


_SHOWN = 6


@dataclass(frozen=True, slots=True)
class ExtraColumns:
    """The columns that look like labels or splits, and of these the ones that are read without asking.

    `label`: None also where several columns of labels do not agree.
    """

    columns: tuple[ColumnUse, ...]
    label: ColumnUse | None
    split: ColumnUse | None

    @classmethod
    def of(cls, rows: Sequence[Values], *, scores: bool = False) -> "ExtraColumns":
        """Look through rows; with `scores`, any number may be one."""
        uses = column_uses(fields_of_rows([Row(0, row) for row in rows]))
        sure = [use for use in uses if use.sure and "." not in use.name and not (scores and any(map(is_number, use.words)))]
        labels, splits = ([use for use in sure if use.part == part] for part in ("label", "split"))
        agree = all(len({label(row.get(use.name), use.name).grounded for use in labels}) == 1 for row in rows)
        return cls(tuple(uses), labels[0] if labels and agree else None, splits[0] if len(splits) == 1 else None)

    def added(self, shape: Shape, values: Values) -> Values:
        """A row with its label and split under the names that the shape reads."""
        if "grounded" not in (shape.uses or ()):
            return values
        more: Values = {}
        if self._labels(shape, values) and self.label:
            read = label(values.get(self.label.name), self.label.name)
            more = {"grounded": read.grounded, "contradicted": read.contradicted}
        if self.split and values.get("split") in (None, ""):
            more["split"] = values.get(self.split.name)
        return values | more

    def labels(self, shape: Shape, values: Values) -> list[tuple[str, LabelReading]]:
        """The labels of a row as they are written, each with what it is taken for."""
        if not self._labels(shape, values) or not self.label:
            return shape.labels(values)
        value = values.get(self.label.name)
        return [(word_of(value), label(value, self.label.name))]

    def _labels(self, shape: Shape, values: Values) -> bool:
        return bool(self.label) and "grounded" in (shape.uses or ()) and values.get("grounded") in (None, "")

    def notes(self, rows: Sequence[Row], shapes: Collection[Shape], labels: Counter[tuple[str, str]]) -> tuple[str, list[str]]:
        """What to ask about a column of labels, or nothing; and what to say of all these columns."""
        unread = sorted(word for word, meaning in labels if "(no word" in meaning)
        notes = [f"Not read as labels: {', '.join(unread[:_SHOWN])}. A label is one of {TAKEN}."] if unread else []
        if not shapes or any(shape.uses is None for shape in shapes):
            return "", notes
        named = dict.fromkeys(name for shape in shapes for name in shape.uses or ())
        used = named | plain_names(named, {})
        filled = any("grounded" in (shape.uses or ()) for shape in shapes)
        taken = [use for use in (self.label, self.split) if filled and use and use.name not in used]
        left = [use for use in self.columns if use.name.partition(".")[0] not in used and use not in taken]
        for use in taken:
            sense = ": yes there means not grounded" if use.part == "label" and reversed_sense(use.name) else ""
            notes.append(f"The column {use.title} is read as the {use.part}{sense}.")
        for use in (use for use in left if use.scores):
            score = max((word for word in use.words if label(word).why), key=len)
            notes.append(f"The column {use.title} is not used: numbers such as {score} are scores and no labels.")
        unsure = ""
        for use in (use for use in left if not use.scores):
            line = self.line(rows, use)
            words = f"The column {use.title} ({', '.join(use.words[:_SHOWN])}) looks like a {use.part} and is not used"
            notes.append(f'{words}; to use it: --map "{line}"')
            if use.part == "label" and not labels and not unsure:
                unsure = f'{words}: what do its values mean? Say it: --map "{line}"'
        if unread and not unsure and len(unread) == len(labels) and "label" in used and "grounded" not in used:
            unsure = f'{notes[0]} Say which values mean grounded: --map "{self.line(rows, None)}"'
        return unsure, notes

    @staticmethod
    def line(rows: Sequence[Row], use: ColumnUse | None) -> str:
        """The mapping to copy: as it is guessed, with the column; the values that mean grounded are for the user to check."""
        file = fields_of_rows(rows)
        named = (other for other in column_uses(file) if use and use.name in plain_names({other.name: 0}, {}))
        mapping = guess(file, next(named, use))
        mapping = replace(mapping, context=mapping.context or "FIELD", answer=mapping.answer or "FIELD")
        ours = mapping.label or mapping.sentence_label
        return (replace(mapping, grounded=("VALUE",)) if ours and not mapping.grounded else mapping).line
