"""How high retrieval puts the passages that hold the answer: hit rate, recall and nDCG at k, and MRR.

Relevance is yes or no, and a question may have several relevant passages. hit@k is whether one of them is among the first k (the
paper's retrieval accuracy), recall@k the share of them that is; MRR is the mean of 1 / rank of the first; nDCG@k the sum of
1 / log2(rank + 1) over them, relative to the best order (Järvelin and Kekäläinen 2002). All are 0..1, higher = better.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log2, nan
from typing import Literal, NamedTuple

import numpy as np

from groundscope.rag.outcomes import Answer
from groundscope.rag.types import Question
from groundscope.statistics.bootstrap import Interval, limits, resampled_sums, resamples

KS = (1, 3, 5, 10)
NAMES = (*(f"{name}@{k}" for name in ("hit", "recall", "ndcg") for k in KS), "mrr")
Matching = Literal["exact", "substring"]


class Figure(NamedTuple):
    """A mean over questions with its 95 % interval; NaN where it is not known."""

    mean: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Ranking:
    """One retriever on so many questions; of `unlisted` more it is not known what was retrieved.

    `matching` is how ids were compared; figures of `substring` are too high, and for comparison with the original only.
    """

    retriever: str
    depth: int
    matching: Matching
    questions: int
    left_out: int
    figures: dict[str, Figure]
    unlisted: int = 0

    def row(self) -> dict[str, str | int | float]:
        """Make one row of a table: name, matching and counts, then the known figures, 0 to 1, and the ends of intervals."""
        columns: dict[str, str | int | float] = {
            "retriever": self.retriever, "matching": self.matching, "questions": self.questions, "left_out": self.left_out,
            "unlisted": self.unlisted,
        }  # fmt: skip
        for name, (mean, interval) in self.figures.items():
            if not np.isnan(mean):
                columns[name] = mean
                if not np.isnan(interval.low):
                    columns |= {f"{name} low": interval.low, f"{name} high": interval.high}
        return columns


def rank(
    retriever: str, questions: Sequence[Question], retrieved: Sequence[Sequence[str]], depth: int, matching: Matching = "exact"
) -> Ranking:
    """Measure one retriever: means over the questions that say what is relevant, with 95 % intervals.

    Questions without relevant ids are left out and counted. An id that no passage has counts as not found.

    `retrieved`: ids of passages by question, best first; those beyond `depth` do not count. `depth`: how many passages were asked
    for; what needs more is not known, also where the corpus is smaller. `matching`: of ids: `exact`, or `substring` as in the
    original code, where `c1-s1` also finds `c1-s10`.
    """
    ranked = [
        _ranked(relevant, list(ids)[:depth], depth, matching)
        for question, ids in zip(questions, retrieved, strict=True)
        # An empty id would be part of every other.
        if (relevant := [id_ for id_ in dict.fromkeys(question.relevant) if id_])
    ]
    return Ranking(retriever, depth, matching, len(ranked), len(questions) - len(ranked), _figures(ranked))


def _same(retrieved: str, relevant: str, matching: Matching) -> bool:
    return relevant in retrieved if matching == "substring" else relevant == retrieved


def _ranked(relevant: list[str], retrieved: list[str], depth: int, matching: Matching) -> list[float]:
    """The figures of one question by `NAMES`; NaN where fewer passages were asked for than one needs."""
    first = (next((i for i, id_ in enumerate(retrieved, 1) if _same(id_, one, matching)), 0) for one in relevant)
    ranks = tuple(sorted(r for r in first if r))
    values: dict[str, float] = {}
    for k in KS:
        inside = [r for r in ranks if r <= k]
        # Where ids are compared by substring one passage may be several relevant ones: it is one passage still.
        gained = sum(1 / log2(r + 1) for r in set(inside))
        best = sum(1 / log2(r + 1) for r in range(1, min(k, len(relevant)) + 1))
        values |= {f"hit@{k}": float(bool(inside)), f"recall@{k}": len(inside) / len(relevant), f"ndcg@{k}": gained / best}
    values = {name: value if int(name.split("@")[1]) <= depth else nan for name, value in values.items()}
    values["mrr"] = 1 / ranks[0] if ranks else 0.0
    return [values[name] for name in NAMES]


def _figures(questions: Sequence[Sequence[float]]) -> dict[str, Figure]:
    if not questions:
        return {name: Figure(nan, Interval(nan, nan)) for name in NAMES}
    values = np.array(questions)
    # Each question is a group of its own, and every retriever meets the same draws.
    drawn = resampled_sums(resamples(np.arange(len(questions))), values) / len(questions)
    ends = limits(drawn, len(questions))
    means = values.mean(axis=0)
    return {name: Figure(float(mean), Interval.of(end)) for name, mean, end in zip(NAMES, means, ends, strict=True)}


def rankings(answers: Sequence[Answer], matching: Matching = "exact") -> list[Ranking]:
    """Measure the retrieval of every embedder of these answers.

    A question that several models answered counts once, with the first list that it has. How deep an embedder was asked is taken
    to be the length of its longest list: figures that need more than that are not known.
    """
    ranked = []
    for embedder in dict.fromkeys(a.embedder for a in answers):
        first: dict[str, Answer] = {}
        for answer in (a for a in answers if a.embedder == embedder):
            earlier = first.get(answer.question_id)
            if earlier is None or (answer.retrieved and not earlier.retrieved):
                first[answer.question_id] = answer
        # Where nothing was listed it is not known what was retrieved.
        listed = [a for a in first.values() if a.retrieved]
        questions = [Question(a.question_id, a.question, relevant=a.relevant) for a in listed]
        depth = max((len(a.retrieved) for a in listed), default=0)
        if any(q.relevant for q in questions):
            ranking = rank(embedder, questions, [a.retrieved for a in listed], depth, matching)
            ranked.append(replace(ranking, unlisted=len(first) - len(listed)))
    return ranked
