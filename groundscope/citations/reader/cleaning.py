"""A text made readable for a citation finder, with a map back: every offset into the clean text leads to the original one.

Taken out or put right: line breaks inside citations, words cut by a hyphen at a line's end, spaces that a scan put in or lost
("410 U.S . 113", "(9th Cir.1995)"), footnote markers, star pages, Markdown around names, and characters that are not seen.
"""

import re
from dataclasses import dataclass

_YEAR = r"(?:1[6-9]|20)\d\d"
_UNSEEN = "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+"
_SPACES = "\t\r\f\v\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), put)
    for pattern, put in (
        # Zero width, soft hyphen, byte order mark, marks of reading direction.
        (_UNSEEN, ""),
        # A word cut at a line's end.
        (r"(?<=[a-z])[-‐]\r?\n[ \t]*(?=[a-z])", ""),
        # Markers of footnotes and of pages.
        (r"\[(?:fn|FN|n\.)\.?\s?\d{1,3}\]|\[\*\d{1,5}\]|\[\^\d{1,3}\]", ""),
        (r"(?<=[\w.,;:)”\"’])\[\d{1,3}\](?!\s?[A-Z]{2})", ""),
        ("[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]+", ""),
        # Markdown; not the star of "at *3".
        (r"(?<!\w)[*_]{1,3}(?=[A-Z“\"'‘(])|(?<=[^\W_]|[.,;:)”\"’])[*_]{1,3}(?!\w)", ""),
        # From where a run of spaces begins: from each of its spaces would be quadratic.
        (r"(?<![^\S\n])[^\S\n]*+\n(?:[^\S\n]*+\n)++\s*+", "\n\n"),
        (rf"[^\S\n]*+(?<!\n)\n(?!\n)[^\S\n]*|[^\S\n]{{2,}}|[{_SPACES}]", " "),
        # Spaces that a scan put into a reporter: "U . S .", "F.3 d".
        (r"(?<=\b[A-Z]) (?=\.(?:\s?[A-Z0-9]))|(?<=\.[A-Z]) (?=\.)|(?<=\. [A-Z]) (?=\.)", ""),
        (r"(?<=\b[FPA]\.) (?=[23] ?d\b)|(?<=\b[FPA]\.[23]) (?=d\b)|(?<=\b[FPA]\. [23]) (?=d\b)|(?<=\bSupp\. 2) (?=d\b)", ""),
        # And those that it lost; "(9th Cir.1995)" would have neither year nor court.
        (rf"(?<=[A-Za-z]\.)(?={_YEAR}\))|(?<=\b\d)(?=U\. ?S\. ?\d)|(?<=\d\d)(?=(?:U\. ?S\.|F\.[23]d) ?\d)", " "),
        (r"(?<=\bU\.S\.)(?=\d)|(?<=\bF\.[23]d)(?=\d)|(?<=\bS\.Ct\.)(?=\d)|(?<=[A-Za-z]\.)(?=§)|(?<=§)(?=\d)", " "),
    )
)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A clean text; of each character, where the original of it begins and ends (equal for a character that was put in)."""

    text: str
    starts: list[int]
    ends: list[int]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Map a span of the clean text to the original: removed characters inside it are included, those at its ends are not.

        Raises:
            ValueError: the span is empty or outside the text.
        """
        if not 0 <= start < end <= len(self.text):
            raise ValueError(f"a span needs 0 <= start < end <= {len(self.text)}, got {start}, {end}")
        return self.starts[start], max(self.ends[end - 1], self.starts[start])


def clean(text: str) -> Cleaned:
    """Clean a text for reading citations; linear in its length."""
    cleaned = Cleaned(text, list(range(len(text))), list(range(1, len(text) + 1)))
    for pattern, replacement in _RULES:
        cleaned = _applied(cleaned, pattern, replacement)
    return cleaned


def _applied(now: Cleaned, pattern: re.Pattern[str], replacement: str) -> Cleaned:
    """One rule. What replaces a run stands for all of it: its first character for the run, further ones for the run's end."""
    found = list(pattern.finditer(now.text))
    if not found:
        return now
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for m in found:
        parts.append(now.text[at : m.start()])
        starts += now.starts[at : m.start()]
        ends += now.ends[at : m.start()]
        at = m.end()
        put = m.expand(replacement)
        if put:
            first, last = _run(now, m.start(), m.end())
            parts.append(put)
            starts += [first] + [last] * (len(put) - 1)
            ends += [last] * len(put)
    parts.append(now.text[at:])
    return Cleaned("".join(parts), starts + now.starts[at:], ends + now.ends[at:])


def _run(now: Cleaned, start: int, end: int) -> tuple[int, int]:
    if start < end:
        return now.starts[start], now.ends[end - 1]
    # Put in between two characters: it is nowhere in the original.
    here = now.ends[start - 1] if start else 0
    return here, here
