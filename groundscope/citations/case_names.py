"""Cases that a response names without a citation ("Under Tellabs", "Basic requires"), where the sources know them by that name.

This project's own rule, in no paper. A name is one only with both parties ("Roe v. Wade"), or beside words with which lawyers
speak of cases, not of parties: before it "under", "applying", "citing" and their like, after it a verb or a noun of decisions.
A name that two cases of the sources share stands for neither.
"""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from groundscope.citations._index import ContextCitation
from groundscope.citations.quotes import ContextPlace
from groundscope.citations.reader.reading import read
from groundscope.citations.reader.resolving import surnames
from groundscope.citations.types import AuthorityKind, Citation, CitationParts, Form
from groundscope.text.name_spelling import folded
from groundscope.text.names import NO_NAMES
from groundscope.types import Passage

ONLY_NAMED = "It is named without a citation."
_WORD = re.compile(r"(?<![\w.&’'-])[A-Z][\w’'&-]{1,40}")
_MORE = re.compile(r"\s(?:&\s)?[A-Z][\w’'&-]{0,40}")
_GENITIVE = re.compile(r"['’]s?$")
_LONGEST = 4
"""Words of a name that are read after its first one."""
_WINDOW = 80
_BEFORE = re.compile(
    r"(?:\b(?:under|applying|following|citing|quoting|per|unlike|since|after|before|overruling|overruled|extending|distinguishing|"
    r"cf\.|see(?:\salso)?|from|of)|(?P<in>\bin))\s$",
    re.IGNORECASE,
)
_WEAK = re.compile(r"\b(?:after|before|since|from|of)\s$", re.IGNORECASE)
_VERBS = (
    "held|holds|holding|requires|required|establish(?:es|ed)|recogniz(?:es|ed)|explain(?:s|ed)|teach(?:es)?|instructs|"
    "overruled|reaffirmed|rejected|rejects|forecloses|controls|governs|permits|permitted|says|said|made clear|makes clear"
)
_NOUNS = (
    "test|rule|standard|factors?|framework|doctrine|analysis|presumption|holding|decision|opinion|court|majority|dissent|"
    "inquiry|exception|principle|line of cases"
)
_BETWEEN = r"(?:itself|also|thus|then|only|never|does not|did not)\s"
_AFTER = re.compile(rf"(?P<whose>['’]s?)?\s(?:(?:{_BETWEEN})?(?P<verb>{_VERBS})|(?P<noun>{_NOUNS}))\b")
_OPENS = re.compile(
    r",?\s(?:the\s(?:\w+\s)?(?:Supreme\s)?(?:Court|court|majority|panel|judge|justices)|(?:the\s)?Justices?|a\splurality)\b"
    rf"|,\swhich\s(?:{_VERBS})\b"
)
"""What follows a name after "in"."""
_VERSUS = re.compile(r"\sv\.?\s")
_AFTER_VERSUS = re.compile(r"\bv\.?\s$")
_TITLE = re.compile(r"(?P<a>[A-Z][^;:\n]{1,120}?)\sv\.?\s(?P<b>[A-Z][^;:,(\n]{1,120})")


class NamedCase(NamedTuple):
    """A case that a response names, and its citation in the sources."""

    citation: Citation
    source: ContextCitation


@dataclass(frozen=True, slots=True)
class CaseNames:
    """The cases that sources know, by the words that they are called by; a word that two cases have is left out."""

    by_word: dict[str, ContextCitation]

    @classmethod
    def of(cls, context: Sequence[Passage], cited: Iterable[ContextCitation]) -> "CaseNames":
        """Index the cases of a context."""
        by_word: dict[str, ContextCitation] = {}
        several: set[str] = set()
        for case in (*cited, *_titles(context)):
            for word in _called(case.citation):
                before = by_word.setdefault(word, case)
                if before is not case and not _one_case(before.citation, case.citation):
                    several.add(word)
        return cls({word: one for word, one in by_word.items() if word not in several})

    def named_in(self, text: str, taken: Sequence[Citation]) -> Iterator[NamedCase]:
        """Find the cases that a text names outside of its citations."""
        spans = iter([*((c.outer, c.end) for c in taken), (len(text) + 1, len(text) + 1)])
        span, end = next(spans), 0
        for m in _WORD.finditer(text) if self.by_word else ():
            case = self.by_word.get(folded(m.group()))
            if case is None or m.start() < end:
                continue
            last, whole = _to(text, m, case.citation)
            while span[1] <= m.start():
                span = next(spans)
            if last > span[0] or not (whole or (folded(m.group()) not in _PLACES and _spoken_of(text, m.start(), last))):
                continue
            end = last
            name = text[m.start() : last]
            yield NamedCase(
                Citation(
                    AuthorityKind.CASE, Form.NAME, m.start(), last, m.start(), CitationParts(plaintiff=name),
                    case.citation.key, case.citation.same, case.citation.resolved,
                ),
                case,
            )  # fmt: skip


