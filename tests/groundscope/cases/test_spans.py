"""Spans of a RAG call, as OTLP, as Phoenix and as the SDK write them: one case a trace, whatever a span holds."""

import io
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from google.protobuf.json_format import MessageToJson
from hypothesis import given
from hypothesis import strategies as st
from openinference.semconv.trace import DocumentAttributes, OpenInferenceSpanKindValues, SpanAttributes
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from groundscope.cases.dataset import read
from groundscope.cases.formats.openinference import Span, levels
from groundscope.types import Case, Passage
from tests.groundscope.cases.format_files import GOOD, content, loaded, one, rows
from tests.groundscope.junk import VALUES, changed, places


def test_otlp_batches_of_one_trace_become_one_case() -> None:
    found = one("spans_otlp.jsonl")
    assert (found.shapes, found.rejected) == (("spans of OpenTelemetry",), ())
    (case,) = found.cases
    assert (case.id, case.query, case.response) == (
        "5b8efff798038103d269b633813fc60c",
        "When is the fee due?",
        "The fee is due on filing.",
    )
    assert [(p.text, p.source) for p in case.context] == [("The fee is due on filing.", "rules.pdf"), ("The clerk takes it.", "")]
    assert (case.grounded, case.group) == (None, case.query)


def test_phoenix_rows_give_what_the_reranker_left_and_the_text_inside_objects() -> None:
    found = one("spans_phoenix.json")
    (case,) = found.cases
    assert (case.id, case.query, case.response) == ("trace-phoenix", "Who keeps the register?", "The clerk keeps it.")
    assert [p.text for p in case.context] == ["The clerk keeps the register."]
    # A trace without retrieval is named by the row of its first span.
    assert [(r.row, r.reason) for r in found.rejected] == [(4, "The trace has no retrieved documents with their text.")]
    # Without a reranker everything that was retrieved is the context.
    others = [row for row in rows("spans_phoenix.json") if row["span_kind"] != "RERANKER"]
    assert [p.text for p in loaded(*others).cases[0].context] == ["A register is kept.", "The clerk keeps the register."]


def test_opentelemetrys_own_conventions_are_read_as_the_console_exporter_writes_them() -> None:
    (case,) = one("spans_console.jsonl").cases
    assert (case.id, case.query, case.response) == ("0xabc", "What does a bond cost?", "It costs 90 pounds.")
    assert [p.text for p in case.context] == ["A bond costs 90 pounds."]


def test_the_model_has_the_answer_where_the_first_span_has_no_output() -> None:
    batches = [json.loads(line) for line in content("spans_otlp.jsonl").decode().splitlines()]
    (root,) = batches[1]["resourceSpans"][0]["scopeSpans"][0]["spans"]
    root["attributes"] = [item for item in root["attributes"] if item["key"] != "output.value"]
    assert loaded(*batches).cases[0].response == "The fee is due on filing."


def test_a_trace_without_an_answer_is_rejected_by_itself() -> None:
    retrieval = [row for row in rows("spans_console.jsonl") if row["name"].startswith("retrieval")]
    found = loaded(*retrieval, GOOD)
    assert [c.id for c in found.cases] == ["good"]
    assert "no answer" in found.rejected[0].reason


@given(st.data())
def test_junk_in_any_field_of_a_span_breaks_nothing_else(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["spans_otlp.jsonl", "spans_phoenix.json", "spans_console.jsonl"]))
    spans = rows(name)
    place = data.draw(st.integers(0, len(spans) - 1))
    spans[place] = changed(
        spans[place], data.draw(st.sampled_from(list(places(spans[place])))), data.draw(st.sampled_from(VALUES))
    )
    assert "good" in [c.id for c in loaded(*spans, GOOD).cases]


KIND, INPUT, OUTPUT = SpanAttributes.OPENINFERENCE_SPAN_KIND, SpanAttributes.INPUT_VALUE, SpanAttributes.OUTPUT_VALUE


def rent_case(name: str, answer: str = "Rent is due on May 1.") -> Case:
    sources = Passage("p1", "The tenant pays.\nRent is due on May 1.", "Lease 1"), Passage("p2", "Notice is written.", "Lease 2")
    return Case(name, f"When is rent due, {name}?", sources, answer)


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


