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
        return Verdict(None, *self.ask("Grounded", Case(question.id, clean(question.text), retrieved, clean(answer))))

    def ask(self, what: str, case: Case) -> tuple[bool | None, str]:
        """Decide on a case, and say in a sentence about `what` why."""
        judgement, title = self.method.score(case), self.method.about.title
        if judgement.status is Status.FAILED:
            raise ScorerUnavailable(f"{title} could not judge: {judgement.note}")
        note = f" {judgement.note}" if judgement.note else ""
        if judgement.status is not Status.SCORED or judgement.support is None:
            return None, f"{what}: no verdict by {title} ({judgement.status.value.replace('_', ' ')}).{note}"
        yes = judgement.support >= self.threshold
        figures = f"support {judgement.support:.3f}, threshold {self.threshold:g}"
        return yes, f"{what}: {'yes' if yes else 'no'} by {title} ({figures}).{note}"


@dataclass(frozen=True)
class OfflineJudge:
    """Judges by two methods, one for the answer against the passages, one for the reference answer against the answer."""

    grounded: GroundedBy
    correct: GroundedBy

    @property
    def title(self) -> str:
        """Who judged, for people: belongs beside every figure that comes of it."""
        mean = " (the mean of the reference's sentences)" if self.correct.method.parameters.get("aggregation") == "mean" else ""
        return f"{_TITLE}: grounded by {self.grounded.title}, correct by {self.correct.title}{mean}"

    @property
    def signature(self) -> str:
        """Both methods with all their parameters, and both thresholds."""
        return f"offline_judge|grounded={self.grounded.signature}|correct={self.correct.signature}"

    def judge(self, question: Question, answer: str, passages: Sequence[Passage]) -> Verdict:
        """Judge one answer; the reasons give each support with its threshold, or why there is none. Errors: `Judge.judge`."""
        if not answer.strip():
            return no_answer(question)
        reference, grounded = clean(question.reference), self.grounded.judge(question, answer, passages)
        correct, why = None, "Correct: no verdict, as there is no reference answer."
        if reference.strip():
            entailed = Case(question.id, clean(question.text), (Passage("answer", clean(answer)),), reference)
            correct, why = self.correct.ask("Correct", entailed)
        return Verdict(correct, grounded.grounded, f"{grounded.reasons} {why}")
