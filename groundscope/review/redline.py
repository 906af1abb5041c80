"""An answer with a reviewer's corrections: words that stay, that go, and that a source says; `redline_docx` writes it.

Every inserted word is a quotation: it comes from the place of a source that a decision names, and from nowhere else.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from groundscope.cases.error_types import TITLES
from groundscope.review.decisions import WHOLE, WRONG, Correction, ReviewDecision, Ruling, SourcePlace, StoredDecision, claims
from groundscope.review.report import cited, named_sentences, pin_cite
from groundscope.text.differences import Item, differences
from groundscope.text.humanize import without_control
from groundscope.text.plain import plain
from groundscope.text.sentences import Sentence, split
from groundscope.text.shown import BlockKind, Style, TextBlock, shown, shown_words
from groundscope.types import Case

_WORD = re.compile(r"\w+")
_GAP = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
"""Blank lines, between paragraphs."""
_PIECE = re.compile(r"(?:^|(?<=; ))(?:(?P<head>[^;:\n]+): )?(?P<cell>[^;\n]+)(?=; |$)")
"""A cell of a row, with what its column is called."""
_STOPS = ".!?…;:"
_OPENING, _CLOSING = "“\"‘'«„", "”\"’'»“"


class TrackedChange(StrEnum):
    """What becomes of words when all changes are accepted."""

    KEPT = "kept"
    DELETED = "deleted"
    QUOTED = "quoted"


class RedlinePiece(NamedTuple):
    """Words as they are shown. `remark`: index of the remark on their sentence; -1 for none."""

    text: str
    change: TrackedChange = TrackedChange.KEPT
    styles: tuple[Style, ...] = ()
    remark: int = -1


@dataclass(slots=True)
class RedlineParagraph:
    """A paragraph, or a row of a table; `marker`: of an item ("3."); `gone`: remark on the correction that its end goes with."""

    block: TextBlock
    marker: str = ""
    cells: list[list[RedlinePiece]] = field(default_factory=lambda: [[]])
    gone: int | None = None


class Remark(NamedTuple):
    """A comment: its lines, and when the decision was made."""

    lines: tuple[str, ...]
    time: str


class Redline(NamedTuple):
    """The answer, before it is a file; every text can be written to XML. `head`: the remark on the whole answer."""

    paragraphs: tuple[RedlineParagraph, ...]
    remarks: tuple[Remark, ...]
    head: Remark | None
    reviewer: str


def source_sentence(case: Case, place: SourcePlace) -> SourcePlace | None:
    """Find the first sentence of a source that a place is in; None where the place is in none."""
    sentences = split(case.context[place.passage].text, source=True)
    i = bisect_right(sentences, place.start, key=lambda s: s.end)
    inside = i < len(sentences) and sentences[i].start < place.end
    return SourcePlace(place.passage, sentences[i].start, sentences[i].end) if inside else None


def offered(case: Case, decision: ReviewDecision, seen: SourcePlace | None = None) -> Correction | None:
    """Offer the sentence of the source that a decision rests on, else one at a place that the reviewer has seen, for a sentence.

    Where the wrong words that the reviewer named have one counterpart there, as another figure or date, it alone is offered. Of a
    row of a table words of one cell are, for one cell of the answer's, and nothing where that is not clear.
    """
    place = decision.rests_on or seen
    if decision.ruling not in WRONG or decision.sentence == WHOLE or place is None:
        return None
    s = split(case.response)[decision.sentence]
    if (u := source_sentence(case, place)) is None:
        return None
    ours, theirs = case.response[s.start : s.end], case.context[u.passage].text[u.start : u.end]
    span = (decision.span[0] - s.start, decision.span[1] - s.start) if decision.span else None
    cells, parts = row_cells(theirs), _answer_cells(case.response, s)
    goes: tuple[int, int] | None = span if cells and span else (0, len(ours))
    there: tuple[int, int] | None = (0, len(theirs))
    pair = _counterpart(ours, theirs, *(span or (0, len(ours))), bare=span is None) if span or cells or parts else None
    if pair and (not cells or cell_of(cells, pair[1].start, pair[1].end)):
        goes, there = ((item.start, item.end) for item in pair)
    else:
        if parts:
            goes = cell_of(parts, *span) if span else parts[-1] if len(parts) == 2 else None
        if cells:
            there = _likest(theirs, cells, ours[slice(*span)]) if span else None
    if goes is None or there is None:
        return None
    return Correction(s.start + goes[0], s.start + goes[1], SourcePlace(u.passage, u.start + there[0], u.start + there[1]))


_Cells = Sequence[tuple[int, int]]


def row_cells(text: str) -> _Cells:
    """Find the words of the cells in a row of a table as files are read: "Unit: Studio; Rent: 1,200"; none in other sentences."""
    pieces = list(_PIECE.finditer(text))
    return [m.span("cell") for m in pieces] if len(pieces) > 1 and all(m["head"] for m in pieces[1:]) else []


def _answer_cells(text: str, s: Sentence) -> _Cells:
    """The cells of a row of the answer, from the start of the row; none in other sentences."""
    borders = [(p.start - s.start, p.end - s.start) for p in shown(text).within(s.start, s.end) if Style.BORDER in p.styles]
    ends = [at for border in borders for at in border if 0 < at < s.end - s.start]
    return list(zip([0, *ends[1::2]], [*ends[::2], s.end - s.start], strict=True)) if ends else []


def cell_of(cells: _Cells, start: int, end: int) -> tuple[int, int] | None:
    """The cell that holds a span."""
    return next(((a, b) for a, b in cells if a <= start and end <= b), None)


def _likest(text: str, cells: _Cells, words: str) -> tuple[int, int] | None:
    """The one cell that shares most words."""
    wrong = {*_WORD.findall(words.casefold())}
    shared = [len(wrong & {*_WORD.findall(text[a:b].casefold())}) for a, b in cells]
    return cells[shared.index(max(shared))] if max(shared) and shared.count(max(shared)) == 1 else None


def narrowed(case: Case, d: ReviewDecision) -> Correction | None:
    """Put a correction that was taken on the wrong words that were named after it; where none are, it stays."""
    c = d.correction
    if c is None or d.span is None:
        return c
    again = offered(case, replace(d, rests_on=c.place)) if c.place else None
    # Of what was offered, what is offered now; of what was struck out or quoted in fewer words, the same.
    if again and c.place and c.place in (again.place, source_sentence(case, c.place)):
        return again
    return Correction(*d.span, c.place)


def _counterpart(ours: str, theirs: str, start: int, end: int, *, bare: bool) -> tuple[Item, Item] | None:
    """What stands in a source in the place of wrong words, if they differ in one thing and, unless `bare`, it has their rest."""
    over = [d for d in differences(ours, theirs) if any(i.start < end and i.end > start for i in d.response)]
    if len(over) != 1 or not len(over[0].response) == 1 == len(over[0].context):
        return None
    (mine,), (other,) = over[0].response, over[0].context
    rest = f"{ours[start : max(start, mine.start)]} {ours[min(end, mine.end) : end]}".casefold()
    return (mine, other) if bare or {*_WORD.findall(rest)} <= {*_WORD.findall(theirs.casefold())} else None


def redline(case: Case, decisions: Mapping[int, StoredDecision], reviewer: str) -> Redline:
    """Gather what an answer is, with the corrections of a reviewer in it and a remark on each sentence that is not supported."""
    commented = [d for i, d in sorted(decisions.items()) if i != WHOLE and d.decision.ruling in {*WRONG, Ruling.CANNOT_SAY}]
    remarks = [_remark(case, d) for d in commented]
    edits = [e for k, d in enumerate(commented) for e in _edits(case, d.decision, k)]
    paragraphs = _Reader(case.response, [d.decision.sentence for d in commented], edits).paragraphs
    return Redline(tuple(paragraphs), tuple(remarks), _head(case, decisions), without_control(reviewer))


def _remark(case: Case, stored: StoredDecision) -> Remark:
    d = stored.decision
    of_type = f": {TITLES[d.type].lower()}" if d.type else ""
    settled = f"Settled by {stored.reviewer}, {stored.time[:10]}." if stored.settles else ""
    lines = (f"{d.ruling}{of_type}.".capitalize(), _source(case, d), d.note, settled)
    return Remark(tuple(without_control(line) for line in lines if line), stored.time)


def _source(case: Case, d: ReviewDecision) -> str:
    """Where the decision rests; with the words, but for a quotation that has them all."""
    place = (d.correction and d.correction.place) or d.rests_on
    if place is None:
        return ""
    around = source_sentence(case, place)
    whole = around if around and around.start <= place.start and place.end <= around.end else place
    return pin_cite(case, place) if d.correction and d.correction.place == whole else cited(case, whole)


def _head(case: Case, decisions: Mapping[int, StoredDecision]) -> Remark | None:
    """What is decided of the whole answer, and that sentences without a remark may not have been read."""
    ruled = {i for i, d in decisions.items() if d.decision.ruling}
    left = [i for i in claims(case.response) if i not in ruled]
    whole = decisions.get(WHOLE)
    lines = []
    if whole and whole.decision.ruling:
        lines += [f"Whole answer: {whole.decision.ruling}.", _source(case, whole.decision), whole.decision.note]
    lines += [f"Not decided: {named_sentences(left)}."] if left else []
    time = max((d.time for d in decisions.values()), default="")
    return Remark(tuple(without_control(line) for line in lines if line), time) if lines else None


class _Edit(NamedTuple):
    """Words that go, what is quoted in their place, and the index of the remark."""

    start: int
    end: int
    quote: str
    remark: int


def _edits(case: Case, d: ReviewDecision, remark: int) -> Iterator[_Edit]:
    """What a correction changes; of a whole sentence, its last stop stays behind a quotation without one."""
    if d.correction is None:
        return
    start, end, place = d.correction
    text, s = case.response, split(case.response)[d.sentence]
    quote = shown_words(case.context[place.passage].text, place.start, place.end, source=True) if place else ""
    within_marks = text[start - 1 : start] in {*_OPENING} and text[end : end + 1] in {*_CLOSING}
    whole = (start, end) == (s.start, s.end)
    stop = whole and end - start > 1 and text[end - 1] in _STOPS and bool(quote) and quote[-1] not in _STOPS
    yield _Edit(start, end - stop, quote if within_marks or not quote else f"“{quote}”", remark)
    for mark in plain(text).marks if whole else ():
        # A mark that cites for the sentence does not cite for what comes in its place.
        if mark.start >= end and not text[end : mark.start].strip(" "):
            yield _Edit(end, mark.end, "", remark)
            end = mark.end


class _Segment(NamedTuple):
    start: int
    end: int
    text: str
    styles: tuple[Style, ...]


class _Reader:
    """Reads a text as it is shown, from one border of anything to the next."""

    def __init__(self, text: str, sentences: Sequence[int], edits: Sequence[_Edit]) -> None:
        self._text, self._edits = text, edits
        spans = split(text)
        self._remarked = [(spans[i].start, spans[i].end) for i in sentences]
        self._cuts = sorted({at for span in (*self._remarked, *((e.start, e.end) for e in edits)) for at in span})
        self.paragraphs: list[RedlineParagraph] = []
        self._read()
        for paragraph in self.paragraphs:
            _finish(paragraph)
        self.paragraphs = [p for p in self.paragraphs if any(p.cells) or p.marker or p.block.kind is BlockKind.RULE]

    def _segments(self) -> Iterator[_Segment]:
        position = 0
        for p in shown(self._text).pieces:
            yield from self._cut(position, p.start, ())
            if p.words is None:
                yield from self._cut(p.start, p.end, p.styles)
            else:
                yield _Segment(p.start, p.end, p.words, p.styles)
            position = p.end
        yield from self._cut(position, len(self._text), ())

    def _cut(self, start: int, end: int, styles: tuple[Style, ...]) -> Iterator[_Segment]:
        inner = self._cuts[bisect_right(self._cuts, start) : bisect_left(self._cuts, end)]
        for a, b in zip([start, *inner], [*inner, end], strict=True):
            if a < b:
                yield _Segment(a, b, self._text[a:b], styles)

    def _read(self) -> None:
        blocks = shown(self._text).blocks or (TextBlock(0, BlockKind.PARAGRAPH),)
        waiting_blocks, edits = iter(blocks), iter(self._edits)
        block, edit = next(waiting_blocks, None), next(edits, None)
        for segment in (*self._segments(), _Segment(len(self._text), len(self._text), "", ())):
            while edit and edit.end <= segment.start:
                self._quote(edit)
                edit = next(edits, None)
            while block and block.start <= segment.start:
                self._open(block, segment.start, edit)
                block = next(waiting_blocks, None)
            if not self.paragraphs:
                self._open(blocks[0]._replace(start=0), 0, None)
            self._take(segment, edit if edit and edit.start <= segment.start else None)

    def _open(self, block: TextBlock, at: int, edit: _Edit | None) -> None:
        """Begin a paragraph; words that go on both sides of its beginning take it with them."""
        if self.paragraphs and edit and edit.start < at < edit.end:
            self.paragraphs[-1].gone = edit.remark
        self.paragraphs.append(RedlineParagraph(block))

    def _take(self, segment: _Segment, edit: _Edit | None) -> None:
        paragraph, styles = self.paragraphs[-1], segment.styles
        kind = paragraph.block.kind
        if Style.BORDER in styles:
            paragraph.cells.append([])
        elif Style.SPACE in styles:
            if kind is BlockKind.TABLE and "\n" in segment.text:
                self._open(paragraph.block, segment.start, edit)
        elif Style.MARKER in styles and not paragraph.block.note and not any(paragraph.cells) and not paragraph.marker:
            paragraph.marker = segment.text.strip()
            if paragraph.marker in {"☐", "☑"}:
                paragraph.marker = ""
                self._add(segment, segment.text, edit)
        else:
            lines = segment.text.replace("\r\n", "\n").replace("\r", "\n")
            parts = [lines] if kind is BlockKind.CODE else _GAP.split(lines)
            for n, part in enumerate(parts):
                if n:
                    self._open(paragraph.block, segment.start, edit)
                self._add(segment, part, edit)

    def _add(self, segment: _Segment, words: str, edit: _Edit | None) -> None:
        n = bisect_right(self._remarked, segment.start, key=lambda span: span[0]) - 1
        remark = edit.remark if edit else n if n >= 0 and segment.start < self._remarked[n][1] else -1
        if words:
            change = TrackedChange.DELETED if edit else TrackedChange.KEPT
            self.paragraphs[-1].cells[-1].append(RedlinePiece(without_control(words), change, segment.styles, remark))

    def _quote(self, edit: _Edit) -> None:
        """Put a quotation behind what it replaces, in its style if that has one."""
        if edit.quote:
            cell = self.paragraphs[-1].cells[-1]
            styles = {p.styles for p in cell if p.remark == edit.remark and p.change is TrackedChange.DELETED}
            style = styles.pop() if len(styles) == 1 else ()
            cell.append(RedlinePiece(without_control(edit.quote), TrackedChange.QUOTED, style, edit.remark))


def _finish(paragraph: RedlineParagraph) -> None:
    is_blank = "\n".__eq__ if paragraph.block.kind is BlockKind.CODE else str.isspace
    paragraph.cells = [_closed_up(cell, is_blank) for cell in paragraph.cells]
    pieces = [p for cell in paragraph.cells for p in cell]
    goes = [p.remark for p in pieces if p.change is TrackedChange.DELETED]
    if goes and all(p.change is TrackedChange.DELETED or p.text.isspace() for p in pieces):
        paragraph.gone = goes[0]


def _closed_up(pieces: Sequence[RedlinePiece], is_blank: Callable[[str], bool]) -> list[RedlinePiece]:
    """Leave out blanks at both ends; words that go with none in their place take a blank along, so that no two stay together."""
    letters = [(letter, p[1:]) for p in pieces for letter in p.text]
    words = [k for k, (letter, _) in enumerate(letters) if not is_blank(letter)]
    letters = letters[words[0] : words[-1] + 1] if words else []
    stays, goes = " ", None
    for k, (letter, look) in enumerate(letters):
        if look[0] is TrackedChange.DELETED:
            goes = look
        elif goes and look[0] is TrackedChange.KEPT and stays.isspace() and letter.isspace():
            letters[k] = letter, goes
        else:
            stays, goes = letter, None
    for k in reversed(range(len(letters) if goes else 0)):
        letter, look = letters[k]
        if look[0] is TrackedChange.KEPT and letter.isspace():
            letters[k] = letter, letters[k + 1][1]
        elif look[0] is not TrackedChange.DELETED:
            break
    return [RedlinePiece("".join(letter for letter, _ in run), *look) for look, run in groupby(letters, itemgetter(1))]
