"""Which fields a file has, and a guess at what they are."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groundscope.cases.mapping.field_mapping import FieldMapping, word_of
from groundscope.errors import DataError
from groundscope.files.rows import Row, read_rows

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
    found: dict[str, tuple[str, set[str] | None]] = {}
    for row in rows:
        for field, value in _flat(row.values):
            if field not in found and len(found) == _MOST_FIELDS:
                continue
            example, values = found.get(field, ("", set[str]()))
            word = word_of(value)
            if word and values is not None:
                values = values | {word} if len(word) <= _LONGEST_VALUE and len(values | {word}) <= _MOST_VALUES else None
            found[field] = example or word[:_LONGEST_VALUE], values
    listed = (FieldOfFile(field, example, tuple(sorted(values or ()))) for field, (example, values) in found.items())
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


def guess(found: FieldsOfFile) -> FieldMapping:
    """Guess what the fields of a file are, from their names."""
    by_name = {_plain(field.name): field for field in reversed(found.fields)}
    chosen = {ours: next((by_name[n].name for n in names if n in by_name), "") for ours, names in _NAMES.items()}
    values = next((field.values for field in found.fields if field.name == chosen["label"]), ())
    return FieldMapping(**chosen, grounded=meaning_grounded(chosen["label"], values))


def meaning_grounded(label: str, values: Sequence[str]) -> tuple[str, ...]:
    """Guess which values of a label mean grounded."""
    meant = _MEANS_NOT if any(word in label.lower() for word in _REVERSED) else _MEANS_GROUNDED
    return tuple(value for value in values if value.lower() in meant)


def _plain(name: str) -> str:
    return name.rpartition(".")[2].strip().lower().replace(" ", "_").replace("-", "_")
