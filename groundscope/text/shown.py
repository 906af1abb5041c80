"""Markdown as readers know it: styles over a text, signs that are not shown, and the blocks that its lines make.

Nothing is changed or taken out: every run is a span of the original, so that what else is marked in a text keeps its place.
Markdown is read as `groundscope.text.markdown` and `marks` read it for comparers. This project's own rules, in no paper.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from groundscope.runtime.byte_cache import keep
from groundscope.text import markdown
from groundscope.text.edits import apart
from groundscope.text.marks import note_edits
from groundscope.text.plain import plain

_ROUNDS = 3
"""Styles in styles that are read."""
_COVER = "\x00"
"""Stands for each character that was read, so that places stay."""


class Style(StrEnum):
    """How a run is shown.

    Signs are not; a space is not where blocks are drawn; a border parts the cells of a row; others stand for other characters.
    """

    BOLD = "bold"
    ITALIC = "italic"
    CODE = "code"
    STRUCK = "struck"
    LINK = "link"
    MARK = "mark"
    MARKER = "marker"
    HEAD = "head"
    OTHER = "other"
    SIGN = "sign"
    SPACE = "space"
    BORDER = "border"


class StyledRun(NamedTuple):
    """`text[start:end]` in a style. `words`: what is shown in its place; None for itself. `title`: the address of a link."""

    start: int
    end: int
    style: Style
    words: str | None = None
    title: str = ""


class BlockKind(StrEnum):
    """What lines make."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    ITEM = "item"
    QUOTE = "quote"
    TABLE = "table"
    CODE = "code"
    RULE = "rule"


class TextBlock(NamedTuple):
    """A block that begins at `start` and ends where the next one begins.

    `level`: of a heading, from 1; of an item in others, from 0. `note`: whether it is a footnote or part of a list of sources.
    """

    start: int
    kind: BlockKind
    level: int = 0
    note: bool = False


class ShownPiece(NamedTuple):
    """`text[start:end]` under all runs over it; `words` is empty for what is not shown."""

    start: int
    end: int
    styles: tuple[Style, ...]
    words: str | None = None
    title: str = ""


class ShownText(NamedTuple):
    """How a text is shown; without blocks it is lines as they are."""

    pieces: tuple[ShownPiece, ...]
    blocks: tuple[TextBlock, ...]

    def within(self, start: int, end: int) -> tuple[ShownPiece, ...]:
        """The pieces that lie in a span, or reach into it."""
        first = bisect_right(self.pieces, start, key=lambda p: p.end)
        return self.pieces[first : bisect_left(self.pieces, end, first, key=lambda p: p.start)]


_MARK_SIGNS = re.compile(
    r"\[(?=\[)|(?<=\])\]|(?<=[\[ ])\^|\^(?=\])|\([^()\s]{0,300}\)$|(?::\d{1,3})?†[^】\]\n]{0,80}|</?sup>", re.IGNORECASE
)
"""What a mark to a source is shown without."""
_COMPACT = re.compile(r"[\[【<\d]")
"""How a mark begins that is raised; others are words."""
_HEADING = re.compile(r"[ ]{0,3}(?P<sign>#{1,6})[ \t]{1,8}(?=\S)")
_HEADING_CLOSE = re.compile(r"[ ]#{1,6}$")
_QUOTE = re.compile(r"(?:[ ]{0,3}>[ ]?){1,4}")
_ITEM = re.compile(r"(?P<indent>[ \t]{0,40})(?P<sign>[-*+•]|\(?\d{1,3}[.)])(?P<gap>[ \t]{1,8})(?P<task>\[[ xX]\][ ])?(?=\S)")
_NOTE = re.compile(r"[ ]{0,3}\[\^?(?P<name>[\w-]{1,30})\^?\]:?[ ]{0,4}")
_BORDER = re.compile(r"(?<!\\)\|")
_TAG = re.compile(r"<br\s?/?>|</?(?:b|i|em|strong|u|sub|sup)>", re.IGNORECASE)
_BULLETS = "•◦"


def shown(text: str, *, source: bool = False) -> ShownText:
    """Find how a text is shown: pieces in reading order, which do not overlap, for what is not shown as it stands, and blocks.

    The footnotes of a `source` are its words.
    """
    return _shown(text, source)


