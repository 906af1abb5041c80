"""Judges of answers that are methods: two and their thresholds stand in for the rubric of Legal RAG Bench, or one beside a judge.

grounded: a method's support of the answer by the retrieved passages reaches a threshold. correct: a method's support of the
reference answer by the answer, its only passage, reaches a threshold, so the answer entails the reference.

Departs from the paper (Butler and Butler 2026), whose judge is a chat model: both verdicts are those of the methods, with their
errors. What an answer says of itself, that it does not know or is not sure, a method takes for a claim like any other. So figures
of this judge are no figures of the paper's, and its title belongs beside them wherever they stand.

A second judge is one method, which may ask a chat model, and says only what is grounded: how far it agrees with the first shows
how much a figure depends on who judged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from groundscope.errors import ScorerUnavailable
from groundscope.files.fields import clean
from groundscope.methods import Method
from groundscope.rag.asking import no_answer
from groundscope.rag.types import Question, Verdict
from groundscope.types import Case, Passage, Status

_TITLE = "Judged offline"


def by_methods(judge: str) -> bool:
    """Whether verdicts come of methods."""
    return _TITLE in judge


class _Said(NamedTuple):
    verdict: bool | None
    reason: str


@dataclass(frozen=True)
class GroundedBy:
    """Judges by one method what is grounded: from this support of the answer by the passages on, 0..1."""

    method: Method
    threshold: float

    @property
    def title(self) -> str:
        """Who judged, for people."""
        model = f" ({name})" if self.method.asks and (name := self.method.parameters.get("model")) else ""
        return f"{self.method.about.title}{model} from {self.threshold:g} on"

    @property
    def signature(self) -> str:
        """The method with all its parameters, and the threshold."""
        return f"({self.method.signature})>={float(self.threshold)!r}"

    def judge(self, question: Question, answer: str, passages: Sequence[Passage]) -> Verdict:
        """Judge one answer; never whether it is correct. Errors: `Judge.judge`."""
        if not answer.strip():
            return no_answer(question)._replace(correct=None)
        retrieved = tuple(Passage(p.id, clean(p.text), p.source) for p in passages)
        case = Case(question.id, clean(question.text), retrieved, clean(answer))
        grounded = _ask("Grounded", self.method, self.threshold, case)
        return Verdict(None, grounded.verdict, grounded.reason)


@dataclass(frozen=True)
class OfflineJudge:
    """Judges by two methods, one for the answer against the passages, one for the reference answer against the answer.

    An answer is grounded, or correct, from the support of its threshold on, 0..1.
    """

    grounded_by: Method
    threshold_grounded: float
    correct_by: Method
    threshold_correct: float

    def __post_init__(self) -> None:
        for name in ("threshold_grounded", "threshold_correct"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
                raise ValueError(f"{name} must lie in 0..1, got {value!r}")

    @property
    def title(self) -> str:
        """Who judged, for people: belongs beside every figure that comes of it."""
        mean = " (the mean of the reference's sentences)" if self.correct_by.parameters.get("aggregation") == "mean" else ""
        return (
            f"{_TITLE}: grounded by {self._grounded.title}, "
            f"correct by {self.correct_by.about.title} from {self.threshold_correct:g} on{mean}"
        )

    @property
    def signature(self) -> str:
        """Both methods with all their parameters, and both thresholds."""
        correct = GroundedBy(self.correct_by, self.threshold_correct)
        return f"offline_judge|grounded={self._grounded.signature}|correct={correct.signature}"

    @property
    def _grounded(self) -> GroundedBy:
        return GroundedBy(self.grounded_by, self.threshold_grounded)

    def judge(self, question: Question, answer: str, passages: Sequence[Passage]) -> Verdict:
        """Judge one answer; the reasons give each support with its threshold, or why there is none. Errors: `Judge.judge`."""
        if not answer.strip():
            return no_answer(question)
        reference, grounded = clean(question.reference), self._grounded.judge(question, answer, passages)
        if reference.strip():
            entailed = Case(question.id, clean(question.text), (Passage("answer", clean(answer)),), reference)
            correct = _ask("Correct", self.correct_by, self.threshold_correct, entailed)
        else:
            correct = _Said(None, "Correct: no verdict, as there is no reference answer.")
        return Verdict(correct.verdict, grounded.grounded, f"{grounded.reasons} {correct.reason}")


def _ask(what: str, scorer: Method, threshold: float, case: Case) -> _Said:
    judgement = scorer.score(case)
    if judgement.status is Status.FAILED:
        raise ScorerUnavailable(f"{scorer.about.title} could not judge: {judgement.note}")
    note = f" {judgement.note}" if judgement.note else ""
    if judgement.status is not Status.SCORED or judgement.support is None:
        state = judgement.status.value.replace("_", " ")
        return _Said(None, f"{what}: no verdict by {scorer.about.title} ({state}).{note}")
    yes = judgement.support >= threshold
    figures = f"support {judgement.support:.3f}, threshold {threshold:g}"
    return _Said(yes, f"{what}: {'yes' if yes else 'no'} by {scorer.about.title} ({figures}).{note}")
