"""Findings of an assertion about one answer, and the message of the failing test."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from groundscope.cases.passages import passages
from groundscope.errors import DataError
from groundscope.files.fields import clean
from groundscope.findings.finding import Finding
from groundscope.findings.listing import MethodReading, findings_of, reader_title
from groundscope.gate.findings import WHOLE, about_whole, checked_answer, doubts, nearest
from groundscope.gate.rules import choose
from groundscope.grounding.parts import method_ready
from groundscope.methods.advice import recommended
from groundscope.methods.functions import AnyMethod
from groundscope.statistics.decision import verdict
from groundscope.text.humanize import plural
from groundscope.text.sentences import split
from groundscope.text.shown import shown_words
from groundscope.types import Case, Judgement, Passage, Status

RECOMMENDED = "recommended"
"""Stands for the method that is recommended here."""


class Found(NamedTuple):
    """A finding under the name of the check, or of the method with its figure as a sentence."""

    name: str
    finding: Finding
    figure: str = ""


def answer_case(answer: str, sources: str | Sequence[Any], question: str) -> Case:
    """Make a case of an answer."""
    if not isinstance(answer, str) or not isinstance(question, str):
        raise DataError(f"The answer and the question must be text, got {type(answer).__name__} and {type(question).__name__}.")
    try:
        if isinstance(sources, str):
            context: tuple[Passage, ...] = (Passage("p1", clean(sources)),)
        else:
            items = list(sources)
            cleaned = iter(passages([one for one in items if not isinstance(one, Passage)]))
            context = tuple(one if isinstance(one, Passage) else next(cleaned) for one in items)
    except (TypeError, ValueError) as error:
        raise DataError(f"The sources must be a text, or a list of texts or of {{text, source}}: {error}") from None
    if not any(p.text.strip() for p in context):
        raise DataError("There are no sources; give the passages that the answer was made from.")
    return Case("answer", clean(question), context, clean(answer))


def found_in(case: Case, checks: Sequence[str], method: AnyMethod | None, at_least: float | None) -> list[Found]:
    """Check an answer."""
    if isinstance(checks, str):
        raise ValueError(f"checks must be a list of names, got the text {checks!r}; write [{checks!r}].")
    if not checks and method is None:
        raise ValueError("there is nothing to check by: name checks or a method.")
    if at_least is not None and (method is None or not 0 <= at_least <= 1):
        raise ValueError(f"at_least is a support from 0 to 1 and goes with a method, got {at_least} and method {method!r}.")
    findings: list[Found] = []
    if checks:
        kinds, checked = choose("checks", checks), checked_answer(case)
        findings += [Found(kind, f) for kind, f in checked.facts if kind in kinds]
        findings += [Found("citations", f) for f in (*checked.absent, *checked.different) if "citations" in kinds]
        if method is None and (unread := checked.unread(kinds)):
            findings.append(Found(kinds[0], about_whole(case, kinds[0], f"There was nothing to check: {unread}")))
    if method is not None:
        findings += _by_method(case, method, at_least)
    return sorted(findings, key=lambda one: one.finding.start)


def _by_method(case: Case, method: AnyMethod, at_least: float | None) -> list[Found]:
    scorer = method_ready(recommended().method if method == RECOMMENDED else method)
    title = scorer.about.title
    threshold = scorer.about.threshold if at_least is None else at_least
    if threshold is None:
        raise ValueError(f"{title} has no default threshold; give the support that a sentence needs as at_least.")
    return method_findings(scorer.id or title, case, scorer.score(case), threshold)


def method_findings(method: str, case: Case, judgement: Judgement, threshold: float) -> list[Found]:
    """Find what a method's judgement holds against an answer."""
    title = reader_title(method)
    if judgement.status is not Status.SCORED:
        return [Found(method, about_whole(case, title, f"{title} gave no support: {judgement.note or judgement.status}"))]
    listed = findings_of(case, MethodReading(method, "", judgement, threshold, title=title))
    supports = {WHOLE: judgement.support} | {s.start: s.support for s in judgement.sentences}
    read = verdict(judgement, threshold)
    wrong = read.flagged or read.grounded is False
    return [Found(method, *doubt) for doubt in doubts(case, listed, title, supports, threshold)] if wrong else []


def in_words(case: Case, findings: Sequence[Found]) -> str:
    """Describe what was found."""
    sentences = split(case.response)
    by: dict[int, list[Found]] = {}
    for entry in findings:
        by.setdefault(entry.finding.sentence, []).append(entry)
    wrong, claims = len(by.keys() - {WHOLE}), sum(not s.heading for s in sentences)
    head = f"{wrong} of {plural(claims, 'sentence')}" if wrong else "the answer as a whole"
    lines = [f"The answer does not stand on its sources: {head}."]
    for at, entries in sorted(by.items()):
        inside = at != WHOLE
        head = f"Sentence {at + 1}: {shown_words(case.response, *sentences[at][:2])}" if inside else "The whole answer"
        lines += ["", head, *(f"  {name}: {f.why} {figure}".rstrip() for name, f, figure in entries)]
        place = nearest(case, [e.finding for e in entries]) if inside else None
        if place:
            lines += [f"  nearest, {place.place}: {place.text}", *(f"  {words}" for words in place.differs)]
        elif inside:
            lines.append("  nearest: no source shares a word with it")
    return "\n".join(lines)
