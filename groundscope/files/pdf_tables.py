"""Rows of tables among the lines of a page, each with the words that head its columns."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import count, pairwise

from groundscope.files._blocks import DocumentBlock, TableCell, table_blocks
from groundscope.files.pdf_lines import TextLine, Word

_GAP = 1.1
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


def table_rows(lines: Sequence[TextLine]) -> dict[int, str]:
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
    cells = line.cells(max(_GAP, line.wide))
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
