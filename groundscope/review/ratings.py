"""Ratings of the same sentences and answers by people, methods and judges, and how far they agree."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.cases.error_types import TITLES
from groundscope.cases.gold import sentence_labels
from groundscope.grounding.level_results import sentence_threshold
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tuning import Rule, verdicts
from groundscope.rag.outcomes import Answer, answer_case
from groundscope.review.decisions import WHOLE, ReviewDecision, Ruling, case_key, grounded
from groundscope.statistics.bootstrap import group_codes, resamples
from groundscope.statistics.raters import RaterAgreement, rater_agreement
from groundscope.text.sentences import split
from groundscope.types import Case, ErrorType

RULINGS, TYPES = tuple(Ruling), tuple(ErrorType)
NONE = -1
"""No rating."""

RatedPlace = tuple[str, int]
"""The key of a case, and the index of a sentence; `WHOLE` = the answer."""


class Rating(NamedTuple):
    """What one rater says of one sentence or answer; `NONE` where nothing. `flagged`: 0 = supported, 1 = any other decision."""

    flagged: int
    ruling: int = NONE
    type: int = NONE


Ratings = Mapping[RatedPlace, Rating]


class MeasureRow(NamedTuple):
    """One thing that raters may agree on, such as "contradicted, or not", and how far they do."""

    what: str
    agreement: RaterAgreement


def person_ratings(decided: Mapping[str, Mapping[int, ReviewDecision]], cases: Mapping[str, Case]) -> dict[RatedPlace, Rating]:
    """Read what a person says."""
    ratings = {}
    for key, decisions in decided.items():
        ratings.update({(key, i): _rating(d) for i, d in decisions.items() if i != WHOLE and d.ruling})
        if key in cases and (label := grounded(split(cases[key].response), decisions)) is not None:
            ratings[key, WHOLE] = Rating(int(not label))
    return ratings


def _rating(d: ReviewDecision) -> Rating:
    ruling = d.ruling or Ruling.CANNOT_SAY
    flagged = NONE if ruling is Ruling.CANNOT_SAY else int(ruling is not Ruling.SUPPORTED)
    return Rating(flagged, RULINGS.index(ruling), TYPES.index(d.type) if d.type and flagged == 1 else NONE)


def agreement_rows(raters: Sequence[Ratings], query: Callable[[str], str]) -> tuple[MeasureRow, ...]:
    """Measure how far raters agree."""
    sentences = _shared(raters, lambda place: place[1] != WHOLE)
    answers = _shared(raters, lambda place: place[1] == WHOLE)
    flagged, ruling, kind = _codes(raters, sentences)
    rulings = np.where(ruling >= 0, ruling == _OF_RULINGS, NONE)
    types = np.where((ruling >= 0) & (flagged >= 0), kind == _OF_TYPES, NONE)
    named = [
        *((f"“{r.value}”, or not", 2, codes) for r, codes in zip(RULINGS, rulings, strict=True) if (codes == 1).any()),
        ("Error type, where named", len(TYPES), kind),
        *((f"“{TITLES[t]}”, or not", 2, codes) for t, codes in zip(TYPES, types, strict=True) if (codes == 1).any()),
    ]
    rows = [("Sentence flagged, or not", 2, flagged), ("The five decisions", len(RULINGS), ruling), *named]
    whole = [("Answer flagged, or not", 2, _codes(raters, answers)[0])]
    return (*_measured(rows, sentences, query), *_measured(whole, answers, query))


_OF_RULINGS, _OF_TYPES = (np.arange(count)[:, None, None] for count in (len(RULINGS), len(TYPES)))
_Codes = NDArray[np.int8]


def _shared(raters: Sequence[Ratings], of_kind: Callable[[RatedPlace], bool]) -> list[RatedPlace]:
    """What two raters rated, or more."""
    counts = Counter(place for ratings in raters for place in ratings)
    return [place for place, n in counts.items() if n > 1 and of_kind(place)]


def _codes(raters: Sequence[Ratings], places: Sequence[RatedPlace]) -> _Codes:
    """(3, r, n) flagged, ruling and type."""
    silent = Rating(NONE)
    rows = [[ratings.get(place, silent) for place in places] for ratings in raters]
    return np.moveaxis(np.array(rows, dtype=np.int8).reshape(len(raters), len(places), 3), -1, 0)


def _measured(
    rows: Iterable[tuple[str, int, _Codes]], places: Sequence[RatedPlace], query: Callable[[str], str]
) -> Iterator[MeasureRow]:
    queries = {key: query(key) for key, _ in places}
    groups = group_codes([queries[key] for key, _ in places])
    draws = resamples(groups)
    for what, values, codes in rows:
        agreement = rater_agreement(codes, values, groups, draws)
        if agreement.items:
            yield MeasureRow(what, agreement)


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
            for row, start, end, support, _ in zip(*(column.tolist() for column in table), strict=True):
                if (place := places.get((row, start, end))) and not math.isnan(support):
                    rated[place] = Rating(int(support < threshold))
        ratings[method.id] = rated
    return ratings


def support_doubts(run: RunData, method: int, rows: Mapping[str, int]) -> dict[str, float]:
    """Give by case 1 less the lowest support of a sentence, or of the answer where no sentence has one; NaN without."""
    support = np.where(np.isnan(run.lowest[method]), run.support[method], run.lowest[method])
    return {key: float(1 - support[row]) for key, row in rows.items()}


def dispute_doubts(run: RunData, rules: Mapping[str, Rule], rows: Mapping[str, int]) -> dict[str, float]:
    """Give by case the share of verdicts that are in the minority, 0 to 0.5; NaN with fewer than two verdicts."""
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
