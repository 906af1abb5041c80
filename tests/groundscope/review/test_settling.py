"""What two reviewers differ in, what a third decides, and the labels that come of it."""

from pathlib import Path

from groundscope.cases.dataset import read, to_jsonl
from groundscope.review.decisions import ReviewDecision, Ruling, SourcePlace, case_key
from groundscope.review.settling import agreed_decision, gold_cases, gold_decisions, review_differences
from groundscope.review.store import ReviewStore
from groundscope.storage.database import FILE, Database
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Passage

CASE = Case(
    "c", "When?", (Passage("p", "Notice is due within one month."),), "It is due in May. It is written. He pays.", group="g"
)
OTHER = Case("d", "Who?", (Passage("p", "The tenant pays."),), "The tenant pays.", True)
KEY = case_key(CASE)
YES, NO = Ruling.SUPPORTED, Ruling.NOT_SUPPORTED


def reviewed(path: Path) -> ReviewStore:
    store = ReviewStore(Database.at(path / FILE))
    store.decide(
        CASE,
        "Ada",
        ReviewDecision(0, Ruling.CONTRADICTED, ErrorType.FACTUAL_INACCURACY, (13, 16), None, "May?"),
        ReviewDecision(1, YES, rests_on=SourcePlace(0, 0, 31)),
        ReviewDecision(2, NO),
    )
    store.decide(
        CASE,
        "Bo",
        ReviewDecision(0, Ruling.CONTRADICTED, None, None, SourcePlace(0, 0, 31), "One month."),
        ReviewDecision(1, NO),
        ReviewDecision(2, NO, ErrorType.REASONING_ERROR),
    )
    store.decide(OTHER, "Bo", ReviewDecision(0, YES))
    return store


def test_a_third_decision_settles_and_makes_gold_labels(tmp_path: Path) -> None:
    store = reviewed(tmp_path)
    people = {name: store.decided(name) for name in store.reviewers()}
    cases = store.cases([KEY, case_key(OTHER)])
    (found,) = review_differences(people, store.settled())
    assert (found.key, found.sentence, found.settled) == (KEY, 1, None)
    assert {name: d.decision.ruling for name, d in found.decisions.items()} == {"Ada": YES, "Bo": NO}
    assert gold_cases(people, store.settled(), cases) == ((), 2)

    (third,) = store.settle(CASE, "Cy", ReviewDecision(1, YES, rests_on=SourcePlace(0, 0, 31)))
    assert store.reviewers() == ("Ada", "Bo"), "who settles has decided nothing of their own"
    assert review_differences(people, store.settled())[0].settled == third
    (gold,), left = gold_cases(people, store.settled(), cases)
    assert left == 1, "one reviewer alone makes no gold label"
    assert (gold.id, gold.group, gold.grounded) == ("c", "g", False)
    assert gold.errors == (
        ErrorSpan(13, 16, ErrorType.FACTUAL_INACCURACY, "May? / One month.", True),
        ErrorSpan(33, 41, ErrorType.REASONING_ERROR, "", False),
    )
    assert EvidenceSpan(18, 32, 0, 0, 31) in gold.evidence
    assert read("gold.jsonl", to_jsonl([gold]).encode()).cases == (gold,)
    store.settle(CASE, "Di", ReviewDecision(1))
    assert review_differences(people, store.settled())[0].settled is None
    store.close()


def test_a_settlement_is_left_out_of_a_persons_own_decisions(tmp_path: Path) -> None:
    store = reviewed(tmp_path)
    store.settle(CASE, "Ada", ReviewDecision(1, NO))
    assert store.current(KEY, "Ada")[1].decision.ruling is YES
    assert [d.settles for d in store.history(KEY)] == [False] * 6
    assert store.settled()[KEY][1].settles
    undone = store.undo(CASE, "Ada")
    assert undone, "what is undone is the last decision of one's own"
    assert undone.decision.sentence == 2
    assert store.settled()[KEY][1].decision.ruling is NO
    store.forget(KEY)
    assert store.settled() == {}
    store.close()


def test_decisions_made_blind_stand_where_only_these_are_asked_for(tmp_path: Path) -> None:
    store = reviewed(tmp_path)
    store.reveal("Ada", CASE)
    store.decide(CASE, "Ada", ReviewDecision(1, NO))
    assert store.decided("Ada")[KEY][1].decision.ruling is NO
    assert store.decided("Ada", blind=True)[KEY][1].decision.ruling is YES
    store.close()


def test_agreed_decisions() -> None:
    one, two = ReviewDecision(0, NO), ReviewDecision(0, NO, ErrorType.MISATTRIBUTION)
    assert agreed_decision([one, two]) == two
    assert agreed_decision([two, ReviewDecision(0, NO, ErrorType.REASONING_ERROR)]) is None
    assert agreed_decision([one, ReviewDecision(0, YES)]) is None
    assert agreed_decision([]) is None
    assert gold_decisions({"Ada": {}}, {}) == {}
