"""One plain view of a text, which every comparer reads, with the place of each character in the original.

Letters in canonical Unicode, without ligatures, soft hyphens and characters of no width; words joined that a line's end cut;
quotation marks, dashes and blanks in their plain shapes; no marks to sources, feet or pages, and no Markdown inside lines. Line
breaks and what begins a line (`#`, `-`, `1.`, `>`, `|`) stay, since sentences are cut there. The plain view of a plain view is
itself. This project's own rules, in no paper.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from groundscope.runtime.byte_cache import keep
from groundscope.text import markdown
from groundscope.text.edits import SourceMark, TextEdit, apart
from groundscope.text.marks import Reader, inline_edits, line_edits
from groundscope.types import Case, Claim, Judgement, Match, Passage, SentenceScore

Offsets = NDArray[np.int32]
_ROUNDS = 6
"""Marks inside marks are undone from the inside; a text that still changes then is left with its marks."""

_SHAPES = {
    ord(c): plain
    for plain, shapes in (
        ('"', "“”„‟«»″〝〞"), ("'", "‘’‚‛‹›ʼ´"), ("-", "‐‑‒–―−﹣－"), ("\n", "\u2028\u2029\x85\x0b\x0c"), ("/", "⁄∕"),
        (" ", "\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"),
    )
    for c in shapes
}  # fmt: skip
"""One character for one: offsets stay."""
_NO_WIDTH = "\xad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
_SOFT = r"(?:(?<=[^\W\d_])\r?\n[ \t]{0,8})?\xad[ \t]{0,8}\r?\n[ \t]{0,20}(?=[^\W\d_])"
"""A soft hyphen at a line's end, or on a line alone: the word goes on."""
_FOLDED = re.compile(
    rf"(?P<gone>{_SOFT}|[{_NO_WIDTH}]+)|(?P<dash> ?— ?)|(?P<dots>…)"
    r"|(?P<wide>[\uff03-\uff06\uff0a-\uff0b\uff0d-\uff19\uff1d\uff20-\uff3d\uff3f\uff41-\uff5a]|(?<=[\uff10-\uff19])\uff0c(?=[\uff10-\uff19])|[\ufb00-\ufb06\u2160-\u217f\u01c4-\u01cc\u0132\u0133\u2116])"
    # A letter with what is written over or under it, in whatever order and however many there are.
    r"|(?P<marked>.[\u0300-\u034e\u0350-\u036f\u0483-\u0487\u0591-\u05c7\u064b-\u065f\u093c\u09bc\u0a3c\u0b3c\u1ab0-\u1aff\u1dc0-\u1dff"
    r"\u3099\u309a\u20d0-\u20ff]{1,30})|(?P<other>[\u0340\u0341\u0374\u0387\u1f71-\u1fff\u2126\u212a\u212b\uf900-\ufaff])"
)
_WORDS = {"gone": "", "dash": " - ", "dots": "..."}
# A hyphen comes first: so the scan jumps from one to the next.
_CUT_WORD = re.compile(r"-(?<=[^\W\d_]{2}-|[^\W\d_] -)[ \t]{0,8}\r?\n[ \t]{0,20}(?:> ?)?(?P<rest>[^\W\d_]{2,40})")
_LAST_LETTERS = re.compile(r"(?P<word>[^\W\d_]{2,40})(?P<blank> ?)\Z")
_LONGEST_PART, _SHORT_WORD = 40, 5
_SPECIAL = re.compile(r"[^A-Za-z .,;:'\"()!?/$%-]|://|--|- -")
"""What a reader of sources may take out, or put something in the place of, begins with or contains one of these."""
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class PlainView:
    """A plain view of a text.

    Attributes:
        starts: (n_characters,) where each of its characters begins in the original; None where both are equal.
        ends: (n_characters,) where it ends there.
        marks: the marks to sources that were taken out, in reading order, with spans of the original.
        notes: whether footnotes or a list of sources were taken out.
    """

    original: str
    text: str
    starts: Offsets | None
    ends: Offsets | None
    marks: tuple[SourceMark, ...] = ()
    notes: bool = False

    @property
    def nbytes(self) -> int:
        """About its memory, for the cache: the texts, and eight bytes of offsets a character."""
        return 2 * len(self.original) + 10 * len(self.text) * (self.starts is not None) + 200 * len(self.marks)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Find what a span of the plain text is in the original, half-open."""
        if self.starts is None or self.ends is None:
            return start, end
        if start >= end:
            at = int(self.starts[start]) if start < len(self.starts) else len(self.original)
            return at, at
        return int(self.starts[start]), int(self.ends[end - 1])

    def at(self, start: int, end: int) -> tuple[int, int]:
        """Find what is left of a span of the original in the plain text, half-open; empty if nothing is."""
        if self.starts is None or self.ends is None:
            return start, end
        # Of the type of the offsets: for another one the search copies all of them.
        a, b = np.int32(start), np.int32(end)
        first, last = int(np.searchsorted(self.ends, a, "right")), int(np.searchsorted(self.starts, b, "left"))
        return first, max(first, last)


def plain(text: str, *, source: bool = False, words: frozenset[str] | None = None) -> PlainView:
    """Read a text plainly, with offsets into it.

    Of a source, footnotes and lists are its words, and so are "Answer:" and "(Source 1)". A word that a line's end cut is
    joined if it is one of the lower-case `words`; None joins every one.
    """
    return _plain(text, source, words)


@keep(megabytes=32)
def _plain(text: str, source: bool, words: frozenset[str] | None) -> PlainView:
    view = PlainView(text, text, None, None)
    if source and text.isascii() and not _SPECIAL.search(text):
        return view
    for _ in range(_ROUNDS):
        before = view.text
        view = _edited(view, apart([*markdown.written(before)]))
        if not view.text.isascii() or "\x0b" in view.text or "\x0c" in view.text:
            view = replace(view, text=view.text.translate(_SHAPES))
        view = _edited(view, _characters(view.text))
        if view.text == before:
            break
    bare = view
    readers: tuple[Reader, ...] = (
        partial(_joined, words=words),
        partial(line_edits, source=source),
        *inline_edits(source=source),
    )
    for _ in range(_ROUNDS):
        before = view.text
        for reader in readers:
            view = _edited(view, reader(view.text))
        if view.text == before:
            return view
    return bare


def _edited(view: PlainView, changes: Iterable[TextEdit]) -> PlainView:
    """Change a text and keep where each character comes from."""
    edits = list(changes)
    if not edits:
        return view
    text = view.text
    starts = np.arange(len(text), dtype=np.int32) if view.starts is None else view.starts
    ends = starts + np.int32(1) if view.ends is None else view.ends
    pieces: list[str] = []
    at: list[Offsets] = []
    to: list[Offsets] = []
    marks = list(view.marks)
    position = 0
    for edit in edits:
        pieces += [text[position : edit.start], edit.words]
        at.append(starts[position : edit.start])
        to.append(ends[position : edit.start])
        if edit.words:
            first = int(starts[edit.start]) if edit.start < len(text) else len(view.original)
            last = int(ends[edit.end - 1]) if edit.start < edit.end else first
            at.append(np.full(len(edit.words), first, dtype=np.int32))
            to.append(np.full(len(edit.words), last, dtype=np.int32))
        if edit.mark:
            marks.append(edit.mark._replace(start=int(starts[edit.mark.start]), end=int(ends[edit.mark.end - 1])))
        position = edit.end
    pieces.append(text[position:])
    at.append(starts[position:])
    to.append(ends[position:])
    marks.sort(key=lambda m: m.start)
    notes = view.notes or any(edit.notes for edit in edits)
    return PlainView(view.original, "".join(pieces), np.concatenate(at), np.concatenate(to), tuple(marks), notes)


def _characters(text: str) -> Iterator[TextEdit]:
    """Characters in their plain shapes."""
    if text.isascii():
        return
    for m in _FOLDED.finditer(text):
        words = _WORDS.get(m.lastgroup or "")
        if words is None:
            words = unicodedata.normalize("NFC" if m["wide"] is None else "NFKC", m.group())
        if words != m.group():
            yield TextEdit(*m.span(), words)


def _joined(text: str, *, words: frozenset[str] | None) -> Iterator[TextEdit]:
    """Words that a line's end cut, joined where they are known as one."""
    for m in _CUT_WORD.finditer(text) if "-" in text and "\n" in text else ():
        before = _LAST_LETTERS.search(text[max(0, m.start() - _LONGEST_PART) : m.start()])
        first, blank = before.group("word", "blank") if before else ("", "")
        cut = m.start() - len(blank), m.start("rest")
        joined, hyphened = (first + m["rest"]).lower(), f"{first}-{m['rest']}".lower()
        # A hyphen after a blank may be a dash: "came in -\nto stay".
        if blank and (words is None or len(joined) <= _SHORT_WORD):
            continue
        if words is None or joined in words:
            yield TextEdit(*cut, "")
        elif hyphened in words:
            yield TextEdit(*cut, "-")


