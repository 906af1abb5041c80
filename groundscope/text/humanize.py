"""Counts, time and money in words, for pages and for the shell, and names that were meant."""

import difflib
import re
from collections.abc import Collection, Iterable, Sequence

from groundscope.types import Passage


def plural(count: int, noun: str, many: str = "") -> str:
    """Write a count with its noun."""
    return f"{count:,} {noun if count == 1 else many or f'{noun}s'}"


def joined(names: Sequence[str]) -> str:
    """Write names one after the other, the last after "and"."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def nearest(name: object, names: Iterable[str]) -> str:
    """Find the name that was meant where one is misspelt; empty where none is like it."""
    by_fold = {n.casefold(): n for n in names}
    return next((by_fold[n] for n in difflib.get_close_matches(str(name).casefold(), by_fold, 1)), "")


def instead(name: object, allowed: Collection[str]) -> str:
    """Say what to write for a name that means nothing: the nearest, or else all that there are."""
    near = nearest(name, allowed)
    return f"write {near!r}" if near else f"there are {', '.join(allowed)}" if allowed else "there are none"


def shortened(title: str, most: int) -> str:
    """Cut a title to a length, and keep what stands in brackets at its end: parts of one method differ there."""
    if len(title) <= most:
        return title
    start = title.rfind(" (") if title.endswith(")") else -1
    if start <= 0:
        return f"{title[: most - 1]}…"
    label = title[start:]
    if len(label) > most - 6:
        label = title[6 - most :]
    return f"{title[: most - 1 - len(label)]}…{label}"


def one_line(text: str, most: int | None = None) -> str:
    """Write a text on one line, perhaps cut to a length."""
    line = " ".join(text.split())
    return line if most is None or len(line) <= most else f"{line[: most - 1]}…"


def spell(seconds: float) -> str:
    """Write a duration."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def money(dollars: float) -> str:
    """Write US dollars."""
    return f"${dollars:,.2f}" if dollars >= 0.1 or dollars == 0 else f"${dollars:.4f}"


def counted_sources(context: Collection[Passage]) -> str:
    """Count sources as documents, and their passages where these are more: one without a title is a document of its own."""
    count = len({p.document for p in context if p.source}) + sum(not p.source for p in context)
    sources = plural(count, "source")
    return sources if count == len(context) else f"{sources}, {plural(len(context), 'passage')}"


def page_numbers(pages: Iterable[int | str]) -> str:
    """Name pages: Roman numbers, then figures, then what is no number; a note stands for its page."""
    numbered = sorted({_page_place(str(page).partition(_NOTE)[0]) for page in pages})
    runs: list[list[tuple[int, int, str]]] = []
    for place in numbered:
        if runs and place[0] < _UNNUMBERED and place[:2] == (runs[-1][-1][0], runs[-1][-1][1] + 1):
            runs[-1].append(place)
        else:
            runs.append([place])
    words = ", ".join(run[0][2] if len(run) == 1 else f"{run[0][2]}–{run[-1][2]}" for run in runs)
    return f"p{'p' if len(numbered) > 1 else ''}. {words}" if runs else ""


def page_range(first: int | str, last: int | str) -> str:
    """Name the pages from one to another, and the note where both are the same one."""
    if first == last:
        return f"p. {first}"
    first, last = (str(page).partition(_NOTE)[0] for page in (first, last))
    return f"p. {first}" if first == last else f"pp. {first}–{last}"


_NOTE = ", n. "
_UNNUMBERED = 2
_ROMAN_PAGE = re.compile(r"(?=[ivxl])(?:xl|l?x{0,3})(?:ix|iv|v?i{0,3})", re.IGNORECASE)
_ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50}


def _page_place(name: str) -> tuple[int, int, str]:
    """Where a page stands among others: its series, and its number there."""
    if name.isdecimal():
        return 1, int(name), name
    if not _ROMAN_PAGE.fullmatch(name):
        return _UNNUMBERED, 0, name
    values = [_ROMAN_DIGITS[c] for c in name.lower()]
    return 0, sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True)), name


def number_runs(numbers: Iterable[int]) -> str:
    """List whole numbers, each once; three and more in a row by the first and the last."""
    runs: list[list[int]] = []
    for n in sorted(set(numbers)):
        if runs and n == runs[-1][-1] + 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    return joined([word for run in runs for word in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run))])


_ODD = "\N{REPLACEMENT CHARACTER}"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\u202d\u202e\ud800-\udfff\ufffe\uffff]")


def without_control(text: str) -> str:
    """Replace the characters that XML, and so a workbook, a DOCX or a JUnit report, cannot hold, and those that turn words round.

    A figure behind one of the latter reads backwards in the report of a reviewer, who signs it.
    """
    return _CONTROL.sub(_ODD, text)


_MARKUP = str.maketrans({"|": "/", "<": "&lt;", "[": "(", "]": ")", "`": "'", "*": "\\*", "$": "\\$"})


def markdown_cell(text: object) -> str:
    """Write a user's words for a table or a list in Markdown."""
    line = "".join(c if c.isprintable() else _ODD for c in " ".join(str(text).split()))
    return line.translate(_MARKUP)
