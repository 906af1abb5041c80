"""A judge of Legal RAG against people: what they read, what is counted, and the share that corrects the judge's."""

import math
from pathlib import Path

import numpy as np
import pytest

from groundscope.rag.outcomes import Answer
from groundscope.review.audit import AUDITED, audit_case, audit_sample, audit_values, audits, people_audits
from groundscope.review.decisions import WHOLE, ReviewDecision, Ruling, StoredDecision, case_key
from groundscope.review.store import ReviewStore
from groundscope.storage.database import FILE, Database
from groundscope.types import Passage


def answer(i: int, *, correct: bool | None = True, grounded: bool | None = True, model: str = "m") -> Answer:
    context = (Passage(f"p{i}", f"Passage {i} says so."),)
    return Answer("e", model, f"q{i}", correct, grounded, None, f"Question {i}?", f"Reference {i}.", f"Answer {i}.", context)


@pytest.fixture
def store(tmp_path: Path) -> ReviewStore:
    return ReviewStore(Database.at(tmp_path / FILE))


def decide(store: ReviewStore, one: Answer, what: str, *, yes: bool, who: str = "Ada") -> None:
    case = audit_case(one, what)
    assert case is not None
    store.decide(case, who, ReviewDecision(WHOLE, Ruling.SUPPORTED if yes else Ruling.NOT_SUPPORTED))


def test_the_two_cases_of_an_answer_ask_what_the_paper_means() -> None:
    one = answer(1)
    grounded, correct = (audit_case(one, what) for what in AUDITED)
    assert grounded is not None
    assert correct is not None
    assert ([p.text for p in grounded.context], grounded.response) == (["Passage 1 says so."], "Answer 1.")
    assert ([p.text for p in correct.context], correct.response) == (["Answer 1."], "Reference 1.")
    assert grounded.grounded is correct.grounded is None
    assert case_key(grounded) != case_key(correct)
    assert audit_case(answer(1, correct=None), "correct") is None
    assert audit_case(Answer("e", "m", "q", True, True, None), "grounded") is None


def test_a_sample_takes_rare_verdicts_as_often_as_frequent_ones_and_is_that_of_its_seed() -> None:
    answers = [answer(i, grounded=i % 20 != 0) for i in range(200)]
    cases = audit_sample(answers, 20, seed=3)
    assert len(cases) == 40
    read = {c.id.split()[0] for c in cases}
    assert len(read) == 20
    assert sum(int(q[1:]) % 20 == 0 for q in read) == 10
    assert cases == audit_sample(answers, 20, seed=3) != audit_sample(answers, 20, seed=4)
    assert audit_sample(answers, 30, seed=3)[:40] == cases
    assert audit_sample([Answer("e", "m", "q", True, True, None)], 5) == ()
    with pytest.raises(ValueError, match="count must be at least 1, got 0"):
        audit_sample(answers, 0)


def test_agreement_is_counted_for_each_verdict_and_the_share_is_corrected(store: ReviewStore) -> None:
    """Of 100 answers the judge calls 80 grounded; people say yes to 3 of 4 of those, and to 1 of 2 of the others."""
    answers = [answer(i, grounded=i < 80) for i in range(100)]
    for i, yes in ((0, True), (1, True), (2, True), (3, False), (80, True), (81, False)):
        decide(store, answers[i], "grounded", yes=yes)
    (found,) = people_audits(answers, store)
    assert (found.what, found.read) == ("grounded", 6)
    assert (found.judged.count, found.judged.of) == (80, 100)
    assert (found.yes.count, found.yes.of, found.no.count, found.no.of) == (3, 4, 1, 2)
    assert found.corrected == pytest.approx((80 * 3 / 4 + 20 * 1 / 2) / 100)
    assert found.interval.low < found.corrected < found.interval.high
    values = audit_values(found)
    assert (values["verdict"], values["read"], values["agree with yes"]) == ("grounded", 6, 0.75)


def test_what_was_read_whole_has_no_doubt_and_what_was_not_read_has_no_figure(store: ReviewStore) -> None:
    answers = [answer(i, correct=i < 2) for i in range(4)]
    for one in answers[:2]:
        decide(store, one, "correct", yes=True)
    (found,) = people_audits(answers, store)
    assert (found.yes.count, found.no.of) == (2, 0)
    assert math.isnan(found.corrected)
    assert audit_values(found)["corrected"] is None
    for one in answers[2:]:
        decide(store, one, "correct", yes=False)
    (found,) = people_audits(answers, store)
    assert (found.corrected, found.interval.low, found.interval.high) == (0.5, 0.5, 0.5)


def test_people_who_differ_count_once_it_is_settled(store: ReviewStore) -> None:
    one = answer(1, grounded=False)
    decide(store, one, "grounded", yes=True)
    decide(store, one, "grounded", yes=False, who="Bo")
    assert people_audits([one], store) == ()
    case = audit_case(one, "grounded")
    assert case is not None
    store.settle(case, "Cy", ReviewDecision(WHOLE, Ruling.NOT_SUPPORTED))
    assert people_audits([one], store)[0].no.count == 1


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    """Samples drawn by the project's own draw, against a truth that is known for all answers."""
    rng = np.random.default_rng(5)
    truth = rng.random(400) < 0.7
    answers = [answer(i, grounded=bool(rng.random() < (0.9 if truth[i] else 0.3))) for i in range(400)]
    covered = 0
    for seed in range(40):
        read = {}
        for case in (c for c in audit_sample(answers, 60, seed) if not c.id.endswith(" correct")):
            ruling = Ruling.SUPPORTED if truth[int(case.id.split()[0][1:])] else Ruling.NOT_SUPPORTED
            decision = ReviewDecision(WHOLE, ruling)
            read[case_key(case)] = {WHOLE: StoredDecision(0, case_key(case), "Ada", "", True, decision)}
        (audit,) = audits(answers, {"Ada": read}, {})
        covered += audit.interval.low <= truth.mean() <= audit.interval.high
    # 95 % of 40 are 38; fewer than 34 would come once in a thousand times.
    assert covered >= 34
