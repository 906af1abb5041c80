"""Rows of a table -> lines that stand alone: "Unit: Studio; Rent: 1,200".

Checks and alignment read a line as one sentence, so each value stands beside what its column is called. Where a table names no
columns, two cells are a label and its value, and more are read in order.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

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
_DIGIT = re.compile(r"\d")


class TableCell(NamedTuple):
    """A cell: its paragraphs, and a number that it has in every row and column that it spans; `head`: it names what follows."""

    blocks: tuple[str, ...]
    number: int
    head: bool = False

    @property
    def text(self) -> str:
        """Its words on one line."""
        return " ".join(" ".join(self.blocks).split())


Row = Sequence[TableCell]


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """Read a table: a line a row, or the paragraphs of its cells where the table only lays out text."""
    if lays_out(rows):
        cells = {cell.number: cell for row in rows for cell in row}
        yield from (block for cell in cells.values() for block in cell.blocks if block.strip())
        return
    rows = [row for row in rows if any(cell.text for cell in row)]
    heads = _head_rows(rows)
    names = _names(rows[:heads])
    for row in rows[heads:] or rows:
        yield _line(row, names if rows[heads:] else {})


def markdown_read(text: str) -> tuple[str, bool]:
    """Put lines in the place of the tables of a Markdown text, and say whether there are any."""

    def read(m: re.Match[str]) -> str:
        cells = ([c.strip() for c in _BORDER.split(row.strip().strip("|"))] for row in (m["head"], *m["rows"].splitlines()))
        rows = [[TableCell((c,), 1_000 * n + i, head=n == 0) for i, c in enumerate(row)] for n, row in enumerate(cells)]
        return "\n\n".join(lines(rows)) + "\n"

    return _MARKDOWN.subn(read, text)[0], _MARKDOWN.search(text) is not None


def lays_out(rows: Sequence[Row]) -> bool:
    """Whether a table only lays out text: it names no columns, and has one row, one column or long cells."""
    rows = [row for row in rows if any(cell.text for cell in row)]
    if any(cell.head for row in rows for cell in row):
        return False
    alone = len(rows) < 2 or all(len({cell.number for cell in row}) < 2 for row in rows)
    return alone or any(len(cell.text.split()) > _LONGEST_CELL for row in rows for cell in row)


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
    named = all(name and len(name.split()) <= _LONGEST_HEAD and not _DIGIT.search(name) for name in names)
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
