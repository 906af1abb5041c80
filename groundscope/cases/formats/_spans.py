"""Spans of OpenTelemetry in the ways that exporters write them, gathered by trace.

As OTLP JSON (`resourceSpans`), as the SDK's console exporter writes a span, and as Phoenix' data frame of spans has a row.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from groundscope.cases.formats._format import Values
from groundscope.files.rows import Rejected, Row, parse_json

TRACE = "spans of a trace"
"""The field of a row that stands for a trace: its spans, as `Span`."""
_TRACE_ID = ("traceId", "trace_id", "context.trace_id")
_SPAN_ID = ("spanId", "span_id", "context.span_id")
_PARENT = ("parentSpanId", "parent_span_id", "parent_id")
_START = ("startTimeUnixNano", "start_time_unix_nano", "start_time")
_KIND = ("openinference.span.kind", "span_kind", "gen_ai.operation.name")
_PREFIX = "attributes."
_DEEPEST = 8


class Span(NamedTuple):
    """One span.

    Attributes:
        parent: id of the span that it is part of; empty for the first.
        kind: as OpenInference names it, in small letters: `retriever`, `llm`, `chain`; or the operation of OpenTelemetry's own
            conventions.
    """

    trace: str
    id: str
    parent: str
    kind: str
    start: str
    attributes: Values


def is_span(values: Values) -> bool:
    """Whether a row is a span, or a batch of spans; raises nothing whatever it holds."""
    if isinstance(values.get("resourceSpans"), list):
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


def _spans(values: Values) -> Iterator[Span]:
    found = _batch(values) if isinstance(values.get("resourceSpans"), list) else (values,)
    for one in found:
        flat = _flat(one)
        attributes = one.get("attributes")
        named = _pairs(attributes) if isinstance(attributes, list) else {}
        named |= {key.removeprefix(_PREFIX): value for key, value in flat.items() if key.startswith(_PREFIX)}
        kind = _named(named, _KIND) or _named(flat, _KIND)
        if trace := _named(flat, _TRACE_ID):
            yield Span(trace, _named(flat, _SPAN_ID), _named(flat, _PARENT), kind.lower(), _named(flat, _START), named)


def _batch(values: Values) -> Iterator[Values]:
    for resource in values["resourceSpans"]:
        scopes = resource.get("scopeSpans") if isinstance(resource, dict) else None
        for scope in scopes if isinstance(scopes, list) else ():
            spans = scope.get("spans") if isinstance(scope, dict) else None
            yield from (span for span in (spans if isinstance(spans, list) else ()) if isinstance(span, dict))


def _pairs(found: list[Any]) -> Values:
    """OTLP's list of `{key, value}`."""
    items = (item for item in found if isinstance(item, dict) and isinstance(item.get("key"), str))
    return {item["key"]: _value(item.get("value"), 0) for item in items}


def _value(value: Any, depth: int) -> Any:
    """A value of OTLP, which names its type: `{"stringValue": "x"}`."""
    if not isinstance(value, dict) or len(value) != 1 or depth > _DEEPEST:
        return value
    ((kind, inner),) = value.items()
    values = inner.get("values") if isinstance(inner, dict) else None
    if kind == "arrayValue" and isinstance(values, list):
        return [_value(item, depth + 1) for item in values]
    if kind == "kvlistValue" and isinstance(values, list):
        pairs = (item for item in values if isinstance(item, dict) and isinstance(item.get("key"), str))
        return {item["key"]: _value(item.get("value"), depth + 1) for item in pairs}
    return inner


def _flat(values: Values, before: str = "", depth: int = 0) -> Values:
    """Objects inside objects by dotted names; lists stay."""
    found: Values = {}
    for key, value in values.items():
        if isinstance(value, dict) and depth < _DEEPEST:
            found |= _flat(value, f"{before}{key}.", depth + 1)
        else:
            found[f"{before}{key}"] = value
    return found


def _named(values: Values, names: Iterable[str]) -> str:
    found = next((values[name] for name in names if values.get(name) not in (None, "")), "")
    return str(found) if isinstance(found, str | int) and not isinstance(found, bool) else ""


def parsed(value: Any) -> Any:
    """An attribute that holds JSON as text; as it stands where it does not."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        with suppress(ValueError):
            return parse_json(value, nan=True)
    return value
