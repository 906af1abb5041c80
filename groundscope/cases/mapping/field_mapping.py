"""Map the fields of an unknown file to those of a case.

A field inside another one is written with a dot (`metadata.topic`), also in a list of objects.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from groundscope.cases.formats import Shape, Values
from groundscope.cases.formats._format import stance
from groundscope.cases.own_format import own_case
from groundscope.errors import DataError
from groundscope.files import fields as typed
from groundscope.files.rows import Row, read_rows
from groundscope.types import Case


@dataclass(frozen=True, slots=True)
class FieldMapping:
    """Which field of a file is what; an empty one is not in the file.

    Attributes:
        context: the sources: a text, a list of texts, or a list of objects with a text.
        grounded: values of the label that mean grounded, any other means ungrounded; empty = the words of the app's own format.
        group: what all answers to one question share.
    """

    context: str
    answer: str
    question: str = ""
    label: str = ""
    grounded: tuple[str, ...] = ()
    split: str = ""
    group: str = ""

    @property
    def line(self) -> str:
        """The mapping as `from_line` reads it."""
        named = {name: value for name, value in asdict(self).items() if value}
        return ",".join(f"{name}={'|'.join(v) if isinstance(v, tuple) else v}" for name, v in named.items())


def from_line(line: str) -> FieldMapping:
    """Read a mapping as it is typed in a shell."""
    names = [field.name for field in fields(FieldMapping)]
    chosen: dict[str, Any] = {}
    for part in line.split(","):
        name, sign, value = (word.strip() for word in part.partition("="))
        if not sign or name not in names or not value:
            raise ValueError(f"--map has parts such as context=FIELD, parted by commas; the names are {', '.join(names)}")
        chosen[name] = tuple(value.split("|")) if name == "grounded" else value
    if not chosen.keys() >= {"context", "answer"}:
        raise ValueError("--map must name at least the fields of context and answer: context=FIELD,answer=FIELD")
    return FieldMapping(**chosen)


def word_of(value: object) -> str:
    """A value as a short text: no fraction of a whole number, truth values in small letters; empty for what holds nothing."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, list):
        value = next((v for v in value if v), "")
    return "" if value is None or isinstance(value, dict) else " ".join(typed.clean(str(value)[:500]).split())


def at(values: Mapping[str, Any], field: str) -> Any:
    """Look up a field."""
    if field in values or "." not in field:
        return values.get(field)
    for place in (i for i, letter in enumerate(field) if letter == "."):
        inner, rest = values.get(field[:place]), field[place + 1 :]
        if isinstance(inner, dict):
            return at(inner, rest)
        if isinstance(inner, list):
            entries = [at(item, rest) for item in inner if isinstance(item, dict)]
            return [item for item in entries if item is not None]
    return None


def mapped(values: Values, mapping: FieldMapping, default_id: str) -> Case:
    """Make a case of a row.

    Raises:
        ValueError: a field is missing, or holds something else than it must; the message names it.
    """
    named: Values = {"id": values.get("id") if isinstance(values.get("id"), str | int) else None}
    for ours, theirs in (("query", mapping.question), ("response", mapping.answer)):
        named[ours] = _text(values, theirs) if theirs else ""
    context = at(values, mapping.context)
    if context is None or isinstance(context, bool | int | float):
        raise ValueError(f"'{mapping.context}' must be a text or a list of passages, it is {typed.kind(context)}.")
    named["context"] = [context] if isinstance(context, dict) else context
    for ours in ("split", "group"):
        theirs = getattr(mapping, ours)
        named[ours] = at(values, theirs) if theirs else None
    named["grounded"] = _grounded(values, mapping)
    if named["grounded"] is False:
        named["contradicted"] = stance(word_of(at(values, mapping.label)))
    return own_case(named, default_id)


def _text(values: Values, field: str) -> str:
    value = at(values, field)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"'{field}' must be text, it is {typed.kind(value)}.")
    return str(value)


def _grounded(values: Values, mapping: FieldMapping) -> bool | None:
    if not mapping.label:
        return None
    word = word_of(at(values, mapping.label))
    if not word or not mapping.grounded:
        return typed.label(word, mapping.label)
    return word.casefold() in {value.casefold() for value in mapping.grounded}


def shape_of(mapping: FieldMapping) -> Shape:
    """Make a shape that a file is read by."""
    needed = (mapping.context, mapping.answer)
    return Shape(
        "mapped fields",
        lambda values: all(at(values, field) is not None for field in needed),
        lambda values, default_id: iter((mapped(values, mapping, default_id),)),
        rank=0,
    )


