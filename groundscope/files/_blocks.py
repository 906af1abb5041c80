"""What web pages and Word files are made of: blocks in reading order, and the counts that they draw before them.

Checks and alignment read a line as one sentence, so a row of a table is a line that stands alone, with each value beside what its
column is called: "Unit: Studio; Rent: 1,200". Where a table names no columns, two cells are a label and its value, and more are
read in order.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from groundscope.text.values.numbers import ONES, ORDINALS, TENS

_LONGEST_CELL = 60
"""Words of a cell; a table with a longer one, and without marked heads, lays out text."""
_LONGEST_HEAD = 8
_ENDS = re.compile(r"[.;:,!?]$")
_MARKDOWN = re.compile(
    r"^(?P<head>[ ]{0,3}\|[^\n]*\|)[ \t]*\n[ ]{0,3}\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*(?:\n|\Z)"
    r"(?P<rows>(?:[ ]{0,3}\|[^\n]*(?:\n|\Z))*)",
    re.MULTILINE,
)
"""Tables whose rows begin with a border."""
_BORDER = re.compile(r"(?<!\\)\|")
_NUMBER = re.compile(r"(?:\d{1,4}(?:\.\d{1,3}){0,4}|[a-z]|[ivx]{1,6})[.)]|[(\[](?:\d{1,4}|[a-z]{1,2}|[ivx]{1,6})[)\]]", re.I)
"""Of a paragraph or an item, as pages have it in a cell or a part of its own."""
_DIGIT, _YEAR = re.compile(r"\d"), re.compile(r"(?:19|20)\d\d(?:[/–-]\d{2,4})?")
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_RANKS = {rank: word for word, rank in ORDINALS.items()}
_MOST_LETTERS = 20
"""Times that a letter is repeated; files that count on give what they count."""


class DocumentBlock(NamedTuple):
    """A heading, a paragraph, an item of a list, a note or, with `row`, a row of a table."""

    text: str
    heading: bool = False
    row: bool = False


class ReadBlocks(NamedTuple):
    """The blocks of a document, and what its reader must know of it: the rest of sentences that begin with its name."""

    blocks: Iterable[DocumentBlock]
    notes: set[str]


def joined(blocks: Iterable[DocumentBlock]) -> tuple[str, list[int]]:
    """The text of blocks, and the offsets of its headings.

    A blank line stands between them: without one, a heading or a line that ends without a stop would go on in the next. A number
    that stands alone is that of the block that follows.
    """
    texts: list[str] = []
    headings: list[int] = []
    size, number = 0, ""
    for block in blocks:
        if text := block.text.strip():
            if _NUMBER.fullmatch(text) and not block.heading and not block.row:
                number += f"{text} "
                continue
            headings += [size] if block.heading else []
            texts.append(number + text)
            size, number = size + len(number + text) + 2, ""
    texts += [number.rstrip()] if number else []
    return "\n\n".join(texts), headings


class TableCell(NamedTuple):
    """A cell: its blocks, and a number that it has in every row and column that it spans; `head`: it names what follows."""

    blocks: tuple[DocumentBlock, ...]
    number: int
    head: bool = False

    @property
    def text(self) -> str:
        """Its words on one line."""
        return " ".join(" ".join(block.text for block in self.blocks).split())


Row = Sequence[TableCell]


def table_blocks(rows: Sequence[Row]) -> list[DocumentBlock]:
    """Read a table: a block a row, or the blocks of its cells where the table only lays out text."""
    rows = [row for row in rows if any(cell.text for cell in row)]
    if _lays_out(rows):
        return [block for cell in {cell.number: cell for row in rows for cell in row}.values() for block in cell.blocks]
    heads = _head_rows(rows)
    names = _names(rows[:heads]) if rows[heads:] else {}
    return [DocumentBlock(_line(row, names), row=True) for row in rows[heads:] or rows]


def markdown_read(text: str) -> tuple[str, bool]:
    """Put lines in the place of the tables of a Markdown text, and say whether there are any."""

    def read(m: re.Match[str]) -> str:
        cells = ([c.strip() for c in _BORDER.split(row.strip().strip("|"))] for row in (m["head"], *m["rows"].splitlines()))
        rows = [
            [TableCell((DocumentBlock(c),), 1_000 * n + i, head=n == 0) for i, c in enumerate(row)] for n, row in enumerate(cells)
        ]
        return joined(table_blocks(rows))[0] + "\n"

    read_text, count = _MARKDOWN.subn(read, text)
    return read_text, count > 0


def _lays_out(rows: Sequence[Row]) -> bool:
    """Whether a table only lays out text: it names no columns and has headings, tables, long cells, one row or one column."""
    cells = [cell for row in rows for cell in row]
    if any(cell.head for cell in cells):
        return False
    if any(block.heading or block.row for cell in cells for block in cell.blocks):
        return True
    alone = len(rows) < 2 or all(len({cell.number for cell in row}) < 2 for row in rows)
    return alone or any(len(cell.text.split()) > _LONGEST_CELL for cell in cells)


def _head_rows(rows: Sequence[Row]) -> int:
    """How many rows at the top name the columns."""
    marked = 0
    while marked < len(rows) and all(cell.head for cell in rows[marked] if cell.text):
        marked += 1
    if marked and (marked < len(rows) or len(rows) == 1):
        return marked
    if len(rows) < 2 or len(rows[0]) < 3 or marked:
        return 0
    # Unmarked: short different words above rows that all have figures.
    names = [cell.text for cell in rows[0]]
    # A year names a column that holds none.
    is_year = [[_YEAR.fullmatch(cell.text) is not None for cell in row] for row in rows]
    years = [y and not any(row[n] for row in is_year[1:] if n < len(row)) for n, y in enumerate(is_year[0])]
    short = all(name and len(name.split()) <= _LONGEST_HEAD for name in names)
    named = short and all(y or not _DIGIT.search(name) for y, name in zip(years, names, strict=True))
    figures = all(any(_DIGIT.search(cell.text) for cell in row) for row in rows[1:])
    return int(named and figures and len(set(names)) == len(names))


def _names(heads: Sequence[Row]) -> dict[int, list[str]]:
    """What each column is called; a head over several columns goes before theirs."""
    names: dict[int, dict[int, str]] = {}
    for row in heads:
        for column, cell in enumerate(row):
            if cell.text:
                names.setdefault(column, {})[cell.number] = cell.text.rstrip(":")
    return {column: list(words.values()) for column, words in names.items()}


def _name(spanned: Sequence[list[str]]) -> str:
    """What a cell is called that may stand in several columns: "Fee, online and on paper"."""
    if len(spanned) > 1 and all(name[0] == spanned[0][0] and len(name) > 1 for name in spanned):
        return f"{spanned[0][0]}, {' and '.join(', '.join(name[1:]) for name in spanned)}"
    return " and ".join(", ".join(name) for name in spanned)


def _line(row: Row, names: dict[int, list[str]]) -> str:
    cells: list[str] = []
    for _, spanned in groupby(enumerate(row), key=lambda at: at[1].number):
        columns = list(spanned)
        text = columns[0][1].text
        whole = len(columns) == len(row) > 1
        name = "" if whole else _name([names[c] for c, _ in columns if c in names])
        cells += [f"{name}: {text}" if name else text] if text else []
    if not names and len(cells) == 2 and len(cells[0].split()) <= _LONGEST_HEAD and not cells[0].endswith((".", ";")):
        return f"{cells[0].rstrip(': ')}: {cells[1]}"
    return "".join(f"{cell} " if _ENDS.search(cell) else f"{cell}; " for cell in cells[:-1]) + "".join(cells[-1:])


def written(count: int, form: str) -> str:
    """Write a count in a form that Word names; forms of other scripts in digits."""
    if form == "none":
        return ""
    if form == "decimalZero":
        return f"{count:02}"
    if count > 0 and form in ("lowerLetter", "upperLetter"):
        letter = chr(ord("a") + (count - 1) % 26) * min(_MOST_LETTERS, (count - 1) // 26 + 1)
        return letter.upper() if form == "upperLetter" else letter
    if 0 < count < 4000 and form in ("lowerRoman", "upperRoman"):
        return _roman(count).upper() if form == "upperRoman" else _roman(count)
    if 0 < count < 100 and form in ("cardinalText", "ordinalText"):
        return _in_words(count, ordinal=form == "ordinalText").capitalize()
    return str(count)


def _roman(count: int) -> str:
    numeral = ""
    for value, letters in _ROMAN:
        numeral += letters * (count // value)
        count %= value
    return numeral


def _in_words(count: int, *, ordinal: bool) -> str:
    tens, ones = divmod(count, 10)
    if count < len(ONES) or not ones:
        return _RANKS[count] if ordinal else ONES[count] if count < len(ONES) else TENS[tens - 2]
    return f"{TENS[tens - 2]}-{_RANKS[ones] if ordinal else ONES[ones]}"
