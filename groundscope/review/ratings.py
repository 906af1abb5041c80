"""What people, methods and judges say of the same sentences and answers, as ratings, and how far they agree."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.cases.error_types import TITLES
from groundscope.review.decisions import WHOLE, ReviewDecision, Ruling
from groundscope.review.labels import grounded
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
    """What one rater says of one sentence or answer; `NONE` where nothing.

    Attributes:
        flagged: 1 = not, or only partly, supported; 0 = supported.
    """

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


def agreement_rows(raters: Sequence[Ratings], query: Callable[[str], str], *, seed: int = 0) -> tuple[MeasureRow, ...]:
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
    return (*_measured(rows, sentences, query, seed), *_measured(whole, answers, query, seed))


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
    rows: Iterable[tuple[str, int, _Codes]], places: Sequence[RatedPlace], query: Callable[[str], str], seed: int
) -> Iterator[MeasureRow]:
    queries = {key: query(key) for key, _ in places}
    groups = group_codes([queries[key] for key, _ in places])
    draws = resamples(groups, seed=seed)
    for what, values, codes in rows:
        agreement = rater_agreement(codes, values, groups, draws)
        if agreement.items:
            yield MeasureRow(what, agreement)
