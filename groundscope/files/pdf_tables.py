"""Rows of tables among the lines of a page, each with the words that head its columns."""

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

_Cells = Sequence[list[Word]]


def table_rows(lines: Sequence[TextLine]) -> dict[int, str]:
    """The text of each row of a table by the index of its line; empty for what goes on the row above, and for a head."""
    cells = [cut if len(cut := line.cells(_GAP)) <= _MOST_CELLS else [line.words] for line in lines]
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


def _aligned(above: _Cells, below: _Cells) -> bool:
    """Whether a cell after the first stands under another one."""
    return any(
        abs(a[0].left - b[0].left) < _ALIGNED or abs(a[-1].right - b[-1].right) < _ALIGNED for a in above[1:] for b in below[1:]
    )


def _read(rows: Sequence[_Cells]) -> list[str]:
    most = max(map(len, rows))
    head = next(cells for cells in rows if len(cells) == most)
    runs = [run for cells in rows for cell in cells for run in (cell, *([w] for w in cell))]
    lefts = [head[0][0].left]
    for before, cell in pairwise(head):
        # What ends where the head of its column ends is set flush right, and may begin before it.
        flush = [r[0].left for r in runs if abs(r[-1].right - cell[-1].right) < _ALIGNED and r[0].left > before[-1].right]
        lefts.append(min(cell[0].left, *flush))
    texts = [_texts(cells, lefts) for cells in rows]
    for above, below in pairwise(texts):
        if sum(map(bool, below)) == 1 and below[0][:1].islower():
            above[0] += f" {below[0]}"
            below[0] = ""
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
