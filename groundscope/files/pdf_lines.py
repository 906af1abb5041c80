"""Words with places -> lines, column by column. Places count in points from the left and the top of a page."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, groupby, pairwise
from operator import attrgetter
from statistics import median
from typing import NamedTuple


class Word(NamedTuple):
    """A word, or a piece of one; `base` is how far its line stands below the top, `glued` whether no blank stands before it."""

    text: str
    left: float
    right: float
    base: float
    size: float
    bold: bool = False
    glued: bool = False


class PageWords(NamedTuple):
    """What stands on a page; `label` is its number by the file, empty where the file names none."""

    words: Sequence[Word]
    width: float
    height: float
    label: str = ""


class TextLine:
    """Words of one line, from left to right; `size` and `bold` are those of most letters, `wide` is more than a blank."""

    __slots__ = ("_text", "base", "bold", "left", "right", "size", "wide", "words")

    def __init__(self, words: Iterable[Word]) -> None:
        self.words = sorted(words, key=attrgetter("left"))
        self.left = self.words[0].left
        self.right = max([w.right for w in self.words])
        first = self.words[0]
        self.size, self.base, self.bold = first.size, first.base, first.bold
        if len({(w.size, w.bold) for w in self.words}) > 1:
            letters: Counter[float] = Counter()
            heavy: Counter[bool] = Counter()
            for w in self.words:
                letters[w.size] += len(w.text)
                heavy[w.bold] += len(w.text)
            self.size = max(letters, key=letters.__getitem__)
            self.base = next(w.base for w in self.words if w.size == self.size)
            self.bold = heavy[True] > heavy[False]
        self.wide = 0.0
        self._text: str | None = None

    @property
    def text(self) -> str:
        """The words with their blanks; raised figures are written as such."""
        if self._text is None:
            self._text = "".join(self._spelled())
        return self._text

    def _spelled(self) -> Iterator[str]:
        for n, w in enumerate(self.words):
            raised = w.size < _SMALL * self.size and self.base - w.base > _RAISED * self.size
            blank = "" if n == 0 or w.glued or (raised and w.left - self.words[n - 1].right < _GLUED * self.size) else " "
            yield blank + (w.text.translate(_SUPERSCRIPT) if raised else w.text)

    def parted(self, at: float) -> tuple[list[Word], list[Word]]:
        """Its words left and right of a place, by their middles."""
        left = [w for w in self.words if w.left + w.right < 2 * at]
        return left, self.words[len(left) :]

    def cells(self, gap: float) -> list[list[Word]]:
        """Its words, cut where nothing stands for so many sizes."""
        cells = [[self.words[0]]]
        right, least = self.words[0].right, gap * self.size
        for w in self.words[1:]:
            if w.left - right > least:
                cells.append([w])
            else:
                cells[-1].append(w)
            if w.right > right:
                right = w.right
        return cells


_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SAME = 0.25
"""Of a size, by which words of one line stand higher or lower."""
_SMALL, _RAISED, _HIGHEST, _GLUED = 0.86, 0.15, 0.65, 0.3
"""Of a line's size: a raised word's size at most, how high it stands at least and at most, and its distance."""
_MOST_RAISED = 200
_BLANKS = 2.2
"""Usual blanks, of which what is recognised in a scan has wide ones."""
_APART = 0.6
"""Of a size: the least that stands between two columns, and more than between two words."""
_FILLED = 0.55
"""Of a column's width that most of its lines fill."""
_LEAST_LINES, _FEWEST = 5, 3
_DEEPEST = 2


def lines_of(words: Iterable[Word]) -> list[TextLine]:
    """Put words into lines, from the top to the bottom."""
    groups: list[list[Word]] = []
    for w in sorted(words, key=lambda w: w.base):
        first = groups[-1][0] if groups else None
        if first is None or w.base - first.base > _SAME * max(w.size, first.size):
            groups.append([w])
        else:
            groups[-1].append(w)
    sizes = [max(w.size for w in g) for g in groups]
    for (group, small), (below, size) in pairwise(zip(groups, sizes, strict=True)):
        if small < _SMALL * size and below[0].base - group[0].base < _HIGHEST * size and len(group) <= _MOST_RAISED:
            raised = [w for w in group if _touches(w, below, _GLUED * size)]
            below += raised
            group[:] = [w for w in group if w not in raised]
    lines = sorted((TextLine(g) for g in groups if g), key=lambda line: line.base)
    blanks = [(b.left - a.right) / line.size for line in lines for a, b in pairwise(line.words) if not b.glued]
    usual = median(blanks) if blanks else 0.0
    for line in lines:
        line.wide = _BLANKS * usual
    return lines


