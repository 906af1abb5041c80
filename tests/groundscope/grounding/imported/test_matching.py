"""Which case a recorded score belongs to."""

import math

import numpy as np

from groundscope.grounding.imported.scores import match
from groundscope.types import Case, Passage
from tests.groundscope.grounding.imported.score_files import BOND, CASES, FEE, RAGAS, export, table


def test_scores_find_their_cases_by_question_and_answer_but_for_white_space() -> None:
    found = match(export("ragas.csv"), CASES)
    np.testing.assert_array_equal(found.supports["faithfulness"], [0.25, 1.0, math.nan])
    assert list(found.invalid["faithfulness"]) == [False, False, True]
    assert found.reasons["faithfulness"] == ("One claim of four.", "All of it is there.", "")
    assert (found.matched, found.unmatched, found.ambiguous) == (3, 0, 0)


def test_a_case_id_finds_a_case_that_has_no_text_in_the_export() -> None:
    found = match(export("phoenix_annotations.json"), CASES)
    np.testing.assert_array_equal(found.supports["faithfulness"], [math.nan, 1.0, 0.0])
    np.testing.assert_array_equal(found.supports["correctness"], [math.nan, 1.0, math.nan])
    assert list(found.invalid["faithfulness"]) == [True, False, False]
    assert (found.matched, found.unmatched) == (4, 0)


def test_an_id_with_another_answer_is_another_case() -> None:
    row = {**RAGAS, "case_id": "fee", "user_input": FEE.query}
    right, wrong = {**row, "response": FEE.response}, {**row, "response": "Another answer."}
    assert match(table(right), CASES).supports["faithfulness"][1] == 0.5
    found = match(table(wrong), CASES)
    assert np.isnan(found.supports["faithfulness"]).all()
    assert (found.matched, found.unmatched) == (0, 1)


def test_rows_that_fit_two_cases_or_disagree_are_counted_and_give_no_score() -> None:
    twin = Case("twin", BOND.query, (Passage("p", "Another text."),), BOND.response)
    bond, fee = ({**RAGAS, "user_input": c.query, "response": c.response} for c in (BOND, FEE))
    found = match(table(bond, fee, {**fee, "faithfulness": 1.0}), (*CASES, twin))
    assert np.isnan(found.supports["faithfulness"]).all()
    assert not found.invalid["faithfulness"].any()
    assert (found.matched, found.unmatched, found.ambiguous) == (0, 0, 3)


def test_two_rows_that_agree_are_one_score() -> None:
    row = {**RAGAS, "user_input": FEE.query, "response": FEE.response}
    found = match(table(row, row), CASES)
    assert found.supports["faithfulness"][1] == 0.5
    assert (found.matched, found.ambiguous) == (2, 0)
