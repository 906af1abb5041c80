"""Records of a file -> spans: OpenTelemetry's export as JSON, what its Python SDK prints, and rows that Phoenix exports."""

import base64
import binascii
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from groundscope.files.fields import clean, cleaned

DEEPEST = 20
"""Levels of lists and objects in the value of an attribute."""
_NOT_SPANS = (
    "It holds no span; a record is an export of OpenTelemetry as JSON (resourceSpans), a span as its Python SDK prints it, or a "
    "row that Phoenix exports."
)


@dataclass(frozen=True, slots=True)
class TraceSpan:
    """One step of a program.

    Attributes:
        parent: id of the span that it is part of; empty = it is a root.
        start: seconds since 1970; NaN = not known.
    """

    trace: str
    id: str
    parent: str
    name: str
    start: float
    end: float
    attributes: Mapping[str, Any] = field(default_factory=dict)
    resource: Mapping[str, Any] = field(default_factory=dict)


def spans_of(record: Mapping[str, Any]) -> list[TraceSpan]:
    """Read the spans of one record.

    Raises:
        ValueError: it is of no known form, or a span of it lacks an id; the message does not quote the record.
    """
    resources = record.get("resourceSpans", record.get("resource_spans"))
    if isinstance(resources, list):
        return [span for one in _objects(resources) for span in _exported(one)]
    if record.keys() & {"resourceMetrics", "resourceLogs", "resource_metrics", "resource_logs"}:
        return []
    if isinstance(record.get("context"), Mapping):
        return [_printed(record, record["context"])]
    if "context.trace_id" in record:
        return [_row(record)]
    raise ValueError(_NOT_SPANS)


def _objects(value: object) -> Iterator[Mapping[str, Any]]:
    yield from (one for one in value if isinstance(one, Mapping)) if isinstance(value, list) else ()


def _first(values: Mapping[str, Any], *names: str) -> Any:
    return next((values[n] for n in names if n in values), None)


def _exported(resource: Mapping[str, Any]) -> Iterator[TraceSpan]:
    about = resource.get("resource")
    shared = _pairs(about.get("attributes")) if isinstance(about, Mapping) else {}
    for scope in _objects(_first(resource, "scopeSpans", "scope_spans", "instrumentationLibrarySpans")):
        for span in _objects(scope.get("spans")):
            yield _made(
                _first(span, "traceId", "trace_id"),
                _first(span, "spanId", "span_id"),
                _first(span, "parentSpanId", "parent_span_id"),
                span.get("name"),
                _nanoseconds(_first(span, "startTimeUnixNano", "start_time_unix_nano")),
                _nanoseconds(_first(span, "endTimeUnixNano", "end_time_unix_nano")),
                _pairs(span.get("attributes")),
                shared,
            )


def _printed(span: Mapping[str, Any], context: Mapping[str, Any]) -> TraceSpan:
    about = span.get("resource")
    return _made(
        context.get("trace_id"),
        context.get("span_id"),
        span.get("parent_id"),
        span.get("name"),
        _time(span.get("start_time")),
        _time(span.get("end_time")),
        _plain(span.get("attributes")),
        _plain(about.get("attributes")) if isinstance(about, Mapping) else {},
    )


def _row(row: Mapping[str, Any]) -> TraceSpan:
    named = {name.removeprefix("attributes."): value for name, value in row.items() if name.startswith("attributes.")}
    return _made(
        row.get("context.trace_id"),
        row.get("context.span_id"),
        row.get("parent_id"),
        row.get("name"),
        _time(row.get("start_time")),
        _time(row.get("end_time")),
        _plain(named),
        {},
    )


def _made(
    trace: object, span: object, parent: object, name: object, start: float, end: float,
    attributes: Mapping[str, Any], resource: Mapping[str, Any],
) -> TraceSpan:  # fmt: skip
    found = _id(trace), _id(span)
    if not all(found):
        raise ValueError("A span of it has no trace id or no span id.")
    title = clean(name)[:200] if isinstance(name, str) else ""
    return TraceSpan(*found, _id(parent), title, start, end, attributes, resource)


def _id(value: object) -> str:
    """The hexadecimal digits of an id; empty for none. Some exporters write the bytes in base64."""
    if not isinstance(value, str) or len(value) > 64:
        return ""
    digits = value.strip().lower().removeprefix("0x")
    if not digits.strip("0"):
        return ""
    if digits.strip("0123456789abcdef") == "":
        return digits
    try:
        return base64.b64decode(value, validate=True).hex()
    except (binascii.Error, ValueError):
        return ""


def _pairs(value: object) -> dict[str, Any]:
    """Attributes as OpenTelemetry's JSON writes them: a list of keys with typed values."""
    found = {}
    for one in _objects(value):
        key = one.get("key")
        if isinstance(key, str):
            found[clean(key)] = cleaned(_typed(one.get("value")))
    return found


def _typed(value: object, depth: int = 0) -> Any:
    if not isinstance(value, Mapping) or depth > DEEPEST:
        return None
    for name, given in value.items():
        kind = name.replace("_", "").lower()
        if kind == "arrayvalue":
            items = given.get("values") if isinstance(given, Mapping) else None
            return [_typed(one, depth + 1) for one in _objects(items)]
        if kind == "kvlistvalue":
            items = given.get("values") if isinstance(given, Mapping) else None
            return {str(one.get("key")): _typed(one.get("value"), depth + 1) for one in _objects(items)}
        if kind == "intvalue" and isinstance(given, str):
            return int(given) if given.lstrip("-").isdigit() and len(given) < 20 else None
        if kind in {"stringvalue", "boolvalue", "intvalue", "doublevalue"}:
            return given
    return None


def _plain(value: object) -> dict[str, Any]:
    return {clean(str(k)): cleaned(v) for k, v in value.items()} if isinstance(value, Mapping) else {}


def _nanoseconds(value: object) -> float:
    if isinstance(value, str) and value.isdigit() and len(value) < 25:
        value = int(value)
    return value / 1e9 if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else math.nan


def _time(value: object) -> float:
    """Seconds since 1970 of an ISO time, which is one of UTC where it names no zone, or of a number of any usual unit."""
    if isinstance(value, str):
        try:
            read = datetime.fromisoformat(value.strip())
        except ValueError:
            return math.nan
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        # Nanoseconds, microseconds, milliseconds or seconds, of any day since 1973.
        return next(value / unit for unit in (1e9, 1e6, 1e3, 1.0) if value / unit > 1e8 or unit == 1.0)
    return math.nan
