"""Which field of a row is what of a case: said by a user for an unknown file, or here for a data set as it is published."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from groundscope.cases.formats._format import Shape, Span, Values, group_of, split_of
from groundscope.cases.labels import LabelReading, label, word_of
from groundscope.cases.messages import parsed
from groundscope.cases.own_format import own_case
from groundscope.files import fields
from groundscope.types import Case


@dataclass(frozen=True, slots=True)
class FieldMapping:
    """Which field of a file is what; an empty one is not in the file.

    A field inside another one is written with a dot (`metadata.topic`), also in a list of objects (`votes.label`, or
    `votes[].label`): several labels of a response are votes, of which the majority counts.

    Attributes:
        context: the sources: a text, a list of texts, or a list of objects with a text.
        grounded: values of the label that mean grounded, any other means ungrounded; empty = `groundscope.cases.labels.TAKEN`.
        group: what all answers to one question share.
        sentence: the sentences of the answer, which are joined where no field has the whole answer.
        sentence_label: a label, or votes, for each sentence; one that is not grounded makes an answer without a label ungrounded.
    """

    context: str
    answer: str
    question: str = ""
    label: str = ""
    grounded: tuple[str, ...] = ()
    split: str = ""
    group: str = ""
    sentence: str = ""
    sentence_label: str = ""
    id: str = ""
    area: str = ""

    @property
    def named(self) -> dict[str, str]:
        """The fields of the file by their part."""
        return {part: name for part, name in asdict(self).items() if name and isinstance(name, str)}

    @property
    def line(self) -> str:
        """The mapping as `groundscope.cases.mapping.field_mapping.from_line` reads it."""
        parts = {name: value for name, value in asdict(self).items() if value}
        return ",".join(f"{name}={'|'.join(v) if isinstance(v, tuple) else v}" for name, v in parts.items())

    def labels(self, values: Values) -> list[tuple[str, LabelReading]]:
        """Read the labels of a row: of the response, or of its sentences; each as it is written, and what it is taken for."""
        name = self.label or self.sentence_label
        value = at(values, name)
        several = value if name == self.sentence_label and isinstance(value, list) else [value]
        return [(_written(each), label(each, name, self.grounded)) for each in several] if name else []


def at(values: Mapping[str, Any], field: str) -> Any:
    """Look up a field; in a list of objects that of each, None where one lacks it."""
    field = field.replace("[]", "")
    if field in values or "." not in field:
        return values.get(field)
    for place in (i for i, letter in enumerate(field) if letter == "."):
        inner, rest = parsed(values.get(field[:place])), field[place + 1 :]
        if isinstance(inner, dict):
            return at(inner, rest)
        if isinstance(inner, list):
            items = [at(item, rest) for item in inner if isinstance(item, dict)]
            return items if any(item is not None for item in items) else None
    return None


def _written(value: Any) -> str:
    """Votes in order, so that equal ones are counted together."""
    if isinstance(value, dict):
        value = list(value.values())
    return ", ".join(sorted(map(_written, value))) if isinstance(value, list) else word_of(value)


def mapped(values: Values, mapping: FieldMapping, default_id: str, query: str = "") -> Case:
    """Make a case of a row by a mapping of its fields; `default_id` and `query` stand in where the row has none.

    Raises ValueError, which names the field, if one is missing or holds something else than it must.
    """
    sentences = _sentences(values, mapping)
    name = at(values, mapping.id or "id")
    named: Values = {"id": name if isinstance(name, str | int) and not isinstance(name, bool) else None}
    named["query"] = _text(values, mapping.question) if mapping.question else query
    named["response"] = _text(values, mapping.answer) if mapping.answer else " ".join(sentences)
    named["context"] = _context(values, mapping)
    for ours in ("split", "group", "area"):
        theirs = getattr(mapping, ours)
        named[ours] = at(values, theirs) if theirs else None
    read = label(at(values, mapping.label), mapping.label, mapping.grounded) if mapping.label else LabelReading(None)
    case = own_case(named, default_id)
    wrong: tuple[Span, ...] = ()
    if mapping.sentence_label:
        of_sentences, wrong = _of_sentences(values, mapping, sentences, case.response)
        read = of_sentences if read.grounded is None else read
    group = case.group or (None if case.query.strip() else group_of("\n".join(p.text for p in case.context)))
    return replace(case, grounded=read.grounded, contradicted=read.contradicted, unsupported=wrong, group=group)


def _context(values: Values, mapping: FieldMapping) -> Any:
    context = at(values, mapping.context)
    if context is None or isinstance(context, bool | int | float):
        raise ValueError(f"'{mapping.context}' must be a text or a list of passages, it is {fields.kind(context)}.")
    if isinstance(context, list):
        return [item for item in context if item is not None]
    return [context] if isinstance(context, dict) else context


def _text(values: Values, field: str) -> str:
    value = at(values, field)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"'{field}' must be text, it is {fields.kind(value)}.")
    return str(value)


def _sentences(values: Values, mapping: FieldMapping) -> list[str]:
    if not mapping.sentence:
        return []
    sentences = at(values, mapping.sentence)
    if not isinstance(sentences, list) or not all(isinstance(text, str) for text in sentences):
        raise ValueError(f"'{mapping.sentence}' must be a list of texts.")
    return [fields.clean(text) for text in sentences]


def _of_sentences(
    values: Values, mapping: FieldMapping, sentences: Sequence[str], response: str
) -> tuple[LabelReading, tuple[Span, ...]]:
    """The label that those of the sentences make of the response, and where those stand that are not grounded."""
    labels = at(values, mapping.sentence_label)
    if not isinstance(labels, list) or len(labels) != len(sentences):
        raise ValueError(f"'{mapping.sentence_label}' must have a label for each of '{mapping.sentence}'.")
    read = [label(value, mapping.sentence_label, mapping.grounded) for value in labels]
    wrong, position = [], 0
    for text, its in zip(sentences, read, strict=True):
        # Lists of sentences often differ from their answer in white space.
        there = re.compile(r"\s+".join(map(re.escape, text.split()))).search(response, position)
        if there and there[0]:
            position = there.end()
            wrong += [there.span()] if its.grounded is False else []
    bad = [its.contradicted for its in read if its.grounded is False]
    if bad:
        return LabelReading(False, bad[0] if len(set(bad)) == 1 else None), tuple(wrong)
    return LabelReading(True if read and all(its.grounded for its in read) else None), ()


def shape_of(mapping: FieldMapping) -> Shape:
    """Make a shape that a file is read by."""
    needed = (mapping.context, mapping.answer or mapping.sentence)
    return Shape(
        "mapped fields",
        lambda values: all(at(values, field) is not None for field in needed),
        lambda values, default_id: iter((mapped(values, mapping, default_id),)),
        rank=0,
        labels=mapping.labels,
        uses=frozenset(name.replace("[]", "").partition(".")[0] for name in mapping.named.values()),
    )


def published(
    title: str,
    mapping: FieldMapping,
    also: Sequence[str] = (),
    *,
    query: str = "",
    licence: str | Callable[[Values], str] = "",
    rank: int,
    completed: Callable[[Case, Values], Case] = lambda case, _: case,
) -> Shape:
    """Make the shape of a public data set, whose rows have the fields of a mapping and some more.

    `completed` adds to a case what no mapping says; it raises ValueError where the row cannot be used.
    """
    needed = {*also, *(name.partition(".")[0] for part, name in mapping.named.items() if part not in ("id", "area", "split"))}

    def cases(values: Values, default_id: str) -> Iterator[Case]:
        text = values[mapping.context]
        # A document is one passage, whatever lines it has.
        whole = {mapping.context: [text]} if isinstance(text, str) and not text.lstrip().startswith("[") else {}
        case = mapped(values | whole, mapping, default_id, query)
        if not any(passage.text.strip() for passage in case.context):
            raise ValueError(f"'{mapping.context}' holds no text to compare the {mapping.answer or 'answer'} with.")
        group = group_of(case.context[0].text) if query else case.group
        yield completed(replace(case, split=case.split or split_of(values), group=group), values)

    noted = licence if callable(licence) else lambda _: licence
    return Shape(title, lambda values: values.keys() >= needed, cases, noted, rank, mapping.labels)
