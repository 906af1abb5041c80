"""How many questions a benchmark needs to show a difference between two pipelines; the paper (Butler and Butler 2026) has 100."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from groundscope.rag.effects import Combination
from groundscope.rag.outcomes import Answer, both
from groundscope.statistics.power import PowerCurve, mean_power_curve

SIZES = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000)
"""Questions of the sets that are drawn."""
POINTS = 5.0
"""Percentage points that are looked for, unless the user says otherwise."""
_SAID = {"correct": lambda a: a.correct, "grounded": lambda a: a.grounded, "both": both}


class QuestionsNeeded(NamedTuple):
    """What a comparison of two combinations needs.

    Attributes:
        questions: that both have answered, with a verdict each.
        difference: the first's share less the second's on them, -1..1; NaN of none.
    """

    first: Combination
    second: Combination
    questions: int
    difference: float
    curve: PowerCurve


def questions_needed(
    answers: Sequence[Answer], first: Combination, second: Combination, points: float = POINTS, what: str = "both"
) -> QuestionsNeeded:
    """Estimate how many questions would show a difference, paired by question.

    Raises:
        ValueError: there is no such share, or points are not above 0.
    """
    if what not in _SAID or not points > 0:
        raise ValueError(f"needs one of {', '.join(_SAID)} and points above 0, got {what!r} and {points}")
    verdict = _SAID[what]
    said = {
        cell: {a.question_id: v for a in answers if a.cell == cell and (v := verdict(a)) is not None} for cell in (first, second)
    }
    values = [float(v) - float(said[second][q]) for q, v in said[first].items() if q in said[second]]
    difference = sum(values) / len(values) if values else float("nan")
    return QuestionsNeeded(first, second, len(values), difference, mean_power_curve(values, SIZES, points / 100))


def needed_rows(answers: Sequence[Answer], points: float = POINTS, what: str = "both") -> list[QuestionsNeeded]:
    """Estimate it for every two combinations that share their embedder or their model."""
    cells = dict.fromkeys(a.cell for a in answers)
    pairs = [(a, b) for a, b in combinations(cells, 2) if a.embedder == b.embedder or a.model == b.model]
    return [questions_needed(answers, a, b, points, what) for a, b in pairs]
