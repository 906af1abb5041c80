"""A system that answers questions, traced by OpenTelemetry's own SDK with the names of OpenInference."""

import io
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from google.protobuf.json_format import MessageToJson
from openinference.semconv.trace import DocumentAttributes, OpenInferenceSpanKindValues, SpanAttributes
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from groundscope.types import Case, Passage

KIND, INPUT, OUTPUT = SpanAttributes.OPENINFERENCE_SPAN_KIND, SpanAttributes.INPUT_VALUE, SpanAttributes.OUTPUT_VALUE
MIDNIGHT = int(datetime(2026, 3, 2, tzinfo=UTC).timestamp()) * 10**9


def case(name: str, answer: str = "Rent is due on May 1.", *sources: str) -> Case:
    """A question about rent, with an answer."""
    texts = sources or ("The tenant pays. Rent is due on May 1.", "Notice is given in writing.")
    passages = tuple(Passage(f"p{i}", text, f"Lease {i}") for i, text in enumerate(texts, 1))
    return Case(name, f"When is rent due, {name}?", passages, answer)


class TracedSystem:
    """Answers cases, and has every step traced."""

    def __init__(self, exporter: SpanExporter, version: str = "1.0") -> None:
        """Name the version of the program."""
        self._provider = TracerProvider(resource=Resource.create({"service.name": "rent", "service.version": version}))
        self._provider.add_span_processor(SimpleSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("rent")

    def answer(self, one: Case, at: int = MIDNIGHT, *, sources: bool = True) -> str:
        """Answer as a chain with a retriever and a model does; gives the id of the trace."""
        kinds = OpenInferenceSpanKindValues
        with self._tracer.start_as_current_span("chain", start_time=at, end_on_exit=False) as root:
            root.set_attribute(KIND, kinds.CHAIN.value)
            root.set_attribute(INPUT, json.dumps({"question": one.query}))
            with self._tracer.start_as_current_span("retrieve", start_time=at + 1, end_on_exit=False) as step:
                step.set_attribute(KIND, kinds.RETRIEVER.value)
                step.set_attribute(INPUT, one.query)
                for i, passage in enumerate(one.context if sources else ()):
                    named = f"{SpanAttributes.RETRIEVAL_DOCUMENTS}.{i}"
                    step.set_attribute(f"{named}.{DocumentAttributes.DOCUMENT_CONTENT}", passage.text)
                    step.set_attribute(f"{named}.{DocumentAttributes.DOCUMENT_METADATA}", json.dumps({"source": passage.source}))
                step.end(at + 2)
            with self._tracer.start_as_current_span("model", start_time=at + 3, end_on_exit=False) as call:
                call.set_attribute(KIND, kinds.LLM.value)
                call.set_attribute(f"{SpanAttributes.LLM_INPUT_MESSAGES}.0.message.role", "user")
                call.set_attribute(f"{SpanAttributes.LLM_INPUT_MESSAGES}.0.message.content", f"Use the sources.\n{one.query}")
                call.set_attribute(f"{SpanAttributes.LLM_OUTPUT_MESSAGES}.0.message.role", "assistant")
                call.set_attribute(f"{SpanAttributes.LLM_OUTPUT_MESSAGES}.0.message.content", one.response)
                call.end(at + 4)
            root.set_attribute(OUTPUT, one.response)
            root.end(at + 10**9)
        return format(root.get_span_context().trace_id, "032x")


def spans_of(cases: Sequence[Case], version: str = "1.0", **how: Any) -> list[ReadableSpan]:
    """The spans of a system that answers cases, in the order in which they end."""
    kept = InMemorySpanExporter()
    system = TracedSystem(kept, version)
    for one in cases:
        system.answer(one, **how)
    return list(kept.get_finished_spans())


def exported(spans: Sequence[ReadableSpan]) -> str:
    """A line as the collector writes it, though with ids in base64, as protobuf's own JSON has them."""
    return MessageToJson(encode_spans(spans), indent=None) + "\n"


def hexadecimal(spans: Sequence[ReadableSpan]) -> str:
    """The line as the collector's file exporter writes it."""
    read = json.loads(exported(spans))
    for resource in read["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for made, span in zip(scope["spans"], spans, strict=True):
                context = span.get_span_context()
                made["traceId"], made["spanId"] = format(context.trace_id, "032x"), format(context.span_id, "016x")
                if span.parent:
                    made["parentSpanId"] = format(span.parent.span_id, "016x")
    return json.dumps(read) + "\n"


def printed(spans: Sequence[ReadableSpan]) -> str:
    """What the SDK prints for people."""
    out = io.StringIO()
    ConsoleSpanExporter(out=out).export(spans)
    return out.getvalue()


def rows(spans: Sequence[ReadableSpan]) -> str:
    """Rows as Phoenix exports them."""
    lines = []
    for span in spans:
        read = json.loads(span.to_json())
        documents = [v for k, v in read["attributes"].items() if k.endswith(DocumentAttributes.DOCUMENT_CONTENT)]
        plain = {k: v for k, v in read["attributes"].items() if not k.startswith(SpanAttributes.RETRIEVAL_DOCUMENTS)}
        line = {f"attributes.{k}": v for k, v in plain.items()}
        line["attributes.retrieval.documents"] = [{"document.content": text} for text in documents] or None
        line |= {
            "name": span.name,
            "parent_id": read["parent_id"],
            "start_time": read["start_time"],
            "end_time": read["end_time"],
        }
        line |= {f"context.{k}": v for k, v in read["context"].items()}
        lines.append(json.dumps(line) + "\n")
    return "".join(lines)


FORMS: dict[str, Callable[[Sequence[ReadableSpan]], str]] = {
    "otlp": hexadecimal,
    "protobuf": exported,
    "printed": printed,
    "phoenix": rows,
}
