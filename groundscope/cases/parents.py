"""Compare a variant with the grounded response it was made from: which words were replaced, and whether anything else differs."""

from collections.abc import Sequence
from itertools import pairwise

from groundscope.types import Case

AROUND = 40
"""Characters next to a span that an edit may have touched too, in sets whose spans are narrower than their edits."""


def replaced_words(case: Case, parent: str) -> tuple[str, ...]:
    """Find the parent's words in the place of each error span."""
    places = _places(_kept_pieces(case), parent, 0)
    if not places:
        return ()
    return tuple(parent[end:start] for (_, end), (start, _) in pairwise(places))


def differs_only_at_spans(case: Case, parent: str) -> bool:
    """Whether the response equals its parent except in its error spans and up to `AROUND` characters next to them."""
    pieces = _kept_pieces(case)
    return bool(_places(pieces, parent, 0) or _places(pieces, parent, AROUND))


def _kept_pieces(case: Case) -> list[str]:
    spans = sorted((e.start, e.end) for e in case.errors)
    borders = [0, *(x for span in spans for x in span), len(case.response)]
    return [case.response[a:b] for a, b in pairwise(borders)][::2]


def _places(pieces: Sequence[str], parent: str, slack: int) -> list[tuple[int, int]]:
    """Where the pieces stand in the parent, in order, the first at its beginning and the last at its end; or nothing."""
    if len(pieces) == 1:
        return [(0, len(parent))] if pieces[0] == parent else []
    first, *middle, last = pieces
    first, last = first[: max(0, len(first) - slack)], last[slack:]
    position, limit = len(first), len(parent) - len(last)
    if not parent.startswith(first) or not parent.endswith(last) or position > limit:
        return []
    places = [(0, position)]
    for piece in middle:
        inner = piece[slack : len(piece) - slack]
        start = parent.find(inner, position, limit)
        if start < 0:
            return []
        position = start + len(inner)
        places.append((start, position))
    return [*places, (limit, len(parent))]
