"""Read cases in Groundscope's own format."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from groundscope.cases.error_types import TITLES
from groundscope.cases.labels import LabelReading, label, truth, word_of
from groundscope.cases.messages import answer, question
from groundscope.cases.passages import passages
from groundscope.files import fields
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Passage

OWN_FIELDS = frozenset({"grounded", "contradicted", "split", *(name for names in fields.ALIASES.values() for name in names)})
"""Fields of a row that are no other column's business: its texts, its label and its split."""


def own_labels(values: dict[str, Any]) -> list[tuple[str, LabelReading]]:
    """The label of a row as it is written, and what it is taken for."""
    return [(word_of(values.get("grounded")), label(values.get("grounded")))]


def own_case(values: dict[str, Any], default_id: str) -> Case:
    """Read a case with the app's field names, or with their common names elsewhere (question, answer, contexts, ...)."""
    response = answer(values)
    name, sources = fields.field_of(values, "context")
    context = passages(sources, name)
    errors = fields.items(values, "errors")
    spans = tuple(_error(e, response) for e in errors if not _placeless(e))
    read = label(values.get("grounded"))
    named = typed_errors([*filter(_placeless, errors), *fields.items(values, "error_types")])
    return fields.sized(
        Case(
            id=fields.optional(values, "id") or default_id,
            query=question(values),
            context=context,
            response=response,
            grounded=read.grounded,
            errors=spans,
            error_types=tuple(kind for kind, _ in named),
            reasons=tuple((kind, why) for kind, why in named if why),
            evidence=tuple(_evidence(e, response, context) for e in fields.items(values, "evidence")),
            unsupported=tuple(fields.pair(u, "unsupported", len(response)) for u in fields.items(values, "unsupported")),
            split=fields.split_name(values),
            group=fields.optional(values, "group"),
            parent=fields.optional(values, "parent"),
            area=fields.optional(values, "area") or "",
            note=fields.optional(values, "note") or "",
            contradicted=truth(values.get("contradicted"), "contradicted") if read.contradicted is None else read.contradicted,
            numbered=values.get("numbered") is True,
        )
    )


LABELLED = frozenset({"grounded", "contradicted", "split"})
"""Fields of a row of another tool's export that are read beside its texts."""


def exported(values: dict[str, Any], default_id: str, **texts: Any) -> Case:
    """Make a case of another tool's row: its texts under the app's names, with the label and the split of the row, if any.

    All answers to a question are one group.
    """
    case = own_case({name: values.get(name) for name in LABELLED} | texts, default_id)
    return replace(case, group=case.query or None)


def _placeless(item: object) -> bool:
    """Whether an entry of `errors` is a type alone, of the response as a whole."""
    return isinstance(item, str) or (isinstance(item, dict) and "type" in item and not item.keys() & {"start", "end", "text"})


def typed_errors(entries: Iterable[object]) -> tuple[tuple[ErrorType, str], ...]:
    """Read types of errors that stand at no span."""
    whys: dict[ErrorType, list[str]] = {}
    for item in entries:
        values = item if isinstance(item, dict) else {"type": item}
        why = fields.optional(values, "why") or ""
        of_type = whys.setdefault(_type(values.get("type")), [])
        if why and why not in of_type:
            of_type.append(why)
    return tuple((kind, "; ".join(whys[kind])) for kind in ErrorType if kind in whys)


def _type(name: object) -> ErrorType:
    """An error type by its id or its title."""
    label = " ".join(str(name).split()).casefold()
    for kind, title in TITLES.items():
        if label in (kind.value, title.casefold()):
            return kind
    raise ValueError(f"The type of an error must be one of {', '.join(ErrorType)}.")


def _error(item: object, response: str) -> ErrorSpan:
    start, end = fields.numbers(item, ("start", "end"), "errors")
    values = item if isinstance(item, dict) else {}
    if not 0 <= start < end <= len(response):
        raise ValueError(f"An error span ({start}, {end}) lies outside the response.")
    quoted = values.get("text")
    if quoted is not None and (not isinstance(quoted, str) or fields.clean(quoted) != response[start:end]):
        raise ValueError(f"The text of the error span ({start}, {end}) is not what stands there in the response.")
    kind = _type(values.get("type"))
    return ErrorSpan(start, end, kind, fields.optional(values, "why") or "", truth(values.get("contradicted"), "contradicted"))


def _evidence(item: object, response: str, context: tuple[Passage, ...]) -> EvidenceSpan:
    names = ("response_start", "response_end", "passage", "start", "end")
    first, last, passage, start, end = fields.numbers(item, names, "evidence")
    if not 0 <= first < last <= len(response):
        raise ValueError("An evidence span's response side lies outside the response.")
    if not 0 <= passage < len(context) or not 0 <= start < end <= len(context[passage].text):
        raise ValueError("An evidence span lies outside the context.")
    return EvidenceSpan(first, last, passage, start, end)