@pytest.mark.parametrize("form", [exported, printed])
@pytest.mark.parametrize("reverse", [False, True])
def test_each_form_of_the_real_sdk_gives_what_was_traced(form: Callable[[Sequence[ReadableSpan]], str], reverse: bool) -> None:
    asked = [rent_case("Ann"), rent_case("Bob", "It is due on June 2.\n\nSee «Lease 2» — § 4.")]
    spans = spans_of(asked)
    # Every span a record of its own, in any order.
    text = "".join(form([span]) for span in (reversed(spans) if reverse else spans))
    traced = read("spans.jsonl", text.encode())
    assert traced.rejected == ()
    assert {(c.query, c.response) for c in traced.cases} == {(c.query, c.response) for c in asked}
    expected = [(p.text, p.source) for p in asked[0].context]
    assert [[(p.text, p.source) for p in c.context] for c in traced.cases] == [expected, expected]


def test_a_printed_span_that_is_cut_off_loses_no_other() -> None:
    text = printed(spans_of([rent_case("Ann")]))
    for rest in ("{\n", "{\n  broken,\n}\n"):
        found = read("spans.jsonl", (rest + text).encode() if rest.endswith("}\n") else (text + rest).encode())
        assert len(found.cases) == 1
        assert found.rejected
    good = json.dumps(GOOD)
    assert [c.id for c in read("a.jsonl", f"{{\n{good}\n".encode()).cases] == ["good"]


def _spans_row(trace: str, name: str, parent: str, start: int, **attributes: Any) -> dict[str, Any]:
    named = {f"attributes.{key.replace('__', '.')}": value for key, value in attributes.items()}
    return {"context.trace_id": trace, "context.span_id": name, "parent_id": parent, "start_time": start, **named}


def _case(*rows_: dict[str, Any]) -> Case:
    (case,) = loaded(*rows_).cases
    return case


SEARCH = {"openinference__span__kind": "RETRIEVER", "retrieval__documents": [{"document.content": "Rent is due on May 1."}]}


def test_the_flat_names_of_openllmetry_are_read() -> None:
    call = _spans_row(
        "t", "c", "", 2, gen_ai__prompt__0__role="system", gen_ai__prompt__0__content="Be brief.", gen_ai__prompt__1__role="user",
        gen_ai__prompt__1__content="When is rent due?", gen_ai__completion__0__role="assistant",
        gen_ai__completion__0__content="On May 1.",
    )  # fmt: skip
    case = _case(call, _spans_row("t", "s", "c", 1, **SEARCH))
    assert (case.query, case.response) == ("When is rent due?", "On May 1.")


def test_roles_tell_the_question_from_the_answer_in_a_list_of_messages() -> None:
    talk = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "When?"}]},
            {"role": "assistant", "content": "On May 1."}, {"role": "tool", "content": "42"}]  # fmt: skip
    chain = _spans_row("t", "c", "", 1, input__value=json.dumps({"messages": talk}), output__value=json.dumps({"messages": talk}))
    case = _case(chain, _spans_row("t", "s", "c", 2, **SEARCH))
    assert (case.query, case.response) == ("When?", "On May 1.")


def test_a_server_above_the_chain_does_not_hide_it() -> None:
    web = _spans_row("t", "web", "", 1, http__method="POST")
    chain = _spans_row(
        "t", "chain", "web", 2, openinference__span__kind="CHAIN", input__value="Q?", output__value='{"answer": "A."}'
    )
    case = _case(web, chain, _spans_row("t", "s", "chain", 3, **SEARCH))
    assert (case.query, case.response) == ("Q?", "A.")
    # The trace is read without its root, too.
    assert _case(chain, _spans_row("t", "s", "chain", 3, **SEARCH)) == case


def test_documents_that_were_flattened_stand_in_the_order_of_their_numbers() -> None:
    flat = {f"retrieval__documents__{i}__document__content": f"text {i}" for i in range(12)}
    chain = _spans_row("t", "c", "", 1, input__value="Q?", output__value="A.")
    found = _case(chain, _spans_row("t", "s", "c", 2, openinference__span__kind="RETRIEVER", **flat))
    assert [p.text for p in found.context] == [f"text {i}" for i in range(12)]


def test_spans_that_are_their_own_parents_are_still_sorted() -> None:
    spans = [Span("t", name, parent, "", "", {}) for name, parent in ("aa", "bc", "cb", "da", "e-")]
    assert [[span.id for span in level] for level in levels(spans)] == [["a", "e"], ["d"], ["b"], ["c"]]
