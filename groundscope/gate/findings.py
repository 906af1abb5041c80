"""Findings of exact checks in an answer, sentence by sentence, and the nearest place in the sources."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from groundscope.citations.quotes import ContextPlace
from groundscope.citations.states import State, layer
from groundscope.drawing.finding_list import place_name
from groundscope.files.sandbox import CITING, sandboxed
from groundscope.findings.exact import compared_in_words
from groundscope.findings.finding import Certainty, Finding, FindingKind
from groundscope.findings.listing import FindingList, findings_of, nearest_sentences
from groundscope.text.alignment import UnitFinder, nothing_to_assess
from groundscope.text.differences import differences
from groundscope.text.facts import FactKind
from groundscope.text.humanize import one_line
from groundscope.text.languages import language_of
from groundscope.text.sentences import Unit, context_sentences, split
from groundscope.text.shown import shown_words
from groundscope.types import Case

_KINDS = {
    **dict.fromkeys((FindingKind.FIGURE, FindingKind.DATE, FindingKind.SECTION), "figures"),
    FindingKind.NAME: "names",
    FindingKind.QUOTATION: "quotes",
    **dict.fromkeys((FindingKind.SOURCE, FindingKind.COURT, FindingKind.MARK), "sources"),
}
"""The kinds of `groundscope.gate.rules.FACT_KINDS`; citations are counted by a rule of their own."""


WHOLE = -1
"""The sentence of a finding about the answer as a whole."""


def about_whole(case: Case, check: str, why: str) -> Finding:
    """Make a finding about an answer as a whole."""
    end = len(case.response)
    return Finding(FindingKind.SUPPORT, WHOLE, 0, end, case.response, why, None, Certainty.DOUBTFUL, check)


def doubts(
    case: Case, listed: FindingList, title: str, supports: Mapping[int, float | None], needed: float | None
) -> list[tuple[Finding, str]]:
    """A method's doubts about sentences, or else about the answer as a whole, each with its figure as a sentence.

    `supports` are by the start of a sentence, or `WHOLE`.
    """
    of_sentences = sorted((f for f in listed.findings if f.certainty is Certainty.DOUBTFUL), key=lambda f: f.start)
    doubted = [(f, supports.get(f.start)) for f in of_sentences] or [
        (about_whole(case, title, f"{title} doubts the answer as a whole."), supports.get(WHOLE))
    ]
    return [(f, "" if support is None else f"Support {support:.2f}, needed {needed:.2f}.") for f, support in doubted]


class CheckedAnswer(NamedTuple):
    """What exact checks found in an answer; no fact is inside a citation.

    `facts` have their kind, of `groundscope.gate.rules.FACT_KINDS`; `names_read` says whether its language's names are looked up.
    """

    sentences: int
    facts: tuple[tuple[str, Finding], ...]
    citations: int
    absent: tuple[Finding, ...]
    different: tuple[Finding, ...]
    compared: str = ""
    names_read: bool = True

    def unread(self, kinds: Sequence[str]) -> str:
        """Say in a sentence why checks of these kinds, or of citations, had nothing to read in it; empty where they had."""
        if not self.names_read and set(kinds) == {"names"}:
            return "Names are looked up in English alone, and the answer has another language."
        return "" if self.citations or set(kinds) != {"citations"} else "The answer has no citation."


class NearestPlace(NamedTuple):
    """The context sentence to read beside a sentence, and what differs."""

    place: str
    text: str
    differs: tuple[str, ...]


def checked_answer(case: Case) -> CheckedAnswer:
    """Check an answer against its sources."""
    return sandboxed(CITING, _checked, case)


def _checked(case: Case) -> CheckedAnswer:
    if nothing_to_assess(case):
        return CheckedAnswer(0, (), 0, (), (), compared_in_words(case.response))
    cited, sentences = layer(case), split(case.response)
    exact = [f for f in findings_of(case).findings if f.certainty is Certainty.EXACT]
    absent = {(c.citation.outer, c.citation.end) for c in cited.citations if c.state is State.ABSENT}
    citations = [f for f in exact if f.kind is FindingKind.CITATION]
    return CheckedAnswer(
        sum(not s.heading for s in sentences),
        tuple((_KINDS[f.kind], f) for f in exact if f.kind in _KINDS),
        len(cited.citations) - cited.count(State.UNREAD),
        tuple(f for f in citations if (f.start, f.end) in absent),
        tuple(f for f in citations if (f.start, f.end) not in absent),
        compared_in_words(case.response),
        language_of(case.response) == "en",
    )


def nearest(case: Case, findings: Sequence[Finding]) -> NearestPlace | None:
    """Find the context sentence to read beside the sentence of some findings: where they point to, or the nearest one."""
    at, units = findings[0].sentence, context_sentences(case.context)
    unit = next(filter(None, (_unit_of(units, f) for f in findings)), None)
    if unit is None:
        near = nearest_sentences(case)[at]
        unit = units[near] if near >= 0 else None
    if unit is None:
        return None
    passage, start, end = unit
    ours = split(case.response)[at]
    sentence, text = case.response[ours.start : ours.end], case.context[passage].text[start:end]
    lines = [
        f"{d.kind}: {_items(sentence, d.response)} here, {_items(text, d.context)} there" for d in differences(sentence, text)
    ]
    words = shown_words(case.context[passage].text, start, end, source=True)
    return NearestPlace(place_name(case, ContextPlace(*unit)), words, tuple(lines))


def _unit_of(units: Sequence[Unit], finding: Finding) -> Unit | None:
    """The context sentence in which the place of a finding begins; None for a title."""
    place = finding.place
    if place is None or place.start == place.end:
        return None
    return next((units[j] for j in UnitFinder(units).overlapping(*place)), None)


def _items(text: str, items: Sequence[tuple[FactKind, int, int, str]]) -> str:
    return ", ".join(f"“{one_line(text[start:end])}”" for _, start, end, _ in items) or "none"
