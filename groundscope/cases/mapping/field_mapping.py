"""What a field of a file is, and a case made of a row by it.

A field inside another one is written with a dot (`metadata.topic`), also in a list of objects.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from groundscope.cases.formats import Shape, Values
from groundscope.cases.own_format import own_case
from groundscope.files import fields as typed
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
    known = [field.name for field in fields(FieldMapping)]
    given: dict[str, Any] = {}
    for part in line.split(","):
        name, sign, value = (word.strip() for word in part.partition("="))
        if not sign or name not in known or not value:
            raise ValueError(f"--map has parts such as context=FIELD, parted by commas; the names are {', '.join(known)}")
        given[name] = tuple(value.split("|")) if name == "grounded" else value
    if not given.keys() >= {"context", "answer"}:
        raise ValueError("--map must name at least the fields of context and answer: context=FIELD,answer=FIELD")
    return FieldMapping(**given)


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
            found = [at(item, rest) for item in inner if isinstance(item, dict)]
            return [item for item in found if item is not None]
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
    return own_case(named, default_id)


def _text(values: Values, field: str) -> str:
    value = at(values, field)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"'{field}' must be text, it is {typed.kind(value)}.")
    return str(value)


def _grounded(values: Values, mapping: FieldMapping) -> bool | None:
    if not mapping.label:
        return None
    found = word_of(at(values, mapping.label))
    if not found or not mapping.grounded:
        return typed.label(found, mapping.label)
    return found.casefold() in {value.casefold() for value in mapping.grounded}


def shape_of(mapping: FieldMapping) -> Shape:
    """Make a shape that a file is read by."""
    needed = (mapping.context, mapping.answer)
    return Shape(
        "mapped fields",
        lambda values: all(at(values, field) is not None for field in needed),
        lambda values, default_id: iter((mapped(values, mapping, default_id),)),
        rank=0,
    )
