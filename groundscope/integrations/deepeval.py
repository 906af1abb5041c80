"""DeepEval: its test cases as cases, and our methods as its metrics."""

import asyncio
from typing import Any

from groundscope.errors import DataError
from groundscope.gate.answering import in_words, method_findings
from groundscope.grounding.parts import method_ready
from groundscope.integrations._answers import ID, Retrieved, case_from, reading, record
from groundscope.methods.functions import AnyMethod
from groundscope.statistics.decision import verdict
from groundscope.types import Case

try:
    from deepeval.errors import DeepEvalError, MissingTestCaseParamsError
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase
except ImportError as error:
    raise ImportError(f"DeepEval cannot be imported ({error}); pip install 'deepeval>=4.3,<5'.") from error


def case_of(test_case: LLMTestCase, id: str = ID) -> Case:
    """Make a case of a test case.

    Args:
        test_case: its `input`, `retrieval_context` and `actual_output` are read.
        id: of the case.

    Returns:
        The case.

    Raises:
        DataError: it has no output or no retrieval context.
    """
    context = test_case.retrieval_context
    retrieved = None if context is None else [_retrieved(one) for one in context]
    return case_from(record(id, test_case.input, retrieved, test_case.actual_output))


def _retrieved(item: Any) -> Retrieved:
    return Retrieved(item) if isinstance(item, str) else Retrieved(item.context, None, {"source": item.source})


class DeepEvalGroundedness(BaseMetric):  # type: ignore[misc]
    """The support that a method gives an output, as a metric of DeepEval: 0 to 1, higher = more grounded.

    The reason names each sentence below the threshold, the nearest place of the sources and what differs. A method that gives no
    number (it abstained, failed, its reply could not be read, there is nothing to assess) makes the metric an error with no
    score; never 0.
    """

    def __init__(self, method: AnyMethod, threshold: float | None = None) -> None:
        """Choose a method.

        Args:
            method: its id, such as `grounding_classifier`, or an object, a class or a function as in `groundscope.score`.
            threshold: support that an output and each of its sentences need, 0..1; None = the one that the method starts with.

        Raises:
            ScorerUnavailable: the method cannot run here.
            ValueError: there is no such method, the threshold is not in 0..1, or the method has no default.
        """
        self._scorer = method_ready(method)
        title = self._scorer.about.title
        at = self._scorer.about.threshold if threshold is None else threshold
        if at is None:
            raise ValueError(f"{title} has no default threshold; give one.")
        if not 0 <= at <= 1:
            raise ValueError(f"threshold is a support from 0 to 1, got {at}.")
        # DeepEval copies a metric by the names of what it was made with.
        self.method, self.threshold, self.evaluation_model = method, at, self._scorer.signature

    @property
    def __name__(self) -> str:
        return f"Groundscope {self._scorer.about.title}"

    def measure(self, test_case: LLMTestCase, *_args: Any, **_options: Any) -> float:
        """Judge one test case.

        Args:
            test_case: with `actual_output` and `retrieval_context`.

        Returns:
            The support, 0 to 1.

        Raises:
            MissingTestCaseParamsError: the output or the retrieval context is missing; DeepEval can skip such test cases.
            DeepEvalError: the method gave no number; the message has its state and its reason.
        """
        self.score = self.reason = self.success = None
        self.error: str | None = None
        try:
            case = case_of(test_case)
        except DataError as error:
            raise self._failed(MissingTestCaseParamsError(str(error))) from None
        method_reading = reading(case, self._scorer)
        judgement, words = method_reading.judgement, verdict(method_reading.judgement, self.threshold).words
        if judgement.support is None:
            raise self._failed(
                DeepEvalError(f"{self.__name__} gives no score. {words}{judgement.note and f': {judgement.note}'}")
            )
        below = method_findings(self._scorer.id or self._scorer.about.title, case, judgement, self.threshold)
        self.score, self.reason = judgement.support, in_words(case, below) if below else f"{words}."
        self.is_successful()
        return judgement.support

    async def a_measure(self, test_case: LLMTestCase, *_args: Any, **_options: Any) -> float:
        """Judge one test case beside other tasks; as `measure`.

        Args:
            test_case: with `actual_output` and `retrieval_context`.

        Returns:
            The support, 0 to 1.
        """
        return await asyncio.to_thread(self.measure, test_case)

    def _failed(self, error: Exception) -> Exception:
        self.error = str(error)
        self.is_successful()
        return error
