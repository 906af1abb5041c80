"""Rows of tables among the lines of a page: each with the words that head its columns."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from groundscope.files.pdf_lines import TextLine, Word

_GAP = 1.1
"""Of a size: the least between two cells."""
_ALIGNED = 2.0
"""Points by which cells of one column may stand apart."""
_LEAST_ROWS, _MOST_CELLS = 2, 40
_DISTANCE = 2.6
"""Of a size, between two rows at most."""


def table_rows(lines: Sequence[TextLine]) -> dict[int, str]:
    """The text of each row of a table by the index of its line; empty for what goes on the row above, and for a head."""
    cells = [_cut(line) for line in lines]
    rows: dict[int, str] = {}
    at = 0
    while at < len(lines):
        end = at + 1
        while end < len(lines) and _goes_on(lines, cells, end):
            end += 1
        if end - at > _LEAST_ROWS - 1 and len(cells[at]) > 1:
            rows |= _read(lines, at, end)
        at = end
    return rows


def _cut(line: TextLine) -> list[list[Word]]:
    cells = line.cells(_GAP)
    return cells if len(cells) <= _MOST_CELLS else [line.words]


def _goes_on(lines: Sequence[TextLine], cells: Sequence[list[list[Word]]], n: int) -> bool:
    """Whether a line is of the same table as the one above: a cell after the first stands under another one."""
    above, below = cells[n - 1], cells[n]
    if lines[n].base - lines[n - 1].base > _DISTANCE * lines[n].size:
        return False
    if len(below) == 1 or len(above) == 1:
        # A cell that goes on under itself, between two rows.
        between = len(below) == 1 and len(above) > 1 and n + 1 < len(lines) and len(cells[n + 1]) > 1
        return (between and _aligned(above, cells[n + 1]) and below[0][0].text[:1].islower()) or (
            len(above) == 1
            and len(below) > 1
            and n > 1
            and len(cells[n - 2]) > 1
            and _aligned(cells[n - 2], below)
            and above[0][0].text[:1].islower()
        )
    return _aligned(above, below)


def _aligned(above: Sequence[list[Word]], below: Sequence[list[Word]]) -> bool:
    return any(
        abs(a[0].left - b[0].left) < _ALIGNED or abs(a[-1].right - b[-1].right) < _ALIGNED for a in above[1:] for b in below[1:]
    )


def _read(lines: Sequence[TextLine], start: int, end: int) -> dict[int, str]:
    rows = [_cut(line) for line in lines[start:end]]
    most = max(map(len, rows))
    head = next(cells for cells in rows if len(cells) == most)
    runs = [run for cells in rows for cell in cells for run in (cell, *([w] for w in cell))]
    lefts = [head[0][0].left]
    for before, cell in pairwise(head):
        # What ends where the head of its column ends is set flush right, and may begin before it.
        flush = [r[0].left for r in runs if abs(r[-1].right - cell[-1].right) < _ALIGNED and r[0].left > before[-1].right]
        lefts.append(min(cell[0].left, *flush))
    table: list[tuple[int, list[str]]] = []
    for n in range(start, end):
        texts = _cells(rows[n - start], lefts)
        if table and sum(map(bool, texts)) == 1 and texts[0][:1].islower():
            table[-1][1][0] += f" {texts[0]}"
            table.append((n, []))
        else:
            table.append((n, texts))
    names = table[0][1]
    named = all(names) and not any(c.isdigit() for text in names for c in text)
    # A head that each row repeats is no row.
    return {n: "" if named and n == start else _words(names, texts, named=named) for n, texts in table}


def _cells(cells: Sequence[list[Word]], lefts: Sequence[float]) -> list[str]:
    texts = ["" for _ in lefts]
    for cell in cells:
        for w in cell:
            column = max(0, bisect_right(lefts, w.left + _ALIGNED) - 1)
            texts[column] += ("" if w.glued or not texts[column] else " ") + w.text
    return texts


def _words(head: Sequence[str], texts: Sequence[str], *, named: bool) -> str:
    if named:
        return "; ".join(f"{h}: {t}" for h, t in zip(head, texts, strict=False) if t)
    return " | ".join(t for t in texts if t)