@keep(megabytes=16)
def _shown(text: str, source: bool) -> ShownText:
    lines = _Lines(text, source)
    runs = lines.runs + list(_inline(text, lines.covered, source))
    return ShownText(tuple(_pieces(runs)), lines.blocks)


def shown_words(text: str, start: int, end: int, *, source: bool = False) -> str:
    """Words of `text[start:end]` as they are shown, on one line."""
    position, parts = start, list[str]()
    for p in shown(text, source=source).within(start, end):
        parts += [text[position : p.start], text[max(start, p.start) : min(end, p.end)] if p.words is None else p.words]
        position = p.end
    return " ".join("".join([*parts, text[position:end]]).split())


def _pieces(runs: Iterable[StyledRun]) -> Iterator[ShownPiece]:
    runs = sorted((r for r in runs if r.start < r.end), key=lambda r: r.start)
    borders = sorted({b for r in runs for b in (r.start, r.end)})
    waiting, over = 0, list[StyledRun]()
    for start, end in pairwise(borders):
        over = [r for r in over if r.end > start]
        while waiting < len(runs) and runs[waiting].start == start:
            over.append(runs[waiting])
            waiting += 1
        if over:
            yield _piece(start, end, over)


def _piece(start: int, end: int, over: Sequence[StyledRun]) -> ShownPiece:
    styles = tuple(dict.fromkeys(r.style for r in over))
    for style in (Style.SIGN, Style.BORDER, Style.SPACE):
        if style in styles:
            return ShownPiece(start, end, (style,), " | " if style is Style.BORDER else "" if style is Style.SIGN else None)
    other = next((r for r in over if r.words is not None), None)
    # What stands for a run stands at its beginning, if another run cuts it.
    words = None if other is None else other.words if start == other.start else ""
    return ShownPiece(start, end, styles, words, next((r.title for r in over if r.title), ""))


