"""Which pairs of two texts cite the same authority, and how alike citations are: the C-SIM of FRESCO."""

from collections import defaultdict
from collections.abc import Callable

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.fuzz import token_sort_ratio

from groundscope.citations.claims import CitedClaim, CitingDocument
from groundscope.citations.matching import Values
from groundscope.citations.reader.resolving import surnames
from groundscope.runtime.byte_cache import keep

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
    found = []
    for j, pair in enumerate(reference.pairs):
        at = set(by_key.get(pair.key, ())).union(*(by_same.get(key, ()) for key in pair.same))
        found += [(i, j) for i in sorted(at)]
    return found


def same_authority(one: CitedClaim, other: CitedClaim) -> float:
    """C-SIM of L-FRESCO: whether two claims cite the same authority."""
    return float(one.key == other.key or bool(one.same & other.same))


def same_parts(one: CitedClaim, other: CitedClaim) -> float:
    """C-SIM by parts: the share of volume, reporter and page (or title, code and section) that two keys have in common."""
    if same_authority(one, other):
        return 1.0
    best = 0.0
    for a in one.same or {one.key}:
        for b in other.same or {other.key}:
            (kind, *mine), (other_kind, *theirs) = a.split("|"), b.split("|")
            if kind == other_kind and len(mine) == len(theirs):
                filled = [(x, y) for x, y in zip(mine, theirs, strict=True) if x or y]
                best = max(best, sum(x == y for x, y in filled) / len(filled) if filled else 0.0)
    return best


def alike_by_name_and_text(one: CitedClaim, other: CitedClaim) -> float:
    """C-SIM by what citations look like: the mean of how alike the parties' names and the written reports are.

    Names are compared word by word in any order, without common ones such as "Inc."; the report (volume, reporter and page, or
    title, code and section) letter by letter (1 - Levenshtein distance / length of the longer one). Where a side names no party,
    the report alone counts.
    """
    if same_authority(one, other):
        return 1.0
    written = max(_written_alike(a, b) for a in one.same or {one.key} for b in other.same or {other.key})
    mine, theirs = (_names(pair.parts.plaintiff, pair.parts.defendant) for pair in (one, other))
    named = token_sort_ratio(mine, theirs) / 100 if mine and theirs else written
    return (named + written) / 2 if written >= 0 else 0.0


def _written_alike(one: str, other: str) -> float:
    """Of two keys; -1 where they are of different kinds."""
    (kind, _, report), (other_kind, _, other_report) = one.partition("|"), other.partition("|")
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
    """C-SIM of all pairs of citations.

    Args:
        generated: the text to score, with n cited claims.
        reference: the text it is compared with, with m cited claims.
        cited_alike: the C-SIM of two.

    Returns:
        (n, m) float64, 0 to 1, higher = more alike; NaN where `cited_alike` gives it.
    """
    if cited_alike is same_authority:
        cited = np.zeros((len(generated.pairs), len(reference.pairs)))
        for place in same_places(generated, reference):
            cited[place] = 1.0
        return cited
    values = [[cited_alike(g, r) for r in reference.pairs] for g in generated.pairs]
    return np.array(values, dtype=np.float64).reshape(len(generated.pairs), len(reference.pairs))
