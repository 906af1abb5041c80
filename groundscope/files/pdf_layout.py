"""Pages of words with places -> the text of a document: sentences whole over lines, columns and pages, notes at their place.

Nothing here reads a file: words and their places come in, and one text with the places of its pages and headings goes out.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, pairwise
from statistics import median
from typing import NamedTuple

from groundscope.files._blocks import DocumentBlock, TableCell, table_blocks
from groundscope.files.pdf_lines import PageWords, TextLine, Word, blocks_of, gutter, leading, lines_of
from groundscope.files.pdf_margins import page_labels, printed_numbers, running_lines, without_line_numbers

IsWord = Callable[[str], bool]
"""Whether a word in small letters is one of the language."""


class PdfText(NamedTuple):
    """A document's text.

    `pages`: (start, page) of each part that stands on one page, or in one of its notes; `headings`: offsets; `numbered`: whether
    its pages have numbers of their own, which are not their places in the file.
    """

    text: str
    pages: list[tuple[int, int | str]]
    headings: list[int]
    numbered: bool


@dataclass(slots=True)
class _Paragraph:
    """Lines that belong together, each with its page's index; `note` is the sign of a footnote, `cells` the text of a row.

    `right` is the edge of its column, and `notes` are those that it refers to.
    """

    lines: list[tuple[int, TextLine]]
    right: float
    note: str = ""
    cells: str = ""
    heading: bool = False
    notes: list["_Paragraph"] = field(default_factory=list)

    @property
    def last(self) -> TextLine:
        return self.lines[-1][1]


_SIZE = 0.12
"""Of a size, by which two lines of a paragraph differ at most."""
_GAP = 1.35
"""Of the distance of lines: more begins a paragraph."""
_INDENT = 0.8
_ROOM = 0.55
"""Of a size: a blank, and by how much a line that is called full may fall short."""
_LARGE, _NOTE = 1.09, 0.93
"""Of the usual size: a heading's at least, a footnote's at most."""
_LONGEST_HEADING, _LONGEST_BOLD = 200, 120
_MOST_LINES, _SHORT = 4, 3
_BEGINS = re.compile(r"(?:[•–*▪◦●○‣·-]\s|\(?(?:\w{1,4}|[ivx]{1,6})[.)]\s|\(\w{1,4}\)|\d{1,3}(?:\.\d{1,3}){1,4}[.)]?\s|§+\s)")
"""How an item of a list, or a clause, begins."""
_CLOSED = r"[\"'”’»)\]]{0,3}[⁰¹²³⁴-⁹*†‡]{0,3}$"
_ENDED, _STOPPED = re.compile(rf"[.?!:;…]{_CLOSED}"), re.compile(rf"[.?!…]{_CLOSED}")
_COUNTS_ON = re.compile(r"[;,] (?:and|or|und|oder|et|ou)$")
_SIGN = re.compile(r"(?P<sign>[⁰¹²³⁴-⁹]{1,3}|[*†‡§¶]{1,3}|\d{1,3}(?=[^\d.,]|\.\s)|\[\d{1,3}\])[.\s]?\s*(?=\S)")
_PLAIN, _RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789"), str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def read_layout(pages: Sequence[PageWords | None], is_word: IsWord) -> PdfText:
    """Put the words of pages together; None stands for a page that cannot be read."""
    lines = without_line_numbers([lines_of(page.words) if page else [] for page in pages])
    sizes: Counter[float] = Counter()
    bold = 0
    for line in (line for page in lines for line in page):
        sizes[line.size] += len(line.words)
        bold += len(line.words) * line.bold
    body = max(sizes, key=sizes.__getitem__, default=0.0)
    labels = [page.label if page else "" for page in pages]
    printed = printed_numbers(lines, labels)
    running = [set(map(id, page)) for page in running_lines(lines, printed, body)]
    left = [[line for line in page if id(line) not in apart] for page, apart in zip(lines, running, strict=True)]
    gutters = [gutter(page) for page in left]
    likely = median([at for at in gutters if at is not None]) if any(gutters) else None
    flow: list[_Paragraph] = []
    note: _Paragraph | None = None
    for n, (page, at) in enumerate(zip(left, gutters, strict=True)):
        note = _add_page(flow, n, blocks_of(page, at) if at is not None else blocks_of(page, likely, 1), body, note)
    for paragraph in flow:
        paragraph.heading = _is_heading(paragraph, body, mostly_bold=2 * bold > sizes.total())
    writer = _Writer(is_word, [line for page in left for line in page])
    return writer.written((p for whole in flow for p in (whole, *whole.notes)), page_labels(printed, labels))


def _add_page(
    flow: list[_Paragraph], page: int, blocks: Sequence[Sequence[TextLine]], body: float, note: _Paragraph | None
) -> _Paragraph | None:
    """Add the paragraphs of a page, and its notes to those that have their signs; gives its last note.

    `note`: the last one of the page before, which may go on.
    """
    began, notes = len(flow), list[_Paragraph]()
    for lines in blocks:
        at = _notes_from(lines, body, goes_on=note is not None and not _STOPPED.search(note.last.text))
        right, first = max(x.right for x in lines), True
        for paragraph in _paragraphs(page, lines[:at], right, body):
            before = _before(flow, paragraph) if first else None
            first = first and bool(paragraph.cells)
            if before and _goes_over(before, paragraph):
                before.lines += paragraph.lines
            else:
                flow.append(paragraph)
        for line in lines[at:]:
            if begins := _SIGN.match(line.text):
                notes.append(note := _Paragraph([(page, line)], right, begins["sign"].strip("[]").translate(_PLAIN)))
            elif note:
                note.lines.append((page, line))
    for footnote in notes:
        sign = footnote.note.translate(_RAISED)
        near = flow[max(0, began - 1) :]
        owner = next(
            (p for p in near if any(sign in line.text for at, line in p.lines if at == page)), near[-1] if near else None
        )
        (owner.notes if owner else flow).append(footnote)
    return notes[-1] if notes else None


def _notes_from(lines: Sequence[TextLine], body: float, *, goes_on: bool) -> int:
    """Find where the footnotes of a column begin: its last lines, in smaller letters, from the first that has a sign."""
    at = len(lines)
    while at and lines[at - 1].size <= _NOTE * body:
        at -= 1
    signed = next((n for n in range(at, len(lines)) if _SIGN.match(lines[n].text)), len(lines))
    return at if goes_on and at else signed


def _paragraphs(page: int, lines: Sequence[TextLine], right: float, body: float) -> Iterator[_Paragraph]:
    """Cut a column into paragraphs; the rows of a table are one each."""
    rows, usual, left = _table_rows(lines), leading(lines), min((x.left for x in lines), default=0.0)
    current: list[TextLine] = []
    for n, line in enumerate(lines):
        if current and (n in rows or (_begins(current, line, usual, left, right) and not _is_title(current[-1], line, body))):
            yield _Paragraph([(page, x) for x in current], right)
            current = []
        if n not in rows:
            current.append(line)
        elif rows[n]:
            yield _Paragraph([(page, line)], right, cells=rows[n])
    if current:
        yield _Paragraph([(page, x) for x in current], right)


def _is_title(a: TextLine, b: TextLine, body: float) -> bool:
    """Whether two lines are of one large title."""
    alike = a.size == b.size > _LARGE * body and a.bold == b.bold
    return alike and b.base - a.base < 1.6 * a.size and not _BEGINS.match(b.text)


def _begins(above: Sequence[TextLine], line: TextLine, usual: float, left: float, right: float) -> bool:
    """Whether a line begins a paragraph under the lines of another one."""
    last, indent = above[-1], _INDENT * line.size
    if not _alike(last, line) or line.base - last.base > _GAP * usual:
        return True
    # A centred line has room at both sides.
    beside = last.left - left
    centred = beside > line.size and abs(beside - (right - last.right)) < 2 * line.size
    full = last.text.endswith("-") or _is_full(last, line, right + (beside if centred else 0))
    ended = bool(_ENDED.search(last.text))
    if ended and len(line.text) > _SHORT and line.text.isupper() and not last.text.isupper():
        return True
    if _BEGINS.match(line.text):
        return ended or not full or bool(_COUNTS_ON.search(last.text))
    if not ended and (full or line.text[:1].islower()):
        return False
    # Under the first line of an item the others hang.
    inward = line.left > last.left + indent and not (len(above) == 1 and _BEGINS.match(last.text))
    outward = line.left < last.left - indent and len(above) > 1
    return last.bold != line.bold or inward or outward or not full


def _alike(a: TextLine, b: TextLine) -> bool:
    return abs(a.size - b.size) <= _SIZE * max(a.size, b.size)


def _is_full(line: TextLine, after: TextLine, right: float) -> bool:
    """Whether the next word would not have fitted in."""
    word = after.words[0]
    return line.right + word.right - word.left > right - _ROOM * line.size


def _before(flow: Sequence[_Paragraph], paragraph: _Paragraph) -> _Paragraph | None:
    """What the first paragraph of a column may go on: where its sentence does, tables that stand between are passed over."""
    small = paragraph.lines[0][1].text[:1].islower()
    return next((p for p in reversed(flow) if not (small and p.cells)), None)


def _goes_over(before: _Paragraph, paragraph: _Paragraph) -> bool:
    """Whether a paragraph goes on at the top of a column or a page."""
    last, line = before.last, paragraph.lines[0][1]
    if before.cells or paragraph.cells or not _alike(last, line) or _BEGINS.match(line.text):
        return False
    small = line.text[:1].islower()
    if _ENDED.search(last.text) or last.bold != line.bold:
        return small and not last.bold
    indented = len(paragraph.lines) > 1 and line.left > paragraph.lines[1][1].left + _INDENT * line.size
    return small or (not indented and (last.text.endswith("-") or _is_full(last, line, before.right)))


def _is_heading(paragraph: _Paragraph, body: float, *, mostly_bold: bool) -> bool:
    lines = [line for _, line in paragraph.lines]
    text = " ".join(line.text for line in lines)
    if paragraph.cells or len(lines) > _MOST_LINES or sum(c.isalpha() for c in text) < 2 or text.endswith((",", ";")):
        return False
    if lines[0].size > _LARGE * body:
        return len(text) <= _LONGEST_HEADING
    heavy = not mostly_bold and all(line.bold for line in lines)
    return heavy and len(text) <= _LONGEST_BOLD and not _ENDED.search(text) and lines[0].size > _NOTE * body


_AROUND = ".,;:!?\"'“”‘’()[]"
_PREFIXES = frozenset("all anti co counter cross ex half mid multi non post quasi self semi vice well".split())
"""Before a hyphen that a writer put there, rather than the end of the line."""
_LONGEST_WORD = 80
_LAST = re.compile(r"[^\W\d_][\w'’-]*-$")
_FIRST = re.compile(r"[^\W\d_][\w'’-]*")


class _Writer:
    """Writes paragraphs one after the other and notes where pages and headings begin."""

    def __init__(self, is_word: IsWord, lines: Sequence[TextLine]) -> None:
        self._is_word, self._lines = is_word, lines
        self._words: Counter[str] | None = None
        self._text: list[str] = []
        self._size = 0
        self._pages: list[tuple[int, int | str]] = []
        self._place: tuple[int, str] | None = None

    def written(self, flow: Iterable[_Paragraph], names: Sequence[int | str]) -> PdfText:
        """Write all paragraphs."""
        headings = []
        for p in flow:
            if self._text:
                # A blank line: what ends without a stop, as titles and rows do, is no part of the next sentence.
                self._add("\n\n")
            if p.heading:
                headings.append(self._size)
            for n, (page, line) in enumerate(p.lines):
                text = p.cells or line.text
                if n:
                    self._join(text)
                elif p.note:
                    sign = _SIGN.match(text)
                    text = f"{p.note.translate(_RAISED)} {text[sign.end() if sign else 0 :]}"
                if self._place != (page, p.note):
                    self._place = page, p.note
                    self._pages.append((self._size, f"{names[page]}, n. {p.note}" if p.note else names[page]))
                self._add(text)
        numbered = any(name != n for n, name in enumerate(names, 1))
        return PdfText("".join(self._text), self._pages, headings, numbered)

    def _add(self, text: str) -> None:
        self._text.append(text)
        self._size += len(text)

    def _join(self, after: str) -> None:
        """What stands between two lines: a blank, a hyphen that stays, or nothing where it only ended the line."""
        line = self._text[-1]
        last, first = _LAST.search(line[-_LONGEST_WORD:]), _FIRST.match(after)
        if last and first and not self._stays(last[0][:-1], first[0]):
            self._text[-1] = line[:-1]
            self._size -= 1
        elif not (line.endswith("-") and line[-2:-1].isalnum() and after[:1].isalnum()):
            self._add(" ")

    def _stays(self, a: str, b: str) -> bool:
        """Whether a hyphen is one of the word: by the document's own words, else by the language's."""
        joined, parted = f"{a}{b}".lower(), f"{a}-{b}".lower()
        if b[0].isupper() and not a.isupper():
            return True
        if self._words is None:
            whole = (w.text for line in self._lines for w in line.words if not w.text.endswith("-"))
            self._words = Counter(text.strip(_AROUND).lower() for text in whole)
        if self._words[joined] or self._words[parted]:
            return self._words[parted] > self._words[joined]
        if self._is_word(joined):
            return False
        return a.lower() in _PREFIXES or "-" in a or (self._is_word(a.lower()) and self._is_word(b.lower()))


_CELL_GAP = 1.1
"""Of a size: the least between two cells."""
_ALIGNED = 2.0
"""Points by which cells of one column may stand apart."""
_MOST_CELLS = 40
_DISTANCE = 2.6
"""Of a size, between two rows at most."""
_ITEM = re.compile(r"[•–*▪◦●○‣·-]|\(?(?:\d{1,3}|[a-z]|[ivx]{2,5})[.)]|\d{1,3}(?:\.\d{1,3}){1,4}\.?", re.IGNORECASE)
"""What numbers a paragraph and hangs before it, as a cell of its own would."""
_TOTAL = re.compile(r"(?:sub)?total|sum|balance|(?:gesamt)?summe", re.IGNORECASE)

_Cells = Sequence[list[Word]]


def _table_rows(lines: Sequence[TextLine]) -> dict[int, str]:
    """The text of each row of a table by the index of its line; empty for what goes on the row above, and for a head."""
    cells = [cut if len(cut := _cells(line)) <= _MOST_CELLS else [line.words] for line in lines]
    rows: dict[int, str] = {}
    at = 0
    while at < len(lines):
        last, end = at, at + 1
        while end < len(lines) and lines[end].base - lines[end - 1].base <= _DISTANCE * lines[end].size:
            # A cell may go on under itself, between two rows.
            row = end if len(cells[end]) > 1 or not cells[end][0][0].text[:1].islower() else end + 1
            if row == len(lines) or not _aligned(cells[last], cells[row]):
                break
            last, end = row, row + 1
        if end > at + 1:
            rows |= {at + n: text for n, text in enumerate(_read(cells[at:end]))}
        at = end
    return rows


def _cells(line: TextLine) -> list[list[Word]]:
    cells = line.cells(max(_CELL_GAP, line.wide))
    if len(cells) > 1 and len(cells[0]) == 1 and _ITEM.fullmatch(cells[0][0].text) and not cells[1][0].text[0].isdigit():
        cells[:2] = [cells[0] + cells[1]]
    return cells


def _aligned(above: _Cells, below: _Cells) -> bool:
    """Whether a cell after the first stands under another one, or some under each of a bold head."""
    headed = len(above) > 1 < len(below) and above[0][0].bold and not below[0][0].bold
    if headed and all(any(a[0].left < b[-1].right and b[0].left < a[-1].right for b in below) for a in above):
        return True
    return any(
        abs(a[0].left - b[0].left) < _ALIGNED or abs(a[-1].right - b[-1].right) < _ALIGNED for a in above[1:] for b in below[1:]
    )


def _read(rows: Sequence[_Cells]) -> list[str]:
    most = max(map(len, rows))
    head = next(cells for cells in rows if len(cells) == most)
    runs = [run for cells in rows for cell in cells for run in (cell, *([w] for w in cell))]
    lefts = [head[0][0].left]
    for n, (before, cell) in enumerate(pairwise(head), 1):
        # What ends where the head of its column ends is set flush right, and may begin before it, as under a centred head.
        flush = [r[0] for r in runs if abs(r[-1].right - cell[-1].right) < _ALIGNED]
        flush += [cells[n][0] for cells in rows if len(cells) == most]
        lefts.append(min(cell[0].left, *(word.left for word in flush if word.left > before[-1].right)))
    texts = [_texts(cells, lefts) for cells in rows]
    for above, below in pairwise(texts):
        if sum(map(bool, below)) == 1 and below[0][:1].islower():
            above[0] += f" {below[0]}"
            below[0] = ""
        elif all(above) and not below[0] and all(below[1:]) and not re.search(r"\d", below[1]) and not _TOTAL.match(below[1]):
            # A cell over two rows: figures alone, and a total, are of none.
            below[0] = above[0]
    named = all(texts[0]) and not any(c.isdigit() for text in texts[0] for c in text)
    named = named and (most > 2 or all(any(c.isdigit() for c in row[-1]) for row in texts[1:] if any(row)))
    numbers = count()
    whole = [
        [TableCell((DocumentBlock(t),), next(numbers), named and n == 0) for t in row] for n, row in enumerate(texts) if any(row)
    ]
    blocks = table_blocks(whole)
    if not all(block.row for block in blocks):
        return ["; ".join(filter(None, row)) for row in texts]
    # The head that each row repeats is no row.
    written = iter([""] * (len(whole) - len(blocks)) + [block.text for block in blocks])
    return [next(written) if any(row) else "" for row in texts]


def _texts(cells: _Cells, lefts: Sequence[float]) -> list[str]:
    texts = ["" for _ in lefts]
    for cell in cells:
        for w in cell:
            column = max(0, bisect_right(lefts, w.left + _ALIGNED) - 1)
            texts[column] += ("" if w.glued or not texts[column] else " ") + w.text
    return texts
