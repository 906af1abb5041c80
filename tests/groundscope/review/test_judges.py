"""What a run's methods and the judge of Legal RAG say of reviewed cases, against the run's own arrays read by hand."""

import numpy as np
import pytest

from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.runs.listing import read, samples
from groundscope.grounding.tuning import starting_rules
from groundscope.rag.outcomes import Answer, answer_case
from groundscope.review.decisions import WHOLE, case_key
from groundscope.review.ratings import (
    Rating,
    dispute_doubts,
    gold_ratings,
    method_ratings,
    rag_ratings,
    reviewed_rows,
    support_doubts,
)
from groundscope.text.sentences import split
from groundscope.types import Case, Passage


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
