"""Pairs of two texts that cite the same authority, the similarity of citations (C-SIM of FRESCO), and their maximum matching."""

from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from rapidfuzz.fuzz import token_sort_ratio

from groundscope.citations.claims import CitedClaim, CitingDocument
from groundscope.citations.reader.resolving import surnames
from groundscope.runtime.byte_cache import keep

Values = NDArray[np.float64]
_GRAIN = 1e-6
"""Similarities closer than this are ties."""
CitedAlike = Callable[[CitedClaim, CitedClaim], float]
"""C-SIM of a generated and a reference pair, 0..1; NaN = not known."""


def same_places(generated: CitingDocument, reference: CitingDocument) -> list[tuple[int, int]]:
    """Find the generated and reference pairs with the same authority; a lookup by key."""
    by_key: dict[str, list[int]] = defaultdict(list)
    by_same: dict[str, list[int]] = defaultdict(list)
    for i, pair in enumerate(generated.pairs):
        by_key[pair.key].append(i)
        for key in pair.same:
            by_same[key].append(i)
    places = []
    for j, pair in enumerate(reference.pairs):
        at = set(by_key.get(pair.key, ())).union(*(by_same.get(key, ()) for key in pair.same))
        places += [(i, j) for i in sorted(at)]
    return places


def same_authority(claim: CitedClaim, other: CitedClaim) -> float:
    """C-SIM of L-FRESCO: whether two claims cite the same authority."""
    return float(claim.key == other.key or bool(claim.same & other.same))


def same_parts(claim: CitedClaim, other: CitedClaim) -> float:
    """C-SIM by parts: the share of volume, reporter and page (or title, code and section) that two keys have in common."""
    if same_authority(claim, other):
        return 1.0
    best = 0.0
    for a in claim.same or {claim.key}:
        for b in other.same or {other.key}:
            (kind, *mine), (other_kind, *theirs) = a.split("|"), b.split("|")
            if kind == other_kind and len(mine) == len(theirs):
                filled = [(x, y) for x, y in zip(mine, theirs, strict=True) if x or y]
                best = max(best, sum(x == y for x, y in filled) / len(filled) if filled else 0.0)
    return best


def alike_by_name_and_text(claim: CitedClaim, other: CitedClaim) -> float:
    """C-SIM by what citations look like: the mean of how alike the parties' names and the written reports are.

    Names are compared word by word in any order, without common ones such as "Inc."; the report (volume, reporter and page, or
    title, code and section) letter by letter (1 - Levenshtein distance / length of the longer one). Where a side names no party,
    the report alone counts.
    """
    if same_authority(claim, other):
        return 1.0
    written = max(_written_alike(a, b) for a in claim.same or {claim.key} for b in other.same or {other.key})
    mine, theirs = (_names(pair.parts.plaintiff, pair.parts.defendant) for pair in (claim, other))
    named = token_sort_ratio(mine, theirs) / 100 if mine and theirs else written
    return (named + written) / 2 if written >= 0 else 0.0


def _written_alike(key: str, other: str) -> float:
    """Of two keys; -1 where they are of different kinds."""
    (kind, _, report), (other_kind, _, other_report) = key.partition("|"), other.partition("|")
    return Levenshtein.normalized_similarity(report, other_report) if kind == other_kind else -1.0


@keep(megabytes=1)
def _names(plaintiff: str, defendant: str) -> str:
    return " ".join(sorted(surnames(plaintiff) | surnames(defendant)))


CITED_ALIKE: dict[str, CitedAlike] = {
    "authority": same_authority,
    "parts": same_parts,
    "names": alike_by_name_and_text,
}
"""C-SIMs by the ids that pages and the shell give them."""
FLOORS = {"authority": 0.5, "parts": 0.5, "names": 0.7}
"""From which C-SIM on two citations may be matched, unless the user says otherwise: reports of one series look half alike."""


def all_alike(generated: CitingDocument, reference: CitingDocument, cited_alike: CitedAlike) -> Values:
    """C-SIM of all pairs of citations, (n, m) by the claims of both texts: 0 to 1, higher = more alike; NaN = not known."""
    if cited_alike is same_authority:
        cited = np.zeros((len(generated.pairs), len(reference.pairs)))
        for place in same_places(generated, reference):
            cited[place] = 1.0
        return cited
    values = [[cited_alike(g, r) for r in reference.pairs] for g in generated.pairs]
    return np.array(values, dtype=np.float64).reshape(len(generated.pairs), len(reference.pairs))


class MatchedPair(NamedTuple):
    """A row and a column that belong together, and how alike they are."""

    row: int
    column: int
    similarity: float


def maximum_matching(similarity: Values, floor: float = 0.0, prefer: Values | None = None) -> tuple[MatchedPair, ...]:
    """The matching with the largest sum of (n, m) similarities, in the order of rows; NaN = not known, which matches nothing.

    Departs from the paper (FRESCO): its constraints, that every row and every column sums to 1, cannot hold unless there are
    as many rows as columns; here each has at most one partner. Maximum matching forces bad pairs too: a pair under the floor
    counts as nothing, so that it is neither made nor stands in the way of a good one. Of matchings with the same sum the one
    with the larger sum of `prefer` is taken, then the earliest pairs.
    """
    from scipy.optimize import linear_sum_assignment

    values = np.nan_to_num(np.asarray(similarity, dtype=np.float64), nan=0.0)
    other = values.shape if prefer is None else prefer.shape
    if values.ndim != 2 or other != values.shape:
        raise ValueError(f"need two tables of one shape, got {values.shape} and {other}")
    if not 0.0 <= floor <= 1.0 or (values.size and not (values.min() >= 0.0 and values.max() <= 1.0 + 1e-9)):
        raise ValueError(f"floor and similarities must lie in 0..1, got floor {floor}")
    if not values.size:
        return ()
    counts = (values >= floor) & (values > 0.0)
    whole = np.where(counts, np.round(values / _GRAIN), 0.0)
    size = min(values.shape)
    # Below the grain of the similarities, so that these alone decide where they differ.
    liked = np.zeros_like(values) if prefer is None else np.nan_to_num(np.asarray(prefer, dtype=np.float64), nan=0.0)
    earlier = 1.0 - np.abs(np.arange(values.shape[0])[:, None] - np.arange(values.shape[1])[None, :]) / (2.0 * sum(values.shape))
    weight = whole + np.where(counts, (0.6 * np.round(liked, 3) + 0.0005 * earlier) / size, 0.0)
    rows, columns = linear_sum_assignment(weight, maximize=True)
    return tuple(
        MatchedPair(int(i), int(j), float(values[i, j])) for i, j in sorted(zip(rows, columns, strict=True)) if counts[i, j]
    )