def may_name_cases(text: str) -> bool:
    """Find out whether a text names anything as lawyers name cases, before its sources are read for the names."""
    return any(
        _VERSUS.match(text, end) or _spoken_of(text, m.start(), end) for m in _WORD.finditer(text) for end in _ends(text, m)
    )


def _titles(context: Sequence[Passage]) -> Iterator[ContextCitation]:
    """Cases that give a passage its title, without a citation."""
    for p, passage in enumerate(context):
        m = _TITLE.match(passage.source.strip())
        if m and not any(c.kind is AuthorityKind.CASE and c.key for c in read(passage.source).citations):
            parts = CitationParts(plaintiff=m["a"], defendant=m["b"].strip())
            citation = Citation(AuthorityKind.CASE, Form.NAME, 0, m.end(), 0, parts, resolved=parts)
            yield ContextCitation(ContextPlace(p, 0, 0), citation, True)


def _called(citation: Citation) -> Iterator[str]:
    """The words that a case is called by: the first distinctive one of each party."""
    if citation.kind is not AuthorityKind.CASE or citation.form not in (Form.FULL, Form.NAME):
        return
    for party in (citation.resolved.plaintiff, citation.resolved.defendant):
        words = surnames(party)
        first = next((w for m in re.finditer(r"[^\W_]+", party) if (w := m.group().casefold()) in words), "")
        if len(first) > 2 and first not in NO_NAMES:
            yield first


def _one_case(a: Citation, b: Citation) -> bool:
    if a.same and b.same:
        return not a.same.isdisjoint(b.same)
    names = [surnames(c.resolved.plaintiff) | surnames(c.resolved.defendant) for c in (a, b)]
    return names[0] <= names[1] or names[1] <= names[0]


def _to(text: str, first: re.Match[str], case: Citation) -> tuple[int, bool]:
    """Where a name ends that begins with a word, and whether both parties are named; a word alone if the other is another."""
    words = surnames(case.resolved.plaintiff) | surnames(case.resolved.defendant)
    end = _same_words(text, first, words)
    versus = _VERSUS.match(text, end)
    if versus and (other := _WORD.match(text, versus.end())) and folded(other.group()) in words:
        return _same_words(text, other, words), True
    return end, False


def _same_words(text: str, first: re.Match[str], words: Container[str]) -> int:
    end = first.start()
    for further in _ends(text, first):
        if end > first.start() and folded(text[end:further]) not in words:
            break
        end = further
    return end


def _ends(text: str, first: re.Match[str]) -> Iterator[int]:
    """Where a name of one word, two words ... ends, without the letter of a genitive."""
    end = first.end()
    for i in range(_LONGEST + 1):
        genitive = _GENITIVE.search(text, first.start(), end)
        yield genitive.start() if genitive else end
        m = None if genitive or i == _LONGEST else _MORE.match(text, end)
        if not m:
            return
        end = m.end()


def _spoken_of(text: str, start: int, end: int) -> bool:
    """Whether the words around a name speak of a decision."""
    before, after = text[max(0, start - _WINDOW) : start], text[end : end + _WINDOW]
    if _VERSUS.match(after) or _AFTER_VERSUS.search(before):
        return False
    cue, follows = _BEFORE.search(before), _AFTER.match(after)
    opens = start == 0 or bool(re.search(r"[.!?:]['\"”’)]?\s+$|\n\s*$", before))
    if follows and (follows["verb"] or follows["whose"] or not opens):
        return True
    if cue and cue["in"]:
        return bool(_OPENS.match(after))
    return bool(cue) and not _WEAK.search(before) and not re.match(r"['’]s?\s", after)


_PLACES = frozenset(
    (
        "alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho illinois indiana "
        "iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana nebraska "
        "nevada hampshire jersey mexico york carolina dakota ohio oklahoma oregon pennsylvania rhode tennessee texas utah "
        "vermont virginia washington wisconsin wyoming america new north south west"
    ).split()
)
"""States: a sentence that names one rarely means the case that it was a party of."""