_PREVIEWED = 3
_MOST_FIELDS, _DEEPEST = 200, 3
_MOST_VALUES = 12
"""Different values that a label may have; a field with more is no label."""
_LONGEST_VALUE = 60


@dataclass(frozen=True, slots=True)
class FieldOfFile:
    """A field of a file.

    Attributes:
        example: how its first value that is not empty begins.
        values: all its values, sorted, if they are few and short; else empty.
    """

    name: str
    example: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FieldsOfFile:
    """The fields of a file in their order, and its first rows."""

    fields: tuple[FieldOfFile, ...]
    rows: tuple[Row, ...]


def fields_of(name: str, data: bytes) -> FieldsOfFile:
    """Read which fields a file has."""
    rows = [row for row in read_rows(name, data) if isinstance(row, Row)]
    if not rows:
        raise DataError("The file has no row that can be read.")
    read: dict[str, tuple[str, set[str] | None]] = {}
    for row in rows:
        for field, value in _flat(row.values):
            if field not in read and len(read) == _MOST_FIELDS:
                continue
            example, values = read.get(field, ("", set[str]()))
            word = word_of(value)
            if word and values is not None:
                values = values | {word} if len(word) <= _LONGEST_VALUE and len(values | {word}) <= _MOST_VALUES else None
            read[field] = example or word[:_LONGEST_VALUE], values
    listed = (FieldOfFile(field, example, tuple(sorted(values or ()))) for field, (example, values) in read.items())
    return FieldsOfFile(tuple(listed), tuple(rows[:_PREVIEWED]))


def _flat(values: Mapping[str, Any], inside: str = "", depth: int = 1) -> Iterator[tuple[str, Any]]:
    """All fields with their values, also those of objects inside, and of the first object of a list."""
    for key, value in values.items():
        name = f"{inside}{key}"
        yield name, value
        first = value[0] if isinstance(value, list) and value else value
        if isinstance(first, dict) and depth < _DEEPEST:
            yield from _flat(first, f"{name}.", depth + 1)


_NAMES: Mapping[str, Sequence[str]] = {
    "context": (
        *("context", "contexts", "retrieved_contexts", "retrieval_context", "documents", "document", "docs", "doc", "passages"),
        *("passage", "sources", "source", "evidence", "references", "premise", "article", "grounding", "knowledge", "text"),
    ),
    "answer": (
        *("answer", "response", "actual_output", "output", "claim", "hypothesis", "summary", "generated_text", "completion"),
        *("generation", "prediction", "statement", "sentence", "reply"),
    ),
    "question": ("question", "query", "user_input", "prompt", "input", "instruction", "q"),
    "label": ("grounded", "label", "gold", "gold_label", "verdict", "faithful", "supported", "consistent", "hallucination"),
    "split": ("split", "fold", "partition", "subset"),
    "group": ("group", "question_id", "query_id", "document_id", "doc_id", "source_id", "topic"),
}
"""What fields are called elsewhere, the likeliest first."""
_MEANS_GROUNDED = {
    *("true", "1", "yes", "grounded", "supported", "supports", "support", "entailment", "entailed", "faithful", "attributable"),
    *("consistent", "correct", "factual", "pass"),
}
_REVERSED = ("hallucinat", "unfaithful", "unsupported", "ungrounded")
_MEANS_NOT = {"false", "0", "no", "none"}


def guess(file: FieldsOfFile) -> FieldMapping:
    """Guess what the fields of a file are, from their names."""
    by_name = {_plain(field.name): field for field in reversed(file.fields)}
    chosen = {ours: next((by_name[n].name for n in names if n in by_name), "") for ours, names in _NAMES.items()}
    values = next((field.values for field in file.fields if field.name == chosen["label"]), ())
    return FieldMapping(**chosen, grounded=meaning_grounded(chosen["label"], values))


def meaning_grounded(label: str, values: Sequence[str]) -> tuple[str, ...]:
    """Guess which values of a label mean grounded."""
    meant = _MEANS_NOT if any(word in label.lower() for word in _REVERSED) else _MEANS_GROUNDED
    return tuple(value for value in values if value.lower() in meant)


def _plain(name: str) -> str:
    return name.rpartition(".")[2].strip().lower().replace(" ", "_").replace("-", "_")
