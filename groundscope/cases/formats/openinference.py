"""Spans of a RAG call by the names of OpenInference, of OpenTelemetry's GenAI conventions or of OpenLLMetry. A case a trace.

Spans come as OTLP JSON (`resourceSpans`), as the SDK's console exporter writes one, and as Phoenix' data frame has a row.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from groundscope.cases.formats._format import Shape, Values
from groundscope.cases.messages import ANSWER, ASSISTANT, QUESTION, USER, message_of, parsed, text_of
from groundscope.cases.passages import numbered, passages
from groundscope.files import fields
from groundscope.files.rows import Rejected, Row
from groundscope.types import Case, Passage

TRACE = "spans of a trace"
"""The field of a row that stands for a trace: its spans, as `Span`."""
_RESOURCES = ("resourceSpans", "resource_spans")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_TRACE_ID = ("traceId", "trace_id", "context.trace_id")
_SPAN_ID = ("spanId", "span_id", "context.span_id")
_PARENT = ("parentSpanId", "parent_span_id", "parent_id")
_START = ("startTimeUnixNano", "start_time_unix_nano", "start_time")
_KIND = ("openinference.span.kind", "traceloop.span.kind", "span_kind", "gen_ai.operation.name")
_PREFIX = "attributes."
_DEEPEST = 8
_DIGITS = 6
_MODEL = {"llm", "chat", "text_completion", "generate_content"}
_RETRIEVER = {"retriever", "retrieval"}
_PARTS = {*_MODEL, *_RETRIEVER, "reranker", "embedding", "embeddings", "tool", "execute_tool", "guardrail", "evaluator"}
"""Steps inside the work of a system: what goes into them and comes out is not its question and its answer."""
_RETRIEVED = ("retrieval.documents", "gen_ai.retrieval.documents")
_RERANKED = ("reranker.output_documents",)


class Span(NamedTuple):
    """One span; `parent`: id of the span that it is part of, empty for the first.

    `kind`: as OpenInference names it, in small letters: `retriever`, `llm`, `chain`; or OpenTelemetry's own operation.
    """

    trace: str
    id: str
    parent: str
    kind: str
    start: str
    attributes: Values


def _cases(values: Values, default_id: str) -> Iterator[Case]:
    """The question and the answer of the highest steps that have them, and what retrieval returned below."""
    spans: Sequence[Span] = values[TRACE]
    context = _context(spans)
    if not context:
        raise ValueError("The trace has no retrieved documents with their text.")
    highest = [[span for span in level if span.kind not in _PARTS and not _is_model(span)] for level in levels(spans)]
    models = [span for span in spans if _is_model(span)]
    # Of several steps side by side the first has the question and the last the answer.
    answer = _first(_answer, [*(span for level in highest for span in reversed(level)), *reversed(models)])
    if not answer:
        raise ValueError("The trace has no answer: no output of its first span, and none of a model.")
    retrievers = [span for span in spans if span.kind in _RETRIEVER or any(_documents(span, _RETRIEVED))]
    query = _first(_query, [*(span for level in highest for span in level), *retrievers, *models])
    yield fields.sized(Case(fields.clean(spans[0].trace) or default_id, query, context, answer, group=query or None))


def _is_model(span: Span) -> bool:
    if span.kind:
        return span.kind in _MODEL
    return any(name.startswith(("gen_ai.completion.", "llm.output_messages")) for name in span.attributes)


def _first(read: Callable[[Span], str], spans: Iterable[Span]) -> str:
    return next(filter(None, map(read, spans)), "")


def _query(span: Span) -> str:
    values = span.attributes
    return (
        text_of(values.get("input.value", values.get("traceloop.entity.input")), QUESTION, USER)
        or text_of(values.get("gen_ai.retrieval.query.text"), QUESTION, USER)
        or _written(values, ("gen_ai.input.messages", "llm.input_messages", "gen_ai.prompt"), USER)
    )


def _answer(span: Span) -> str:
    values = span.attributes
    # The messages come first: what a call returns as a whole holds more than its text.
    text = _written(values, ("gen_ai.output.messages", "llm.output_messages", "gen_ai.completion"), ASSISTANT)
    return text or text_of(values.get("output.value", values.get("traceloop.entity.output")), ANSWER, ASSISTANT)


def _written(values: Values, names: Sequence[str], by: frozenset[str]) -> str:
    """What somebody wrote last, in lists of messages that stand as JSON or were flattened."""
    for name in names:
        listed = _numbered(values, name)
        for message in listed:
            message.setdefault("message.contents", _numbered(message, "message.contents"))
        if text := message_of(parsed(values.get(name)), by) or message_of(listed, by):
            return text
    return ""


def _context(spans: Sequence[Span]) -> tuple[Passage, ...]:
    """What a reranker left, else everything that was retrieved, each text once."""
    left = [documents for span in spans if (documents := list(_documents(span, _RERANKED)))]
    documents = left[-1] if left else [document for span in spans for document in _documents(span, _RETRIEVED)]
    once = {passage.text: passage for passage in reversed(documents) if passage.text.strip()}
    return numbered(reversed(once.values()))


def _documents(span: Span, names: Sequence[str]) -> Iterator[Passage]:
    """The documents of a span that have a text, in their order."""
    for name in names:
        listed = parsed(span.attributes.get(name))
        for item in listed if isinstance(listed, list) else _numbered(span.attributes, name):
            named = {key.removeprefix("document."): value for key, value in item.items()} if isinstance(item, dict) else item
            with suppress(ValueError):
                yield from passages([named])


def is_span(values: Values) -> bool:
    """Whether a row is a span, or a batch of spans; raises nothing whatever it holds."""
    if _resources(values) is not None:
        return True
    attributes = isinstance(values.get("attributes"), dict | list) or any(key.startswith(_PREFIX) for key in values)
    return attributes and bool(_named(_flat(values), _TRACE_ID))


def gathered(rows: Iterable[Row | Rejected]) -> Iterator[Row | Rejected]:
    """Put the spans of each trace into one row, which has the number of its first span; rows that are no spans stay."""
    traces: dict[str, tuple[int, list[Span]]] = {}
    for row in rows:
        if isinstance(row, Rejected) or not is_span(row.values):
            yield row
            continue
        for span in _spans(row.values):
            traces.setdefault(span.trace, (row.number, []))[1].append(span)
    for number, spans in traces.values():
        yield Row(number, {TRACE: sorted(spans, key=lambda span: (len(span.start), span.start))})


def levels(spans: Sequence[Span]) -> list[list[Span]]:
    """Sort the spans of a trace by their depth, the outermost first; one whose parent never came is an outermost one."""
    ids = {span.id for span in spans if span.id}
    below: dict[str, list[Span]] = {}
    for span in spans:
        outermost = span.parent not in ids or span.parent == span.id
        below.setdefault("" if outermost else span.parent, []).append(span)
    sorted_: list[list[Span]] = []
    level = below.pop("", [])
    while level:
        sorted_.append(level)
        level = [child for span in level for child in below.pop(span.id, ())]
    # Spans that name each other as parents.
    return sorted_ + list(below.values())


def _resources(values: Values) -> list[Any] | None:
    return next((values[name] for name in _RESOURCES if isinstance(values.get(name), list)), None)


def _spans(values: Values) -> Iterator[Span]:
    resources = _resources(values)
    scopes = (scope for resource in resources or () for scope in _listed(resource, _SCOPES))
    batch = (span for scope in scopes for span in _listed(scope, ("spans",)) if isinstance(span, dict))
    for span in (values,) if resources is None else batch:
        flat = _flat(span)
        attributes = span.get("attributes")
        named = _pairs(attributes) if isinstance(attributes, list) else {}
        named |= {key.removeprefix(_PREFIX): value for key, value in flat.items() if key.startswith(_PREFIX)}
        kind = _named(named, _KIND) or _named(flat, _KIND)
        if trace := _named(flat, _TRACE_ID):
            yield Span(trace, _named(flat, _SPAN_ID), _named(flat, _PARENT), kind.lower(), _named(flat, _START), named)


def _listed(values: Any, names: Iterable[str]) -> list[Any]:
    entries = next((values[name] for name in names if name in values), None) if isinstance(values, dict) else None
    return entries if isinstance(entries, list) else []


def _pairs(items: list[Any]) -> Values:
    """OTLP's list of `{key, value}`."""
    keyed = (item for item in items if isinstance(item, dict) and isinstance(item.get("key"), str))
    return {item["key"]: _value(item.get("value"), 0) for item in keyed}


