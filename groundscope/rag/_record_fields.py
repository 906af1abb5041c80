"""Fields of one record of results: an optional field that cannot be read is skipped with a warning, and the row stays."""

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from groundscope.cases.labels import truth
from groundscope.cases.passages import plain_passages
from groundscope.files import fields
from groundscope.files.literals import parse_json, structure
from groundscope.rag.asking import RAW
from groundscope.rag.corpora._rows import Complaints, name_of
from groundscope.types import Passage

Value = TypeVar("Value")

UNREAD = "The verdict cannot be read. It says:"
_VERDICT = ("correct", "grounded", "reasoning", "unsupported_claim")
_NAMES = ("judge_verdict", "verdict")
"""What the verdict is called by the code of Legal RAG Bench, and here."""
_TEXTS = ("text", "page_content", "content")
"""What the text of a passage is called here and elsewhere."""


class Fields:
    """One row's fields; complaints about what cannot be read go to `found`."""

    def __init__(self, values: Mapping[str, Any], number: int, complaints: Complaints) -> None:
        self._values, self._number, self._complaints = values, number, complaints

    def text(self, field: str) -> str:
        """Read a text, also a number as one; empty if it is missing or cannot be read."""
        return self._read(field, _text, "", "that is no text")

    def k(self, question: str) -> int | None:
        """Read how many passages the answer was written from, which `result_id` begins with: `5-q1`; None where it does not."""
        match = _RESULT.fullmatch(str(self._values.get("result_id")))
        return int(match["k"]) if match and match["question"] == question else None

    def ids(self, field: str) -> tuple[str, ...]:
        """Read an id or a list of ids, also as JSON in a text: distinct ones in their order, none if they cannot be read."""
        return self._read(field, _ids, (), "that is neither an id nor a list of ids")

    def truth(self, field: str) -> bool | None:
        """Read a truth value; None if it is missing or cannot be read."""
        return self._read(field, partial(truth, field=field), None, "that is neither true nor false")

    def passages(self, field: str) -> tuple[Passage, ...]:
        """Read a text, or a list of texts or passages, also as JSON in a text; none if they cannot be read.

        The id of one is empty where the row gives none, since invented ones would be compared with real ones.
        """
        return self._read(field, _passages, (), "that is neither a text nor a list of texts or passages")

    def _read(self, field: str, read: Callable[[Any], Value], nothing: Value, wrong: str) -> Value:
        value = self._values.get(field)
        if value is None or value == "":
            return nothing
        try:
            return read(value)
        except ValueError:
            self._complaints.add(f"a '{field}' {wrong} (ignored)", self._number)
            return nothing


_RESULT = re.compile(r"(?P<k>\d{1,6})-(?P<question>.+)", re.S)


def _text(value: object) -> str:
    if isinstance(value, list) and value and all(isinstance(part, dict) and isinstance(part.get("text"), str) for part in value):
        # Some chat models reply in parts, which the code of Legal RAG Bench writes as they come.
        value = "".join(part["text"] for part in value)
    if isinstance(value, str):
        return fields.clean(value)
    if not (text := name_of(value)):
        raise ValueError("no text")
    return text


def _parsed(value: object) -> object:
    """The list that a text may hold; a text that only begins like one stays a text."""
    listed = structure(value) if isinstance(value, str) and value.lstrip().startswith("[") else None
    return value if listed is None else listed


def _ids(value: object) -> tuple[str, ...]:
    parsed = _parsed(value)
    names = [name_of(item) for item in (parsed if isinstance(parsed, list) else [parsed])]
    if not all(names):
        raise ValueError("no id")
    return tuple(dict.fromkeys(names))


def _passages(value: object) -> tuple[Passage, ...]:
    parsed = _parsed(value)
    if isinstance(parsed, str):
        return tuple(Passage("", p.text, p.source) for p in plain_passages(parsed))
    if not isinstance(parsed, list):
        raise ValueError("no passages")
    return tuple(map(_passage, parsed))


def _passage(item: object) -> Passage:
    if isinstance(item, str):
        return Passage("", fields.clean(item))
    if not isinstance(item, dict):
        raise ValueError("no passage")
    more = item.get("metadata")
    values = {**more, **item} if isinstance(more, dict) else item
    text = next((values[n] for n in _TEXTS if isinstance(values.get(n), str)), None)
    if text is None:
        raise ValueError("no text")
    return Passage(name_of(values.get("id")), fields.clean(text), name_of(values.get("source")) or name_of(values.get("title")))


def with_verdict(row: Mapping[str, Any]) -> dict[str, Any]:
    """Put what a row's `judge_verdict` or `verdict` says into a copy of the row, where it replaces what the row says.

    Of a verdict that cannot be read, the first `RAW` characters become the reasons, and `correct` and `grounded` are None
    unless the row has them. So they do of the reply that the code of Legal RAG Bench keeps as `raw` where it could not read it.
    """
    values = dict(row)
    verdict = next((row[name] for name in _NAMES if row.get(name) is not None and str(row[name]).strip()), None)
    if verdict is None:
        return values
    parsed: Any = verdict
    if isinstance(verdict, str):
        try:
            parsed = parse_json(verdict)
        except ValueError:
            parsed = None
    if not (isinstance(parsed, dict) and {"correct", "grounded"} <= {*parsed, *values}):
        raw = verdict if isinstance(verdict, str) else json.dumps(verdict, ensure_ascii=False)
        return {"correct": None, "grounded": None, "reasoning": _unread(raw)} | values
    merged = values | {name: parsed[name] for name in _VERDICT if name in parsed}
    reply = parsed.get("raw")
    unread = isinstance(reply, str) and merged["correct"] is None and merged["grounded"] is None
    return merged | {"reasoning": _unread(str(reply))} if unread else merged


def _unread(raw: str) -> str:
    return f"{UNREAD} {raw[:RAW]}"
