"""Views of claims: the answer is the same in each, whatever is added, turned, left out or put into one claim."""

from models.evidence_views import LONGEST, sentences_of, varied
from models.lora import MAYBE, NO, NOT_YES, YES, Claims

TOPICS = ("lease", "appeal", "notice", "merger", "patent", "will", "strike", "export")
ROWS = [
    Claims(
        f"The {t} was signed in {1980 + i}. Two clerks of the {t} office saw the ink dry. A copy lies in room {i}.",
        (
            (f"Someone signed the {t} in {1980 + i}.", YES),
            (f"No clerk signed that {t} paper.", NO),
            (f"A {t} costs {i}.", MAYBE),
        ),
    )
    for i, t in enumerate(TOPICS)
] * 8
OF_BOTH = {(YES, YES): YES, (YES, NO): NO, (NO, MAYBE): NO, (YES, MAYBE): MAYBE, (NO, NO): NO, (MAYBE, MAYBE): MAYBE}
ANSWERS = {claim: answer for row in ROWS for claim, answer in row.claims}


def _parts(claim: str) -> list[int]:
    return [answer for text, answer in ANSWERS.items() if text.rstrip(".") in claim]


def test_every_view_has_the_answers_that_follow_from_it() -> None:
    views = varied(ROWS, 0)
    assert views == varied(ROWS, 0)
    assert views != varied(ROWS, 1)
    kinds = dict.fromkeys(("same", "omitted", "joined"), 0)
    for view in views:
        assert len(view.evidence) <= LONGEST
        for claim, answer in view.claims:
            parts = _parts(claim)
            if len(parts) == 2:
                kinds["joined"] += 1
                assert answer == OF_BOTH.get((parts[0], parts[1]), OF_BOTH.get((parts[1], parts[0])))
            elif answer == ANSWERS[claim]:
                kinds["same"] += 1
            else:
                kinds["omitted"] += 1
                assert (ANSWERS[claim], answer) == (YES, MAYBE)
                assert "signed" not in view.evidence
    assert all(kinds.values()), kinds


def test_sentences_are_added_and_turned_and_none_is_lost() -> None:
    rows = [Claims(r.evidence, r.claims[:1]) for r in ROWS]
    views = [v for v in varied(rows, 0) if v.claims in {r.claims for r in rows} and v.claims[0][1] == YES]
    assert len(views) == len(rows)
    added = turned = 0
    for row, view in zip(rows, views, strict=True):
        theirs = [s for s in sentences_of(view.evidence) if s in sentences_of(row.evidence)]
        assert set(theirs) == set(sentences_of(row.evidence))
        added += len(sentences_of(view.evidence)) > len(sentences_of(row.evidence))
        turned += theirs != list(sentences_of(row.evidence))
    assert 0.3 < added / len(rows) < 0.9
    assert 0.2 < turned / len(rows) < 0.8


def test_two_claims_in_one_of_which_one_has_no_known_answer_are_not_supported() -> None:
    rows = [Claims(f"The {t} is void. It fell.", ((f"The {t} is valid.", NOT_YES),)) for t in TOPICS] * 20
    assert {answer for view in varied(rows, 0) for _, answer in view.claims} == {NOT_YES}
