"""Generalised FRESCO, for texts without legal citations: key points against elaborations.

A paragraph or list item is a point: its heading, bold lead or first sentence says what it is about (the key point, in the place
of a citation), the rest elaborates on it (in the place of the claim). Key points are matched by C-SIM, elaborations compared by
B-SIM.

Departs from the paper, which leaves open how texts are cut: a point of one sentence elaborates on itself.
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from groundscope.citations.authorities import maximum_matching
from groundscope.citations.fresco import FrescoScore, Link, scored
from groundscope.citations.similarity import Similarity
from groundscope.text.sentences import split

_PARAGRAPH = re.compile(r"\n[^\S\n]*\n|\n(?=[ \t]*(?:[-*+•]|\(?\d{1,3}[.)])[ \t])")
_BOLD = re.compile(r"^[\s\d.)*+•-]*?(?:\*\*|__)(?P<bold>[^*_\n]{2,120})(?:\*\*|__)[:.]?\s*")
_LEAD = re.compile(r"^(?P<lead>[^.:!?\n]{3,80}):\s+(?=\S)")


class KeyPoint(NamedTuple):
    """`text[start:end]` is what a paragraph is about, `text[more_start:more_end]` what it says of it."""

    start: int
    end: int
    more_start: int
    more_end: int


@dataclass(frozen=True, slots=True)
class Points:
    """A text as key points with their elaborations."""

    text: str
    points: tuple[KeyPoint, ...]

    def key(self, i: int) -> str:
        """Find what a point is about: its heading, bold lead or first sentence, as written."""
        return self.text[self.points[i].start : self.points[i].end]

    def more(self, i: int) -> str:
        """Find what is said of a point: the rest of its paragraph, as written; of a point of one sentence that sentence."""
        return self.text[self.points[i].more_start : self.points[i].more_end]


def key_points(text: str) -> Points:
    """Cut a text into points, a paragraph or list item each, in reading order; a heading goes with the paragraph under it."""
    points: list[KeyPoint] = []
    heading: tuple[int, int] | None = None
    sentences = split(text)
    headings = {(s.start, s.end) for s in sentences if s.heading}
    at = 0
    for start, end in pairwise((0, *(m.start() for m in _PARAGRAPH.finditer(text)), len(text))):
        inside: list[tuple[int, int]] = []
        while at < len(sentences) and sentences[at].start < end:
            if sentences[at].start >= start and sentences[at].end <= end:
                inside.append((sentences[at].start, sentences[at].end))
            at += 1
        while inside and inside[0] in headings:
            heading = inside.pop(0)
        if not inside:
            continue
        points.append(_point(text, heading, inside))
        heading = None
    return Points(text, tuple(points))


def _point(text: str, heading: tuple[int, int] | None, inside: list[tuple[int, int]]) -> KeyPoint:
    start, end = inside[0][0], inside[-1][1]
    if heading:
        return KeyPoint(*heading, start, end)
    # A sentence begins after the signs of its bold words.
    start -= 2 if text[max(0, start - 2) : start] in ("**", "__") else 0
    for pattern, group in ((_BOLD, "bold"), (_LEAD, "lead")):
        if (m := pattern.match(text[start:end])) and m.end() < end - start:
            return KeyPoint(start + m.start(group), start + m.end(group), start + m.end(), end)
    first = inside[0]
    return KeyPoint(*first, inside[1][0], end) if len(inside) > 1 else KeyPoint(*first, *first)


def general_fresco(
    generated: Points,
    reference: Points,
    about: Similarity,
    says: Similarity,
    threshold: float | None = None,
    floor: float = 0.3,
) -> FrescoScore:
    """Score points of a text as `fresco` does claims.

    Key points are matched by `about` (C-SIM), and elaborations of matched ones compared by `says` (B-SIM).
    """
    n, m = len(generated.points), len(reference.points)
    tau = says.threshold if threshold is None else threshold
    keys = about.of([(generated.key(i), reference.key(j)) for i in range(n) for j in range(m)])
    matched = maximum_matching(np.array(keys, dtype=np.float64).reshape(n, m), floor)
    values = says.of([(generated.more(x.row), reference.more(x.column)) for x in matched])
    links = tuple(Link(x.row, x.column, v, x.similarity, v >= tau) for x, v in zip(matched, values, strict=True))
    return scored(links, m, n)
