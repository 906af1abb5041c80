"""Location of a model's words in a text: quotes -> spans, claims -> sentences. Exact first, then tolerant, else None.

Models repeat texts with other quotation marks, dashes and spaces, and shorten them; the original is always what is shown.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence

from rapidfuzz import fuzz, process, utils

from groundscope.text.plain import plain

_LEAST_FUZZY = 12
"""Characters below which a quote that is not there word for word is not looked for: anything resembles something short."""
_CLOSE = 88.0
_FARTHEST = 20_000
"""Characters of a text in which a tolerant search is quick enough."""


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """Find the span of a text that a quote repeats."""
    bare = quote.strip().strip("\"'“”‘’").strip()
    bare = re.sub(r"^(?:\.\.\.|…)\s*|\s*(?:\.\.\.|…)$", "", bare)
    if not bare:
        return None
    # With its own marks first: without them "parties'" would be found wherever "parties" stands.
    for exact in (quote.strip(), bare):
        at = text.find(exact)
        if at >= 0:
            return at, at + len(exact)
    folded, offsets = _folded(text)
    sought = _folded(bare)[0].strip()
    at = folded.find(sought) if sought else -1
    if at >= 0:
        return offsets[at][0], offsets[at + len(sought) - 1][1]
    if len(sought) < _LEAST_FUZZY or len(sought) > len(folded) or len(folded) > _FARTHEST:
        return None
    match = fuzz.partial_ratio_alignment(sought, folded, score_cutoff=_CLOSE)
    if match is None or match.dest_end <= match.dest_start:
        return None
    return _whole_words(text, offsets[match.dest_start][0], offsets[match.dest_end - 1][1])


def _folded(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The plain view of a text in lower case with single spaces, and the span that each of its characters comes from."""
    characters: list[str] = []
    offsets: list[tuple[int, int]] = []
    view = plain(text, source=True)
    for at, c in enumerate(view.text):
        if c.isspace():
            if not characters or characters[-1] == " ":
                continue
            c = " "
        # What is compared may be longer than the letter ("ß" is "ss"): each of its characters comes from the same place.
        span = view.span(at, at + 1)
        # "ŉ" holds an apostrophe.
        for folded in c.casefold().replace("ʼ", "'"):
            characters.append(folded)
            offsets.append(span)
    return "".join(characters), offsets


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum() and text[end - 1].isalnum():
        end += 1
    # A tolerant search ends anywhere, also in a gap.
    span = text[start:end]
    return start + len(span) - len(span.lstrip()), end - len(span) + len(span.rstrip())


def sentences_of(span: tuple[int, int], sentences: Sequence[tuple[int, int]]) -> list[int]:
    """Find the sentences, by their indices in order, that overlap a span; offsets are half-open."""
    first = max(0, bisect_right(sentences, (span[0],)) - 1)
    return [i for i in range(first, len(sentences)) if sentences[i][0] < span[1] and sentences[i][1] > span[0]]


def nearest(claim: str, texts: Sequence[str], count: int = 1) -> list[tuple[int, float]]:
    """Find the texts that share most words with a claim, by rapidfuzz's token-set ratio."""
    matches = process.extract(claim, list(texts), scorer=fuzz.token_set_ratio, processor=utils.default_process, limit=None)
    ranked = sorted(((index, score / 100.0) for _, score, index in matches if score > 0), key=lambda x: (-x[1], x[0]))
    return ranked[:count]
