"""Footnotes and lists of sources of a response: no text of it, but what they cite and quote is checked."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from groundscope.text.plain import PlainView, plain
from groundscope.text.sentences import split

_LINE = re.compile(r"[^\n]+")
_NAME = re.compile(
    r"[ \t]{0,8}(?:[-*+•][ \t])?(?:\[\^?(?P<a>[\w-]{1,30})\]:?|(?P<b>[⁰¹²³⁴-⁹]{1,3})|\((?P<c>\d{1,3})\)|"
    r"(?P<d>\d{1,3})[.):]|\^(?P<e>\d{1,3}))[ \t]{0,4}"
)
_TELLS = re.compile(r"[\d\"'“‘«„][^\W\d_]|[^\W\d_].{0,200}[\d\"'“‘«„§]")
"""In a line that may cite or quote: its title does not."""
_TITLE = re.compile(r"(?P<link>(?:https?://|\]\()[^\s<>]{1,600}>?) {1,3}[\"'(“].{0,300}$")
"""Of a page that a note links to: no quotation."""
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


class Footnote(NamedTuple):
    """A note `original[start:]` in its plain view, and the sentence of the response whose mark points to it."""

    start: int
    view: PlainView
    sentence: int


@dataclass(frozen=True, slots=True)
class NotedText:
    """A response in one plain text with its notes, each a paragraph after the end; `begin` is where the first one stands."""

    view: PlainView
    begin: int
    notes: tuple[Footnote, ...]
    begins: tuple[int, ...]

    def sentence(self, at: int) -> int:
        """The sentence whose mark points to the note at a place of the text; -1 outside of the notes."""
        return self.notes[bisect_right(self.begins, at) - 1].sentence if self.begins and at >= self.begin else -1


def with_notes(view: PlainView) -> NotedText:
    """Join a response and its notes; offsets lead to the original from both."""
    if not view.notes or view.starts is None or view.ends is None:
        return NotedText(view, len(view.text), (), ())
    notes = tuple(_footnotes(view))
    texts, starts, ends, begins = [view.text], [view.starts], [view.ends], []
    length = len(view.text)
    for note in notes:
        count = len(note.view.text)
        first = np.arange(count, dtype=np.int32) if note.view.starts is None else note.view.starts
        last = first + np.int32(1) if note.view.ends is None else note.view.ends
        texts += ["\n\n", note.view.text]
        gap, start = np.full(2, note.start, dtype=np.int32), np.int32(note.start)
        starts += [gap, first + start]
        ends += [gap, last + start]
        begins.append(length + 2)
        length += count + 2
    joined = replace(view, text="".join(texts), starts=np.concatenate(starts), ends=np.concatenate(ends))
    return NotedText(joined, begins[0] if begins else length, notes, tuple(begins))


def _footnotes(view: PlainView) -> Iterator[Footnote]:
    """The lines of which nothing is left in the plain text; without a mark they are notes to its last sentence."""
    sentences = [s.start for s in split(view.text)]
    marks: dict[str, int] = {}
    for mark in view.marks:
        for number in (mark.note, *map(str, mark.numbers)):
            marks.setdefault(number, mark.start)
    for m in _LINE.finditer(view.original):
        words = _TITLE.sub(r"\g<link>", m.group().rstrip())
        lead = len(words) - len(words.lstrip())
        first, last = view.at(m.start() + lead, m.start() + len(words))
        if first < last or not _TELLS.search(words):
            continue
        name = _NAME.match(words)
        start = m.start() + (name.end() if name else lead)
        place = marks.get(name[name.lastgroup or "a"].translate(_RAISED)) if name else None
        at = len(view.text) if place is None else max(0, view.at(place, place)[0] - 1)
        note = plain(view.original[start : m.start() + len(words)], source=True)
        yield Footnote(start, note, max(0, bisect_right(sentences, at) - 1))
