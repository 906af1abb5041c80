"""Files of cases as a user meets them: good rows kept, bad rows named, nothing lost in a round trip."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.cases.dataset import LoadedDataset, read, to_jsonl
from groundscope.cases.error_types import type_counts
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Passage
from tests.loops import each

ROW = {"query": "May it?", "context": [{"id": "a", "text": "It may.", "source": "S"}], "response": "It may not."}
GOOD = json.dumps({**ROW, "id": "good"})
ERROR = {"start": 3, "end": 10, "type": "factual_inaccuracy", "text": "may not"}
EVIDENCE = {"response_start": 0, "response_end": 2, "passage": 0, "start": 0, "end": 2}

# What no file can carry: lone surrogates and NUL are replaced on reading.
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)
NAME = TEXT.filter(bool)
SOME = TEXT.filter(lambda t: len(t) > 1)


def loaded(*lines: str) -> LoadedDataset:
    return read("cases.jsonl", "\n".join(lines).encode("utf-8", "surrogatepass"))


def row(**fields: Any) -> str:
    return json.dumps({**ROW, **fields})


@st.composite
def cases(draw: st.DrawFn) -> Case:
    response, passage = draw(SOME), draw(SOME)
    kinds = draw(st.sets(st.sampled_from(ErrorType)).map(lambda found: [k for k in ErrorType if k in found]))
    ends = st.integers(1, len(response))
    return Case(
        id=draw(NAME),
        query=draw(TEXT),
        context=(Passage(draw(NAME), passage, draw(TEXT)), Passage("p2", draw(TEXT))),
        response=response,
        grounded=draw(st.sampled_from([True, False, None])),
        errors=tuple(
            ErrorSpan(0, draw(ends), t, draw(TEXT), draw(st.sampled_from([True, False, None])))
            for t in draw(st.lists(st.sampled_from(ErrorType)))
        ),
        evidence=tuple(EvidenceSpan(0, e, 0, 1, len(passage)) for e in draw(st.lists(ends, max_size=2))),
        error_types=tuple(kinds),
        reasons=tuple((kind, why) for kind in kinds if (why := draw(st.one_of(st.just(""), SOME))).strip()),
        split=draw(st.sampled_from(["train", "dev", "test", None])),
        group=draw(st.one_of(st.none(), NAME)),
        parent=draw(st.one_of(st.none(), NAME)),
        area=draw(TEXT),
        unsupported=tuple((0, e) for e in draw(st.lists(ends, max_size=2))),
    )


@each(
    "fields",
    [
        {"errors": [{"type": "procedural_error"}, {"type": "Factual inaccuracy"}, {"type": "procedural_error"}]},
        {"errors": ["procedural_error", "factual_inaccuracy"]},
        {"error_types": ["Procedural Error", "factual_inaccuracy"]},
        {"error_types": '["procedural_error"]', "errors": [{"type": "factual_inaccuracy"}]},
    ],
)
def test_an_error_type_needs_no_span(fields: dict[str, Any]) -> None:
    found = loaded(row(**fields, grounded=False))
    assert found.rejected == ()
    (case,) = found.cases
    assert case.error_types == case.types == (ErrorType.FACTUAL_INACCURACY, ErrorType.PROCEDURAL_ERROR)
    assert case.errors == ()


def test_cases_know_the_lines_that_they_stand_on() -> None:
    found = loaded("", GOOD, "no json", "", row(id="b"))
    assert ([c.id for c in found.cases], found.numbers) == (["good", "b"], (2, 5))
    assert [r.row for r in found.rejected] == [3]


def test_types_with_and_without_a_span_are_kept_apart_and_counted_once() -> None:
    (case,) = loaded(row(errors=[ERROR, {"type": "misattribution"}, {"type": "factual_inaccuracy"}])).cases
    assert [e.type for e in case.errors] == [ErrorType.FACTUAL_INACCURACY]
    assert case.types == (ErrorType.FACTUAL_INACCURACY, ErrorType.MISATTRIBUTION)
    assert case.called_wrong
    assert {c.type: c.total for c in type_counts([case]) if c.total} == dict.fromkeys(case.types, 1)
    assert not any("error_types" in line for line in to_jsonl(loaded(row()).cases).splitlines())


def test_the_reason_of_a_type_without_a_span_is_kept() -> None:
    errors = [{"type": "misattribution", "why": "The dissent said so."}, {"type": "misattribution", "why": "Not the holding."}]
    (case,) = loaded(row(errors=[*errors, "procedural_error", ERROR], error_types=[{"type": "Factual inaccuracy"}])).cases
    assert case.reasons == ((ErrorType.MISATTRIBUTION, "The dissent said so.; Not the holding."),)
    assert case.typed == (
        (ErrorType.FACTUAL_INACCURACY, case.errors[0].why),
        (ErrorType.PROCEDURAL_ERROR, ""),
        (ErrorType.MISATTRIBUTION, "The dissent said so.; Not the holding."),
    )
    assert loaded(to_jsonl([case])).cases == (case,)
    with pytest.raises(ValueError, match="a reason must be of a type in error_types"):
        replace(case, error_types=())


@given(st.lists(cases(), min_size=1, max_size=3, unique_by=lambda c: c.id))
def test_written_cases_are_read_back_the_same(written: list[Case]) -> None:
    found = read("cases.jsonl", to_jsonl(written).encode())
    assert (found.cases, found.rejected) == (tuple(written), ())


def test_an_id_that_a_row_got_here_is_no_id_of_the_file_also_after_it_is_written() -> None:
    """A file may call its own ids as rows are called here."""
    pair = {"knowledge": "k", "question": "q", "right_answer": "r", "hallucinated_answer": "h"}
    found = loaded(row(id="row-2"), row(id="\0row-9"), row(id=None), json.dumps(pair)).cases
    *_, right, wrong = found
    assert [c.id for c in found] == ["row-2", "\ufffdrow-9", "row-3", "row-4-right", "row-4-hallucinated"]
    assert (wrong.parent, right.group) == (right.id, "q")
    numbered = [False, False, True, True, True]
    assert [c.numbered for c in found] == [c.numbered for c in loaded(to_jsonl(found)).cases] == numbered


def test_written_spans_carry_their_words_and_the_sentence_they_lie_in() -> None:
    context = (Passage("a", "It may. It shall."), Passage("b", "# Rule\n\nIt holds."))
    errors = (ErrorSpan(3, 10, ErrorType.FACTUAL_INACCURACY, "w", contradicted=True), ErrorSpan(11, 12, ErrorType.MISATTRIBUTION))
    # "It shall." is 8 to 17 of the first passage; the heading is the first sentence of the second one.
    evidence = (EvidenceSpan(0, 2, 0, 8, 17), EvidenceSpan(0, 2, 0, 0, 17), EvidenceSpan(0, 2, 1, 8, 10))
    case = Case("c", "q", context, "It may not 😀.", grounded=False, errors=errors, evidence=evidence)
    written = json.loads(to_jsonl([case]))
    assert [e["text"] for e in written["errors"]] == ["may not", "😀"]
    assert [e["contradicted"] for e in written["errors"]] == [True, None]
    assert [e["sentence"] for e in written["evidence"]] == ["a.2", "a.1", "b.2"]
    assert loaded(to_jsonl([case])).cases == (case,)


@each(
    ("fields", "expected"),
    [({"contradicted": True}, True), ({"contradicted": 0}, False), ({"contradicted": ""}, None), ({}, None)],
)
def test_whether_the_context_contradicts_an_error_is_read(fields: dict[str, object], expected: bool | None) -> None:
    assert loaded(row(errors=[{**ERROR, **fields}])).cases[0].errors[0].contradicted is expected


@each("value", [2, "maybe", [], {}])
def test_a_wrong_value_of_contradicted_is_refused_by_its_name(value: object) -> None:
    (rejected,) = loaded(row(errors=[{**ERROR, "contradicted": value}])).rejected
    assert "'contradicted'" in rejected.reason


@each(
    ("line", "reason"),
    [
        (row(response=float("nan")), "'response' is empty"),
        (row(context=float("inf")), "'context' must be a text or a list of passages, it is empty"),
        (row().replace('"query"', '"query": "other", "query"'), "same field twice"),
        (row().replace('"source"', '"text": "other", "source"'), "same field twice"),
        ("[" * 200_000, "nested too deeply"),
        (row()[:40], "not complete JSON"),
        ('{"query": "\x00"}', "not complete JSON"),
        ("[1, 2]", "not a JSON object"),
        ("{}", "format is not recognised"),
        ('{"query": "q", "response": "r"}', "query, response"),
        (row(id="good"), "unique"),
        (row(response="x" * 5_000_001), "characters"),
    ],
)
def test_a_bad_row_is_named_and_the_good_one_kept(line: str, reason: str) -> None:
    found = loaded(GOOD, line)
    assert [c.id for c in found.cases] == ["good"]
    (rejected,) = found.rejected
    assert (rejected.file, rejected.row, found.rows) == ("cases.jsonl", 2, 2)
    assert reason in rejected.reason


@each(
    ("fields", "values"),
    [
        (["query", "context", "response"], [5, 1.5, True, {}, [5], [None], [{"text": 5}], None]),
        (["id", "split", "group", "parent", "area"], [[], {}, True]),
    ],
)
def test_texts_and_names_of_the_wrong_type_are_refused_by_the_name_of_their_field(
    fields: list[str], values: list[object]
) -> None:
    for field in fields:
        rejected = loaded(*(row(**{field: value}) for value in values)).rejected
        assert [f"'{field}'" in r.reason for r in rejected] == [True] * len(values)


@each(
    ("field", "values"),
    [
        ("errors", [5, True, {}, "x", [5], [None], [{}], ["x"]]),
        ("errors", [[{**ERROR, **e}] for e in ({"start": "3"}, {"start": True}, {"end": 10.0}, {"type": None})]),
        ("errors", [[{**ERROR, **e}] for e in ({"start": -1}, {"end": 12}, {"end": 3}, {"end": 2}, {"type": "x"})]),
        ("errors", [[{**ERROR, "text": "may  not"}], [{**ERROR, "text": ""}]]),
        ("error_types", [["made_up"], [None], [{}], 5, {"type": "misattribution"}]),
        ("evidence", [5, True, {}, "x", [5], [None], [{}]]),
        ("evidence", [[{**EVIDENCE, "passage": p}] for p in (-1, 1, "0", None, 0.0)]),
        ("evidence", [[{**EVIDENCE, **e}] for e in ({"end": 8}, {"response_end": 12}, {"start": 2}, {"start": -1})]),
    ],
)
def test_labels_of_the_wrong_type_or_place_are_refused(field: str, values: list[object]) -> None:
    found = loaded(*(row(**{field: value}) for value in values))
    assert found.cases == ()
    assert [r.row for r in found.rejected] == list(range(1, len(values) + 1))


@each("field", ["query", "response"])
@each("bad", ["\ud800", "\x00"])
def test_what_no_browser_takes_is_replaced_in_place(field: str, bad: str) -> None:
    (case,) = loaded(row(**{field: f"ab{bad}cd"})).cases
    assert getattr(case, field) == "ab\ufffdcd"
    to_jsonl([case]).encode()


def test_no_reason_quotes_the_data() -> None:
    quoted = "privileged"
    bad = [
        row(id=quoted, evidence=[{**EVIDENCE, "passage": 7}]),
        row(id=quoted, errors=[{**ERROR, "type": quoted}]),
        row(id=quoted, split=quoted)[:-5],
    ]
    assert [quoted in r.reason for r in loaded(*bad).rejected] == [False] * 3


@each(("value", "expected"), [("true", True), (" YES ", True), (1, True), ("0", False), (False, False), ("", None)])
def test_labels_are_read_in_the_usual_spellings(value: object, expected: bool | None) -> None:
    assert loaded(row(grounded=value)).cases[0].grounded is expected


def test_labels_and_splits_are_counted() -> None:
    found = loaded(row(grounded=True, split="validation"), row(grounded=False, split="Test"), row())
    assert dict(found.counts.by_meaning) == {"grounded": 1, "not grounded": 1, "no label": 1}
    assert dict(found.counts.splits) == {"dev": 1, "test": 1, "": 1}


@each("value", [2, "maybe", [], {}, 0.93])
def test_a_value_that_is_no_label_does_not_lose_its_row(value: object) -> None:
    found = loaded(GOOD, row(grounded=value))
    assert ([c.grounded for c in found.cases], found.rejected) == ([None, None], ())
    if value not in ([], {}):
        (note,) = (note for note in found.counts.notes if "Not read as labels" in note)
        assert f": {value}." in note
        assert (str(value), "no label (no word of a label)", 1) in found.counts.labels
