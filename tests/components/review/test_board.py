"""What the review page sends to the browser, and what it reads of it: nothing of labels, and every offset as it was."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.review.board import drawn, read_back
from components.review.revealed import lacks, missing_words, supports
from groundscope.drawing.board import MethodRow
from groundscope.methods import About
from groundscope.review.decisions import WHOLE, ReviewDecision, Ruling, SourcePlace, StoredDecision
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
    return ReviewDecision(sentence, ruling, kind, span, rests_on, draw(st.sampled_from(["", "A note 😀 <b>"])))


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


def test_nothing_of_labels_and_ids_is_sent() -> None:
    sent = json.dumps(drawn(CASE, {}, 0.0), ensure_ascii=False)
    assert not any(word in sent for word in ("Quagmire", "variant", "gold", "grounded", 'support"', "checks"))
    assert "Notice is due." in sent
    assert sent.endswith('"findings": null}')
    # The ids of passages stand before their titles only where reasons of labels refer to them.
    assert [p["source"] for p in drawn(CASE, {}, 0.0)["context"]] == ["Lease", "Act"]


@each(
    "item", [{}, {"sentence": 3, "ruling": "supported"}, {"sentence": 0, "ruling": "certainly"}, {"sentence": 0, "note": ["a"]}]
)
def test_what_no_page_sends_is_refused(item: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"sentence|valid|note"):
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
