"""Text -> sentences with offsets into the original, made for legal text.

nupunkt (Bommarito et al. 2025, "Precise Legal Sentence Boundary Detection for Retrieval at Scale") finds the sentence
ends; what it does not know is layout, so lines are first gathered into blocks: a paragraph, a list item, a heading. A
sentence never crosses a block, and a list marker at the start of a line belongs to no sentence.
"""

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from groundscope.runtime.byte_cache import keep
from groundscope.types import Passage

LONGEST = 2_000
"""Characters. A longer "sentence" is a table or text without full stops: cut at a space, so that models can read it."""

_MARKER = re.compile(r"[ \t]*(?:[-*+•‣◦▪–—·]|\(?\d{1,3}[.)]|\([a-zA-Z]\)|[a-zA-Z]\)|\([ivxIVX]{1,5}\))[ \t]+(?=\S)")
_MARKDOWN_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+(?=\S)")
_BOLD_LINE = re.compile(r"[ \t]*(\*\*|__)[^*_\n]{1,120}\1:?[ \t]*$")
_ENDS_SENTENCE = re.compile(r"[.!?;,。!?؟۔]['\"”’)\]*_]*$")
_PUNCTUATION_RUN = re.compile(r"[^\w\s]{12,}")
_FOREIGN_STOPS = str.maketrans("؟۔。！？", "?..!?")
_BARE_STATUTE = re.compile(
    r"(?:(?:See(?: also)?|Accord|Cf\.) )?\d{1,3} (?:U\.S\.C\.(?:A\.)?|C\.F\.R\.|Stat\.) §{0,2} ?[\w.()-]{1,40}[.;]?"
)
_HEADING_WORDS = 10


class Sentence(NamedTuple):
    """`text[start:end]` is one sentence; `heading` marks a line that names what follows instead of claiming."""

    start: int
    end: int
    heading: bool = False


class Unit(NamedTuple):
    """A context sentence: `context[passage].text[start:end]`."""

    passage: int
    start: int
    end: int


@keep(megabytes=32)
def split(text: str) -> tuple[Sentence, ...]:
    """Split a text into sentences.

    Sentences do not overlap, come in order, begin and end on a non-space character, and hold every letter and digit
    of the text except those of list markers ("1.", "(a)") at the start of a line.
    """
    blocks = list(_blocks(text))
    alone = len(blocks) == 1
    sentences: list[Sentence] = []
    for block in blocks:
        if block.heading and not alone:
            sentences.extend(_trimmed(text, block.start, block.end, heading=True))
        else:
            for start, end in _joined(text[block.start : block.end]):
                sentences.extend(_trimmed(text, block.start + start, block.start + end, heading=False))
    return tuple(sentences)


def context_sentences(context: tuple[Passage, ...]) -> tuple[Unit, ...]:
    """Split all passages of a context into sentences: the columns of every support matrix."""
    return tuple(Unit(p, s.start, s.end) for p, passage in enumerate(context) for s in split(passage.text))


def sentence_id(context: tuple[Passage, ...], passage: int, start: int) -> str:
    """Name a context sentence for users."""
    number = sum(s.start <= start for s in split(context[passage].text))
    return f"{context[passage].id}.{max(1, number)}"


def _sentence_spans(block: str) -> list[tuple[int, int]]:
    from nupunkt import sent_spans

    # Length-preserving: nupunkt knows Latin sentence ends only, and takes quadratic time over a run of '."'.
    plain = _PUNCTUATION_RUN.sub(lambda run: " " * len(run.group()), block.translate(_FOREIGN_STOPS))
    return list(sent_spans(plain)) or [(0, len(block))]


def _joined(block: str) -> Iterator[tuple[int, int]]:
    """Sentence spans, with what claims nothing alone joined to its sentence.

    A single word ("Yes.", "Id.") goes with what follows it, a bare statute ("29 U.S.C. § 1109(a).") with what it is
    cited for.
    """
    open_at: int | None = None
    held: tuple[int, int] | None = None
    for start, end in _sentence_spans(block):
        open_at = start if open_at is None else open_at
        if end < len(block) and len(block[open_at:end].split()) < 2:
            continue
        if held and _BARE_STATUTE.fullmatch(block[open_at:end].strip()):
            held = held[0], end
        else:
            if held:
                yield held
            held = open_at, end
        open_at = None
    if held:
        yield held


def _blocks(text: str) -> Iterator[Sentence]:
    start: int | None = None
    end = position = 0
    lines = text.splitlines(keepends=True)
    for line, following in zip_longest(lines, lines[1:], fillvalue=""):
        line_start, position = position, position + len(line)
        body = line.strip()
        marker = _MARKER.match(line)
        heading = bool(body) and not marker and _is_heading(line, following, after_gap=start is None)
        if (not body or marker or heading) and start is not None:
            yield Sentence(start, end, heading=False)
            start = None
        if not body:
            continue
        if heading:
            skip = _MARKDOWN_HEADING.match(line)
            yield Sentence(line_start + (skip.end() if skip else 0), position, heading=True)
            continue
        if start is None:
            start = line_start + (marker.end() if marker else 0)
        end = position
    if start is not None:
        yield Sentence(start, end, heading=False)


def _is_heading(line: str, following: str, *, after_gap: bool) -> bool:
    if _MARKDOWN_HEADING.match(line) or _BOLD_LINE.match(line.rstrip("\r\n")):
        return True
    body = line.strip()
    if not after_gap or not following:
        return False
    words = body.rstrip(":").split()
    if len(words) == 1 and not following.strip():
        return True
    if _ENDS_SENTENCE.search(body):
        return False
    if body.endswith(":"):
        return len(words) <= 3
    return len(words) <= _HEADING_WORDS and (not following.strip() or body.isupper() or _title_case(words))


def _title_case(words: list[str]) -> bool:
    """Most longer words start with a capital, as in a title and unlike a sentence that a line break cut."""
    long = [w for w in words if len(w) > 3 and w[0].isalpha()]
    return bool(long) and words[0][:1].isupper() and sum(w[0].isupper() for w in long) >= 0.75 * len(long)


def _trimmed(text: str, start: int, end: int, *, heading: bool) -> Iterator[Sentence]:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    end -= len(piece) - len(piece.rstrip())
    while end - start > LONGEST:
        cut = text.rfind(" ", start + LONGEST // 2, start + LONGEST)
        cut = cut if cut > 0 else start + LONGEST
        yield from _trimmed(text, start, cut, heading=heading)
        start = cut + len(text[cut:end]) - len(text[cut:end].lstrip())
    if any(c.isalnum() for c in text[start:end]):
        yield Sentence(start, end, heading)
