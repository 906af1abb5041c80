"""What methods say of each sentence of a revealed case stands at that sentence, also below a heading."""

from components.review.revealed import supports
from groundscope.drawing.board import MethodRow
from groundscope.methods import About
from groundscope.text.sentences import split
from groundscope.types import Case, Judgement, SentenceScore, Status

CASE = Case("c", "", (), "# Answer\n\nIt is due. He pays.")


def test_supports_stand_at_their_sentences_whether_a_method_scores_headings_or_not() -> None:
    heading, first, second = split(CASE.response)
    assert heading.heading
    scores = (SentenceScore(first.start, first.end, 0.25), SentenceScore(second.start, second.end, 0.75))
    with_heading = (SentenceScore(heading.start, heading.end, None), *scores)
    for sentences in (scores, with_heading):
        judged = Judgement(Status.SCORED, 0.25, sentences)
        assert supports(CASE, MethodRow("m", About(title="M", measures=""), judged, 0.5)) == [None, 0.25, 0.75]
    assert supports(CASE, MethodRow("m", About(title="M", measures=""), None, 0.5)) == [None, None, None]