def _touches(word: Word, words: Iterable[Word], most: float) -> bool:
    return any(abs(word.left - w.right) < most or abs(w.left - word.right) < most for w in words)


def blocks_of(lines: Sequence[TextLine], at: float | None, least: int = _LEAST_LINES, depth: int = 0) -> list[list[TextLine]]:
    """Cut a page with a gutter into blocks in the order in which they are read: what goes over it, then column by column.

    `least`: how many lines a column has.
    """
    if at is None or depth > _DEEPEST:
        return [list(lines)] if lines else []
    blocks: list[list[TextLine]] = []
    for columns, band in groupby(_banded(lines, at, least), lambda b: b[0]):
        part = [line for _, line in band]
        if columns:
            sides = zip(*(line.parted(at) for line in part), strict=True)
            for side in (lines_of(chain.from_iterable(words)) for words in sides):
                blocks += blocks_of(side, gutter(side), _LEAST_LINES, depth + 1)
        else:
            blocks.append(part)
    return blocks


def gutter(lines: Sequence[TextLine]) -> float | None:
    """Find where two columns are apart; None where a page has one."""
    if len(lines) < 2 * _LEAST_LINES:
        return None
    low, high = int(min(line.left for line in lines)), int(max(line.right for line in lines)) + 1
    width = high - low
    changes = [0] * (width + 2)
    for line in lines:
        for run in line.cells(_APART):
            changes[int(run[0].left) - low] += 1
            changes[min(width, int(max(w.right for w in run)) - low) + 1] -= 1
    crossed = list(accumulate(changes))
    middle = range(width // 4, 3 * width // 4)
    if not middle:
        return None
    fewest = min(crossed[x] for x in middle)
    strips = [list(g) for least, g in groupby(middle, lambda x: crossed[x] == fewest) if least]
    strip = max(strips, key=len)
    at = low + (strip[0] + strip[-1]) / 2
    return at if any(columns for columns, _ in _banded(lines, at, _LEAST_LINES)) else None


def _banded(lines: Sequence[TextLine], at: float, least: int) -> list[tuple[bool, TextLine]]:
    """Each line with whether it is one of columns: over some lines these leave their gutter free, and fill what is beside it."""
    runs = [any(c[0].left < at < c[-1].right for c in line.cells(_APART)) for line in lines]
    # One line that is too long for its column is no line over both.
    full = [
        run and (any(runs[max(0, n - 1) : n] + runs[n + 1 : n + 2]) or any(w.left < at < w.right for w in line.words))
        for n, (run, line) in enumerate(zip(runs, lines, strict=True))
    ]
    low, high = min(line.left for line in lines), max(line.right for line in lines)
    banded: list[tuple[bool, TextLine]] = []
    for crosses, group in groupby(zip(full, lines, strict=True), lambda pair: pair[0]):
        band = [line for _, line in group]
        columns = not crosses and _is_prose(band, at, least, low, high)
        banded += [(columns, line) for line in band]
    return banded


def _is_prose(band: Sequence[TextLine], at: float, least: int, low: float, high: float) -> bool:
    parted = [line.parted(at) for line in band]
    # Lines are put together again only where there are columns: that takes most of the time.
    return all(
        len(side) >= most and median(words[-1].right - words[0].left for words in side) >= _FILLED * room
        for side, room, most in (
            ([left for left, _ in parted if left], at - low, max(least, _FEWEST)),
            ([right for _, right in parted if right], high - at, least),
        )
    )


def leading(lines: Sequence[TextLine]) -> float:
    """How far the lines of a paragraph stand apart: less than most that is between paragraphs."""
    steps = sorted(b.base - a.base for a, b in pairwise(lines))
    return steps[len(steps) * 3 // 10] if steps else 0.0
