"""Spans of a real SDK, in each form in which they are written, become the question, the sources and the answer of the trace."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundscope.errors import DataError
from groundscope.traces.conventions import Answered, answered, attribute
from groundscope.traces.files import FilePlace, files_of, records
from groundscope.traces.gathering import Gathering
from groundscope.traces.spans import TraceSpan, spans_of
from tests.groundscope.traces import systems


def _traces(path: Path) -> list[tuple[TraceSpan, Answered | None]]:
    gathering = Gathering()
    for record in records(path, FilePlace(), growing=False):
        assert record.reason == ""
        for span in record.spans:
            gathering.add(span, path, record.start, 0.0)
    return [(one.root, answered(one.spans)) for one in gathering.whole(0.0, end=True)]


@pytest.mark.parametrize("form", systems.FORMS)
def test_each_form_gives_what_was_traced(form: str, tmp_path: Path) -> None:
    cases = [systems.case("Ann"), systems.case("Bob", "It is due on June 2.\n\nSee «Lease 2» — § 4.")]
    path = systems.write(tmp_path / "spans.jsonl", systems.FORMS[form](systems.spans_of(cases)))
    found = _traces(path)
    assert len(found) == 2
    for case, (root, read) in zip(cases, found, strict=True):
        assert read is not None
        assert (read.question, read.answer) == (case.query, case.response)
        assert [text for text, _ in read.documents] == [p.text for p in case.context]
        if form != "phoenix":
            assert [source for _, source in read.documents] == ["Lease 1", "Lease 2"]
            assert attribute("service.version", root) == "1.0"
        assert root.end == systems.MIDNIGHT / 1e9 + 1


def test_a_trace_is_whole_whatever_the_order_of_its_spans(tmp_path: Path) -> None:
    spans = systems.spans_of([systems.case("Ann"), systems.case("Bob")])
    path = systems.write(tmp_path / "spans.jsonl", "".join(systems.hexadecimal([one]) for one in reversed(spans)))
    assert {read.question for _, read in _traces(path) if read} == {"When is rent due, Ann?", "When is rent due, Bob?"}


def _span(name: str, parent: str, **attributes: Any) -> TraceSpan:
    named = {key.replace("__", "."): value for key, value in attributes.items()}
    return TraceSpan("a" * 32, name, parent, name, 1.0, 2.0, named)


def test_the_names_of_opentelemetry_for_models_are_read() -> None:
    asked = [{"role": "system", "parts": [{"type": "text", "content": "Be brief."}]},
             {"role": "user", "parts": [{"type": "text", "content": "When is rent due?"}]}]  # fmt: skip
    said = [{"role": "assistant", "parts": [{"type": "text", "content": "On May 1."}], "finish_reason": "stop"}]
    call = _span(
        "chat",
        "",
        gen_ai__operation__name="chat",
        gen_ai__input__messages=json.dumps(asked),
        gen_ai__output__messages=json.dumps(said),
    )
    found = [{"id": "d1", "score": 0.9, "content": "Rent is due on May 1."}]
    search = _span("search", "chat", gen_ai__operation__name="retrieval", gen_ai__retrieval__documents=json.dumps(found))
    assert answered([call, search]) == Answered("When is rent due?", "On May 1.", (("Rent is due on May 1.", "d1"),))


def test_the_flat_names_of_openllmetry_are_read() -> None:
    at = {"gen_ai.prompt.0.role": "system", "gen_ai.prompt.0.content": "Be brief.", "gen_ai.prompt.1.role": "user"}
    at |= {"gen_ai.prompt.1.content": "When is rent due?", "gen_ai.completion.0.role": "assistant"}
    at |= {"gen_ai.completion.0.content": "On May 1."}
    assert answered([TraceSpan("a", "b", "", "chat", 1, 2, at)]) == Answered("When is rent due?", "On May 1.", ())


def test_a_rerankers_choice_goes_before_what_was_found_first() -> None:
    root = _span("root", "", openinference__span__kind="CHAIN", input__value="Q?", output__value="A.")
    found = {f"retrieval.documents.{i}.document.content": f"text {i}" for i in range(12)}
    search = TraceSpan("a", "s", "root", "s", 1, 2, {"openinference.span.kind": "RETRIEVER", **found})
    ranked = {f"reranker.output_documents.{i}.document.content": f"text {n}" for i, n in enumerate((11, 3))}
    rank = TraceSpan("a", "r", "root", "r", 1, 3, {"openinference.span.kind": "RERANKER", **ranked})
    read, first = answered([root, search, rank]), answered([root, search])
    assert read is not None
    assert first is not None
    assert [text for text, _ in read.documents] == ["text 11", "text 3"]
    # The tenth comes after the second: the numbers are counted, not sorted as words.
    assert [text for text, _ in first.documents] == [f"text {i}" for i in range(12)]


def test_a_server_above_the_chain_does_not_hide_it() -> None:
    web = TraceSpan("a", "web", "", "POST /ask", 1, 9, {"http.method": "POST"})
    chain = _span("chain", "web", openinference__span__kind="CHAIN", input__value="Q?", output__value='{"answer": "A."}')
    assert answered([web, chain]) == Answered("Q?", "A.", ())
    assert answered([web]) is None


def test_a_version_can_stand_in_metadata() -> None:
    root = _span("root", "", metadata=json.dumps({"release": "r 7"}))
    assert attribute("metadata.release", root) == "r 7"
    assert attribute("metadata.other", root) == ""


def test_what_is_no_span_is_named_with_its_reason(tmp_path: Path) -> None:
    good = systems.hexadecimal(systems.spans_of([systems.case("Ann")]))
    odd = ['{"a": 1}', "{broken", "[1]", '"text"', '{"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "n"}]}]}]}']
    path = systems.write(tmp_path / "spans.jsonl", good + "\n".join(odd) + "\n" + '{"resourceMetrics": []}\n\n')
    found = [(one.end.line, one.reason) for one in records(path, FilePlace(), growing=False)]
    assert [line for line, why in found if why] == [2, 3, 4, 5, 6]
    assert all("Ann" not in why and "broken" not in why for _, why in found)
    assert found[0] == (1, "")
    assert found[-1] == (7, "")


def test_a_half_written_line_is_left_for_the_next_reading(tmp_path: Path) -> None:
    text = systems.hexadecimal(systems.spans_of([systems.case("Ann")]))
    path = systems.write(tmp_path / "spans.jsonl", text + text[:100])
    (first,) = records(path, FilePlace(), growing=True)
    assert first.end.offset == len(text.encode())
    with path.open("a") as file:
        file.write(text[100:])
    (second,) = records(path, first.end, growing=True)
    assert second.spans == first.spans
    assert list(records(path, second.end, growing=True)) == []
    # Another file of the same name is read from its beginning.
    path.unlink()
    systems.write(path, text)
    assert len(list(records(path, second.end, growing=True))) == 1


def test_places_without_spans_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"is not there\. Name a file of spans"):
        files_of(tmp_path / "none.jsonl")
    with pytest.raises(DataError, match="is no file of spans"):
        files_of(systems.write(tmp_path / "notes.txt", "x"))
    assert files_of(tmp_path) == []
    with pytest.raises(DataError, match="a device"):
        files_of(Path("/dev/zero"))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
_NAMES = st.sampled_from(
    "input.value output.value llm.output_messages gen_ai.input.messages retrieval.documents reranker.output_documents "
    "retrieval.documents.0.document.content openinference.span.kind metadata gen_ai.completion.0.content".split()
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(_NAMES, _JSON | _JSON.map(json.dumps), max_size=6), _JSON)
def test_whatever_the_attributes_hold_reading_ends(attributes: dict[str, Any], other: Any) -> None:
    found = answered([TraceSpan("a", "b", "", "n", 1.0, 2.0, {**attributes, "traceloop.span.kind": "workflow"})])
    assert found is not None
    assert all(isinstance(text, str) for text in (found.question, found.answer, *(t for d in found.documents for t in d)))
    for record in (
        {"resourceSpans": other},
        {"resourceSpans": [other]},
        {"context": other},
        {"resourceSpans": [{"scopeSpans": other}]},
    ):
        try:
            spans_of(record)
        except ValueError:
            continue
