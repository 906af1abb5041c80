"""What the review page sends to the browser, and what it reads of it: nothing of labels, and every offset as it was."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.review.board import drawn, read_back
from components.review.revealed import lacks, missing_words, supports
from groundscope.drawing.board import MethodRow
from groundscope.findings import FindingList, findings_of
from groundscope.methods import About
from groundscope.review.decisions import WHOLE, WRONG, Correction, ReviewDecision, Ruling, SourcePlace, StoredDecision
from groundscope.text.sentences import context_sentences, split
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Judgement, Passage, SentenceScore, Status
from tests.loops import each

RESPONSE = "It is 😀 due in May. Ärzte pay İt. He pays."
CASE = Case(
    "overtime-variant-1",
    "When?",
    (Passage("p", "Notice is due. It is 😀 written.", "Lease"), Passage("q", "The tenant pays.", "Act")),
    RESPONSE,
    grounded=False,
    errors=(ErrorSpan(0, 5, ErrorType.PROCEDURAL_ERROR, "Quagmire was changed."),),
    evidence=(EvidenceSpan(0, 5, 0, 0, 6),),
)
UNITS, SENTENCES = context_sentences(CASE.context), split(RESPONSE)


def _stored(decision: ReviewDecision) -> StoredDecision:
    return StoredDecision(7, "key", "Ada", "2026-11-25T18:37:00+00:00", True, decision)


@st.composite
def _decisions(draw: st.DrawFn) -> ReviewDecision:
    sentence = draw(st.sampled_from([WHOLE, 0, 1, 2]))
    span = None
    if sentence != WHOLE and draw(st.booleans()):
        s = SENTENCES[sentence]
        start = draw(st.integers(s.start, s.end - 1))
        span = start, draw(st.integers(start + 1, s.end))
    unit = draw(st.none() | st.sampled_from(UNITS))
    rests_on = SourcePlace(unit.passage, unit.start, unit.end) if unit else None
    ruling, kind = draw(st.none() | st.sampled_from(Ruling)), draw(st.none() | st.sampled_from(ErrorType))
    correction = None
    if span and ruling in WRONG:
        u = draw(st.sampled_from(UNITS))
        start = draw(st.integers(u.start, u.end - 1))
        place = SourcePlace(u.passage, start, draw(st.integers(start + 1, u.end)))
        correction = Correction(*span, draw(st.sampled_from([None, place])))
    return ReviewDecision(sentence, ruling, kind, span, rests_on, draw(st.sampled_from(["", "A note 😀 <b>"])), correction)


@given(_decisions())
def test_a_decision_goes_to_the_browser_and_back_as_it_was(decision: ReviewDecision) -> None:
    sent = json.loads(json.dumps(drawn(CASE, {decision.sentence: _stored(decision)}, 3.0)))
    item = sent["decisions"][str(decision.sentence)]
    assert read_back(CASE, {"sentence": decision.sentence, **item}) == decision
    assert (sent["saved"], sent["acked"], item["number"]) == ("18:37", 3.0, 7)


def test_a_page_says_before_the_download_which_methods_are_at_work_failed_or_lack_something() -> None:
    def row(title: str, judgement: Judgement | None = None, state: str = "", *, busy: bool = False) -> MethodRow:
        return MethodRow(title, About(title, ""), judgement, 0.5, state, busy)

    scored, failed = Judgement(Status.SCORED, 0.5), Judgement(Status.FAILED, note="The weights are not here.\nGet them.")
    rows = [
        row("Overlap", scored),
        row("Judge", state="Scoring 3 of 8", busy=True),
        row("Cascade", busy=True),
        row("NLI", failed),
        row("Lynx", state="Not sent yet: confirm below"),
        row("QUIP", Judgement(Status.NOT_ASSESSABLE)),
    ]
    assert [lacks(r) for r in rows] == [
        "",
        "still at work",
        "still at work",
        "failed: The weights are not here. Get them.",
        "not sent yet",
        "not assessable",
    ]
    assert missing_words(rows) == (
        "2 of 6 methods are still at work: Judge and Cascade. Wait for all. Without a figure: NLI (failed: The weights are not "
        "here. Get them.); Lynx (not sent yet); QUIP (not assessable). A report or a pack made now names what it lacks."
    )
    assert missing_words(rows[:1]) == ""
    # A pack holds no method that it lists as missing.
    assert [r for r in rows if not lacks(r)] == rows[:1]


def test_nothing_of_labels_and_ids_is_sent() -> None:
    sent = json.dumps(drawn(CASE, {}, 0.0), ensure_ascii=False)
    assert not any(word in sent for word in ("Quagmire", "variant", "gold", "grounded", 'support"', "checks"))
    assert "Notice is due." in sent
    assert sent.endswith('"findings": null}')
    # The ids of passages stand before their titles only where reasons of labels refer to them.
    assert [p["source"] for p in drawn(CASE, {}, 0.0)["context"]] == ["Lease", "Act"]


def test_what_the_source_says_is_offered_of_a_passage_that_was_chosen_or_is_in_view() -> None:
    case = Case("c", "q", (Passage("p", "Rent is due. Notice is due within 30 days.", "Lease"),), "Notice is due within 60 days.")
    findings = findings_of(case)
    assert any(f.place for f in findings.findings)

    def offer(decision: ReviewDecision, seen: FindingList | None) -> Any:
        return drawn(case, {0: _stored(decision)}, 0.0, findings=seen)["decisions"]["0"]["offer"]

    asked, second = ReviewDecision(0, Ruling.CONTRADICTED), SourcePlace(0, 13, 42)
    whole = {"span": [0, 29], "unit": 1, "at": [0, 29], "cite": "Lease, sentence 2"}
    # Blind: where the reviewer chose no passage, none is shown.
    assert offer(asked, None) is None
    assert offer(replace(asked, rests_on=second), None) == whole
    assert offer(asked, findings) == whole
    assert offer(replace(asked, ruling=Ruling.SUPPORTED), findings) is None
    # Of wrong words, their counterpart alone.
    named = replace(asked, rests_on=second, span=(21, 28))
    assert offer(named, None) == {**whole, "span": [21, 28], "at": [21, 28]}


def test_wrong_words_that_are_named_after_a_correction_was_taken_narrow_it() -> None:
    source, response = "Rent is due. Notice is due within 30 days.", "Notice is due within 60 days."
    case = Case("c", "q", (Passage("p", source, "Lease"),), response)
    whole, notice, days = (0, len(response)), SourcePlace(0, 13, 42), (21, 28)
    place = SourcePlace(0, 34, 41)

    def named(correction: Correction, span: list[int] | None) -> Correction | None:
        before = ReviewDecision(0, Ruling.CONTRADICTED, rests_on=notice, correction=correction)
        return read_back(case, {"sentence": 0, "span": span}, before).correction

    # The words of the source in their place, where it has such; else what it says stays.
    assert named(Correction(*whole, notice), [21, 28]) == Correction(*days, place)
    assert named(Correction(*whole, notice), [0, 6]) == Correction(*whole, notice)
    assert named(Correction(*days, place), [21, 23]) == Correction(*days, place)
    # What was struck out, or quoted in fewer words, is that of the wrong words.
    assert named(Correction(*whole, None), [21, 28]) == Correction(*days, None)
    assert named(Correction(*whole, SourcePlace(0, 34, 36)), [21, 23]) == Correction(21, 23, SourcePlace(0, 34, 36))
    # Words that are taken back leave it, as does a ruling that corrects nothing.
    assert named(Correction(*days, place), None) == Correction(*days, place)


@each(
    "correction",
    [
        "words", {}, {"span": [0, 5]}, {"span": [0, 5], "unit": 9, "at": [0, 2]}, {"span": [0, 5], "unit": 0, "at": "words"},
        {"span": [5, 2], "unit": 0, "at": [0, 2]}, {"span": [0, 5], "unit": True, "at": [0, 2]},
        {"span": [0, 5], "unit": 0, "at": [9_000, 9_001]},
    ],
)  # fmt: skip
def test_a_correction_is_a_place_of_the_sources_or_nothing(correction: object) -> None:
    made = read_back(CASE, {"sentence": 0, "ruling": "contradicted", "correction": correction})
    assert made == ReviewDecision(0, Ruling.CONTRADICTED)


@each(
    "item", [{}, {"sentence": 3, "ruling": "supported"}, {"sentence": 0, "ruling": "certainly"}, {"sentence": 0, "note": ["a"]}]
)
def test_what_no_page_sends_is_refused(item: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"sentence|valid|note|ruling must be one of"):
        read_back(CASE, item)


@each("span", [[3, 3], [5, 2], [-1, 4], [0], "ab", [0, True], [9_000, 9_001]])
def test_words_that_are_none_of_the_sentence_are_left_out(span: object) -> None:
    made = read_back(CASE, {"sentence": 0, "ruling": "supported", "span": span, "rests": 99})
    assert made == ReviewDecision(0, Ruling.SUPPORTED)


HEADED = Case("c", "", (), "# Answer\n\nIt is due. He pays.")


def test_supports_stand_at_their_sentences_whether_a_method_scores_headings_or_not() -> None:
    heading, first, second = split(HEADED.response)
    assert heading.heading
    scores = (SentenceScore(first.start, first.end, 0.25), SentenceScore(second.start, second.end, 0.75))
    with_heading = (SentenceScore(heading.start, heading.end, None), *scores)
    for sentences in (scores, with_heading):
        judged = Judgement(Status.SCORED, 0.25, sentences)
        assert supports(HEADED, MethodRow("m", About(title="M", measures=""), judged, 0.5)) == [None, 0.25, 0.75]
    assert supports(HEADED, MethodRow("m", About(title="M", measures=""), None, 0.5)) == [None, None, None]


@each("item", [{"note": "Why."}, {"ruling": None}, {"type": None}, {"span": None}, {"rests": -1}])
def test_a_change_leaves_the_rest_of_a_decision(item: dict[str, object]) -> None:
    unit, s = UNITS[1], SENTENCES[1]
    before = ReviewDecision(1, Ruling.PARTLY, ErrorType.MISATTRIBUTION, (s.start, s.end), SourcePlace(*unit[:3]), "Old.")
    ((name, value),) = item.items()
    field = "rests_on" if name == "rests" else name
    after = replace(before, **{field: value if name == "note" else None})
    assert read_back(CASE, {"sentence": 1, **item}, before) == after != before


def test_what_stands_between_the_cells_of_a_row_is_not_quoted() -> None:
    row = "Service: Search; Fee: 40"
    case = Case("c", "q", (Passage("p", row),), "It costs 50.")
    for at, quoted in (([9, 15], "Search"), ([16, 24], None), ([0, 24], None)):
        sent = {"sentence": 0, "ruling": "contradicted", "correction": {"span": [0, 12], "unit": 0, "at": at}}
        made = read_back(case, sent).correction
        assert (row[slice(*made.place[1:])] if made and made.place else None) == quoted
    # A correction that was asked for before the page knew the offer.
    taken = read_back(case, {"sentence": 0, "ruling": "contradicted", "rests": 0, "take": True}).correction
    assert taken == Correction(9, 11, SourcePlace(0, 22, 24))
