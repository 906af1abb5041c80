"""A reviewer's decisions as the labels of a case, in the app's own format."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from groundscope.review.decisions import WHOLE, ReviewDecision, Ruling
from groundscope.text.sentences import Sentence, split
from groundscope.types import Case, ErrorSpan, EvidenceSpan

_WRONG = frozenset({Ruling.PARTLY, Ruling.NOT_SUPPORTED, Ruling.CONTRADICTED})


def labelled(case: Case, decisions: Mapping[int, ReviewDecision]) -> Case:
    """Replace the labels of a case by what a reviewer decided."""
    sentences = split(case.response)
    decided = {i: d for i, d in decisions.items() if i != WHOLE and d.ruling and i < len(sentences)}
    errors, unsupported, evidence = [], [], []
    for i, d in sorted(decided.items()):
        s = sentences[i]
        if d.ruling in _WRONG:
            start, end = d.span or (s.start, s.end)
            if d.type:
                contradicts = None if d.ruling is Ruling.PARTLY else d.ruling is Ruling.CONTRADICTED
                errors.append(ErrorSpan(start, end, d.type, d.note, contradicts))
            else:
                unsupported.append((start, end))
        if d.rests_on and d.ruling is not Ruling.CANNOT_SAY:
            evidence.append(EvidenceSpan(s.start, s.end, *d.rests_on))
    return replace(
        case,
        grounded=grounded(sentences, decisions),
        errors=tuple(errors),
        unsupported=tuple(unsupported),
        evidence=tuple(evidence),
    )


def grounded(sentences: Sequence[Sentence], decisions: Mapping[int, ReviewDecision]) -> bool | None:
    """Find the label of an answer."""
    decided = {i: d.ruling for i, d in decisions.items() if i != WHOLE and d.ruling and i < len(sentences)}
    if any(ruling in _WRONG for ruling in decided.values()):
        return False
    whole = decisions.get(WHOLE)
    if whole and whole.ruling in {Ruling.SUPPORTED, *_WRONG}:
        return whole.ruling is Ruling.SUPPORTED
    claims = sum(not s.heading for s in sentences)
    every = len(decided) == claims > 0 and all(ruling is Ruling.SUPPORTED for ruling in decided.values())
    return True if every else None
