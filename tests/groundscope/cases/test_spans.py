"""Spans of a RAG call, as OTLP, as Phoenix and as the SDK write them: one case a trace, whatever a span holds."""

import json

from hypothesis import given
from hypothesis import strategies as st

from tests.groundscope.cases.format_files import content, loaded, one, rows
from tests.groundscope.junk import VALUES, changed, places

GOOD = {"id": "good", "query": "q", "context": ["c"], "response": "r"}


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


def test_without_a_reranker_everything_that_was_retrieved_is_the_context() -> None:
    kept = [row for row in rows("spans_phoenix.json") if row["span_kind"] != "RERANKER"]
    assert [p.text for p in loaded(*kept).cases[0].context] == ["A register is kept.", "The clerk keeps the register."]


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
