"""A system that answers questions, traced by OpenTelemetry's own SDK with the names of OpenInference."""

import io
import json
from collections.abc import Callable, Sequence

from google.protobuf.json_format import MessageToJson
from openinference.semconv.trace import DocumentAttributes, OpenInferenceSpanKindValues, SpanAttributes
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from groundscope.types import Case, Passage

KIND, INPUT, OUTPUT = SpanAttributes.OPENINFERENCE_SPAN_KIND, SpanAttributes.INPUT_VALUE, SpanAttributes.OUTPUT_VALUE


def case(name: str, answer: str = "Rent is due on May 1.") -> Case:
    """A question about rent, with an answer."""
    texts = "The tenant pays. Rent is due on May 1.", "Notice is given in writing."
    passages = tuple(Passage(f"p{i}", text, f"Lease {i}") for i, text in enumerate(texts, 1))
    return Case(name, f"When is rent due, {name}?", passages, answer)


def spans_of(cases: Sequence[Case]) -> list[ReadableSpan]:
    """The spans of a chain with a retriever and a model that answers cases, in the order in which they end."""
    ended, kinds = InMemorySpanExporter(), OpenInferenceSpanKindValues
    provider = TracerProvider(resource=Resource.create({"service.name": "rent"}))
    provider.add_span_processor(SimpleSpanProcessor(ended))
    tracer = provider.get_tracer("rent")
    for asked in cases:
        with tracer.start_as_current_span("chain") as root:
            root.set_attribute(KIND, kinds.CHAIN.value)
            root.set_attribute(INPUT, json.dumps({"question": asked.query}))
            with tracer.start_as_current_span("retrieve") as step:
                step.set_attribute(KIND, kinds.RETRIEVER.value)
                step.set_attribute(INPUT, asked.query)
                for i, passage in enumerate(asked.context):
                    named = f"{SpanAttributes.RETRIEVAL_DOCUMENTS}.{i}"
                    step.set_attribute(f"{named}.{DocumentAttributes.DOCUMENT_CONTENT}", passage.text)
                    step.set_attribute(f"{named}.{DocumentAttributes.DOCUMENT_METADATA}", json.dumps({"source": passage.source}))
            with tracer.start_as_current_span("model") as call:
                call.set_attribute(KIND, kinds.LLM.value)
                call.set_attribute(f"{SpanAttributes.LLM_INPUT_MESSAGES}.0.message.role", "user")
                call.set_attribute(f"{SpanAttributes.LLM_INPUT_MESSAGES}.0.message.content", f"Use the sources.\n{asked.query}")
                call.set_attribute(f"{SpanAttributes.LLM_OUTPUT_MESSAGES}.0.message.role", "assistant")
                call.set_attribute(f"{SpanAttributes.LLM_OUTPUT_MESSAGES}.0.message.content", asked.response)
            root.set_attribute(OUTPUT, asked.response)
    return list(ended.get_finished_spans())


def exported(spans: Sequence[ReadableSpan]) -> str:
    """A line as the collector writes it, though with ids in base64, as protobuf's own JSON has them."""
    return MessageToJson(encode_spans(spans), indent=None) + "\n"


def printed(spans: Sequence[ReadableSpan]) -> str:
    """What the SDK prints for people."""
    out = io.StringIO()
    ConsoleSpanExporter(out=out).export(spans)
    return out.getvalue()


FORMS: dict[str, Callable[[Sequence[ReadableSpan]], str]] = {
    "protobuf": exported,
    "printed": printed,
}
