"""OpenTelemetry spans as exporters write them, grouped by trace.

As OTLP JSON (`resourceSpans`), as the SDK's console exporter writes a span, and as Phoenix' data frame of spans has a row.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from groundscope.cases.formats._format import Values
from groundscope.files.rows import Rejected, Row

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
    for span in (values,) if resources is None else _batch(resources):
        flat = _flat(span)
        attributes = span.get("attributes")
        named = _pairs(attributes) if isinstance(attributes, list) else {}
        named |= {key.removeprefix(_PREFIX): value for key, value in flat.items() if key.startswith(_PREFIX)}
        kind = _named(named, _KIND) or _named(flat, _KIND)
        if trace := _named(flat, _TRACE_ID):
            yield Span(trace, _named(flat, _SPAN_ID), _named(flat, _PARENT), kind.lower(), _named(flat, _START), named)


def _batch(resources: list[Any]) -> Iterator[Values]:
    for resource in resources:
        for scope in _listed(resource, _SCOPES):
            yield from (span for span in _listed(scope, ("spans",)) if isinstance(span, dict))


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


def numbered(values: Values, name: str) -> list[Values]:
    """A list that was flattened, `name.0.rest` and `name.1.rest`: its items by the rest, in the order of their numbers."""
    items: dict[int, Values] = {}
    for key, value in values.items():
        if key.startswith(f"{name}."):
            number, _, rest = key[len(name) + 1 :].partition(".")
            if rest and number.isascii() and number.isdigit() and len(number) < _DIGITS:
                items.setdefault(int(number), {})[rest] = value
    return [items[number] for number in sorted(items)]
