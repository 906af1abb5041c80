"""Counts, time and money in words, for pages and for the shell."""

import re
from collections.abc import Iterable


def plural(count: int, noun: str, many: str = "") -> str:
    """Write a count with its noun.

    Args:
        count: the number.
        noun: singular.
        many: plural; empty = the noun with an s.

    Returns:
        `1 answer`, `2 answers`, `1,200 entries`.
    """
    return f"{count:,} {noun if count == 1 else many or f'{noun}s'}"


def shortened(title: str, most: int) -> str:
    """Cut a title to a length, and keep what stands in brackets at its end: parts of one method differ there.

    Args:
        title: such as "Direct prompting (prompt=lynx)".
        most: characters, at least 10.

    Returns:
        Such as "Direct prom… (prompt=lynx)"; a label that is itself too long keeps its end, since what differs stands there.
    """
    if len(title) <= most:
        return title
    start = title.rfind(" (") if title.endswith(")") else -1
    if start <= 0:
        return f"{title[: most - 1]}…"
    label = title[start:]
    if len(label) > most - 6:
        label = title[6 - most :]
    return f"{title[: most - 1 - len(label)]}…{label}"


def spell(seconds: float) -> str:
    """Write a duration.

    Args:
        seconds: at least 0.

    Returns:
        `0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`.
    """
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def money(dollars: float) -> str:
    """Write US dollars.

    Args:
        dollars: US dollars, at least 0.

    Returns:
        `$12.30`; below 10 cents with four decimals, `$0.0230`, so that a single call does not show as $0.00.
    """
    return f"${dollars:,.2f}" if dollars >= 0.1 or dollars == 0 else f"${dollars:.4f}"


def page_numbers(numbers: Iterable[int]) -> str:
    """Name pages.

    Args:
        numbers: of pages, in any order.

    Returns:
        Such as "p. 12" or "pp. 3, 5–9"; empty without any.
    """
    runs: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    several = len(runs) > 1 or any(first < last for first, last in runs)
    words = ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in runs)
    return f"p{'p' if several else ''}. {words}" if runs else ""


_ODD = "\N{REPLACEMENT CHARACTER}"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def without_control(text: str) -> str:
    """Replace the characters that XML, and so a workbook, a DOCX or a JUnit report, cannot hold.

    Args:
        text: any text.

    Returns:
        The text with U+FFFD in their place; offsets stay the same.
    """
    return _CONTROL.sub(_ODD, text)


_MARKUP = str.maketrans({"|": "/", "<": "&lt;", "[": "(", "]": ")", "`": "'", "*": "\\*", "$": "\\$"})


def markdown_cell(text: object) -> str:
    """Write a user's words for a table or a list in Markdown.

    Args:
        text: any value; it is converted to text.

    Returns:
        One line, without markup and without characters that no file or terminal takes.
    """
    line = "".join(c if c.isprintable() else _ODD for c in " ".join(str(text).split()))
    return line.translate(_MARKUP)
