"""A saved web page -> the text of its document, with the places of its headings.

Notes of the page stand where it has them, as `[^1] The note.`, and what refers to them as `[^1]`; items of numbered lists have
the numbers that a browser draws; each row of a table stands alone.
"""

import re
from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

from lxml.etree import iterwalk

from groundscope.files._counters import letters, roman
from groundscope.files._html_parts import PageText, document_part
from groundscope.files._table_rows import TableCell, lays_out, lines

_HEADINGS = tuple(f"h{n}" for n in range(1, 7))
_BLOCKS = {
    *"address article aside blockquote dd details div dl dt fieldset figcaption figure footer form header hr".split(),
    *"main p section summary center legend pre ul ol li table caption thead tbody tfoot tr td th".split(),
    *_HEADINGS,
}
_NOTE_MARK = re.compile(r"[\[(]?\s*(\d{1,4}|[a-z]{1,4}|[*†‡§]{1,3})\s*[\])]?\.?")
_NOTED = re.compile(r"foot|note|\bfn|ftn|cite|ref", re.IGNORECASE)
_BACK = re.compile(r"[\s\[\]()↩↑^\ufe0e\ufe0f]*(?:back|zurück|retour)?[\s\[\]()↩↑^\ufe0e\ufe0f]*", re.IGNORECASE)
_LETTERED = {"a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman", "1": "decimal"}
_LIST_STYLE = re.compile(r"list-style(?:-type)?\s*:\s*([\w-]+)")
_MOST_SPAN, _LONGEST_TERM = 100, 8
_BREAK = "\v"
"""Ends a line; no page holds it."""
_BLANKS = re.compile(r"[ \t\n\r\f]+")


class ReadPage(NamedTuple):
    """The text of a page, the offsets of its headings, and the part of the page that it is."""

    text: str
    headings: list[int]
    has_rows: bool
    part: PageText


def read_page(tree: Any) -> ReadPage:
    """Read a page; the tree is changed."""
    part = document_part(tree)
    _mark_notes(part.root)
    for element in list(part.root.iter("ol")):
        _number_items(element)
    for element in list(part.root.iter("dt")):
        _join_definition(element)
    # The innermost first: a table inside a cell is lines before its row is read.
    inner: set[Any] = set()
    has_rows = False
    for element in reversed(list(part.root.iter("table"))):
        has_rows = _read_table(element, inner) or has_rows
        inner.add(element)
    text: list[str] = []
    headings: list[int] = []
    size = 0
    for paragraph, is_heading in _paragraphs(part.root):
        headings += [size] if is_heading else []
        text.append(paragraph)
        size += len(paragraph) + 2
    # A blank line between blocks: without one, a heading or a line that ends without a stop would go on in the next.
    return ReadPage("\n\n".join(text), headings, has_rows, part)


def _mark_notes(root: Any) -> None:
    """Give notes and what refers to them the same mark."""
    order = {element: at for at, element in enumerate(root.iter())}
    targets: dict[str, Any] = {}
    for element in order:
        for name in (element.get("id"), element.get("name")) if isinstance(element.tag, str) else ():
            targets.setdefault(name or "", element)
    links = [
        (a, targets.get(a.get("href", "")[1:]))
        for a in root.iter("a")
        if a.get("href", "#")[:1] == "#" and len(a.get("href", "")) > 1
    ]
    notes: dict[Any, str] = {}
    references: set[Any] = set()
    for link, target in links:
        mark = _NOTE_MARK.fullmatch("".join(link.itertext()).strip())
        if mark and target is not None and order[target] > order[link] and _is_noted(link):
            notes.setdefault(target, mark[1])
            references.update(_around(link))
            _set_text(link, f"[^{mark[1]}]")
    for link, target in links:
        # From a note back to its place: the number that it begins with, or an arrow.
        if target in references and link not in references:
            words = "".join(link.itertext())
            if link in notes or _NOTE_MARK.fullmatch(words.strip()) or _BACK.fullmatch(words):
                _set_text(link, "")
    for note, name in notes.items():
        _begin(note, f"[^{name}] ")


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


def _set_text(element: Any, text: str) -> None:
    for child in list(element):
        element.remove(child)
    element.text = text


def _begin(element: Any, words: str) -> None:
    """Put words before the text of an element."""
    while len(element) and not (element.text or "").strip() and element[0].tag in ("p", "div"):
        element = element[0]
    element.text = words + (element.text or "").lstrip()


def _join_definition(term: Any) -> None:
    """Put a short term before its definition, which says little alone."""
    words, definition = " ".join("".join(term.itertext()).split()), term.getnext()
    if (
        definition is not None
        and definition.tag == "dd"
        and len(words.split()) <= _LONGEST_TERM
        and not next(term.iter("a"), None)
    ):
        _begin(definition, f"{words.rstrip(':')}: ")
        term.drop_tree()


