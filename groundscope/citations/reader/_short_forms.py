"""Citations that refer back (Id., supra, short forms, a case with a page), and what follows one: pin cites, parentheticals."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from groundscope.citations.reader._laws import Raw
from groundscope.citations.reader.resolving import surnames
from groundscope.citations.types import AuthorityKind, CitationParts, Form

PIN_PAGE = r"(?:¶{1,2}\s?|\*)?\d{1,5}(?:[-‐‑–]\*?\d{1,5})?(?:\s?&?\s?nn?\.\s?\d{1,3}(?:[-–]\d{1,3})?)?"
PIN_PAGES = rf"{PIN_PAGE}(?!\d)(?:,\s{PIN_PAGE}(?!\w|\s?[A-Z§]|\s?\d|[-‐‑–]\w)){{0,4}}"
"""Pages after "at"; a number that begins another citation is none of them."""
_ASIDE = re.compile(r"\s?\(")
_REPORT = r"\d{1,4}\s(?=[A-Z])[A-Za-z0-9.’' ]{1,24}?\s\d{1,5}"
_PARALLEL = re.compile(rf"\s?\(\s?{_REPORT}(?:,\s(?:{PIN_PAGE}|{_REPORT})){{0,4}}\s?\)")
_NUMBER_BEFORE = re.compile(r"\d\s?$")
_WIDEST_PARALLEL = 120
_LONGEST_ASIDE = 600


def aside_at(text: str, end: int) -> tuple[int, int] | None:
    """The span inside an explanatory parenthesis after a citation; None if there is none."""
    # Not part of the citation: it may hold one itself ("quoting ...").
    if (m := _ASIDE.match(text, end)) and (close := _closing(text, m.end())) > m.end():
        return m.end(), close
    return None


def parallel_at(text: str, end: int) -> bool:
    """Whether a parenthesis that holds nothing but other reports of the decision follows: "2 U.S. 3 (3 Atl. 33)"."""
    return bool(_PARALLEL.match(text, end))


def closes_parallel(text: str, start: int, end: int) -> bool:
    """Whether the bracket behind a report ends a parenthesis of parallel reports that follows another report."""
    opening = text.rfind("(", max(0, start - _WIDEST_PARALLEL), start)
    m = _PARALLEL.match(text, opening) if opening > 0 else None
    return m is not None and m.end() == end + 1 and bool(_NUMBER_BEFORE.search(text, max(0, opening - 2), opening))


def _closing(text: str, at: int) -> int:
    depth = 1
    for i in range(at, min(len(text), at + _LONGEST_ASIDE)):
        depth += (text[i] == "(") - (text[i] == ")")
        if not depth:
            return i
    return -1


_ID = re.compile(
    # Without a full stop, or in capitals, it is a citation only with a page: "voter ID" is none.
    r"(?<![\w.’'&/-])(?<!\bD\.\s)(?:(?:[Ii]d|[Ii]bid)\.|(?:ID|IBID)\.?(?=,?\sat\s[\d*¶])|(?:[Ii]d|[Ii]bid)(?=,?\sat\s[\d*¶])"
    rf"|[Ii]dem(?=,?\sat\s[\d*¶])|Idem(?=[.;)\]]))(?:,?\s(?:at\s(?P<p>{PIN_PAGES})|(?P<p2>¶{{1,2}}\s?\d{{1,4}}(?:[-–]\d{{1,4}})?)))?"
)
_AT = re.compile(rf"(?:at\s)?({PIN_PAGES})")
_SUPRA = re.compile(rf"supra(?:,?\s(?:note|nn?\.)\s?\d{{1,4}})?(?:,?\sat\s(?P<p>{PIN_PAGES}))?")
_NAMED_PAGE = re.compile(
    r"(?<![\w.&’'-])(?P<n>(?:[A-Z][\w.&’'-]{1,24}\s){0,3}[A-Z][\w&’'-]{2,24}),?\sat\s"
    rf"(?P<p>{PIN_PAGES})(?!\d|\s?(?:%|[ap]\.?m\b|[A-Z$]|per|day|month|year|o[’']clock))"
)
_SHORT_NAME = re.compile(r"(?:^|[\s(“\"])([A-Z][\w&'’-]{2,24}(?:\s[A-Z&][\w.&'’-]{0,24}){0,3}),\s$")
_IN_PAGE = re.compile(r"\s?at\s(\d{1,5}(?:[-–]\d{1,5})?)")


def ids(text: str) -> Iterator[Raw]:
    """Every Id. and its likes, wherever it stands; their only part is the pin cite."""
    for m in _ID.finditer(text):
        pin = m["p"] or m["p2"] or ""
        yield Raw(AuthorityKind.CASE, Form.ID, m.start(), m.end(), m.start(), CitationParts(pin=pin), aside_at(text, m.end()))


def short_form(text: str, cite: Any, start: int, end: int, outer: int) -> Raw:
    """Volume and reporter without the first page ("410 U.S. at 120"); `hint` is the name before it, empty if it has none."""
    before, guess = text[max(0, start - 80) : start], cite.metadata.antecedent_guess or ""
    # Where eyecite names none, as after "Id.", the name may still stand before it.
    named = _SHORT_NAME.search(text, max(0, start - 60), start)
    guess = named[1] if named else guess if guess in before else ""
    pin = ""
    # eyecite leaves the pages out where anything but a full stop follows them.
    if (at := text.rfind("at", start, end + 4)) >= 0 and (m := _AT.match(text, at)):
        pin, end = m[1], m.end(1)
    end = start + len(text[start:end].rstrip(" ,"))
    parts = CitationParts(cite.groups.get("volume") or "", cite.corrected_reporter(), "", pin, plaintiff=guess)
    outer = _guess_start(text, guess, start, outer)
    return Raw(AuthorityKind.CASE, Form.SHORT, start, end, outer, parts, aside_at(text, end), hint=guess)


def supra(text: str, cite: Any, start: int, end: int, outer: int) -> Raw:
    """A name with "supra"; the number of a note is not a page. `hint` is the name, empty if eyecite names none."""
    guess = str(getattr(cite.metadata, "antecedent_guess", None) or "")
    m = _SUPRA.match(text, max(start, text.find("supra", start, end)))
    pin = (m["p"] or "") if m else ""
    end = m.end() if m else start + len(text[start:end].rstrip(" ,"))
    outer = _guess_start(text, guess, start, outer)
    return _by_name(text, (start, end, outer), guess, pin)


def reference(text: str, start: int, end: int) -> Raw | None:
    """A name that eyecite knows from a full citation; it is a citation only with a page."""
    m = _IN_PAGE.match(text, end)
    return _by_name(text, (start, m.end(), start), text[start:end], m[1]) if m else None


def _by_name(text: str, span: tuple[int, int, int], name: str, page: str) -> Raw:
    parts = CitationParts(pin=page, plaintiff=name)
    return Raw(AuthorityKind.CASE, Form.SUPRA, *span, parts, aside_at(text, span[1]), hint=name)


def named_pages(text: str, raws: Iterable[Raw]) -> Iterator[Raw]:
    """Names of cases cited in full further up, with a page ("Lujan at 562"); they may overlap the citations found so far."""
    first: dict[str, int] = {}
    for raw in raws:
        if raw.form is Form.FULL and raw.kind is AuthorityKind.CASE:
            for name in surnames(raw.parts.plaintiff) | surnames(raw.parts.defendant):
                first[name] = min(raw.end, first.get(name, raw.end))
    if not first:
        return
    for m in _NAMED_PAGE.finditer(text):
        start, name = m.start("n"), m["n"]
        while first.get(_plain(name.split()[0]), m.end()) > start and " " in name:
            start, name = start + name.index(" ") + 1, name[name.index(" ") + 1 :]
        if first.get(_plain(name.split()[-1]), m.end()) <= start:
            yield _by_name(text, (start, m.end("p"), start), name, m["p"])


def _plain(word: str) -> str:
    return word.casefold().strip(".’'&-")


def _guess_start(text: str, guess: str, start: int, outer: int) -> int:
    at = text.rfind(guess, max(outer, start - 80), start) if guess[:1].isupper() else -1
    return at if at >= 0 else start
