"""Ratings of people, methods and judges, and their agreement, against figures counted by hand and by another library."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.runs.listing import read, samples
from groundscope.grounding.tuning import starting_rules
from groundscope.rag.outcomes import Answer, answer_case
from groundscope.review.decisions import WHOLE, ReviewDecision, Ruling, case_key
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