def _number_items(listed: Any) -> None:
    """Write the numbers of a list as a browser draws them."""
    style = _LIST_STYLE.search(listed.get("style", ""))
    form = style[1] if style else _LETTERED.get(listed.get("type", "1"), "decimal")
    items = [child for child in listed if child.tag == "li"]
    at = _integer(listed.get("start"), len(items) if "reversed" in listed.attrib else 1)
    for item in items:
        at = _integer(item.get("value"), at)
        item.tag = "div"
        first = next((e for e in item.iter("p", "div") if e is not item and (e.text or "").strip()), item)
        written = (item.text or "").strip() or (first.text or "")
        if form != "none" and not written.lstrip().startswith("[^"):
            _begin(item, f"{_drawn(at, form)}. ")
        at += -1 if "reversed" in listed.attrib else 1
    listed.tag = "div"


def _integer(value: str | None, otherwise: int) -> int:
    return int(value) if value and re.fullmatch(r"-?\d{1,9}", value.strip()) else otherwise


def _drawn(at: int, form: str) -> str:
    if form.endswith("roman"):
        return roman(at).upper() if form.startswith("upper") else roman(at)
    if at > 0 and form.endswith(("alpha", "latin")):
        return letters(at).upper() if form.startswith("upper") else letters(at)
    return str(at)


def _read_table(table: Any, inner: set[Any]) -> bool:
    """Put a paragraph in the place of each row, or the cells one after the other where a table only lays out text: False."""
    rows = [row for row in table.iter("tr") if next(row.iterancestors("table"), None) is table]
    caption = next(table.iterchildren("caption"), None)
    cells = [cell for row in rows for cell in row if cell.tag in ("td", "th")]
    grid = list(_grid(rows))
    table.tag = "div"
    if lays_out(grid) or any(e.tag in _HEADINGS or e in inner for cell in cells for e in cell.iter()):
        for element in (*table.iter("tbody", "thead", "tfoot"), *rows, *cells, *([caption] if caption is not None else [])):
            element.tag = "div"
        return False
    if caption is not None:
        caption.tail = None
        caption.tag = "p"
    for child in [c for c in table if c is not caption]:
        table.remove(child)
    table.text = None
    for line in lines(grid):
        paragraph = table.makeelement("p")
        paragraph.text = line
        table.append(paragraph)
    return True


def _grid(rows: list[Any]) -> Iterator[list[TableCell]]:
    """Rows of equal columns: a cell stands in each place that it spans."""
    numbers = count()
    below: dict[int, tuple[TableCell, int]] = {}
    for row in rows:
        cells: list[TableCell] = []
        in_head = row.getparent().tag == "thead"
        waiting = [cell for cell in row if cell.tag in ("td", "th")]
        while waiting or len(cells) in below:
            if (spanned := below.pop(len(cells), None)) is not None:
                cell, left = spanned
                if left > 1:
                    below[len(cells)] = cell, left - 1
                cells.append(cell)
                continue
            element = waiting.pop(0)
            cell = TableCell(tuple(text for text, _ in _paragraphs(element)), next(numbers), in_head or element.tag == "th")
            # A table that grows with every cell spans nothing more.
            most = _MOST_SPAN if len(cells) < _MOST_SPAN else 1
            down = min(most, _integer(element.get("rowspan"), 1))
            for _ in range(max(1, min(most, _integer(element.get("colspan"), 1)))):
                if down > 1:
                    below[len(cells)] = cell, down - 1
                cells.append(cell)
        yield cells


def _paragraphs(root: Any) -> Iterator[tuple[str, bool]]:
    """Texts of the blocks of an element in order, each with whether it is a heading."""
    words: list[str] = []
    is_heading = False
    for words_or_block in _events(root):
        if isinstance(words_or_block, str):
            words.append(words_or_block)
            continue
        lines = (_BLANKS.sub(" ", line).strip() for line in "".join(words).split(_BREAK))
        if text := (" " if is_heading else "\n").join(filter(None, lines)):
            yield text, is_heading
        words, is_heading = [], words_or_block


def _events(root: Any) -> Iterator[str | bool]:
    """Texts in order, and where a block begins or ends whether what follows is a heading."""
    heading = pre = 0
    for event, element in iterwalk(root, events=("start", "end", "comment", "pi")):
        tag = element.tag if event in ("start", "end") else ""
        step = 1 if event == "start" else -1
        heading += step * (tag in _HEADINGS)
        pre += step * (tag == "pre")
        if tag in _BLOCKS:
            yield heading > 0
        elif tag == "br" and event == "start":
            yield _BREAK
        text = (element.text if event == "start" else element.tail if element is not root else "") or ""
        yield text.replace("\n", _BREAK) if pre else text
    yield False
