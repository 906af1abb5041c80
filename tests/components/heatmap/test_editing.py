"""The table of an edit: old and new values of the sentence, however it was edited, and what became of the flag."""

from dataclasses import replace

from components.heatmap.editing import focus_of, moves, moves_html
from groundscope.cases.edits.by_hand import EditHistory, response_place, source_place
from groundscope.drawing.board import MethodRow
from groundscope.methods import About
from groundscope.text.sentences import split
from groundscope.types import Case, Judgement, Passage, SentenceScore, Status
from tests.loops import each

CASE = Case("c", "q", (Passage("p", "It is due. It is late."),), "It is due now. It is late. It is over.")


def row(case: Case, *supports: float | None, state: str = "", threshold: float | None = 0.5) -> MethodRow:
    scores = tuple(SentenceScore(s.start, s.end, x) for s, x in zip(split(case.response), supports, strict=bool(supports)))
    known = [x for x in supports if x is not None]
    judged = Judgement(Status.SCORED, min(known), scores) if known else None
    return MethodRow("m", About("A <b> method", "means"), judged, threshold, state)


def typed(history: EditHistory, sentence: int, text: str) -> EditHistory:
    place = response_place(history.shown.case, sentence)
    assert place
    return history.typed(place, text, (0, 0))


def test_the_sentence_that_was_edited_stands_with_its_old_value() -> None:
    history = typed(EditHistory.of(CASE), 1, "It is early.")
    (found,) = moves(history, [row(CASE, 0.9, 0.8, 0.7)], [row(history.shown.case, 0.9, 0.3, 0.7)])
    assert (found.before, found.after, found.whole, found.verdict, found.others) == (0.8, 0.3, (0.7, 0.3), "now flagged", -1)
    assert focus_of(history) == 1
    drawn = moves_html([found])
    assert "0.80\xa0→\xa00.30<br><small>now flagged</small>" in drawn
    assert "0.70\xa0→\xa00.30" in drawn
    assert "A &lt;b&gt; method" in drawn


def test_a_sentence_that_became_two_has_the_lower_value_and_a_deleted_one_none() -> None:
    two = typed(EditHistory.of(CASE), 0, "It is due. It is due later.")
    (found,) = moves(two, [row(CASE, 0.4, 0.8, 0.7)], [row(two.shown.case, 0.9, 0.6, 0.8, 0.7)])
    assert (found.before, found.after, found.verdict) == (0.4, 0.6, "no longer flagged")
    gone = typed(EditHistory.of(CASE), 1, "")
    (found,) = moves(gone, [row(CASE, 0.9, 0.8, 0.7)], [row(gone.shown.case, 0.9, 0.7)])
    assert (found.before, found.after, found.verdict) == (0.8, None, "")
    assert "0.80\xa0→\xa0–" in moves_html([found])
    assert focus_of(gone) == 1, "what stands in its place"
    last = typed(EditHistory.of(CASE), 2, "")
    assert focus_of(last) == 1


def test_old_values_are_the_originals_after_any_number_of_edits_and_undo_leads_back_to_the_sentence() -> None:
    history = typed(typed(typed(EditHistory.of(CASE), 0, "It was due long ago."), 1, "It is soon."), 1, "It is very late.")
    (found,) = moves(history, [row(CASE, 0.9, 0.8, 0.7)], [row(history.shown.case, 0.1, 0.2, 0.7)])
    assert (found.before, found.after) == (0.8, 0.2)
    assert focus_of(history.undone().undone()) == 0
    assert focus_of(history.reset()) == 0


def test_where_a_source_changed_other_sentences_that_moved_are_counted() -> None:
    place, about = source_place(CASE, 0), response_place(CASE, 0)
    assert place
    assert about
    history = EditHistory.of(CASE).typed(place, "It is not due.", about[:2])
    (found,) = moves(history, [row(CASE, 0.9, 0.8, 0.7)], [row(history.shown.case, 0.2, 0.4, 0.7)])
    assert (found.before, found.after, found.others) == (0.9, 0.2, 1)
    assert "Other sentences moved" in moves_html([found])


@each(
    ("old", "new", "words"),
    [
        (row(CASE), row(CASE, 0.9, 0.3, 0.7), "–\xa0→\xa00.30"),
        (row(CASE, 0.9, 0.8, 0.7), row(CASE, state="Not sent yet"), "0.80\xa0→\xa0Not sent yet"),
        (
            row(CASE, 0.9, 0.8, 0.7),
            replace(row(CASE, state="Scoring, 20 %"), busy=True),
            "0.80\xa0→\xa0…",
        ),
        (
            row(CASE, 0.9, 0.8, 0.7, threshold=None),
            row(CASE, 0.9, None, 0.7, threshold=None),
            "0.80\xa0→\xa0–",
        ),
        (row(CASE, 0.9, 0.3, 0.7), row(CASE, 0.9, 0.3, 0.7), "flagged as before"),
    ],
)
def test_a_method_without_a_value_says_why(old: MethodRow, new: MethodRow, words: str) -> None:
    history = typed(EditHistory.of(CASE), 1, "It is far.")
    shown = replace(history.shown.case, response=CASE.response)
    same = EditHistory((history.versions[0], history.versions[1]._replace(case=shown, focus=(15, 26))), 1)
    assert words in moves_html(moves(same, [old], [new]))