def vocabulary(texts: Iterable[str]) -> frozenset[str]:
    """Collect the words of texts in lower case, also those with hyphens."""
    return frozenset(w.lower() for text in texts for w in _WORD.findall(text))


@dataclass(frozen=True, slots=True)
class PlainCase:
    """A case in plain texts, without labels, and the way back to the original."""

    case: Case
    response: PlainView
    context: tuple[PlainView, ...]

    @classmethod
    def of(cls, case: Case) -> "PlainCase":
        """Read all texts of a case plainly; `case` itself is in it where nothing changes."""
        response, context, passages = _plain_texts(case.response, case.context)
        if response.text != case.response or passages != case.context:
            case = Case(case.id, case.query, passages, response.text)
        return cls(case, response, context)

    def restored(self, judgement: Judgement) -> Judgement:
        """Bring the offsets of a judgement of the plain case back to the original."""
        sentences = tuple(self._sentence(s) for s in judgement.sentences)
        return replace(judgement, sentences=sentences, claims=tuple(_restored(c, self.response) for c in judgement.claims))

    def _sentence(self, sentence: SentenceScore) -> SentenceScore:
        matches = tuple(_restored(m, self.context[m.passage]) for m in sentence.matches)
        verbatim, unsupported = (tuple(self.response.span(*s) for s in of) for of in (sentence.verbatim, sentence.unsupported))
        return replace(_restored(sentence, self.response), matches=matches, verbatim=verbatim, unsupported=unsupported)


_Placed = TypeVar("_Placed", Claim, Match, SentenceScore)


def _restored(placed: _Placed, view: PlainView) -> _Placed:
    start, end = view.span(placed.start, placed.end)
    return replace(placed, start=start, end=end)


@keep(megabytes=32)
def _plain_texts(response: str, context: tuple[Passage, ...]) -> tuple[PlainView, tuple[PlainView, ...], tuple[Passage, ...]]:
    texts = [response, *(p.text for p in context)]
    words: frozenset[str] = frozenset()
    if any("-" in t and _CUT_WORD.search(t) for t in texts):
        # Their characters first: a word with a soft hyphen is that word.
        words = vocabulary(plain(t, source=True, words=words).text for t in texts)
    ours, theirs = plain(response, words=words), tuple(plain(p.text, source=True, words=words) for p in context)
    return ours, theirs, tuple(_passage(p, v.text) for p, v in zip(context, theirs, strict=True))


def _passage(passage: Passage, text: str) -> Passage:
    source = plain(passage.source, source=True).text
    return passage if (text, source) == (passage.text, passage.source) else Passage(passage.id, text, source)
