"""Read cases in Groundscope's own format."""

import re
from collections.abc import Iterable
from typing import Any

from groundscope.cases.error_types import TITLES
from groundscope.cases.labels import LabelReading, label, truth, word_of
from groundscope.cases.pasted import plain_passages
from groundscope.files import fields
from groundscope.files.rows import parse_json
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Passage

_TEXTS = ("text", "page_content", "content", "body")
"""What the text of a passage is called, here and in what other programs write."""
_ESCAPED = r"\\(?:[\\'\"nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U000[0-9a-f]{5})"
_LETTERS = {"n": "\n", "r": "\r", "t": "\t"}
_PRINTED = rf"""'(?:[^'\\\n]|{_ESCAPED})*'|"(?:[^"\\\n]|{_ESCAPED})*\""""
_PRINTED_LIST = re.compile(rf"\[\s*(?:(?:{_PRINTED})[\s,]*)+\]")
"""A list of texts as Python prints it, with commas or, from numpy, without: what pandas writes into a cell."""


OWN_FIELDS = frozenset({"grounded", "contradicted", "split", *(name for names in fields.ALIASES.values() for name in names)})
"""Fields of a row that are no other column's business: its texts, its label and its split."""


def own_labels(values: dict[str, Any]) -> list[tuple[str, LabelReading]]:
    """The label of a row as it is written, and what it is taken for."""
    return [(word_of(values.get("grounded")), label(values.get("grounded")))]


def own_case(values: dict[str, Any], default_id: str) -> Case:
    """Read a case with the app's field names, or with their common names elsewhere (question, answer, contexts, ...)."""
    response = fields.text(values, "response")
    context = passages(next(values[n] for n in fields.ALIASES["context"] if n in values))
    errors = fields.items(values, "errors")
    spans = tuple(_error(e, response) for e in errors if not _placeless(e))
    read = label(values.get("grounded"))
    named = typed_errors([*filter(_placeless, errors), *fields.items(values, "error_types")])
    return fields.sized(
        Case(
            id=fields.optional(values, "id") or default_id,
            query=fields.text(values, "query"),
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
        )
    )


def passages(value: object) -> tuple[Passage, ...]:
    """Read passages from a list or from one text.

    In plain text, a line of three or more dashes begins a new passage, and so does a line `Source: ...`, which names it.
    """
    if isinstance(value, str):
        stripped = value.strip()
        if not stripped.startswith("["):
            return plain_passages(value)
        try:
            value = parse_json(stripped)
        except ValueError:
            if not _PRINTED_LIST.fullmatch(stripped):
                return plain_passages(stripped)
            value = [re.sub(_ESCAPED, _unescaped, text[1:-1]) for text in re.findall(_PRINTED, stripped)]
    if not isinstance(value, list):
        raise ValueError(f"'context' must be a text or a list of passages, it is {fields.kind(value)}.")
    return tuple(_passage(item, number) for number, item in enumerate(value, 1))


def _unescaped(escape: re.Match[str]) -> str:
    """The character that Python prints as an escape."""
    name = escape[0][1:]
    return _LETTERS.get(name, name) if len(name) == 1 else chr(int(name[1:], 16))


def _passage(item: object, number: int) -> Passage:
    if isinstance(item, str):
        return Passage(f"p{number}", fields.clean(item))
    named = next((item[n] for n in _TEXTS if isinstance(item.get(n), str)), None) if isinstance(item, dict) else None
    if isinstance(item, dict) and named is not None:
        source = fields.optional(item, "source") or fields.optional(item, "title") or ""
        text = fields.clean(named)
        return Passage(fields.optional(item, "id") or f"p{number}", text, source, _pages(fields.items(item, "pages"), len(text)))
    raise ValueError(f"Passage {number} of 'context' must be a text or an object with a 'text'.")


def _pages(pages: list[Any], size: int) -> tuple[tuple[int, int], ...]:
    if not all(isinstance(p, list) and len(p) == 2 and all(map(fields.whole, p)) for p in pages):
        raise ValueError("Each entry of a passage's 'pages' must be [start, number].")
    starts = [start for start, _ in pages]
    if starts != sorted(set(starts)) or any(not 0 <= start <= size or number < 1 for start, number in pages):
        raise ValueError("The 'pages' of a passage must rise and begin inside its text.")
    return tuple((start, number) for start, number in pages)


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
