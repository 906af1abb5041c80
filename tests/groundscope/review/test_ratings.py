"""Ratings of people, methods and judges, their agreement, and the share that corrects a judge: by hand and other libraries."""

import math
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.runs.listing import read, samples
from groundscope.grounding.tuning import starting_rules
from groundscope.rag.outcomes import Answer, answer_case
from groundscope.review.audit import AUDITED, audit_case, audit_sample, audit_values, audits, people_audits
from groundscope.review.decisions import WHOLE, ReviewDecision, Ruling, StoredDecision, case_key
from groundscope.review.ratings import (
    RatedPlace,
    Rating,
    agreement_rows,
    dispute_doubts,
    gold_ratings,
    method_ratings,
    person_ratings,
    rag_ratings,
    reviewed_rows,
    support_doubts,
)
from groundscope.review.store import ReviewStore
from groundscope.storage.database import FILE, Database
from groundscope.text.sentences import split
from groundscope.types import Case, ErrorType, Passage

CASE = Case("c", "q", (Passage("p", "A. B."),), "One. Two. Three.")


def by_sentence(*decisions: ReviewDecision) -> dict[int, ReviewDecision]:
    return {d.sentence: d for d in decisions}


def test_a_person_rates_sentences_and_the_answer() -> None:
    own = by_sentence(
        ReviewDecision(0, Ruling.SUPPORTED),
        ReviewDecision(1, Ruling.PARTLY, ErrorType.MISATTRIBUTION),
        ReviewDecision(2, Ruling.CANNOT_SAY),
    )
    assert person_ratings({"k": own}, {"k": CASE}) == {
        ("k", 0): Rating(0, 0),
        ("k", 1): Rating(1, 1, 4),
        ("k", 2): Rating(-1, 4),
        ("k", WHOLE): Rating(1),
    }
    assert ("k", WHOLE) not in person_ratings({"k": own}, {})
    assert person_ratings({"k": by_sentence(ReviewDecision(0, None, note="later"))}, {"k": CASE}) == {}


def test_figures_are_those_of_another_library() -> None:
    rng = np.random.default_rng(1)
    places: list[RatedPlace] = [(f"k{i // 4}", i % 4) for i in range(200)]
    first = rng.integers(0, 5, 200)
    second = np.where(rng.random(200) < 0.6, first, rng.integers(0, 5, 200))
    people = [
        {p: Rating(-1 if r == 4 else int(r > 0), int(r)) for p, r in zip(places, said, strict=True)} for said in (first, second)
    ]
    rows = {row.what: row.agreement for row in agreement_rows(people, lambda key: key)}
    assert rows["The five decisions"].kappa == pytest.approx(cohen_kappa_score(first, second))
    assert rows["“contradicted”, or not"].kappa == pytest.approx(cohen_kappa_score(first == 3, second == 3))
    known = (first != 4) & (second != 4)
    flagged = rows["Sentence flagged, or not"]
    assert flagged.items == known.sum()
    assert flagged.kappa == pytest.approx(cohen_kappa_score(first[known] > 0, second[known] > 0))
    assert flagged.kappa_interval.low < flagged.kappa < flagged.kappa_interval.high
    assert "Error type, where named" not in rows
    assert "Answer flagged, or not" not in rows


def test_types_count_where_they_are_named() -> None:
    people = [
        {("k", 0): Rating(1, 1, 0), ("k", 1): Rating(1, 2, 3), ("k", 2): Rating(0, 0)},
        {("k", 0): Rating(1, 1, 0), ("k", 1): Rating(1, 2), ("k", 2): Rating(0, 0), ("k", WHOLE): Rating(1)},
    ]
    rows = {row.what: row.agreement for row in agreement_rows(people, lambda key: key)}
    assert (rows["Error type, where named"].items, rows["Error type, where named"].share) == (1, 1.0)
    assert rows["“Reasoning error”, or not"].share == pytest.approx(2 / 3)
    assert "“Misattribution”, or not" not in rows


@pytest.fixture(scope="module")
def run() -> RunData:
    return read(samples()[0])


def test_methods_say_what_the_run_says(run: RunData) -> None:
    cases = {case_key(c): c for c in run.read_cases([0, 7, 200])}
    rows = reviewed_rows(run, cases)
    assert sorted(rows.values()) == [0, 7, 200]
    found = method_ratings(run, starting_rules(run), rows, cases)
    assert list(found) == [m.id for m in run.methods]
    for m, method in enumerate(run.methods):
        assert method.threshold is not None
        table = run.read_sentences(m)
        for key, row in rows.items():
            assert found[method.id][key, WHOLE] == Rating(int(run.support[m, row] < method.threshold))
            own = np.flatnonzero(table.case == row)
            supports = {int(table.start[i]): float(table.support[i]) for i in own if not np.isnan(table.support[i])}
            wanted = {
                (key, i): Rating(int(supports[s.start] < method.threshold))
                for i, s in enumerate(split(cases[key].response))
                if s.start in supports and not s.heading
            }
            assert {place: r for place, r in found[method.id].items() if place[0] == key and place[1] != WHOLE} == wanted
            assert wanted


def test_doubts_are_of_the_weakest_sentence_and_of_split_verdicts(run: RunData) -> None:
    cases = {case_key(c): c for c in run.read_cases(list(range(40)))}
    rows = reviewed_rows(run, cases)
    for key, doubt in support_doubts(run, 1, rows).items():
        assert doubt == pytest.approx(1 - run.lowest[1, rows[key]])
    disputed = dispute_doubts(run, starting_rules(run), rows)
    for key, row in rows.items():
        flags = sum(run.support[m, row] < (method.threshold or 0) for m, method in enumerate(run.methods))
        assert disputed[key] == pytest.approx(min(flags, len(run.methods) - flags) / len(run.methods))
    assert len(set(disputed.values())) > 1


def test_a_case_with_the_same_id_and_other_words_is_another_case(run: RunData) -> None:
    (case,) = run.read_cases([0])
    changed = Case(case.id, case.query, case.context, f"{case.response} And more.")
    assert reviewed_rows(run, {case_key(changed): changed}) == {}


def test_labels_are_ratings_too() -> None:
    response = "It is due. He pays. It is written."
    wrong = Case("a", "q", (), response, False, unsupported=((11, 18),))
    found = gold_ratings({"a": wrong, "b": Case("b", "q", (), response, True), "c": Case("c", "q", (), response)})
    assert [found["a", i].flagged for i in (0, 1, 2, WHOLE)] == [0, 1, 0, 1]
    assert [found["b", i].flagged for i in (0, 1, 2, WHOLE)] == [0, 0, 0, 0]
    assert not any(key == "c" for key, _ in found)
    assert gold_ratings({"d": Case("d", "q", (), response, False)}) == {("d", WHOLE): Rating(1)}


def test_the_judge_of_legal_rag_says_what_is_grounded() -> None:
    context = (Passage("", "The tenant pays.", "Lease"),)
    answers = [
        Answer("e", "m", str(i), True, grounded, None, "Who pays?", "", text, context)
        for i, (grounded, text) in enumerate([(True, "The tenant."), (False, "The landlord."), (None, "Both."), (True, " ")])
    ]
    cases = {case_key(c): c for c in map(answer_case, answers)}
    assert rag_ratings(answers, cases) == {
        (case_key(answer_case(answers[0])), WHOLE): Rating(0),
        (case_key(answer_case(answers[1])), WHOLE): Rating(1),
    }
    assert rag_ratings(answers, {}) == {}


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
