"""The nouns of citations: what one is, what it names, and which authority it stands for."""

import re
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
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
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Parts:
    """What a citation says, each part as it is written; empty = it does not say.

    Attributes:
        volume: of a reporter, or a title of a code, or the year that a neutral citation stands under.
        reporter: a reporter, a code, an act, a court of a neutral citation.
        page: where a case begins, its number, or a section, rule or article.
        pin: the page or paragraph meant, or the subsection.
        year: of a case.
        court: eyecite's id of the court where it knows it, else what stands in the parentheses.
        plaintiff: the first party.
        defendant: the second party.
    """

    volume: str = ""
    reporter: str = ""
    page: str = ""
    pin: str = ""
    year: str = ""
    court: str = ""
    plaintiff: str = ""
    defendant: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """One citation in a text; all offsets are into the text as it was given.

    Attributes:
        kind: what is cited.
        form: how.
        start: where volume, reporter and page begin.
        end: after the pin cite and the parentheses that follow at once.
        outer: where it begins with the names of the parties; at most `start`.
        parts: what it says itself.
        key: the authority it stands for, the same in every text; empty where that is not known.
        same: all keys of that authority in this text: parallel citations have several.
        resolved: parts of the full citation that a short form, Id. or supra refers to; else its own.
        why: why it could not be read or resolved, in one sentence; else empty.
        aside: the span of an explanatory parenthetical, where there is one.
    """

    kind: Kind
    form: Form
    start: int
    end: int
    outer: int
    parts: Parts
    key: str = ""
    same: frozenset[str] = frozenset()
    resolved: Parts = Parts()
    why: str = ""
    aside: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        """Refuse impossible spans."""
        if not 0 <= self.outer <= self.start < self.end:
            raise ValueError(f"a citation needs 0 <= outer <= start < end, got {self.outer}, {self.start}, {self.end}")


_ALIASES = {
    "usca": "usc", "uscs": "usc", "frcp": "fedrcivp", "frcivp": "fedrcivp", "federalruleofcivilprocedure": "fedrcivp",
    "federalrulesofcivilprocedure": "fedrcivp", "fedrcivproc": "fedrcivp", "federalruleofcriminalprocedure": "fedrcrimp",
    "federalrulesofcriminalprocedure": "fedrcrimp", "frcrimp": "fedrcrimp", "frcrp": "fedrcrimp", "fre": "fedrevid",
    "federalruleofevidence": "fedrevid", "federalrulesofevidence": "fedrevid", "frevid": "fedrevid", "frap": "fedrappp",
    "federalruleofappellateprocedure": "fedrappp", "federalrulesofappellateprocedure": "fedrappp", "frappp": "fedrappp",
    "federalruleofbankruptcyprocedure": "fedrbankrp", "federalrulesofbankruptcyprocedure": "fedrbankrp",
    "nycplr": "cplr", "ucc": "ucc", "fr": "fedreg", "irc": "internalrevenuecode",
}  # fmt: skip
_STATES = "alabama ala alaska alaska arizona ariz arkansas ark california cal colorado colo connecticut conn delaware del florida fla georgia ga illinois ill indiana ind kansas kan kentucky ky louisiana la maine me maryland md massachusetts mass michigan mich minnesota minn mississippi miss missouri mo montana mont nebraska neb nevada nev oklahoma okla oregon or pennsylvania pa tennessee tenn texas tex vermont vt virginia va washington wash wisconsin wis wyoming wyo"  # noqa: E501
_WORDS = {
    **dict(zip(_STATES.split()[::2], _STATES.split()[1::2], strict=True)), "new york": "ny", "new jersey": "nj", "civil": "civ",
    "procedure": "proc", "criminal": "crim", "business": "bus", "professions": "prof", "general": "gen", "statutes": "stat",
    "statute": "stat", "stats": "stat", "revised": "rev", "compiled": "comp", "consolidated": "cons", "commercial": "com",
    "annotated": "", "ann": "", "laws": "law", "evidence": "evid", "government": "gov", "insurance": "ins",
}  # fmt: skip
_WORD = re.compile(r"new york|new jersey|[^\W_]+")
_LEADING = re.compile(r"^(?:the|under|in|see|by|an?|of|and|that|this|when|while|although|section|sections)\s+", re.IGNORECASE)


def code_name(reporter: str) -> str:
    """One spelling of a reporter or code: no dots, spaces or capitals, known abbreviations made one."""
    plain = _LEADING.sub("", reporter.strip())
    letters = re.sub(r"[\W_]", "", plain).casefold()
    if letters in _ALIASES:
        return _ALIASES[letters]
    joined = "".join(_WORDS.get(w, w) for w in _WORD.findall(plain.casefold()))
    return _ALIASES.get(joined, joined)


def key_of(kind: Kind, parts: Parts) -> str:
    """The authority that full parts stand for: of a case volume, reporter and page; of a law title, code and section."""
    page = re.sub(r"[\s,]", "", parts.page).casefold()
    # A hyphen is a hyphen, however it was typeset.
    page = re.sub(r"[‐‑‒–—]", "-", page)
    return f"{kind}|{parts.volume.strip().casefold()}|{code_name(parts.reporter)}|{page}"
