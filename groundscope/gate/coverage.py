"""Coverage of a check: what of the answers its promises could assess. A promise that reads nothing is not held by silence."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from groundscope.gate.findings import about_whole
from groundscope.gate.measuring import AnswerFinding
from groundscope.gate.outcomes import GateState, PromiseOutcome, SharePromise, percent
from groundscope.gate.rules import GateRules
from groundscope.text.sentences import split
from groundscope.types import Case

NOTHING = "No promise had anything to check."
_TITLE = "Answers that a promise could assess"


def coverage_outcome(
    promises: Sequence[SharePromise], lost: Sequence[AnswerFinding], cases: Sequence[Case], rules: GateRules
) -> PromiseOutcome:
    """Judge the promise that is always made: that so many answers, and sentences, could be assessed.

    Where no promise is about what answers say, those count that hold something to assess.
    """
    sentences = np.array([sum(not s.heading for s in split(c.response)) for c in cases])
    lost_rows = {f.row: f for f in lost}
    reads = [_PromiseReading.of(p, sentences) for p in promises]
    assessed = [r.answers for r in reads] or [~np.isin(np.arange(len(cases)), list(lost_rows))]
    covered: NDArray[np.bool_] = np.logical_or.reduce(assessed)
    count, rows, floor = int(covered.sum()), len(cases), rules.coverage.sentences
    short = any(r.sentences < floor * sentences.sum() - 1e-9 for r in reads if r.sentences is not None)
    broken = not count or count / rows < rules.covered - 1e-9 or short
    why = [*([] if count else [NOTHING]), *([f"{'; '.join(r.words(sentences) for r in reads)}."] if reads else [])]
    return PromiseOutcome(
        _TITLE,
        f"{count:,} of {rows:,} answers, {percent(count / max(1, rows))}",
        f"at least {percent(rules.covered)}{f', and {percent(floor)} of the sentences' if floor else ''}",
        GateState.BROKEN if broken else GateState.HELD,
        " ".join(why),
        tuple(_uncovered(promises, covered, lost_rows, cases)) if broken else (),
    )


class _PromiseReading(NamedTuple):
    """The answers that a promise could assess, and how many sentences; None for one that is about something else."""

    name: str
    answers: NDArray[np.bool_]
    sentences: int | None

    @classmethod
    def of(cls, promise: SharePromise, sentences: NDArray[np.int64]) -> Self:
        counts, whole = promise.now.counts[:, 1], promise.now.whole
        read = np.where(False if whole is None else whole, sentences, np.minimum(counts, sentences))
        return cls(promise.name or promise.title, counts > 0, int(read.sum()) if promise.unit == "sentences" else None)

    def words(self, sentences: NDArray[np.int64]) -> str:
        read = "" if self.sentences is None else f", {self.sentences:,} of {sentences.sum():,} sentences"
        return f"{self.name}: {self.answers.sum():,} of {len(self.answers):,} answers{read}"


def _uncovered(
    promises: Sequence[SharePromise], covered: NDArray[np.bool_], lost: dict[int, AnswerFinding], cases: Sequence[Case]
) -> Iterator[AnswerFinding]:
    """The answers that no promise could assess, each with the reason."""
    units = " and no ".join(dict.fromkeys(p.unit for p in promises))
    for row in np.flatnonzero(~covered).tolist():
        why = f"No promise could assess this answer: it has no {units} that are read."
        yield lost.get(row) or AnswerFinding(row, (about_whole(cases[row], "coverage", why),))
