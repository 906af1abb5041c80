"""DeepEval's own test cases -> cases, and our methods in its `evaluate` and `assert_test`."""

import asyncio
from typing import Any

import pytest
from deepeval import assert_test, evaluate
from deepeval.errors import DeepEvalError, MissingTestCaseParamsError
from deepeval.evaluate import DisplayConfig, ErrorConfig
from deepeval.test_case import LLMTestCase
from deepeval.test_case.llm_test_case import RetrievedContextData

from groundscope.errors import DataError, ScorerUnavailable
from groundscope.integrations.deepeval import DeepEvalGroundedness, case_of
from groundscope.methods import registry

RENT = "Rent is due on May 1."
QUIET = DisplayConfig(show_indicator=False, print_results=False)
STATES = ["states:abstained", "states:invalid", "states:failed", "states:raises"]


def answered(output: str | None, context: Any = (RENT,)) -> LLMTestCase:
    context = None if context is None else list(context)
    return LLMTestCase(input="When is rent due?", actual_output=output, retrieval_context=context)


def test_a_test_case_gives_a_case() -> None:
    case = case_of(answered(f"{RENT} 租金\x00", [RetrievedContextData(context=RENT, source="Lease"), "", "The tenant pays."]))
    assert (case.query, case.response) == ("When is rent due?", f"{RENT} 租金\ufffd")
    assert [(p.text, p.source) for p in case.context] == [(RENT, "Lease"), ("", ""), ("The tenant pays.", "")]


@pytest.mark.parametrize("given", [answered(None), answered(RENT, None)])
def test_a_test_case_without_output_or_context_is_no_case(given: LLMTestCase) -> None:
    with pytest.raises(DataError, match="cannot be read as a case"):
        case_of(given)


def test_a_score_has_a_reason_that_names_the_sentence_and_the_nearest_place() -> None:
    metric = DeepEvalGroundedness("overlap")
    assert metric.measure(answered(f"{RENT} Late rent costs 50 dollars.")) == metric.score == 0
    assert (metric.success, metric.is_successful(), metric.error) == (False, False, None)
    for words in ("1 of 2 sentences", "Sentence 2: Late rent costs 50 dollars.", f"sentence 1: {RENT}"):
        assert words in str(metric.reason)
    assert asyncio.run(metric.a_measure(answered(RENT))) == metric.score == 1
    assert (metric.is_successful(), metric.reason) == (True, "Nothing flagged; read the sentence.")


def copied(question: str, sources: Any, sentence: str) -> float:
    return float(sentence in sources)


def test_a_function_is_a_metric() -> None:
    metric = DeepEvalGroundedness(copied)
    (result,) = evaluate([answered(RENT)], [metric], display_config=QUIET).test_results
    assert result.success
    assert metric.measure(answered(f"{RENT} Late rent costs 50 dollars.")) == 0
    assert "copied: " in str(metric.reason)


def test_the_threshold_is_the_methods_own_or_the_one_given() -> None:
    half = answered(f"{RENT} Rent is due in gold.")
    assert DeepEvalGroundedness("overlap").threshold == registry.load("overlap").about.threshold
    for threshold, passes in ((0.1, True), (0.9, False)):
        metric = DeepEvalGroundedness("overlap", threshold)
        assert metric.measure(half) == 0.5
        assert metric.is_successful() is passes
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="0 to 1"):
            DeepEvalGroundedness("overlap", wrong)
    with pytest.raises(ValueError, match="no default threshold"):
        DeepEvalGroundedness("states:unlimited")
    assert DeepEvalGroundedness("states:unlimited", 0.5).measure(half) == 0.25


def test_a_method_that_names_no_sentence_flags_the_whole() -> None:
    metric = DeepEvalGroundedness("states:whole")
    assert metric.measure(answered("Pay in gold.")) == 0.25
    assert metric.is_successful() is False
    assert "doubts the answer as a whole. Support 0.25, needed 0.50." in str(metric.reason)


@pytest.mark.parametrize("method", STATES)
def test_no_state_becomes_a_score(method: str) -> None:
    metric = DeepEvalGroundedness(method)
    with pytest.raises(DeepEvalError, match="gives no score"):
        metric.measure(answered(RENT))
    assert (metric.score, metric.reason, metric.success) == (None, None, False)
    assert ("out of order" if method == "states:raises" else "The reason stands here.") in str(metric.error)


def test_an_error_does_not_outlive_its_test_case() -> None:
    metric = DeepEvalGroundedness("overlap")
    with pytest.raises(DeepEvalError):
        metric.measure(answered(RENT, []))
    assert metric.measure(answered(RENT)) == 1
    assert (metric.error, metric.is_successful()) == (None, True)
    with pytest.raises(MissingTestCaseParamsError, match="'response' is empty"):
        metric.measure(answered(None))
    assert (metric.score, metric.is_successful()) == (None, False)


def test_evaluate_reports_every_test_case_and_its_error() -> None:
    given = [answered(RENT), answered("Pay in gold."), answered(""), answered(RENT, [])]
    metrics = [DeepEvalGroundedness("overlap"), DeepEvalGroundedness("states:abstained")]
    result = evaluate(given, metrics, display_config=QUIET, error_config=ErrorConfig(ignore_errors=True))
    ours = sorted(result.test_results, key=lambda one: one.index)
    first = [one.metrics_data[0] for one in ours]
    assert [(one.score, one.success) for one in first] == [(1, True), (0, False), (None, False), (None, False)]
    assert [bool(one.error) for one in first] == [False, False, True, True]
    assert [(one.metrics_data[1].score, one.metrics_data[1].success) for one in ours] == [(None, False)] * 4
    assert {one.name for one in first} == {"Groundscope Overlap"}


def test_missing_parts_can_be_skipped() -> None:
    config = ErrorConfig(skip_on_missing_params=True)
    result = evaluate(
        [answered(None), answered(RENT)], [DeepEvalGroundedness("overlap")], display_config=QUIET, error_config=config
    )
    assert sorted(len(one.metrics_data or []) for one in result.test_results) == [0, 1]


@pytest.mark.parametrize("run_async", [True, False])
def test_an_assertion_passes_fails_and_errs(run_async: bool) -> None:
    metric = DeepEvalGroundedness("overlap")
    assert_test(answered(RENT), [metric], run_async=run_async)
    with pytest.raises(AssertionError, match="Groundscope Overlap"):
        assert_test(answered("Pay in gold."), [metric], run_async=run_async)
    with pytest.raises(DeepEvalError, match="gives no score"):
        assert_test(answered(RENT), [DeepEvalGroundedness("states:failed")], run_async=run_async)


def test_a_method_that_cannot_run_is_refused_before_anything_is_judged() -> None:
    with pytest.raises(ScorerUnavailable, match="needs weights"):
        DeepEvalGroundedness("states:missing")
    with pytest.raises(ValueError, match="no method"):
        DeepEvalGroundedness("no_such_method")
