"""A saved web page -> the blocks of its document.

Notes of the page stand where it has them, as `[^1] The note.`, and what refers to them as `[^1]`; items of numbered lists have
the numbers that a browser draws.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

from lxml.etree import iterwalk

from groundscope.files._blocks import DocumentBlock, ReadBlocks, TableCell, table_blocks, written
from groundscope.files._html_parts import NOTES, document_part, names_of

_HEADINGS = {f"h{n}" for n in range(1, 7)}
_BLOCKS = {
    *"address article aside blockquote dd details div dl dt fieldset figcaption figure footer form header hr".split(),
    *"main p section summary center legend pre ul ol li table caption thead tbody tfoot tr td th".split(),
    *_HEADINGS,
}
_NOTE_MARK = re.compile(r"[\[(]?\s*(\d{1,4}|[a-z]{1,4}|[*†‡§]{1,3})\s*[\])]?\.?")
_NOTED = re.compile(r"foot|note|\bfn|ftn|cite|ref", re.IGNORECASE)
_BACK = re.compile(r"[\s\[\]()↩↑^\ufe0e\ufe0f]*(?:back|zurück|retour)?[\s\[\]()↩↑^\ufe0e\ufe0f]*", re.IGNORECASE)
_FORMS = {
    **dict.fromkeys(("a", "lower-alpha", "lower-latin"), "lowerLetter"),
    **dict.fromkeys(("A", "upper-alpha", "upper-latin"), "upperLetter"),
    **{"i": "lowerRoman", "lower-roman": "lowerRoman", "I": "upperRoman", "upper-roman": "upperRoman", "none": "none"},
}
_LIST_STYLE = re.compile(r"list-style(?:-type)?\s*:\s*([\w-]+)")
_MOST_SPAN, _LONGEST_TERM = 100, 8
_BREAK = "\v"
"""Ends a line; no page holds it."""
_BLANKS = re.compile(r"[ \t\n\r\f]+")


def read_page(tree: Any) -> ReadBlocks:
    """Read a page; the tree is changed."""
    part = document_part(tree)
    return ReadBlocks(_Reader(part.gone, *_notes(part.root)).blocks(part.root), part.notes)


def _notes(root: Any) -> tuple[dict[Any, str], dict[Any, str]]:
    """The marks of notes: what stands in the place of links, and what notes begin with."""
    targets: dict[str, tuple[int, Any]] = {}
    links: list[tuple[int, Any]] = []
    for at, element in enumerate(root.iter("*")):
        for name in (element.get("id"), element.get("name")):
            targets.setdefault(name or "", (at, element))
        if element.tag == "a" and element.get("href", "")[:1] == "#":
            links.append((at, element))
    links_to = [(at, a, *targets.get(a.get("href")[1:] or "#", (-1, None))) for at, a in links]
    marks: dict[Any, str] = {}
    notes: dict[Any, str] = {}
    references: set[Any] = set()
    for at, link, place, target in links_to:
        mark = _NOTE_MARK.fullmatch("".join(link.itertext()).strip())
        if mark and place > at and _is_noted(link):
            notes.setdefault(target, f"[^{mark[1]}] ")
            references.update(_around(link))
            marks[link] = f"[^{mark[1]}]"
    for _, link, _, target in links_to:
        # From a note back to its place: the number that it begins with, or an arrow.
        if target in references and link not in references:
            words = "".join(link.itertext())
            if link in notes or _NOTE_MARK.fullmatch(words.strip()) or _BACK.fullmatch(words):
                marks[link] = ""
    for sup in root.iter("sup"):
        note, number = sup.getparent(), (sup.text or "").strip()
        begins = number.isdecimal() and note[0] is sup and not (note.text or "").strip()
        # What nothing links to begins with its raised number.
        if begins and (note in notes or any(NOTES.search(names_of(e)) for e in sup.xpath("ancestor::*[position() < 3]"))):
            notes.setdefault(note, f"[^{number}] ")
            marks[sup] = ""
    return marks, notes


def _around(link: Any) -> Iterator[Any]:
    """A link, and what may have its id in its stead."""
    yield link
    yield from link.iterdescendants()
    parent = link.getparent()
    if parent is not None and parent.tag in ("sup", "span"):
        yield parent


def _is_noted(link: Any) -> bool:
    raised = next(link.iterancestors("sup"), None) is not None or next(link.iter("sup"), None) is not None
    return raised or any(_NOTED.search(link.get(name) or "") for name in ("class", "role", "epub:type", "href"))


def _integer(value: str | None, otherwise: int) -> int:
    return int(value) if value and re.fullmatch(r"-?\d{1,9}", value.strip()) else otherwise


class _List:
    """The numbers of a list as a browser draws them."""

    def __init__(self, element: Any) -> None:
        style = _LIST_STYLE.search(element.get("style", ""))
        self._form = _FORMS.get(style[1] if style else element.get("type", ""), "decimal")
        self._step = -1 if "reversed" in element.attrib else 1
        items = sum(1 for _ in element.iterchildren("li")) if self._step < 0 else 1
        self._next = _integer(element.get("start"), items)

    def number(self, item: Any) -> str:
        at = _integer(item.get("value"), self._next)
        self._next = at + self._step
        return f"{drawn}. " if (drawn := written(at, self._form)) else ""


class _Table:
    """Rows of equal columns: a cell stands in each place that it spans."""

    def __init__(self) -> None:
        self.rows: list[list[TableCell]] = []
        self.open = False
        self._below: dict[int, tuple[TableCell, int]] = {}
        self._numbers = count()

    def add(self, element: Any, blocks: Iterable[DocumentBlock], *, head: bool) -> None:
        """Add a cell with its blocks."""
        self.begin_row(only=not self.open)
        self.fill()
        row = self.rows[-1]
        cell = TableCell(tuple(blocks), next(self._numbers), head)
        # A table that grows with every cell spans nothing more.
        most = _MOST_SPAN if len(row) < _MOST_SPAN else 1
        down = min(most, _integer(element.get("rowspan"), 1))
        for _ in range(max(1, min(most, _integer(element.get("colspan"), 1)))):
            if down > 1:
                self._below[len(row)] = cell, down - 1
            row.append(cell)

    def begin_row(self, *, only: bool = True) -> None:
        """Begin a row, which not every page says."""
        self.rows += [[]] if only else []
        self.open = True

    def fill(self) -> None:
        """Add what reaches down into a row from those above."""
        row = self.rows[-1]
        while len(row) in self._below:
            cell, down = self._below.pop(len(row))
            if down > 1:
                self._below[len(row)] = cell, down - 1
            row.append(cell)


class _Reader:
    """Reads a page from its first element to its last."""

    def __init__(self, gone: set[Any], marks: dict[Any, str], notes: dict[Any, str]) -> None:
        self._gone, self._marks, self._notes = gone, marks, notes
        self._blocks: list[list[DocumentBlock]] = [[]]
        """Those of the page, and of each cell that is open."""
        self._tables: list[_Table] = []
        self._lists: list[_List] = []
        self._words: list[str] = []
        self._before = ""
        self._heading = self._pre = self._head = 0

    def blocks(self, root: Any) -> list[DocumentBlock]:
        """Read all blocks."""
        walk = iterwalk(root, events=("start", "end", "comment", "pi"))
        for event, element in walk:
            text = element.tail if event != "start" and element is not root else ""
            skipped = element in self._gone or element in self._marks
            if event == "start":
                # The mark of a note is its number.
                self._before = self._notes.get(element, self._before)
            if event == "start" and skipped:
                self._words += [self._marks[element]] if element not in self._gone else []
                walk.skip_subtree()
            elif event == "start":
                self._begin(element)
                text = element.text
            elif event == "end" and not skipped:
                self._end(element)
            if text:
                self._words.append(text.replace("\n", _BREAK) if self._pre else text)
        self._flush()
        return self._blocks[0]

    def _begin(self, element: Any) -> None:
        tag = element.tag
        if tag in _BLOCKS:
            self._flush()
        elif tag == "br":
            self._words.append(_BREAK)
        self._count(tag, 1)
        if tag == "table":
            self._tables.append(_Table())
        elif tag == "tr" and self._tables:
            self._tables[-1].begin_row()
        elif tag in ("td", "th"):
            self._blocks.append([])
        elif tag == "ol":
            self._lists.append(_List(element))
        elif tag == "li" and self._lists and element not in self._notes and next(element.iterancestors("ol", "ul")).tag == "ol":
            self._before += self._lists[-1].number(element)

    def _end(self, element: Any) -> None:
        tag = element.tag
        if tag == "dt" and self._is_term(element):
            self._before = f"{' '.join(''.join(self._words).split()).rstrip(':')}: "
            self._words = []
        elif tag in _BLOCKS:
            self._flush()
        self._count(tag, -1)
        if tag == "ol":
            self._lists.pop()
        elif tag == "li" and element.getparent().tag != "a":
            # One inside its anchor ends before its text.
            self._before = ""
        elif tag in ("td", "th"):
            blocks = self._blocks.pop()
            if self._tables:
                self._tables[-1].add(element, blocks, head=tag == "th" or self._head > 0)
            else:
                self._blocks[-1] += blocks
        elif tag == "tr" and self._tables:
            self._tables[-1].fill()
            self._tables[-1].open = False
        elif tag == "table":
            self._blocks[-1] += table_blocks(self._tables.pop().rows)

    def _count(self, tag: str, step: int) -> None:
        self._heading += step * (tag in _HEADINGS)
        self._pre += step * (tag == "pre")
        self._head += step * (tag == "thead")

    def _is_term(self, element: Any) -> bool:
        """Whether it is a short term, which its definition says little without."""
        definition, words = element.getnext(), "".join(self._words).split()
        named = definition is not None and definition.tag == "dd" and 0 < len(words) <= _LONGEST_TERM
        return named and next(element.iter("a"), None) is None

    def _flush(self) -> None:
        """End a block."""
        lines = (_BLANKS.sub(" ", line).strip() for line in "".join(self._words).split(_BREAK))
        if text := (" " if self._heading else "\n").join(filter(None, lines)):
            self._blocks[-1].append(DocumentBlock(self._before + text, self._heading > 0))
            self._before = ""
        self._words = []