class _Lines:
    """Reads a text line by line."""

    def __init__(self, text: str, source: bool) -> None:
        self.text = text
        self.runs: list[StyledRun] = []
        self.covered: list[tuple[int, int]] = []
        """Code, and signs of lines: nothing is read in them again."""
        self._blocks: list[TextBlock] = []
        self._indents: list[int] = []
        self._notes = [] if source else [(e.start, e.end) for e in note_edits(text)]
        fences = list(markdown.FENCE.finditer(text)) if "```" in text or "~~~" in text else []
        # Where each block of code begins, with the beginning of its last line.
        self._fences = {a.start(): b.start() for a, b in zip(fences[::2], fences[1::2], strict=False)}
        self._tables = {begin: rule for begin, rule, _ in markdown.tables(text)}
        self._read()
        self.blocks = tuple(self._blocks) if any(b.note or b.kind is not BlockKind.PARAGRAPH for b in self._blocks) else ()
        for before, block in pairwise(self.blocks):
            end = block.start
            while end > before.start and text[end - 1].isspace():
                end -= 1
            self._hide(end, block.start, Style.SPACE)

    def _hide(self, start: int, end: int, style: Style = Style.SIGN) -> None:
        if start < end:
            self.runs.append(StyledRun(start, end, style))
            self.covered.append((start, end))

    def _open(self, start: int, kind: BlockKind, level: int = 0, *, note: bool = False) -> None:
        if kind is not BlockKind.ITEM:
            self._indents.clear()
        self._blocks.append(TextBlock(start, kind, level, note))

    def _read(self) -> None:
        text, at, gap = self.text, 0, False
        code_ends = rule = -1
        notes = iter([*self._notes, (len(text), len(text))])
        note = next(notes)
        in_table = False
        while at < len(text):
            end = text.find("\n", at)
            start, end = at, len(text) if end < 0 else end
            at = end + 1
            line = text[start:end].rstrip()
            while note[1] <= start < len(text) and note[1] < len(text):
                note = next(notes)
            if code_ends >= 0:
                self._hide(start, end) if start == code_ends else self.covered.append((start, end))
                code_ends, gap = (-1, True) if start == code_ends else (code_ends, False)
            elif start in self._fences:
                code_ends = self._fences[start]
                self._open(start, BlockKind.CODE)
                self._hide(start, min(at, len(text)))
            elif start in self._tables and not in_table:
                rule, in_table = self._tables[start], True
                self._open(start, BlockKind.TABLE)
                self._row(start, end, at, head=True)
            elif start == rule or (in_table and "|" in line and markdown.TABLE_RULE.match(line)):
                self._hide(start, min(at, len(text)))
            elif in_table and "|" in line:
                self._row(start, end, at)
            elif not line:
                gap, in_table = True, False
            else:
                gap, in_table = self._line(start, line, gap or in_table, note=note[0] <= start < note[1]), False

    def _line(self, start: int, line: str, gap: bool, *, note: bool) -> bool:
        """Read a line that is no code and no table; whether what follows is a block of its own."""
        last = self._blocks[-1] if self._blocks else None
        end = start + len(line)
        if markdown.RULER.match(line):
            self._open(start, BlockKind.RULE)
            self._hide(start, end)
            return True
        if m := _HEADING.match(line):
            self._open(start, BlockKind.HEADING, len(m["sign"]), note=note)
            self._hide(start, start + m.end())
            if close := _HEADING_CLOSE.search(line, max(m.end(), len(line) - 8)):
                self._hide(start + close.start(), end)
            self.runs.append(StyledRun(start + m.end(), end, Style.HEAD))
            return True
        quoted = last is not None and last.kind is BlockKind.QUOTE
        if (m := _QUOTE.match(line)) and (quoted or m.end() < len(line)):
            if not quoted:
                self._open(start, BlockKind.QUOTE)
            self._hide(start, start + m.end())
            return False
        if m := _ITEM.match(line):
            self._item(start, m, note=note)
            return False
        if note and (m := _NOTE.match(line)):
            self._open(start, BlockKind.ITEM, note=True)
            words = f"{m['name']}. " if m["name"].isdecimal() else f"[{m['name']}] "
            self._marker(start, start + m.end(), words)
            return False
        indent = len(line) - len(line.lstrip())
        if last is None or last.note != note or (gap and (last.kind is not BlockKind.ITEM or indent < 2)):
            # Paragraphs in a row are one block: their blank lines stay.
            if last is None or last.kind is not BlockKind.PARAGRAPH or last.note != note:
                self._open(start, BlockKind.PARAGRAPH, note=note)
        elif last.kind is BlockKind.ITEM:
            self._hide(start, start + indent)
        return False

    def _item(self, start: int, m: re.Match[str], *, note: bool) -> None:
        indent = len(m["indent"].expandtabs(4))
        if not self._blocks or self._blocks[-1].kind is not BlockKind.ITEM:
            self._indents.clear()
        while self._indents and self._indents[-1] > indent:
            self._indents.pop()
        if not self._indents or indent > self._indents[-1] + 1:
            self._indents.append(indent)
        level = min(len(self._indents), 6) - 1
        self._open(start, BlockKind.ITEM, level, note=note)
        sign = _BULLETS[level % 2] if m["sign"] in "-*+" else m["sign"]
        self._hide(start, start + m.end("indent"), Style.SPACE)
        self._marker(start + m.end("indent"), start + m.end("gap"), "" if m["task"] else f"{sign} ")
        if m["task"]:
            box = "☑ " if m["task"][1] in "xX" else "☐ "
            self._marker(start + m.start("task"), start + m.end("task"), box)

    def _marker(self, start: int, end: int, words: str) -> None:
        self.runs.append(StyledRun(start, end, Style.MARKER, words))
        self.covered.append((start, end))

    def _row(self, start: int, end: int, after: int, *, head: bool = False) -> None:
        line = self.text[start:end].rstrip()
        left = len(line) - len(line.lstrip())
        first = left + 1 if line.startswith("|", left) else left
        last = len(line) - 1 if line.endswith("|") and len(line) > first and not line.endswith("\\|") else len(line)
        first += len(line[first:last]) - len(line[first:last].lstrip())
        last = max(first, len(line[:last].rstrip()))
        self._hide(start, start + first)
        for m in _BORDER.finditer(line, first, last):
            a, b = len(line[: m.start()].rstrip()), m.end() + len(line[m.end() :]) - len(line[m.end() :].lstrip())
            self._hide(start + max(a, first), start + min(b, last), Style.BORDER)
        if head:
            self.runs.append(StyledRun(start + first, start + last, Style.HEAD))
        self._hide(start + last, end)
        self._hide(end, min(after, len(self.text)), Style.SPACE)


