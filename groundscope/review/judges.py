"""What methods said in a run, and what the judge of Legal RAG said, of the cases that people reviewed: ratings like theirs."""

import math
from collections.abc import Iterable, Mapping

import numpy as np

from groundscope.cases.gold import sentence_labels
from groundscope.grounding.level_results import sentence_threshold
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tuning import Rule, verdicts
from groundscope.rag.outcomes import Answer, answer_case
from groundscope.review.decisions import WHOLE, case_key
from groundscope.review.ratings import RatedPlace, Rating
from groundscope.text.sentences import split
from groundscope.types import Case


def reviewed_rows(run: RunData, cases: Mapping[str, Case]) -> dict[str, int]:
    """Find the reviewed cases of a run."""
    ids = {case.id for case in cases.values()}
    rows = np.flatnonzero([i in ids for i in run.ids])
    row_of = {case_key(case): int(row) for row, case in zip(rows, run.read_cases(rows.tolist()), strict=True)}
    return {key: row for key, row in row_of.items() if key in cases}


def method_ratings(
    run: RunData, rules: Mapping[str, Rule], rows: Mapping[str, int], cases: Mapping[str, Case]
) -> dict[str, dict[RatedPlace, Rating]]:
    """Read what every method of a run says of reviewed cases."""
    by_method = verdicts(run, rules)
    keys = {row: key for key, row in rows.items()}
    places = {
        (row, s.start, s.end): (key, i)
        for key, row in rows.items()
        for i, s in enumerate(split(cases[key].response))
        if not s.heading
    }
    ratings: dict[str, dict[RatedPlace, Rating]] = {}
    for m, method in enumerate(run.methods):
        rated = {(key, WHOLE): Rating(int(by_method[m, row] == 0)) for row, key in keys.items() if by_method[m, row] >= 0}
        threshold = sentence_threshold(rules.get(method.id), method.threshold)
        if threshold is not None:
            table = run.read_sentences(m)
            for row, start, end, support in zip(*(column.tolist() for column in table), strict=True):
                if (place := places.get((row, start, end))) and not math.isnan(support):
                    rated[place] = Rating(int(support < threshold))
        ratings[method.id] = rated
    return ratings


def support_doubts(run: RunData, method: int, rows: Mapping[str, int]) -> dict[str, float]:
    """Find how little support a method gives to cases.

    Args:
        run: m methods.
        method: its row in the run.
        rows: of `reviewed_rows`.

    Returns:
        By the key of the case: 1 less the lowest support of a sentence, or of the answer where no sentence has one; NaN without.
    """
    support = np.where(np.isnan(run.lowest[method]), run.support[method], run.lowest[method])
    return {key: float(1 - support[row]) for key, row in rows.items()}


def dispute_doubts(run: RunData, rules: Mapping[str, Rule], rows: Mapping[str, int]) -> dict[str, float]:
    """Find how far methods contradict each other.

    Args:
        run: m methods.
        rules: by method id; they say when an answer is flagged.
        rows: of `reviewed_rows`.

    Returns:
        By the key of the case: the share of verdicts that are in the minority, 0 to 0.5; NaN with fewer than two verdicts.
    """
    votes = verdicts(run, rules)
    flagged, judged = (votes == 0).sum(axis=0), (votes >= 0).sum(axis=0)
    minority = np.minimum(flagged, judged - flagged) / np.maximum(judged, 1)
    return {key: float(minority[row]) if judged[row] > 1 else math.nan for key, row in rows.items()}


def gold_ratings(cases: Mapping[str, Case]) -> dict[RatedPlace, Rating]:
    """Read what the cases' own labels say."""
    ratings = {}
    for key, case in cases.items():
        if case.grounded is not None:
            ratings[key, WHOLE] = Rating(int(not case.grounded))
        supported = sentence_labels(case) or []
        for i, (sound, s) in enumerate(zip(supported, split(case.response), strict=False)):
            if not s.heading:
                ratings[key, i] = Rating(int(not sound))
    return ratings


def rag_ratings(answers: Iterable[Answer], cases: Mapping[str, Case]) -> dict[RatedPlace, Rating]:
    """Read what the judge of Legal RAG says of reviewed answers."""
    ratings = {}
    for answer in answers:
        if answer.grounded is not None and answer.context and answer.answer.strip():
            key = case_key(answer_case(answer))
            if key in cases:
                ratings[key, WHOLE] = Rating(int(not answer.grounded))
    return ratings
