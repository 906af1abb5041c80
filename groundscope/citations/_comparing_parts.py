"""Comparison of two citations part by part: how they differ, and whether one may be the other cited wrongly."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, NamedTuple

from rapidfuzz.distance import Levenshtein

from groundscope.citations.reader.code_names import one_code
from groundscope.citations.reader.party_names import one_name
from groundscope.citations.reader.resolving import surnames
from groundscope.citations.types import AuthorityKind, Citation, CitationParts, Form, code_name, section_name
from groundscope.text.values.numbers import roman_number
from groundscope.text.values.provision_index import is_within
from groundscope.text.values.provisions import GERMAN_BELOW, rank

_WIDEST_RANGE = 200
"""Sections that a range may hold; what looks wider is a number with a hyphen in it."""
_FARTHEST_AFTER = 100
"""Numbers after a section that "et seq." may still mean: it does not say where it ends."""
_NUMBERED = re.compile(r"(?P<before>(?:.{0,20}?[.:/])??)(?P<number>\d{1,5})(?P<rest>[a-z]{0,4}(?:-\d{1,5}[a-z]{0,4})?)")


@lru_cache(maxsize=1024)
def range_of(page: str) -> tuple[str, str]:
    """The ends of a range as the reader writes it ("1131–1135", "1131–35"); of one section, or what is no range, empty."""
    low, last = map(section_name, page.partition("–")[::2])
    # "12-101–105" ends with 12-105.
    prefix = low[: low.rindex("-") + 1] if "-" in low and "-" not in last else ""
    a, b = _NUMBERED.fullmatch(low[len(prefix) :]), _NUMBERED.fullmatch(last)
    if a is None or b is None or b["before"] not in ("", ".", a["before"]):
        return "", ""
    number = a["number"][: max(0, len(a["number"]) - len(b["number"]))] + b["number"]
    high = f"{prefix}{a['before']}{number}{b['rest']}"
    narrow = 0 <= int(number) - int(a["number"]) <= _WIDEST_RANGE
    return (low, high) if narrow and rank(low) < rank(high) else ("", "")


def follows(page: str, first: str, farthest: int = _FARTHEST_AFTER) -> bool:
    """Whether a section is one of those after another that "et seq." cites: it has a letter more, or a number little above."""
    ours, theirs = section_name(page), section_name(first)
    a, b = _NUMBERED.fullmatch(ours), _NUMBERED.fullmatch(theirs)
    if a is None or b is None or a["before"] != b["before"]:
        return False
    return int(a["number"]) - int(b["number"]) <= farthest and rank(ours) > rank(theirs)


class Differs(NamedTuple):
    """A part that two citations give differently: "year", "court", "first party" and so on.

    `span` is where the response says it, None where its citation does not say it itself; `context_span` the same of the
    passage, or of what it is called.
    """

    part: str
    ours: str
    theirs: str
    span: tuple[int, int] | None = None
    context_span: tuple[int, int] | None = None


_CASE_PARTS = (("volume", "volume"), ("reporter", "reporter"), ("page", "page"), ("year", "year"), ("court", "court"))
_LAW_PARTS = (("volume", "title"), ("reporter", "code"), ("page", "section"), ("year", "edition"))


def compared(ours: Citation, theirs: Citation, *, reports: bool = False) -> tuple[Differs, ...]:
    """Parts that both citations state and give differently, without spans; a part that one omits is no difference.

    Parallel citations name other reports of one decision, so volume, reporter and page of two that share a key, or of which one
    has none, are compared only where `reports` says so.
    """
    mine, other = ours.resolved, theirs.resolved
    names = _LAW_PARTS if ours.kind is AuthorityKind.LAW else _CASE_PARTS
    parallel = not reports and (bool(ours.same & theirs.same) or not ours.key or not theirs.key)
    differences = []
    for field, word in names:
        if parallel and field in ("volume", "reporter", "page"):
            continue
        a, b = getattr(mine, field), getattr(other, field)
        if field == "court" and a and b:
            # Two names of one court, or one and its id.
            told = _court(mine), _court(other)
            if a != b and told[0] != told[1]:
                differences.append(Differs(word, *told))
        elif a and b and not _equal(field, a, b) and not (field == "page" and other.following and follows(a, b)):
            differences.append(Differs(word, a, b))
    if ours.kind is not AuthorityKind.LAW:
        differences += _parties(ours, theirs)
    return (*differences, *_pin(ours, theirs))


def _court(parts: CitationParts) -> str:
    return parts.court_words or ("U.S. Supreme Court" if parts.court == "scotus" else parts.court)


def _equal(field: str, a: str, b: str) -> bool:
    if field == "reporter":
        return one_code(a, b)
    if field == "page":
        return section_name(a) == section_name(b) or within(a, b) or within(b, a)
    return re.sub(r"[\s.,]", "", a).casefold() == re.sub(r"[\s.,]", "", b).casefold()


def one_is_note(a: str, b: str) -> bool:
    """Whether one of two is a section and the other the note under it, which is another provision."""
    return a.removesuffix(" note") == b.removesuffix(" note") and a != b


def within(page: str, pages: str) -> bool:
    """Whether a section is one of a range."""
    low, high = range_of(pages)
    return bool(low) and not page.endswith("note") and is_within(section_name(page), low, high)


def _parties(ours: Citation, theirs: Citation) -> list[Differs]:
    full = ours.form is Form.FULL
    mine, other = ours.parts if full else ours.resolved, theirs.resolved
    pairs = (("first party", mine.plaintiff, other.plaintiff), ("second party", mine.defendant, other.defendant))
    differences = [Differs(word, a, b) for word, a, b in pairs if a and b and not one_name(a, b)]
    if len(differences) == 2 and one_name(mine.plaintiff, other.defendant) and one_name(mine.defendant, other.plaintiff):
        return [
            Differs("order of the parties", f"{mine.plaintiff} v. {mine.defendant}", f"{other.plaintiff} v. {other.defendant}")
        ]
    if full and not (mine.plaintiff and mine.defendant):
        # "Epic Systems, 584 U.S. 497": one party is named, and either may be meant.
        return (
            [] if any(one_name(d.ours, x) for d in differences for x in (other.plaintiff, other.defendant) if x) else differences
        )
    if full or ours.form is Form.UNREADABLE:
        return differences
    # Nor does a short form say which it names.
    names = surnames(other.plaintiff) | surnames(other.defendant)
    return [d for d in differences if not surnames(d.ours) & names]


def _pin(ours: Citation, theirs: Citation) -> list[Differs]:
    a, b = ours.parts.pin, theirs.parts.pin
    if not a or not b:
        return []
    if ours.kind is AuthorityKind.LAW:
        return [] if _one_inside_other(a, b) else [Differs("subsection", a, b)]
    if report_of(ours) != report_of(theirs):
        # Parallel reports have pages of their own.
        return []
    return [] if _pages(a) & _pages(b) else [Differs("pin cite", a, b)]


def report_of(citation: Citation) -> str:
    """The one spelling of the reporter whose pages a citation counts in."""
    return code_name(citation.parts.reporter or citation.resolved.reporter)


def states_all(theirs: Iterable[str], ours: str) -> bool:
    """Whether pins have every subsection of another, or parts of them."""
    pairs = [_both(ours, pin) for pin in theirs]
    parts = range(len(_subsections(ours)))
    return all(any(y[: len(mine[i])] == mine[i] for mine, other in pairs for y in other) for i in parts)


def _one_inside_other(a: str, b: str) -> bool:
    """Whether every subsection of one pin is, lies in, or holds one of the other."""
    mine, other = _both(a, b)
    return all(any(x[: min(len(x), len(y))] == y[: min(len(x), len(y))] for y in other) for x in mine)


def _both(a: str, b: str) -> tuple[list[list[str]], list[list[str]]]:
    """The subsections of two pins: "Abs. 1 S. 1 lit. f" is also called "Abs. 1 lit. f"."""
    if not (_SENTENCE.search(a) and _SENTENCE.search(b)):
        a, b = _SENTENCE.sub("", a), _SENTENCE.sub("", b)
    return _subsections(a), _subsections(b)


_PART_WORDS = re.compile(rf"\b(?:sections?|sec\.|clauses?|cl\.|{GERMAN_BELOW})\s?")
_SENTENCE = re.compile(r"\bS(?:atz|\.)\s?\d{1,2}(?=\s)")
_GERMAN_PART = re.compile(r"(?<![(\w])[IVX]{1,4}(?![)\w])")


def _subsections(pin: str) -> list[list[str]]:
    """Read "(a)(4) and (6)" as (a)(4) and (a)(6), "(1)-(3)" with what is between, "II Nr. 1" as "Abs. 2 Nr. 1"."""
    subsections: list[list[str]] = []
    arabic = _GERMAN_PART.sub(lambda m: str(roman_number(m.group().casefold())), pin)
    pieces = re.split(r"(?<=\))(,\s?|,?\s(?:and|or|to)\s|-)", _PART_WORDS.sub("", arabic.casefold()))
    for joint, piece in zip(("", *pieces[1::2]), pieces[::2], strict=True):
        steps = re.findall(r"[0-9a-z]+", piece)
        if subsections and len(steps) < len(subsections[0]):
            steps = subsections[0][: len(subsections[0]) - len(steps)] + steps
        if joint.strip(" ,") in ("-", "to") and steps and len(subsections[-1][-1]) == len(steps[-1]) == 1:
            between = map(chr, range(ord(subsections[-1][-1]) + 1, ord(steps[-1])))
            subsections += [[*steps[:-1], step] for step in between]
        subsections.append(steps)
    return subsections


def _pages(pin: str) -> frozenset[int]:
    numbers: set[int] = set()
    for m in re.finditer(r"(\d{1,5})(?:[-‐‑–]\*?(\d{1,5}))?(?:\s?n\.\s?\d+)?", re.sub(r"n\.\s?\d+", "", pin)):
        first = int(m[1])
        last = int(m[1][: max(0, len(m[1]) - len(m[2]))] + m[2]) if m[2] else first
        numbers |= set(range(first, min(last, first + 200) + 1)) or {first}
    return frozenset(numbers)


def like(ours: Citation, theirs: Citation) -> Literal["", "near", "other"]:
    """Whether two authorities resemble each other: "other" = the same, cited wrongly; "near" = similar, but probably another."""
    if ours.kind is not theirs.kind:
        return ""
    if ours.kind is AuthorityKind.LAW:
        return _law_like(ours, theirs)
    a, b = ours.resolved, theirs.resolved
    equal = sum(bool(x) and _equal(f, x, getattr(b, f)) for f in ("volume", "reporter", "page") if (x := getattr(a, f)))
    names = _name_pairs(a, b)
    agree = sum(bool(surnames(x) & surnames(y)) for x, y in names)
    same_names = bool(names) and all(one_name(x, y) for x, y in names)
    if same_names and (equal >= 1 if len(names) == 1 else _same_else(ours, theirs)):
        return "other"
    if agree and equal >= 2:
        return "other"
    if not names and equal == 2 and a.year and a.year == b.year:
        return "other"
    if equal == 2 and a.page and b.page and Levenshtein.distance(a.page, b.page) <= 1 and agree == len(names) != 0:
        return "other"
    return "near" if agree else ""


def _name_pairs(a: CitationParts, b: CitationParts) -> list[tuple[str, str]]:
    """Names that should be one party's; where only one is given, either may be meant."""
    only = a.plaintiff or a.defendant
    if not (a.plaintiff and a.defendant) and only and b.plaintiff and b.defendant:
        return [(only, b.plaintiff if surnames(only) & surnames(b.plaintiff) else b.defendant)]
    return [(x, y) for x, y in ((a.plaintiff, b.plaintiff), (a.defendant, b.defendant)) if x and y]


def _same_else(ours: Citation, theirs: Citation) -> bool:
    """Whether more than the names speaks for one decision: there is many a "United States v. Smith"."""
    a, b = ours.resolved, theirs.resolved
    if not a.page or any(x and x == y for x, y in ((a.volume, b.volume), (a.page, b.page), (a.year, b.year))):
        return True
    return not (a.year and b.year) and code_name(a.reporter) == code_name(b.reporter)


def _law_like(ours: Citation, theirs: Citation) -> Literal["", "near", "other"]:
    a, b = ours.resolved, theirs.resolved
    same_code = one_code(a.reporter, b.reporter)
    same_title = a.volume.casefold() == b.volume.casefold()
    if (not ours.key or (same_code and same_title)) and one_is_note(a.page, b.page):
        return "near"
    if a.page and section_name(a.page) == section_name(b.page) and len(a.page) >= 3 and (same_code or same_title):
        # Many an act has a section 102.
        acts = not same_code and any(re.search(r"\bAct\b", x.reporter) for x in (a, b))
        return "near" if acts else "other"
    if same_code and same_title and a.page and b.page and Levenshtein.distance(a.page, b.page) <= 1 and len(a.page) >= 2:
        return "near"
    return ""
