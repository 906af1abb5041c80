"""Ragas: its data sets as cases, and our methods as its metrics."""

import asyncio
import logging
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any

from groundscope.api.runs import load
from groundscope.errors import DataError
from groundscope.grounding.parts import method_ready
from groundscope.integrations._answers import ID, Retrieved, case_from, reading, record
from groundscope.methods.functions import AnyMethod
from groundscope.statistics.decision import verdict
from groundscope.types import Case

try:
    from ragas.dataset_schema import EvaluationDataset, SingleTurnSample
    from ragas.metrics.base import MetricType, SingleTurnMetric
except ImportError as error:
    raise ImportError(f"Ragas cannot be imported ({error}); pip install 'ragas>=0.4,<0.5'.") from error

_LOG = logging.getLogger(__name__)
_COLUMNS = {"user_input", "retrieved_contexts", "response"}


def rows_of(dataset: EvaluationDataset) -> Iterator[dict[str, Any]]:
    """Lay out a data set for `groundscope.score`, which keeps a row for each sample, also for those that cannot be used.

    Args:
        dataset: single turns.

    Yields:
        A record a sample, with the id `sample-1` and so on.

    Raises:
        DataError: its samples are conversations.
    """
    for number, sample in enumerate(dataset, 1):
        if not isinstance(sample, SingleTurnSample):
            raise DataError(
                f"The samples must be single turns, each with its contexts and its response, got {type(sample).__name__}."
            )
        yield _row(sample, f"sample-{number}")


def cases_of(dataset: EvaluationDataset) -> list[Case]:
    """Read a data set.

    Args:
        dataset: single turns.

    Returns:
        A case a sample, in order.

    Raises:
        DataError: a sample lacks its question, its contexts or its response; the message names the rows. Or its samples are
            conversations.
    """
    return load(rows_of(dataset))


def _row(sample: Any, id: str) -> dict[str, Any]:
    texts = getattr(sample, "retrieved_contexts", None)
    return record(
        id, sample.user_input, _retrieved(sample, texts) if texts is not None else None, getattr(sample, "response", None)
    )


def _retrieved(sample: SingleTurnSample, texts: list[str]) -> Iterable[Retrieved]:
    ids = (sample.retrieved_context_ids or [])[: len(texts)]
    return (Retrieved(text, name) for text, name in zip_longest(texts, ids))


class RagasGroundedness(SingleTurnMetric):  # type: ignore[misc]
    """The support that a method gives a response, as a metric of Ragas: 0 to 1, higher = more grounded.

    A method that gives no number (it abstained, failed, its reply could not be read, there is nothing to assess) gives NaN, as
    Ragas writes a score that is missing; never 0. The state goes to the log. The mean that Ragas prints leaves NaN out without a
    word: `groundscope.score(rows_of(dataset), [method])` shows the state and the reason for every row.
    """

    def __init__(self, method: AnyMethod, name: str = "") -> None:
        """Choose a method.

        Args:
            method: its id, such as `grounding_classifier`, or an object, a class or a function as in `groundscope.score`.
            name: of the column in Ragas' results; empty = `groundscope_` and the id.

        Raises:
            ScorerUnavailable: the method cannot run here.
            ValueError: there is no such method.
        """
        judge = method_ready(method)
        super().__init__(
            _required_columns={MetricType.SINGLE_TURN: set(_COLUMNS)}, name=name or f"groundscope_{judge.id or judge.about.title}"
        )
        self._method = judge

    def init(self, run_config: Any) -> None:
        """Do nothing: no model of Ragas is used.

        Args:
            run_config: of Ragas; not read.
        """

    async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any) -> float:
        try:
            case = case_from(_row(sample, ID))
        except DataError as error:
            _LOG.warning("%s gives NaN. %s", self.name, error)
            return float("nan")
        method_reading = await asyncio.to_thread(reading, case, self._method)
        if method_reading.judgement.support is None:
            # A reason may quote the answer, and a log is kept.
            _LOG.warning("%s gives NaN. %s.", self.name, verdict(method_reading.judgement, method_reading.threshold).words)
            return float("nan")
        return method_reading.judgement.support
