"""Decisions of reviewers on sentences and whole answers, and the labels that they give a case."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from typing import Any, NamedTuple

from groundscope.errors import DataError
from groundscope.files import typed
from groundscope.files.fields import clean
from groundscope.text.sentences import Sentence, split
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Passage

WHOLE = -1
"""Stands for the whole answer in place of a sentence."""
LONGEST_NOTE, LONGEST_NAME = 4_000, 80
"""Characters."""


class Ruling(StrEnum):
    """What the sources say of a sentence, in a reviewer's eyes; the values are shown."""

    SUPPORTED = "supported"
    PARTLY = "partly supported"
    NOT_SUPPORTED = "not supported"
    CONTRADICTED = "contradicted"
    CANNOT_SAY = "cannot say"


WRONG = frozenset({Ruling.PARTLY, Ruling.NOT_SUPPORTED, Ruling.CONTRADICTED})
"""Rulings on what may be corrected."""


class SourcePlace(NamedTuple):
    """A place that a decision rests on: `context[passage].text[start:end]`."""

    passage: int
    start: int
    end: int


class Correction(NamedTuple):
    """Words that go, and the place whose words come instead; it holds no words, so that nothing but a source can be quoted."""

    start: int
    end: int
    place: SourcePlace | None


@dataclass(frozen=True, slots=True)
class ReviewDecision:
    """A decision about one sentence of a response. `ruling`: None = not decided; also what an undo leaves."""

    sentence: int
    ruling: Ruling | None = None
    type: ErrorType | None = None
    span: tuple[int, int] | None = None
    rests_on: SourcePlace | None = None
    note: str = ""
    correction: Correction | None = None

    def as_json(self) -> str:
        """Write everything but the sentence, for the store."""
        names = ("ruling", "type", "span", "rests_on", "note", "correction")
        return json.dumps({name: getattr(self, name) for name in names})


class StoredDecision(NamedTuple):
    """A decision as it is kept; `blind`: no score, label or other person's was seen; `settles`: it is not the reviewer's own."""

    number: int
    case: str
    reviewer: str
    time: str
    blind: bool
    decision: ReviewDecision
    undoes: int | None = None
    settles: bool = False


def claims(response: str) -> list[int]:
    """List the sentences that are judged: all but headings."""
    return [i for i, s in enumerate(split(response)) if not s.heading]


def counting(history: Iterable[StoredDecision]) -> dict[int, StoredDecision]:
    """Find what counts of the decisions of one reviewer on one case."""
    last = {d.decision.sentence: d for d in history}
    return {sentence: d for sentence, d in sorted(last.items()) if d.decision != ReviewDecision(sentence)}


def undoable(history: Iterable[StoredDecision]) -> tuple[StoredDecision, ...]:
    """List the decisions of one reviewer on one case that can be taken back; an undo takes the last one."""
    stack: dict[int, StoredDecision] = {}
    for entry in history:
        if entry.undoes is None:
            stack[entry.number] = entry
        else:
            stack.pop(entry.undoes, None)
    return tuple(stack.values())


def counting_by_case(history: Iterable[StoredDecision]) -> dict[str, dict[int, StoredDecision]]:
    """Find what counts of the decisions of one reviewer."""
    by_case: dict[str, list[StoredDecision]] = {}
    for decision in history:
        by_case.setdefault(decision.case, []).append(decision)
    return {key: found for key, decisions in by_case.items() if (found := counting(decisions))}


def bare(decided: Mapping[str, Mapping[int, StoredDecision]]) -> dict[str, dict[int, ReviewDecision]]:
    """Leave out when and by whom decisions were made."""
    return {key: {i: d.decision for i, d in own.items()} for key, own in decided.items()}


def case_key(case: Case) -> str:
    """Identify what a reviewer reads of a case: its question, its sources and its answer, whatever its id and labels."""
    texts = [case.query, case.response, *(part for p in case.context for part in (p.source, p.text))]
    return sha256(json.dumps(texts).encode()).hexdigest()[:32]


def unlabelled(case: Case) -> Case:
    """Drop everything of a case that a blind reviewer must not see: its id, its labels, and what it was made from."""
    context = tuple(Passage(str(i), p.text, p.source, p.pages) for i, p in enumerate(case.context, 1))
    return Case(case_key(case), case.query, context, case.response, note=case.note)


def printed_line(written: str) -> str:
    """Put what a person wrote on one line, without what does not print."""
    return " ".join("".join(c if c.isprintable() else " " for c in clean(written)).split())


def reviewer_name(written: str) -> str:
    """Read a reviewer's name."""
    name = printed_line(written)
    if not name:
        raise DataError("Enter your name: your decisions are saved under it.")
    if len(name) > LONGEST_NAME:
        raise DataError(f"Enter a name of at most {LONGEST_NAME} characters; this one has {len(name)}.")
    return name


def from_fields(sentence: object, fields: Mapping[str, Any]) -> ReviewDecision:
    """Read a decision from JSON, of the store or of a browser."""
    note, ruling = fields.get("note") or "", fields.get("ruling") or None
    written = {
        "sentence": sentence,
        "ruling": ruling,
        "type": fields.get("type") or None,
        "span": fields.get("span"),
        "rests_on": fields.get("rests_on"),
        "note": clean(note)[:LONGEST_NOTE] if isinstance(note, str) else note,
        # Of a sentence that is supported after all, nothing is corrected.
        "correction": fields.get("correction") if str(ruling) in WRONG else None,
    }
    decision = typed.read(ReviewDecision, written)
    if decision.sentence < WHOLE:
        raise ValueError("a decision needs the index of a sentence")
    return decision


def fits(decision: ReviewDecision, case: Case) -> bool:
    """Find out whether a decision can be of a case."""
    sentences = split(case.response)
    if decision.sentence != WHOLE and not (decision.sentence < len(sentences) and not sentences[decision.sentence].heading):
        return False
    if decision.span and not 0 <= decision.span[0] < decision.span[1] <= len(case.response):
        return False
    places, correction = [decision.rests_on], decision.correction
    if correction:
        if decision.sentence == WHOLE:
            return False
        s = sentences[decision.sentence]
        if not s.start <= correction.start < correction.end <= s.end:
            return False
        places.append(correction.place)
    return all(
        0 <= p.passage < len(case.context) and 0 <= p.start < p.end <= len(case.context[p.passage].text) for p in places if p
    )


def labelled(case: Case, decisions: Mapping[int, ReviewDecision]) -> Case:
    """Replace the labels of a case by what a reviewer decided."""
    sentences = split(case.response)
    decided = {i: d for i, d in decisions.items() if i != WHOLE and d.ruling and i < len(sentences)}
    errors, unsupported, evidence = [], [], []
    for i, d in sorted(decided.items()):
        s = sentences[i]
        if d.ruling in WRONG:
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
    if any(ruling in WRONG for ruling in decided.values()):
        return False
    whole = decisions.get(WHOLE)
    if whole and whole.ruling in {Ruling.SUPPORTED, *WRONG}:
        return whole.ruling is Ruling.SUPPORTED
    claims = sum(not s.heading for s in sentences)
    every = len(decided) == claims > 0 and all(ruling is Ruling.SUPPORTED for ruling in decided.values())
    return True if every else None
