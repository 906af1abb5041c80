"""Findings of exact checks in an answer, sentence by sentence, and the nearest place in the sources."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from groundscope.citations.explain import differing
from groundscope.citations.states import Layer, State, layer
from groundscope.files.sandbox import CITING, sandboxed
from groundscope.text.checks import CheckKind, TextCheck, check_words, checks
from groundscope.text.differences import ContextFacts, FactKind, differences
from groundscope.text.named_sources import NamedSources
from groundscope.text.sentences import sentence_id, split
from groundscope.types import Case, Match

_FIGURES = frozenset({FactKind.MONEY, FactKind.DATE, FactKind.NUMBER})


class GateFinding(NamedTuple):
    """A sentence `response[start:end]` in which something was found.

    Attributes:
        match: the place of the sources that a method compared it with; None = none is known.
    """

    start: int
    end: int
    marks: tuple[tuple[int, int], ...]
    why: str
    match: Match | None = None


class CheckedAnswer(NamedTuple):
    """What exact checks found in an answer.

    Attributes:
        facts: findings with their kind, one of `groundscope.gate.rules.FACT_KINDS`; none inside a citation.
    """

    sentences: int
    facts: tuple[tuple[str, GateFinding], ...]
    citations: int
    absent: tuple[GateFinding, ...]
    different: tuple[GateFinding, ...]


class NearestPlace(NamedTuple):
    """The context sentence to read beside a sentence, and what differs."""

    place: str
    text: str
    differs: tuple[str, ...]


def checked_answer(case: Case) -> CheckedAnswer:
    """Check an answer against its sources."""
    cited = sandboxed(CITING, layer, case)
    sentences = split(case.response)
    states = {state: tuple(_cited(case, cited, state)) for state in (State.ABSENT, State.DIFFERENT)}
    return CheckedAnswer(
        sum(not s.heading for s in sentences),
        tuple(_facts(case, cited)),
        len(cited.citations) - cited.count(State.UNREAD),
        states[State.ABSENT],
        states[State.DIFFERENT],
    )


def _facts(case: Case, cited: Layer) -> Iterator[tuple[str, GateFinding]]:
    verified: dict[int, list[str]] = {}
    taken = [(c.citation.outer, c.citation.end) for c in cited.citations if c.state is not State.UNREAD]
    for c in cited.citations:
        if c.state is State.HERE:
            verified.setdefault(c.sentence, []).append(_line(case.response[c.citation.outer : c.citation.end]))
    by_sentence = checks(case, ContextFacts.of_case(case), verified)
    units = NamedSources.of_case(case).units
    for sentence, sentence_checks in zip(split(case.response), by_sentence, strict=True):
        for check in sentence_checks:
            a, b = sentence.start + check.start, sentence.start + check.end
            # A year or a name of a citation is looked up with the citation.
            if (kind := _kind(check)) and not any(start <= a and b <= end for start, end in taken):
                place = passage_title(case, units[check.stands].passage) if check.stands >= 0 else ""
                why = f"“{_line(case.response[a:b])}” {check_words(check, place)}"
                yield kind, GateFinding(sentence.start, sentence.end, ((a, b),), why)


def _kind(check: TextCheck) -> str:
    """The name of a check; empty for a citation, which is looked up with its parts."""
    if check.kind is not CheckKind.MISSING:
        return "sources"
    if check.fact in _FIGURES:
        return "figures"
    return {FactKind.NAME: "names", FactKind.QUOTE: "quotes"}.get(check.fact or FactKind.CITATION, "")


def _cited(case: Case, cited: Layer, state: State) -> Iterator[GateFinding]:
    sentences = split(case.response)
    for c in cited.citations:
        if c.state is state:
            s = sentences[c.sentence]
            a, b = c.citation.outer, c.citation.end
            more = differing(c)
            why = f"“{_line(case.response[a:b])}” is {state}{f' ({more})' if more else ''}"
            yield GateFinding(s.start, s.end, ((a, b),), why)


def passage_title(case: Case, index: int) -> str:
    """Name a passage for people."""
    return _line(case.context[index].source) or f"Passage {index + 1}"


def nearest(case: Case, finding: GateFinding) -> NearestPlace | None:
    """Find the context sentence to read beside a sentence."""
    sentence, match = case.response[finding.start : finding.end], finding.match
    if match:
        passage, start, end = match.passage, match.start, match.end
    else:
        sources = NamedSources.of_case(case)
        if (at := sources.nearest(sentence)) < 0:
            return None
        passage, start, end = sources.units[at]
    text = case.context[passage].text[start:end]
    lines = [
        f"{d.kind}: {_items(sentence, d.response)} here, {_items(text, d.context)} there" for d in differences(sentence, text)
    ]
    number = sentence_id(case.context, passage, start).rpartition(".")[2]
    return NearestPlace(f"{passage_title(case, passage)}, sentence {number}", _line(text), tuple(lines))


def _items(text: str, items: Sequence[tuple[FactKind, int, int, str]]) -> str:
    return ", ".join(f"“{_line(text[start:end])}”" for _, start, end, _ in items) or "none"


def _line(text: str) -> str:
    return " ".join(text.split())
