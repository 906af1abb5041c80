"""Findings of exact checks in an answer, sentence by sentence, and the nearest place in the sources."""

from collections.abc import Sequence
from typing import NamedTuple

from groundscope.citations.quotes import ContextPlace
from groundscope.citations.states import State, layer
from groundscope.files.sandbox import CITING, sandboxed
from groundscope.findings.exact import compared_in_words, exact_findings_of
from groundscope.findings.finding import Finding, FindingKind
from groundscope.text.alignment import UnitFinder
from groundscope.text.differences import differences
from groundscope.text.facts import FactKind
from groundscope.text.named_sources import NamedSources
from groundscope.text.sentences import Unit, context_sentences, sentence_id, split
from groundscope.text.shown import shown_words
from groundscope.types import Case, Match

_KINDS = {
    **dict.fromkeys((FindingKind.FIGURE, FindingKind.DATE, FindingKind.SECTION), "figures"),
    FindingKind.NAME: "names",
    FindingKind.QUOTATION: "quotes",
    **dict.fromkeys((FindingKind.SOURCE, FindingKind.COURT, FindingKind.MARK), "sources"),
}
"""The kinds of `groundscope.gate.rules.FACT_KINDS`; citations are counted by a rule of their own."""


class GateFinding(NamedTuple):
    """A sentence `response[start:end]` in which something was found.

    Attributes:
        match: the place of the sources that a method compared it with; None = none is known.
        place: the place of the sources that an exact check names; None = none.
    """

    start: int
    end: int
    marks: tuple[tuple[int, int], ...]
    why: str
    match: Match | None = None
    place: ContextPlace | None = None


class CheckedAnswer(NamedTuple):
    """What exact checks found in an answer.

    Attributes:
        facts: findings with their kind, one of `groundscope.gate.rules.FACT_KINDS`; none inside a citation.
        compared: what was compared, in words.
    """

    sentences: int
    facts: tuple[tuple[str, GateFinding], ...]
    citations: int
    absent: tuple[GateFinding, ...]
    different: tuple[GateFinding, ...]
    compared: str = ""


class NearestPlace(NamedTuple):
    """The context sentence to read beside a sentence, and what differs."""

    place: str
    text: str
    differs: tuple[str, ...]


def checked_answer(case: Case) -> CheckedAnswer:
    """Check an answer against its sources."""
    return sandboxed(CITING, _checked, case)


def _checked(case: Case) -> CheckedAnswer:
    cited, sentences = layer(case), split(case.response)
    alarms = [f for f in exact_findings_of(case) if f.alarm]
    absent = {(c.citation.outer, c.citation.end) for c in cited.citations if c.state is State.ABSENT}
    citations = [(f, _found(case, f)) for f in alarms if f.kind is FindingKind.CITATION]
    return CheckedAnswer(
        sum(not s.heading for s in sentences),
        tuple((_KINDS[f.kind], _found(case, f)) for f in alarms if f.kind in _KINDS),
        len(cited.citations) - cited.count(State.UNREAD),
        tuple(g for f, g in citations if (f.start, f.end) in absent),
        tuple(g for f, g in citations if (f.start, f.end) not in absent),
        compared_in_words(case.response),
    )


def _found(case: Case, finding: Finding) -> GateFinding:
    sentence = split(case.response)[finding.sentence]
    return GateFinding(
        sentence.start, sentence.end, ((finding.start, finding.end),), finding.why.removesuffix("."), place=finding.place
    )


def passage_title(case: Case, index: int) -> str:
    """Name a passage for people."""
    return _line(case.context[index].source) or f"Passage {index + 1}"


def nearest(case: Case, finding: GateFinding) -> NearestPlace | None:
    """Find the context sentence to read beside a sentence."""
    sentence, match = case.response[finding.start : finding.end], finding.match
    if match:
        passage, start, end = match.passage, match.start, match.end
    elif unit := _unit_of(case, finding.place) or _nearest_unit(case, sentence):
        passage, start, end = unit
    else:
        return None
    text = case.context[passage].text[start:end]
    lines = [
        f"{d.kind}: {_items(sentence, d.response)} here, {_items(text, d.context)} there" for d in differences(sentence, text)
    ]
    number = sentence_id(case.context, passage, start).rpartition(".")[2]
    words = shown_words(case.context[passage].text, start, end, source=True)
    return NearestPlace(f"{passage_title(case, passage)}, sentence {number}", words, tuple(lines))


def _unit_of(case: Case, place: ContextPlace | None) -> Unit | None:
    """The context sentence in which a place begins; None for a title."""
    if place is None or place.start == place.end:
        return None
    units = context_sentences(case.context)
    return next((units[j] for j in UnitFinder(units).overlapping(*place)), None)


def _nearest_unit(case: Case, sentence: str) -> Unit | None:
    sources = NamedSources(case.context)
    at = sources.nearest(sentence)
    return sources.units[at] if at >= 0 else None


def _items(text: str, items: Sequence[tuple[FactKind, int, int, str]]) -> str:
    return ", ".join(f"“{_line(text[start:end])}”" for _, start, end, _ in items) or "none"


def _line(text: str) -> str:
    return " ".join(text.split())
