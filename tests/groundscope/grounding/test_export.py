"""Results for other programs: strict JSON, and CSV that no spreadsheet runs."""

import csv
import io
import json
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.findings.listing import MethodReading
from groundscope.grounding.export import COLUMNS, guarded, to_csv, to_json
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Judgement, Match, Passage, SentenceScore, Status
from tests.loops import each

CASE = Case("c", "q", (Passage("p1", "x=1+1 😀 end.", "=Source"), Passage("p2", "Two.")), "=A1 😀 one. Two.")
# "=A1 😀 one." is characters 0 to 10, "Two." 11 to 15; "=1+1" is 1 to 5 of the first passage.
SENTENCES = (
    SentenceScore(0, 10, 0.25, (Match(0, 1, 5, 0.25), Match(1, 0, 4, 0.125)), ((0, 3),)),
    SentenceScore(11, 15, None),
)
SCORED = MethodReading(
    "quip",
    "quip|n=21",
    Judgement(Status.SCORED, support=0.25, sentences=SENTENCES, seconds=0.5, matrix=np.ones((2, 2), dtype=np.float32)),
    0.5,
)
STATES = [s for s in Status if s is not Status.SCORED]


def no_constant(name: str) -> NoReturn:
    raise AssertionError(f"{name} is not JSON")


def document(*results: MethodReading) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(to_json(CASE, results), parse_constant=no_constant)
    return found


def table(*results: MethodReading, case: Case = CASE) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(to_csv(case, results), newline=""), strict=True))


def test_json_slices_are_the_texts_they_name() -> None:
    found = document(SCORED)
    response, context = found["case"]["response"], found["case"]["context"]
    (result,) = found["results"]
    assert [s["text"] for s in result["sentences"]] == ["=A1 😀 one.", "Two."]
    for sentence in result["sentences"]:
        assert response[sentence["start"] : sentence["end"]] == sentence["text"]
        for match in sentence["matches"]:
            assert context[match["passage"]]["text"][match["start"] : match["end"]] == match["text"]


def test_json_says_method_signature_and_verdict() -> None:
    (result,) = document(SCORED)["results"]
    assert (result["method"], result["signature"], result["status"]) == ("quip", "quip|n=21", "scored")
    assert (result["support"], result["threshold"], result["grounded"]) == (0.25, 0.5, False)
    assert result["verdict"] == "1 of 1 sentence flagged"
    assert [(s["support"], s["flagged"]) for s in result["sentences"]] == [(0.25, True), (None, None)]


@each("status", STATES)
def test_a_state_carries_no_number(status: Status) -> None:
    state = MethodReading("m", "m|1", Judgement(status, note="why"), 0.5)
    (result,) = document(state)["results"]
    assert (result["support"], result["grounded"], result["sentences"]) == (None, None, [])
    (line,) = table(state)
    assert (line["status"], line["note"], line["threshold"]) == (status, "why", "0.5")
    assert {line[c] for c in ("sentence", "support", "flagged", "match_support", "start", "end", "text")} == {""}


def test_csv_has_a_line_a_method_and_sentence() -> None:
    one, two = table(SCORED)
    assert tuple(one) == COLUMNS
    assert (one["sentence"], one["start"], one["end"], one["support"], one["flagged"]) == ("1", "0", "10", "0.25", "True")
    assert (one["text"], one["match_source"], one["match_text"]) == ("'=A1 😀 one.", "'=Source", "'=1+1")
    assert (one["match_passage"], one["match_start"], one["match_end"]) == ("1", "1", "5")
    assert (two["sentence"], two["text"], two["support"], two["match_text"]) == ("2", "Two.", "", "")


def test_what_a_threshold_promises_stands_beside_it() -> None:
    promised = replace(SCORED, promise="=misses few")
    assert document(promised)["results"][0]["promise"] == "=misses few"
    assert [line["promise"] for line in table(promised)] == ["'=misses few"] * 2
    lone = MethodReading("m", "m|1", Judgement(Status.FAILED, note="why"), 0.5, promise="misses few")
    assert [line["promise"] for line in table(lone, SCORED)] == ["misses few", "", ""]


def test_csv_keeps_line_breaks_and_quotes_inside_a_cell() -> None:
    case = Case("c", "q", (), 'He said "no",\nthen left.')
    judgement = Judgement(Status.SCORED, support=1.0, sentences=(SentenceScore(0, 24, 1.0),))
    lines = table(MethodReading("m", "s", judgement, None), case=case)
    assert [line["text"] for line in lines] == [case.response]


@each("start", [*"=+-@＝＋－＠\t\r", " =", "\u00a0+", "\u3000-", "\n@", " \t＝", "  \r"])
def test_cells_that_a_spreadsheet_would_run_get_an_apostrophe_and_no_others(start: str) -> None:
    cell = f"{start}cmd|'/c calc'!A1"
    assert guarded(cell) == f"'{cell}"
    for harmless in ("", "a=1", f"a{cell}", f"'{cell}"):
        assert guarded(harmless) == harmless


