"""Audit of a Legal RAG judge: people read a sample of its answers, and their decisions correct its figures.

An answer makes two cases for the workbench. Grounded: the answer beside its passages. Correct: the reference answer beside the
answer as its only source, so that "supported" means that the answer entails the reference, as the paper has it (Butler and Butler
2026). The sample is drawn at random, as many as possible alike of each pair of verdicts, so that rare verdicts are read, too. The
corrected share weighs what people say of each pair of verdicts by how many answers have it (stratified; Cochran 1977, chapter 5).
"""

import math
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from groundscope.rag.outcomes import Answer, Share, answer_case, share
from groundscope.review.decisions import ReviewDecision, case_key, counting_by_case, grounded
from groundscope.review.queues import in_turn
from groundscope.review.settling import Decided, gold_decisions
from groundscope.review.store import ReviewStore
from groundscope.statistics.bootstrap import Interval
from groundscope.text.sentences import split
from groundscope.types import Case, Passage

AUDITED = ("grounded", "correct")
"""What is audited, by the names of an answer's verdicts."""
_NORMAL = 1.959964
_Pair = tuple[bool | None, bool | None]
"""What the judge says of an answer: correct, grounded."""
_ASKED = "Answer: does it say what the reference answer says?"


class JudgeAudit(NamedTuple):
    """How often the judge says yes, how often people agree with its `yes` and `no`, and the share they would; NaN: not read."""

    what: str
    judged: Share
    yes: Share
    no: Share
    corrected: float
    interval: Interval

    @property
    def read(self) -> int:
        """How many answers people have read."""
        return self.yes.of + self.no.of


def audit_case(answer: Answer, what: str) -> Case | None:
    """Make the case in which a person says whether an answer is grounded, or correct."""
    if not answer.answer.strip() or getattr(answer, what) is None:
        return None
    if what == "grounded":
        return answer_case(answer) if answer.context else None
    name = f"{answer.question_id} {answer.embedder} {answer.model} correct"
    source = Passage("answer", answer.answer, _ASKED)
    return Case(name, answer.question, (source,), answer.reference) if answer.reference.strip() else None


def audit_sample(answers: Sequence[Answer], count: int, seed: int = 0) -> tuple[Case, ...]:
    """Draw answers to be read by people."""
    if count < 1:
        raise ValueError(f"count must be at least 1, got {count}")
    places = [i for i, a in enumerate(answers) if any(audit_case(a, what) for what in AUDITED)]
    random.Random(seed).shuffle(places)  # noqa: S311
    drawn = in_turn(places, lambda i: str(_verdicts(answers[i])))[:count]
    cases = [case for i in drawn for what in AUDITED if (case := audit_case(answers[i], what))]
    return tuple({case_key(case): case for case in cases}.values())


def audits(answers: Sequence[Answer], people: Mapping[str, Decided], settled: Decided) -> tuple[JudgeAudit, ...]:
    """Compare a judge with what people decided of its answers."""
    decided = gold_decisions(people, settled, fewest=1)
    audited = (_audit(answers, what, decided) for what in AUDITED)
    return tuple(one for one in audited if one.read)


def people_audits(answers: Sequence[Answer], store: ReviewStore) -> tuple[JudgeAudit, ...]:
    """Compare a judge with what everyone decided in a store; the answer is as that of `audits`."""
    people = {name: counting_by_case(store.all(name)) for name in store.reviewers()}
    return audits(answers, people, store.settled())


def audit_values(audit: JudgeAudit) -> dict[str, str | int | float | None]:
    """Turn an audit into plain values."""
    values: dict[str, str | int | float | None] = {"verdict": audit.what, "read": audit.read}
    shares = (("judged", audit.judged), ("agree with yes", audit.yes), ("agree with no", audit.no))
    for name, value, ends in (*((n, s.value, s.interval) for n, s in shares), ("corrected", audit.corrected, audit.interval)):
        for column, figure in ((name, value), (f"{name} low", ends.low), (f"{name} high", ends.high)):
            values[column] = None if math.isnan(figure) else figure
    return values


def _audit(answers: Sequence[Answer], what: str, decided: Mapping[str, Mapping[int, ReviewDecision]]) -> JudgeAudit:
    pairs = [(a, case) for a in answers if (case := audit_case(a, what))]
    judgements = [(a, bool(getattr(a, what)), _label(case, decided)) for a, case in pairs]
    read = [(a, judged, label) for a, judged, label in judgements if label is not None]
    strata = Counter(_verdicts(a) for a, _, _ in judgements)
    corrected, interval = _stratified(strata, [(_verdicts(a), label) for a, _, label in read])
    return JudgeAudit(
        what,
        share(judged for _, judged, _ in judgements),
        share(label for _, judged, label in read if judged),
        share(not label for _, judged, label in read if not judged),
        corrected,
        interval,
    )


def _label(case: Case, decided: Mapping[str, Mapping[int, ReviewDecision]]) -> bool | None:
    decisions = decided.get(case_key(case))
    return grounded(split(case.response), decisions) if decisions else None


def _verdicts(answer: Answer) -> _Pair:
    return answer.correct, answer.grounded


def _stratified(strata: Mapping[_Pair, int], read: Iterable[tuple[_Pair, bool]]) -> tuple[float, Interval]:
    """The share of yes over all answers, from those that were read of each stratum."""
    yes, of = Counter[_Pair](), Counter[_Pair]()
    for stratum, label in read:
        of[stratum] += 1
        yes[stratum] += label
    total = sum(strata.values())
    if not total or any(not of[s] for s in strata):
        return math.nan, Interval(math.nan, math.nan)
    value = sum(n * yes[s] / of[s] for s, n in strata.items()) / total
    variance = 0.0
    for s, n in strata.items():
        # One more yes and one more no: a few answers that all say the same leave a doubt. What was read whole leaves none.
        p = (yes[s] + 1) / (of[s] + 2)
        variance += (n / total) ** 2 * p * (1 - p) / of[s] * (1 - min(1.0, of[s] / n))
    half = _NORMAL * math.sqrt(variance)
    return value, Interval(max(0.0, value - half), min(1.0, value + half))
