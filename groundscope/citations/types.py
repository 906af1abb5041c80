"""Types of citations: the citation, its parts, and the key of the authority that it names."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from groundscope.citations.reader.code_names import code_name
from groundscope.text.values.numbers import roman_number

__all__ = ["AuthorityKind", "Citation", "CitationParts", "Form", "code_name", "key_of", "section_name"]


class AuthorityKind(StrEnum):
    """What is cited."""

    CASE = "case"
    LAW = "law"
    JOURNAL = "journal"


class Form(StrEnum):
    """How it is cited."""

    FULL = "full citation"
    SHORT = "short form"
    ID = "id."
    SUPRA = "supra"
    NAME = "case name"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class CitationParts:
    """What a citation says, each part as it is written; empty = it does not say.

    Attributes:
        volume: of a reporter, or a title of a code, or the year that a neutral citation stands under.
        reporter: a reporter, a code, an act, a court of a neutral citation.
        page: where a case begins, its number, or a section, rule or article.
        court: eyecite's id of the court where it knows it, else what stands in the parentheses.
        court_words: the court as it is written; empty if only the reporter implies it.
        following: whether the sections after it are cited, too ("et seq."), without the last one.
    """

    volume: str = ""
    reporter: str = ""
    page: str = ""
    pin: str = ""
    year: str = ""
    court: str = ""
    plaintiff: str = ""
    defendant: str = ""
    court_words: str = ""
    following: bool = False


@dataclass(frozen=True, slots=True)
class Citation:
    """One citation in a text; all offsets are into the text as it was given.

    Attributes:
        end: after the pin cite and the parentheses that follow at once.
        outer: where it begins with the names of the parties; at most `start`.
        key: the authority it stands for, the same in every text; empty where that is not known.
        same: all keys of that authority in this text: parallel citations have several.
        resolved: parts of the full citation that a short form, Id. or supra refers to; else its own.
        why: why it could not be read or resolved, in one sentence; else empty.
    """

    kind: AuthorityKind
    form: Form
    start: int
    end: int
    outer: int
    parts: CitationParts
    key: str = ""
    same: frozenset[str] = frozenset()
    resolved: CitationParts = CitationParts()
    why: str = ""
    aside: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.outer <= self.start < self.end:
            raise ValueError(f"a citation needs 0 <= outer <= start < end, got {self.outer}, {self.start}, {self.end}")


def key_of(kind: AuthorityKind, parts: CitationParts) -> str:
    """Make the key of the authority that full parts identify."""
    return f"{kind}|{parts.volume.strip().casefold()}|{code_name(parts.reporter)}|{section_name(parts.page)}"


_ROMAN = re.compile(r"(?P<of>art\.|amend\.)?(?P<number>[ivxl]+)")
_ARTICLE = re.compile(r"(art|amend)(?:icle|ment|\.)?(?=\d|[ivxl]+$)")


@lru_cache(maxsize=4096)
def section_name(page: str) -> str:
    """Give a page, section or article one spelling: without blanks and capitals, hyphens alike, Roman numbers in digits."""
    name = re.sub(r"[‐‑‒–—]", "-", re.sub(r"[\s,]", "", page).casefold())
    name = _ARTICLE.sub(r"\1.", name)
    if (roman := _ROMAN.fullmatch(name)) and (number := roman_number(roman["number"])):
        return f"{roman['of'] or ''}{number}"
    return name
