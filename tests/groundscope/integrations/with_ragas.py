"""Ragas' own samples and data sets -> cases, and our methods in its `evaluate`."""

import asyncio
import logging
import math
from typing import Any

import pytest
from ragas import EvaluationDataset, MultiTurnSample, SingleTurnSample, evaluate
from ragas.messages import AIMessage, HumanMessage

import groundscope
from groundscope.errors import DataError, ScorerUnavailable
from groundscope.integrations.ragas import RagasGroundedness, cases_of, rows_of
from groundscope.methods import registry

RENT = "Rent is due on May 1."
GOOD = {"user_input": "When is rent due?", "retrieved_contexts": [RENT, "The tenant pays."], "response": RENT}
BAD = {**GOOD, "response": "Pay in gold."}


def dataset(*rows: dict[str, Any]) -> EvaluationDataset:
    return EvaluationDataset([SingleTurnSample(**row) for row in rows])


def test_a_data_set_gives_cases() -> None:
    first, second = cases_of(dataset(GOOD, {**BAD, "retrieved_context_ids": ["a", 5]}))
    assert (first.id, first.query, first.response) == ("sample-1", "When is rent due?", RENT)
    assert [(p.id, p.text) for p in first.context] == [("p1", RENT), ("p2", "The tenant pays.")]
    assert [p.id for p in second.context] == ["a", "5"]


def test_ids_of_contexts_may_be_too_few_too_many_or_the_same() -> None:
    for ids, found in ((["a"], ["a", "p2"]), (["a", "b", "c"], ["a", "b"]), (["a", "a"], ["a", "p2"])):
        (case,) = cases_of(dataset({**GOOD, "retrieved_context_ids": ids}))
        assert [p.id for p in case.context] == found


def test_every_sample_keeps_its_row_and_its_place() -> None:
    changes: list[dict[str, Any]] = [
        *({}, {"response": None}, {"retrieved_contexts": None}, {"user_input": None}, {"retrieved_contexts": []}),
        *({"response": "租金 \U0001f3e0\x00"}, {"retrieved_contexts": ["", RENT]}),
    ]
    given = dataset(*({**GOOD, **change} for change in changes))
    table = groundscope.score(rows_of(given), ["overlap"]).frame("response")
    assert table["row"].tolist() == [1, 2, 3, 4, 5, 6, 7]
    states = ["scored", "rejected", "rejected", "rejected", "not_assessable", "scored", "scored"]
    assert table["status"].tolist() == states
    with pytest.raises(DataError, match=r"3 rows cannot be used: row 2: 'response' is empty.*row 3: .*row 4: 'query' is empty"):
        cases_of(given)


def test_conversations_are_no_cases() -> None:
    talk = EvaluationDataset([MultiTurnSample(user_input=[HumanMessage(content="q"), AIMessage(content="a")])])
    with pytest.raises(DataError, match="got MultiTurnSample"):
        groundscope.score(rows_of(talk), ["overlap"])
    with pytest.raises(ValueError, match="does not support the sample type"):
        evaluate(talk, metrics=[RagasGroundedness("overlap")], show_progress=False)


def test_scores_are_those_of_groundscope() -> None:
    given = dataset(GOOD, {**GOOD, "response": f"{RENT} Pay the rent each month in gold and silver."})
    metrics = [RagasGroundedness("overlap"), RagasGroundedness("quip", name="precision"), RagasGroundedness("states:whole")]
    assert RagasGroundedness(lambda q, s, t: 1.0, name="mine").name == "mine"
    assert RagasGroundedness(registry.load("overlap")).name == "groundscope_overlap"
    found = evaluate(given, metrics=metrics, show_progress=False).to_pandas()
    ours = groundscope.score(rows_of(given), ["overlap", "quip", "states:whole"]).frame("response")
    columns = {"groundscope_overlap": "overlap", "precision": "quip", "groundscope_states:whole": "states:whole"}
    for column, method in columns.items():
        assert found[column].tolist() == ours[ours["method"] == method]["support"].tolist()


@pytest.mark.parametrize("method", ["states:abstained", "states:invalid", "states:failed", "states:raises"])
def test_no_state_becomes_a_number(method: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    result = evaluate(dataset(GOOD, BAD), metrics=[RagasGroundedness(method)], show_progress=False, raise_exceptions=True)
    assert all(math.isnan(one[f"groundscope_{method}"]) for one in result.scores)
    assert len(caplog.messages) == 2
    assert all(said.startswith(f"groundscope_{method} gives NaN. No verdict") for said in caplog.messages)


def test_what_cannot_be_used_is_nan_and_logs_hold_no_texts(caplog: pytest.LogCaptureFixture) -> None:
    rows = ({**GOOD, "response": None}, {**GOOD, "response": " "}, {**GOOD, "retrieved_contexts": []}, GOOD)
    result = evaluate(dataset(GOOD, *rows), metrics=[RagasGroundedness("overlap")], show_progress=False, raise_exceptions=True)
    scores = [one["groundscope_overlap"] for one in result.scores]
    assert [math.isnan(one) for one in scores] == [False, True, True, True, False]
    assert len(caplog.messages) == 3
    assert "Rent" not in caplog.text


def test_one_sample_is_scored_with_and_without_a_loop() -> None:
    metric = RagasGroundedness("overlap")
    assert metric.single_turn_score(SingleTurnSample(**BAD)) == 0
    assert asyncio.run(metric.single_turn_ascore(SingleTurnSample(**GOOD))) == 1


def test_a_column_that_is_missing_everywhere_is_said_by_ragas() -> None:
    with pytest.raises(ValueError, match="retrieved_contexts"):
        evaluate(dataset({"user_input": "q", "response": "A."}), metrics=[RagasGroundedness("overlap")], show_progress=False)


def test_a_method_that_cannot_run_is_refused_before_anything_is_judged() -> None:
    with pytest.raises(ScorerUnavailable, match="needs weights"):
        RagasGroundedness("states:missing")
    with pytest.raises(ValueError, match="no method"):
        RagasGroundedness("no_such_method")