def _value(value: Any, depth: int) -> Any:
    """A value of OTLP, which names its type: `{"stringValue": "x"}`."""
    if not isinstance(value, dict) or len(value) != 1 or depth > _DEEPEST:
        return value
    ((kind, inner),) = value.items()
    values = inner.get("values") if isinstance(inner, dict) else None
    if kind in {"arrayValue", "array_value"} and isinstance(values, list):
        return [_value(item, depth + 1) for item in values]
    if kind in {"kvlistValue", "kvlist_value"} and isinstance(values, list):
        pairs = (item for item in values if isinstance(item, dict) and isinstance(item.get("key"), str))
        return {item["key"]: _value(item.get("value"), depth + 1) for item in pairs}
    return inner


def _flat(values: Values, before: str = "", depth: int = 0) -> Values:
    """Objects inside objects by dotted names; lists stay."""
    flat: Values = {}
    for key, value in values.items():
        if isinstance(value, dict) and depth < _DEEPEST:
            flat |= _flat(value, f"{before}{key}.", depth + 1)
        else:
            flat[f"{before}{key}"] = value
    return flat


def _named(values: Values, names: Iterable[str]) -> str:
    value = next((values[name] for name in names if values.get(name) not in (None, "")), "")
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _numbered(values: Values, name: str) -> list[Values]:
    """A list that was flattened, `name.0.rest` and `name.1.rest`: its items by the rest, in the order of their numbers."""
    items: dict[int, Values] = {}
    for key, value in values.items():
        if key.startswith(f"{name}."):
            number, _, rest = key[len(name) + 1 :].partition(".")
            if rest and number.isascii() and number.isdigit() and len(number) < _DIGITS:
                items.setdefault(int(number), {})[rest] = value
    return [items[number] for number in sorted(items)]


SHAPE = Shape("spans of OpenTelemetry", lambda values: isinstance(values.get(TRACE), list), _cases, rank=5)
