"""Outcome of each answer, and where a pipeline's errors come from (Butler and Butler 2026).

In this order: not grounded is a hallucination; grounded, not correct and without the relevant passage a retrieval error; with it
a reasoning error; all else a success. So RAG accuracy, 1 less all errors, is the share of answers both correct and grounded.

Beyond the paper, whose judge always says both and whose questions always name their passage: an answer that is not correct and
of which it is not known whether it is grounded, or whether its passage was retrieved, is an error of unknown cause. Errors
and RAG accuracy are shares of the same answers, so that they add up to 1 whatever is missing. Those answers are chosen by whether
there is a verdict on correctness, not by what it says: else, where no question has a reference answer, only hallucinations would
count.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from groundscope.rag.effects import Combination
from groundscope.statistics.bootstrap import Interval
from groundscope.statistics.significance import wilson
from groundscope.types import Case, Passage


class AnswerOutcome(StrEnum):
    """What an answer is, or that it is not known."""

    SUCCESS = "success"
    HALLUCINATION = "hallucination"
    RETRIEVAL = "retrieval error"
    REASONING = "reasoning error"
    UNCLEAR = "cause not known"
    UNKNOWN = "no verdict"


ERRORS = (AnswerOutcome.HALLUCINATION, AnswerOutcome.RETRIEVAL, AnswerOutcome.REASONING, AnswerOutcome.UNCLEAR)


@dataclass(frozen=True, slots=True)
class Answer:
    """One question to one combination, and what a judge said of its answer.

    Attributes:
        correct: the answer entails the reference answer; None = no verdict.
        grounded: it says nothing that the passages do not; None = no verdict.
        hit: the relevant passage is among those retrieved; None = not known.
        note: why there is no answer, or what the user must know of it.
        retrieved: ids of all that was retrieved, best first, also beyond the context; empty = only the context is known.
        missed: passages that hold the answer and are not in the context, as far as their texts are known.
        judge: who judged; empty = not known.
        prompt: the name of the prompt that the answer was written by; empty = not known, or no chat model was asked.
        unsupported: a claim of it that the passages do not support, as the judge names it.
        second_judge: which method judged, too, what is grounded; empty = none did.
        second_grounded: what that one says; None = no verdict.
    """

    embedder: str
    model: str
    question_id: str
    correct: bool | None
    grounded: bool | None
    hit: bool | None
    question: str = ""
    reference: str = ""
    answer: str = ""
    context: tuple[Passage, ...] = ()
    relevant: tuple[str, ...] = ()
    reasons: str = ""
    note: str = ""
    retrieved: tuple[str, ...] = ()
    missed: tuple[Passage, ...] = ()
    judge: str = ""
    prompt: str = ""
    unsupported: str = ""
    second_judge: str = ""
    second_grounded: bool | None = None

    @property
    def cell(self) -> Combination:
        """Its combination."""
        return Combination(self.embedder, self.model)


def answer_case(answer: Answer) -> Case:
    """Make a case of an answer: its question, the passages that it was written from, and what it says."""
    often = Counter(p.id for p in answer.context)
    ids = ((f"{p.id} ({i})" if often[p.id] > 1 else p.id) if p.id else f"p{i}" for i, p in enumerate(answer.context, 1))
    context = tuple(replace(p, id=i) for p, i in zip(answer.context, ids, strict=True))
    return Case(f"{answer.question_id} {answer.embedder} {answer.model}", answer.question, context, answer.answer)


def outcome(answer: Answer) -> AnswerOutcome:
    """Decide what became of an answer."""
    if answer.grounded is False:
        return AnswerOutcome.HALLUCINATION
    if (right := both(answer)) is None:
        return AnswerOutcome.UNKNOWN
    if right:
        return AnswerOutcome.SUCCESS
    if answer.grounded is None or answer.hit is None:
        return AnswerOutcome.UNCLEAR
    return AnswerOutcome.REASONING if answer.hit else AnswerOutcome.RETRIEVAL


def both(answer: Answer) -> bool | None:
    """Decide whether an answer is both correct and grounded."""
    return answer.grounded if answer.correct else answer.correct


@dataclass(frozen=True, slots=True)
class Share:
    """How many of how many, with Wilson's 95 % interval; NaN of none."""

    count: int
    of: int
    interval: Interval

    @property
    def value(self) -> float:
        """The share, 0..1."""
        return self.count / self.of if self.of else float("nan")


def share(outcomes: Iterable[bool | None]) -> Share:
    """Count the share of yes among what is known; NaN where nothing is."""
    decided = [s for s in outcomes if s is not None]
    return Share(sum(decided), len(decided), wilson(sum(decided), len(decided)))


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """A combination, an embedder over all models, or a model over all embedders.

    Attributes:
        hit: share of questions whose relevant passage was retrieved.
        accuracy: RAG accuracy, the share of answers that are correct and grounded.
        errors: each error's share of the answers that RAG accuracy counts. Where of none it is known whether it is correct,
            there is no RAG accuracy, and that of hallucinations is of the answers whose grounding is known.
    """

    embedder: str
    model: str
    correct: Share
    grounded: Share
    hit: Share
    accuracy: Share
    errors: dict[AnswerOutcome, Share]
    unknown: int


def errors_in(rows: Sequence[OutcomeRow]) -> tuple[AnswerOutcome, ...]:
    """Choose the errors to show."""
    return ERRORS if any(row.errors[AnswerOutcome.UNCLEAR].count for row in rows) else ERRORS[:-1]


def whole(answers: Sequence[Answer]) -> OutcomeRow:
    """Summarise all answers together."""
    return _row("", "", answers)


def rows(answers: Sequence[Answer], *, embedders: bool = True, models: bool = True) -> list[OutcomeRow]:
    """Summarise the answers of every combination, in the order of first appearance.

    Without `models` those of every embedder over all models, without `embedders` the other way round; each answer counts alike.
    """
    groups: dict[Combination, list[Answer]] = {}
    for answer in answers:
        groups.setdefault(Combination(answer.embedder * embedders, answer.model * models), []).append(answer)
    return [_row(*cell, mine) for cell, mine in groups.items()]


def verdicts(answers: Sequence[Answer]) -> dict[str, list[bool | None]]:
    """Give what each figure of a row counts, answer by answer."""
    counted = [None if both(a) is None else outcome(a) for a in answers]
    errors: dict[str, list[bool | None]] = {e.value: [None if o is None else o is e for o in counted] for e in ERRORS}
    if all(a.correct is None for a in answers):
        errors[AnswerOutcome.HALLUCINATION.value] = [None if a.grounded is None else not a.grounded for a in answers]
    return {
        "correct": [a.correct for a in answers],
        "grounded": [a.grounded for a in answers],
        "retrieval": [a.hit for a in answers],
        "rag_accuracy": [both(a) for a in answers],
        **errors,
    }


def _row(embedder: str, model: str, answers: Sequence[Answer]) -> OutcomeRow:
    shares = {figure: share(said) for figure, said in verdicts(answers).items()}
    return OutcomeRow(
        embedder,
        model,
        shares["correct"],
        shares["grounded"],
        shares["retrieval"],
        shares["rag_accuracy"],
        {error: shares[error.value] for error in ERRORS},
        sum(outcome(a) is AnswerOutcome.UNKNOWN for a in answers),
    )


def numbers(outcomes: Iterable[bool | None]) -> list[float]:
    """Turn verdicts into the numbers that `effects.Fit` takes: 1 for yes, 0 for no, NaN where it is not known."""
    return [float("nan") if s is None else float(s) for s in outcomes]
