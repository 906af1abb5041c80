"""The result for each citation of two analyses: matched, cited for something else, missing, extra. Pure: no streamlit."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import isnan

from groundscope.citations.claims import CitedClaim, CitingDocument
from groundscope.citations.fresco import FrescoScore, Link

MATCHED, DIFFERS, UNTOLD, UNPAIRED, MISSING, EXTRA = "matched", "differs", "untold", "unpaired", "missing", "extra"
WORDS = {
    MATCHED: "cited for the same",
    DIFFERS: "cited, but for something else",
    UNTOLD: "cited; claims could not be compared",
    UNPAIRED: "in both texts, but matched with nothing",
    MISSING: "missing",
    EXTRA: "not in the reference",
}


@dataclass(frozen=True, slots=True)
class AuthorityRow:
    """An authority of the reference, or an extra one, as it is written, with its number in both texts and its result.

    `reference` is its claim there, `generated` the claim that is most like it, `alike` their similarity: NaN = unknown, None =
    nothing to compare.
    """

    number: int
    state: str
    authority: str
    reference: str
    generated: str
    alike: float | None


def numbers(generated: CitingDocument, reference: CitingDocument, links: Iterable[Link] = ()) -> tuple[list[int], list[int]]:
    """The number of each pair's authority, of the generated text and of the reference: 1 is what the reference cites first."""
    seen: list[set[str]] = []

    def number(pair: CitedClaim) -> int:
        same = {pair.key, *pair.same}
        for i, keys in enumerate(seen, 1):
            if same & keys:
                keys |= same
                return i
        seen.append(same)
        return len(seen)

    right = [number(p) for p in reference.pairs]
    left = [number(p) for p in generated.pairs]
    for link in links:
        # Matched citations of different authorities share one number.
        left[link.generated] = right[link.reference]
    return left, right


def states(generated: CitingDocument, reference: CitingDocument, score: FrescoScore) -> tuple[list[str], list[str]]:
    """The result for each pair of the generated text, and of the reference; see `WORDS`."""
    counted = {k.generated for k in score.links if k.counts}
    unknown = {k.generated for k in score.links if isnan(k.alike)} - counted
    linked = {k.generated for k in score.links}
    mine = _states(generated, (counted, unknown, linked), reference, EXTRA)
    return mine, _states(reference, (score.matched, score.untold, score.cited), generated, MISSING)


def _states(text: CitingDocument, counted: tuple[AbstractSet[int], ...], other: CitingDocument, alone: str) -> list[str]:
    cited_there = {key for p in other.pairs for key in (p.key, *p.same)}
    states_of_pairs = []
    for i, pair in enumerate(text.pairs):
        state = next((s for s, places in zip((MATCHED, UNTOLD, DIFFERS), counted, strict=True) if i in places), "")
        # FRESCO gives each citation one partner: the second of two citations is not missing.
        states_of_pairs.append(state or (UNPAIRED if cited_there & {pair.key, *pair.same} else alone))
    return states_of_pairs


def rows(generated: CitingDocument, reference: CitingDocument, score: FrescoScore) -> list[AuthorityRow]:
    """One row per pair of the reference, then one per extra pair."""
    left, right = numbers(generated, reference, score.links)
    mine, theirs = states(generated, reference, score)
    best: dict[int, Link] = {}
    for link in score.links:
        old = best.get(link.reference)
        if old is None or _weight(link) > _weight(old):
            best[link.reference] = link
    table = []
    for j, pair in enumerate(reference.pairs):
        nearest = best.get(j)
        other = generated.claims[generated.pairs[nearest.generated].claim].text if nearest else ""
        words = cited(reference, pair)
        table.append(
            AuthorityRow(right[j], theirs[j], words, reference.claims[pair.claim].text, other, nearest.alike if nearest else None)
        )
    linked = {link.generated for link in score.links}
    for i, pair in enumerate(generated.pairs):
        if i not in linked:
            table.append(AuthorityRow(left[i], mine[i], cited(generated, pair), "", generated.claims[pair.claim].text, None))
    return table


def _weight(link: Link) -> tuple[bool, bool, float]:
    """Sort key: a match counts most, then an unknown similarity, which leaves the citation out."""
    return link.counts, isnan(link.alike), 0.0 if isnan(link.alike) else link.alike


def cited(document: CitingDocument, pair: CitedClaim) -> str:
    """The citation of a pair as written; an Id. or short form with the name of its authority."""
    c = document.citations[pair.citation]
    words = " ".join(document.text[c.outer : c.end].split())
    full = c.resolved
    if c.parts.page or not full.reporter:
        return words
    name = full.plaintiff or full.defendant
    return f"{words} ({', '.join(x for x in (name, f'{full.volume} {full.reporter} {full.page}'.strip()) if x)})"
