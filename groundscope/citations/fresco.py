"""L-FRESCO and FRESCO: does a generated analysis cite the authorities of a reference, and for what the reference cites them for?

L-FRESCO = (1 / |R|) * sum over the reference's (claim, authority) pairs of the best B-SIM among the generated pairs with the same
authority. B-SIM = 1 where the similarity of the two claims reaches a threshold, else 0. FRESCO matches citations by their own
similarity (C-SIM) first, each with at most one, and takes B-SIM of the matched claims.

Departs from the paper: the literal sum over all pairs (`sum`) can pass 1 where an authority is cited twice, so the best one
counts by default; precision, over the generated pairs, and F1 stand beside recall, but no F1 beside the literal sum, which is no
share; an unknown similarity is not 0: its claim is left out and counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Literal, NamedTuple

import numpy as np

from groundscope.citations.authorities import CitedAlike, Values, all_alike, maximum_matching, same_authority, same_places
from groundscope.citations.claims import CitingDocument
from groundscope.citations.similarity import Similarity

Mode = Literal["best", "sum"]
MODES: tuple[Mode, ...] = ("best", "sum")


class Link(NamedTuple):
    """A generated pair beside a reference pair; `alike` is their claims' similarity, `cited` that of their citations."""

    generated: int
    reference: int
    alike: float
    cited: float
    counts: bool


@dataclass(frozen=True, slots=True)
class FrescoScore:
    """Score of one generated text against its reference; all 0..1 (in `sum` mode recall may pass 1), higher = better.

    NaN: recall without pairs of the reference, precision without pairs of either, f1 in `sum` mode. The f1 is the harmonic mean,
    0 where recall or precision is, so also of a text that cites nothing.
    """

    recall: float
    precision: float
    f1: float
    links: tuple[Link, ...]
    reference: int
    generated: int
    unknown: int = 0

    @property
    def matched(self) -> frozenset[int]:
        """Reference pairs that a generated one matches in authority and claim."""
        return frozenset(link.reference for link in self.links if link.counts)

    @property
    def cited(self) -> frozenset[int]:
        """Reference pairs whose authority the generated text cites."""
        return frozenset(link.reference for link in self.links)

    @property
    def untold(self) -> frozenset[int]:
        """Reference pairs that are cited, with no matching claim and at least one unknown similarity."""
        return frozenset(link.reference for link in self.links if isnan(link.alike)) - self.matched

    def figures(self) -> dict[str, float | None]:
        """The three measures and what they count, as JSON has them: None where there is none."""
        measures = {"recall": self.recall, "precision": self.precision, "f1": self.f1}
        return {
            **{name: None if isnan(value) else value for name, value in measures.items()},
            "reference_pairs": self.reference,
            "generated_pairs": self.generated,
            "matched": len(self.matched),
            "unknown": self.unknown,
        }


def l_fresco(
    generated: CitingDocument,
    reference: CitingDocument,
    similarity: Similarity,
    threshold: float | None = None,
    mode: Mode = "best",
) -> FrescoScore:
    """Score a generated text (precision) against its reference (recall), with a link for every two pairs of one authority.

    Claims match from the threshold on; None = the similarity's own. The `best` of the generated pairs counts, or the `sum`
    over all of them as the formula is printed. Errors are those of `Similarity.of`.
    """
    if mode not in MODES:
        raise ValueError(f"mode must be one of {', '.join(MODES)}, got {mode!r}")
    tau = _threshold(similarity, threshold)
    places = same_places(generated, reference)
    values = similarity.of([_texts(generated, reference, i, j) for i, j in places])
    links = tuple(Link(i, j, value, 1.0, value >= tau) for (i, j), value in zip(places, values, strict=True))
    return scored(links, len(reference.pairs), len(generated.pairs), mode)


def _threshold(similarity: Similarity, threshold: float | None) -> float:
    tau = similarity.threshold if threshold is None else threshold
    if not 0.0 <= tau <= 1.0:
        raise ValueError(f"threshold must lie in 0..1, got {tau}")
    return tau


def _texts(generated: CitingDocument, reference: CitingDocument, i: int, j: int) -> tuple[str, str]:
    return generated.claims[generated.pairs[i].claim].text, reference.claims[reference.pairs[j].claim].text


def scored(links: Sequence[Link], reference: int, generated: int, mode: Mode = "best") -> FrescoScore:
    """Compute recall, precision and F1 of links between so many pairs; NaN where there is no pair to take a share of."""
    recall, unknown = _share([(k.reference, k) for k in links], reference, mode)
    precision = _share([(k.generated, k) for k in links], generated, "best")[0] if reference else nan
    f1 = nan if mode == "sum" else _harmonic(recall, precision)
    return FrescoScore(recall, precision, f1, tuple(links), reference, generated, unknown)


def _harmonic(recall: float, precision: float) -> float:
    """F1. A text that cites nothing recalls nothing: its 0 counts, or a system that is silent would only gain."""
    if recall == 0.0 or precision == 0.0:
        return 0.0
    return 2 * recall * precision / (recall + precision)


def _share(links: Sequence[tuple[int, Link]], count: int, mode: Mode) -> tuple[float, int]:
    """The mean over `count` pairs, and how many of these are not known."""
    hits = [0] * count
    unknown = [False] * count
    for at, link in links:
        hits[at] = hits[at] + link.counts if mode == "sum" else max(hits[at], int(link.counts))
        unknown[at] = unknown[at] or isnan(link.alike)
    counted = [h for h, u in zip(hits, unknown, strict=True) if h or not u]
    return (sum(counted) / len(counted) if counted else nan), count - len(counted)


def fresco(
    generated: CitingDocument,
    reference: CitingDocument,
    similarity: Similarity,
    cited_alike: CitedAlike = same_authority,
    threshold: float | None = None,
    floor: float = 0.5,
) -> FrescoScore:
    """Score as `l_fresco`, with citations matched by their own similarity (C-SIM), each with at most one other.

    Citations less alike than the floor are no match.
    """
    tau = _threshold(similarity, threshold)
    cited = all_alike(generated, reference, cited_alike)
    claims = _preferred(generated, reference, similarity, cited, floor)
    matched = maximum_matching(cited, floor, claims)
    links = tuple(
        Link(m.row, m.column, float(claims[m.row, m.column]), m.similarity, claims[m.row, m.column] >= tau) for m in matched
    )
    return scored(links, len(reference.pairs), len(generated.pairs))


def _preferred(
    generated: CitingDocument, reference: CitingDocument, similarity: Similarity, cited: Values, floor: float
) -> Values:
    """(n, m) similarities of the claims whose citations can be matched at all, NaN elsewhere; they break ties."""
    claims = np.full(cited.shape, np.nan)
    places = [(int(i), int(j)) for i, j in np.argwhere((np.nan_to_num(cited) >= floor) & (np.nan_to_num(cited) > 0))]
    for (i, j), value in zip(places, similarity.of([_texts(generated, reference, i, j) for i, j in places]), strict=True):
        claims[i, j] = value
    return claims
