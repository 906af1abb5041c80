"""Which passage carries an answer: it is written and judged again without each one.

Beyond the paper (Butler and Butler 2026). What this finds is about these passages together with this generator and this judge:
of two passages that say the same neither carries the answer alone, and a generator that samples may change its answer by itself.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rapidfuzz import fuzz

from groundscope.chat.batches import Deferred
from groundscope.errors import BudgetSpent, Cancelled, ScorerUnavailable
from groundscope.rag.types import Generator, Judge, Question, Verdict, Written
from groundscope.runtime.progress import listening
from groundscope.text.embedding import Hear
from groundscope.types import Passage


class PassageEffect(StrEnum):
    """What a passage does to the verdict; correctness decides, and where it stays the same, grounding.

    What only makes a wrong answer grounded or not carries nothing: there is no answer to carry.
    """

    CARRIES = "carries the answer"
    MISLEADS = "misleads"
    GROUNDING = "changes grounding"
    NONE = "changes no verdict"
    UNKNOWN = "not known"


@dataclass(frozen=True, slots=True)
class Dropped:
    """One question answered without one of its passages.

    Attributes:
        passage: index of the passage that was left out; None = none was, and the other rows are compared with this one.
        changed: share of the answer's words that are others now: 0 = the same answer, 1 = no word in common; None = no answer
            could be asked for.
        effect: of the passage; None where none was left out.
        note: what went wrong with this row, in a sentence; empty = nothing.
    """

    passage: int | None
    written: Written
    verdict: Verdict
    changed: float | None
    effect: PassageEffect | None
    note: str = ""


def ablate(
    question: Question,
    passages: Sequence[Passage],
    generator: Generator,
    judge: Judge,
    hear: Hear,
    keep: Callable[[Dropped], None] = lambda row: None,
) -> list[Dropped]:
    """Answer and judge with all passages, then without each one.

    Raises:
        ScorerUnavailable: generator or judge cannot be used with all passages, so there is nothing to compare with;
            `ModelUnavailable` of a chat model.
        BudgetSpent: the budget does not cover the next call.
    """
    total = len(passages) + 1
    hear(0, total)
    done = 0

    def wanted(_done: int, _total: int) -> None:
        hear(done, total)

    with listening(wanted):
        written = generator.answer(question.text, passages)
        base = Dropped(None, written, judge.judge(question, written.text, passages), 0.0, None)
        rows = [base]
        keep(base)
        for i in range(len(passages)):
            done = i + 1
            hear(done, total)
            rows.append(_without(i, base, question, passages, generator, judge))
            keep(rows[-1])
    hear(total, total)
    return rows


def _without(
    index: int, base: Dropped, question: Question, passages: Sequence[Passage], generator: Generator, judge: Judge
) -> Dropped:
    left = [*passages[:index], *passages[index + 1 :]]
    written, changed, nothing = Written(""), None, Verdict(None, None)
    try:
        written = generator.answer(question.text, left)
        changed = _changed(base.written.text, written.text)
        verdict = judge.judge(question, written.text, left)
    except (Cancelled, BudgetSpent, Deferred):
        raise
    except ScorerUnavailable as error:
        return Dropped(index, written, nothing, changed, PassageEffect.UNKNOWN, str(error))
    except Exception as error:  # whatever happens without one passage, the others are looked at
        note = f"Without this passage the question could not be answered and judged ({type(error).__name__})."
        return Dropped(index, written, nothing, changed, PassageEffect.UNKNOWN, note)
    return Dropped(index, written, verdict, changed, _effect(base.verdict, verdict))


def _changed(before: str, after: str) -> float:
    # Of words: letters in common say nothing, any two English texts share half of them.
    return 1.0 - fuzz.ratio(before.split(), after.split()) / 100.0


def _effect(before: Verdict, after: Verdict) -> PassageEffect:
    turned = {(True, False): PassageEffect.CARRIES, (False, True): PassageEffect.MISLEADS}
    pairs = correct, grounded = ((before.correct, after.correct), (before.grounded, after.grounded))
    if correct in turned:
        return turned[correct]
    if grounded in turned:
        return PassageEffect.GROUNDING if before.correct is False else turned[grounded]
    return PassageEffect.UNKNOWN if any(None in pair for pair in pairs) else PassageEffect.NONE
