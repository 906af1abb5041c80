"""TruLens' records (`get_records_and_feedback`): input, output, and what was retrieved, as its traces or its feedback have it."""

from collections.abc import Iterator
from typing import Any

from groundscope.cases.formats._format import Shape, Values
from groundscope.cases.messages import parsed
from groundscope.cases.own_format import LABELLED, exported, own_labels
from groundscope.cases.passages import passages
from groundscope.files import fields
from groundscope.types import Case

_MARKS = {"record_id", "record_json", "app_id", "app_name"}
_LISTED = ("ai.observability.retrieval.retrieved_contexts", "retrieved_contexts", "contexts", "context")
_JUDGED = ("source", "context", "contexts")
"""What feedback functions call the text that they compare an answer or a question with."""


def _cases(values: Values, default_id: str) -> Iterator[Case]:
    context = list(_context(values))
    if not context:
        raise ValueError("No retrieved text was found in it: neither in its trace nor in what its feedback functions were given.")
    yield exported(
        values,
        default_id,
        id=fields.optional(values, "case_id") or fields.optional(values, "record_id"),
        query=fields.text(values, "input"),
        context=context,
        response=fields.text(values, "output"),
        area=fields.optional(values, "app_name") or fields.optional(values, "app_id"),
    )


def _context(values: Values) -> Iterator[str]:
    """A column of contexts, else what retrieval returned in the trace, else what feedback functions were given."""
    listed = next((values[name] for name in _LISTED if values.get(name)), None)
    texts = [p.text for p in passages(listed)] if listed is not None else [*_retrieved(values)] or [*_given(values)]
    yield from dict.fromkeys(filter(str.strip, texts))


def _retrieved(values: Values) -> Iterator[str]:
    """What methods named as retrieval returned, by the record's own trace."""
    record = parsed(values.get("record_json"))
    for call in record.get("calls") or () if isinstance(record, dict) else ():
        stack = call.get("stack") if isinstance(call, dict) else None
        last = stack[-1] if isinstance(stack, list) and stack else None
        method: Any = last.get("method") if isinstance(last, dict) else None
        name = method.get("name") if isinstance(method, dict) else None
        if isinstance(name, str) and ("retriev" in name or "relevant_documents" in name):
            yield from _texts(call.get("rets"))


def _given(values: Values) -> Iterator[str]:
    for key, value in values.items():
        calls = parsed(value) if key.endswith("_calls") else None
        for call in calls if isinstance(calls, list) else ():
            args: Any = call.get("args") if isinstance(call, dict) else None
            for name in _JUDGED if isinstance(args, dict) else ():
                yield from _texts(args.get(name))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield fields.clean(value)
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, str | dict):
                yield from _texts(item)
    elif isinstance(value, dict):
        yield from _texts(next((value[n] for n in ("text", "page_content", "content") if isinstance(value.get(n), str)), None))


def _fits(values: Values) -> bool:
    return values.keys() >= {"input", "output"} and bool(values.keys() & _MARKS)


SHAPE = Shape("TruLens", _fits, _cases, rank=106, labels=own_labels, uses=LABELLED)