_Read = tuple[list[tuple[int, int]], list[StyledRun]]


def _inline(text: str, covered: Iterable[tuple[int, int]], source: bool) -> Iterator[StyledRun]:
    """Styles, links and marks inside lines."""
    left = _without(text, covered)
    # Code first: what stands in it is no Markdown.
    signs, runs = _styled(left, only_code=True)
    yield from runs
    left = _without(left, [*signs, *((r.start, r.end) for r in runs if r.style is Style.CODE)])
    signs, runs = _marks(text, left, source)
    yield from runs
    left = _without(left, signs)
    for _ in range(_ROUNDS):
        before = left
        for read in (_links, _styled, _tags):
            signs, runs = read(left)
            yield from runs
            left = _without(left, signs)
        if left == before:
            return


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """A text in which what was read is covered."""
    parts, position = list[str](), 0
    for start, end in sorted(spans):
        start = max(start, position)
        if start < end:
            parts += [text[position:start], _COVER * (end - start)]
            position = end
    return "".join([*parts, text[position:]]) if parts else text


def _marks(text: str, left: str, source: bool) -> _Read:
    """Marks to sources, small and raised."""
    signs: list[tuple[int, int]] = []
    runs: list[StyledRun] = []
    for mark in plain(text, source=source).marks:
        if _COMPACT.match(text, mark.start) and _COVER not in left[mark.start : mark.end]:
            runs.append(StyledRun(mark.start, mark.end, Style.MARK))
            words = text[mark.start : mark.end]
            signs += [(mark.start + m.start(), mark.start + m.end()) for m in _MARK_SIGNS.finditer(words)]
    return signs, runs + [StyledRun(a, b, Style.SIGN) for a, b in signs]


def _links(text: str) -> _Read:
    signs: list[tuple[int, int]] = []
    runs: list[StyledRun] = []
    for m in markdown.LINK.finditer(text) if "](" in text else ():
        signs += [(m.start(), m.start("words")), (m.end("words"), m.end())]
        address = text[m.end("words") + 2 : m.end() - 1].replace(_COVER, "")
        runs.append(StyledRun(*m.span("words"), Style.LINK, title=address))
    return signs, runs + [StyledRun(a, b, Style.SIGN) for a, b in signs]


def _styled(text: str, *, only_code: bool = False) -> _Read:
    """Bold, italic, code and crossed-out words."""
    signs: list[tuple[int, int]] = []
    runs: list[StyledRun] = []
    taken = set[int]()
    for words in markdown.emphasized(text):
        for m in words:
            sign, (start, end) = m["open"], m.span("words")
            if only_code != ("`" in sign) or not taken.isdisjoint((m.start(), end)):
                continue
            taken.update((m.start(), end))
            styles = [Style.CODE] if "`" in sign else [Style.STRUCK] if "~" in sign else _EMPHASIS[len(sign)]
            runs += [StyledRun(start, end, style) for style in styles]
            signs += [(m.start(), start), (end, m.end())]
    return signs, runs + [StyledRun(a, b, Style.SIGN) for a, b in signs]


_EMPHASIS = {1: [Style.ITALIC], 2: [Style.BOLD], 3: [Style.BOLD, Style.ITALIC]}


def _tags(text: str) -> _Read:
    """Simple tags and backslashes that are not shown, and characters that are written as entities; other tags are words."""
    edits = [
        e
        for e in apart([*markdown.breaks(text), *markdown.tags(text), *markdown.written(text)])
        if text[e.start] != "<" or _TAG.match(text, e.start)
    ]
    runs = [StyledRun(e.start, e.end, Style.OTHER if e.words else Style.SIGN, e.words or None) for e in edits]
    # A sign after a backslash is itself.
    return [(e.start, e.end + (text[e.start] == "\\")) for e in edits], runs
