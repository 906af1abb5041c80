"""A cascade of two methods: the first judges every sentence, the second only those whose support under the first is doubtful.

In the manner of FrugalGPT (Chen et al. 2023), sentence by sentence. Sentences below the band of doubt, or from its upper end on,
are decided by the first method. So that one threshold holds for supports of either, each method's own threshold becomes 0.5 and
the supports on either side of it are stretched in proportion: a rising map, so that no two supports of one method change places.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from groundscope.training.ensembles import read_fitted

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Asked = Literal["sentences", "answer"]
"""What the second method reads where a sentence is doubtful: the doubtful sentences alone, or the whole answer."""

MIDDLE = 0.5
"""What each method's own threshold becomes."""
_EDGE = 1e-5
"""A tuned threshold lies at most this far outside 0..1."""


@dataclass(frozen=True, slots=True)
class CascadePart:
    """One of the two methods of a cascade.

    Attributes:
        name: of the part in the run that the cascade was fitted on, for people.
        threshold: its own, tuned on dev; 0.5 after `placed`.
        title: for people; empty = its name.
    """

    name: str
    method: str
    signature: str
    threshold: float
    options: dict[str, Any] = field(default_factory=dict)
    title: str = ""

    @property
    def words(self) -> str:
        """What people call it."""
        return self.title or self.name


@dataclass(frozen=True, slots=True)
class FittedCascade:
    """A fitted cascade.

    Attributes:
        low: lower end of the band of doubt, a support of the first; included.
        high: its upper end; not included unless it is 1. Equal ends = nothing is doubtful.
        threshold: of the cascade's own supports, tuned on dev.
        made: what it was fitted on and what came of it, for people.
    """

    first: CascadePart
    second: CascadePart
    low: float
    high: float
    asked: Asked
    threshold: float
    made: dict[str, Any] = field(default_factory=dict)


class BothJudged(NamedTuple):
    """What two methods say of n responses with k sentences that make a claim; NaN = no support.

    Attributes:
        first: (k,) supports of the sentences by the first method.
        first_whole: (n,) the first method's own supports of the responses.
        answered: (n,) whether the second method worked; where it did not, a response with a doubtful sentence has no support.
    """

    response: NDArray[np.int32]
    first: Floats
    second: Floats
    first_whole: Floats
    second_whole: Floats
    answered: Bools


class Cascaded(NamedTuple):
    """What a cascade makes of them.

    Attributes:
        doubtful: (k,) the sentences that the second method is asked about.
        sentences: (k,) supports, 0 to 1; NaN = none.
    """

    doubtful: Bools
    sentences: Floats
    responses: Floats


def placed(supports: Floats, threshold: float) -> Floats:
    """Stretch supports so that a threshold comes to lie at 0.5.

    Args:
        supports: 0 to 1, of any shape; NaN = none.
        threshold: 0 to 1, or just outside.

    Returns:
        Of the same shape, 0 to 1, rising with the supports; at least 0.5 exactly where the support reaches the threshold.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        below = MIDDLE * (supports / threshold)
        above = MIDDLE + MIDDLE * ((supports - threshold) / (1 - threshold))
    found: Floats = np.clip(np.where(supports < threshold, below, np.where(supports >= 1, 1.0, above)), 0.0, 1.0)
    return np.where(np.isnan(supports), np.nan, found)


def doubtful(supports: Floats, low: float, high: float) -> Bools:
    """Find the sentences that a second method is asked about.

    Args:
        supports: (k,) by the first method, of sentences that make a claim; NaN, what it could not assess, is doubtful.
        low: lower end of the band, included.
        high: upper end, not included unless it is 1; if both are equal, nothing is doubtful.

    Returns:
        (k,) True = doubtful.
    """
    if low >= high:
        return np.zeros(supports.shape, dtype=np.bool_)
    inside = (supports >= low) & ((supports < high) | (high >= 1))
    return np.asarray(inside | np.isnan(supports))


def cascaded(judged: BothJudged, low: float, high: float, thresholds: tuple[float, float]) -> Cascaded:
    """Combine what two methods say.

    A second method that names no support for any of a response's doubtful sentences judges what it reads as a whole: its support
    of the response then counts for each of them. Where one method alone decides about a response, its own support of the response
    counts, otherwise that of the lowest sentence.
    """
    at, number = judged.response, len(judged.answered)
    doubt = doubtful(judged.first, low, high)
    named = np.bincount(at[doubt], weights=~np.isnan(judged.second[doubt]), minlength=number) > 0
    said = np.where(named[at], judged.second, judged.second_whole[at])
    own = placed(judged.first, thresholds[0])
    sentences = np.where(doubt, placed(np.where(judged.answered[at], said, np.nan), thresholds[1]), own)
    lowest = np.full(number, np.inf)
    np.fmin.at(lowest, at, sentences)
    asked, claims = np.bincount(at[doubt], minlength=number), np.bincount(at, minlength=number)
    found = np.where(np.isinf(lowest), np.nan, lowest)
    found = np.where(asked == 0, placed(judged.first_whole, thresholds[0]), found)
    found = np.where((asked > 0) & (asked == claims), placed(judged.second_whole, thresholds[1]), found)
    return Cascaded(doubt, sentences, np.where((asked > 0) & ~judged.answered, np.nan, found))


def read(path: Path) -> FittedCascade:
    """Read a cascade; its numbers are checked."""
    return read_fitted(path, "cascade", _cascade)


def _cascade(row: Any) -> FittedCascade:
    first, second = (_part(row[name]) for name in ("first", "second"))
    low, high, threshold = (_number(row[name]) for name in ("low", "high", "threshold"))
    if not 0.0 <= low <= high <= 1.0 or not -_EDGE <= threshold <= 1 + _EDGE:
        raise ValueError("numbers")
    if row["asked"] not in get_args(Asked) or first.name == second.name or first.signature == second.signature:
        raise ValueError("methods")
    return FittedCascade(first, second, low, high, row["asked"], threshold, dict(row.get("made", {})))


def _part(row: Any) -> CascadePart:
    name, method, signature = (row[key] for key in ("name", "method", "signature"))
    if not all(isinstance(text, str) for text in (name, method, signature)) or not method:
        raise TypeError("another kind of value")
    threshold = _number(row["threshold"])
    if not -_EDGE <= threshold <= 1 + _EDGE:
        raise ValueError("threshold")
    options = {str(k): v for k, v in dict(row.get("options", {})).items()}
    return CascadePart(name, method, signature, threshold, options, str(row.get("title", "")))


def _number(value: Any) -> float:
    if type(value) not in (int, float):
        raise TypeError("no number")
    return float(value)