@given(st.text(alphabet=" \t\r\n=+-@＝＋－＠a'", max_size=6))
def test_no_guarded_cell_starts_a_formula(cell: str) -> None:
    safe = guarded(cell)
    assert safe in (cell, f"'{cell}")
    assert not safe.lstrip().startswith(tuple("=+-@＝＋－＠"))


@pytest.mark.parametrize("field", ["method", "signature", "note"])
def test_every_text_column_is_guarded(field: str) -> None:
    texts = {"method": "m", "signature": "s", "note": "n", field: "=1+1"}
    judgement = Judgement(Status.FAILED, note=texts["note"])
    assert table(MethodReading(texts["method"], texts["signature"], judgement, None))[0][field] == "'=1+1"


# Sentences: 0 to 6, 7 to 14, 15 to 25; in the passages "One holds." 0 to 10, "Two holds." 11 to 21, "Three holds." 0 to 12.
GOLD_RESPONSE = "It is. It was. It may be."
GOLD_CONTEXT = (Passage("a", "One holds. Two holds."), Passage("=b", "Three holds."))
FACT, TERM = ErrorType.FACTUAL_INACCURACY, ErrorType.TERMINOLOGICAL_ERROR


def gold_columns(**labels: Any) -> list[tuple[str, str]]:
    case = Case("c", "q", GOLD_CONTEXT, GOLD_RESPONSE, **labels)
    sentences = tuple(SentenceScore(start, end, 0.5) for start, end in ((0, 6), (7, 14), (15, 25)))
    judged = MethodReading("m", "s", Judgement(Status.SCORED, support=0.5, sentences=sentences), None)
    return [(line["gold_label"], line["gold_evidence"]) for line in table(judged, case=case)]


SPANS = {
    "grounded": False,
    "errors": (ErrorSpan(3, 8, FACT), ErrorSpan(7, 9, TERM)),
    "unsupported": ((7, 9), (12, 14)),
    "evidence": (EvidenceSpan(0, 6, 0, 0, 21), EvidenceSpan(15, 25, 0, 11, 21)),
}
SPANNED = [
    ("factual_inaccuracy", "a.1 a.2"),
    ("factual_inaccuracy; terminological_error; unsupported", ""),
    ("supported", "a.2"),
]
GROUNDED = {"grounded": True, "evidence": (EvidenceSpan(0, 6, 1, 0, 12),)}


@each(
    ("labels", "columns"),
    [
        (SPANS, SPANNED),
        # The name of a passage is guarded like every text.
        (GROUNDED, [("supported", "'=b.1"), ("supported", ""), ("supported", "")]),
        # Nobody said that a sentence beside an error is supported.
        ({"grounded": False, "errors": (ErrorSpan(3, 5, FACT),)}, [("factual_inaccuracy", ""), ("", ""), ("", "")]),
        ({"grounded": True}, [("", "")] * 3),
    ],
)
def test_the_gold_columns_say_what_is_wrong_and_where_the_evidence_stands(
    labels: dict[str, Any], columns: list[tuple[str, str]]
) -> None:
    assert gold_columns(**labels) == columns


def test_a_method_without_these_sentences_gets_no_gold_of_another_one() -> None:
    case = Case("c", "q", GOLD_CONTEXT, GOLD_RESPONSE, errors=(ErrorSpan(3, 5, FACT),))
    cut = Judgement(Status.SCORED, support=0.5, sentences=(SentenceScore(3, 14, 0.5),))
    for judged in (cut, Judgement(Status.FAILED)):
        (line,) = table(MethodReading("m", "s", judged, None), case=case)
        assert (line["gold_label"], line["gold_evidence"]) == ("", "")


def test_a_method_without_sentences_has_the_citations_of_all() -> None:
    case = Case(
        "c",
        "q",
        (Passage("p", "Roe v. Wade, 410 U.S. 113 (1973)."),),
        "It is so. 1 F.3d 2 (1993). He said “no notice is due here”. Roe v. Wade, 410 U.S. 113 (1973).",
    )
    failed, scored = Judgement(Status.FAILED), Judgement(Status.SCORED, support=0.5, sentences=(SentenceScore(0, 9, 0.5),))
    whole, first = table(MethodReading("m", "s", failed, None), MethodReading("n", "s", scored, None), case=case)
    assert "1 F.3d 2 (1993)" in whole["citations"]
    assert "Roe v. Wade, 410 U.S. 113 (1973)" in whole["citations"]
    assert "no notice is due here" in whole["quotations_not_verbatim"]
    # A line of one sentence has its own alone.
    assert "Roe" not in first["citations"]


def test_json_carries_the_gold_labels_of_the_case() -> None:
    error = ErrorSpan(3, 5, FACT, "w", contradicted=False)
    case = Case("c", "q", GOLD_CONTEXT, GOLD_RESPONSE, grounded=False, errors=(error,), evidence=(EvidenceSpan(0, 6, 0, 0, 10),))
    found = json.loads(to_json(case, []))["case"]
    assert found["errors"] == [{"start": 3, "end": 5, "type": "factual_inaccuracy", "why": "w", "contradicted": False}]
    assert found["evidence"] == [{"response_start": 0, "response_end": 6, "passage": 0, "start": 0, "end": 10}]
