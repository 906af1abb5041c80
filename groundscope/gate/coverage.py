"""Coverage of a check: what of the answers its promises could assess. A promise that reads nothing is not held by silence."""

from collections.abc import Iterator, Sequence

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
    assessed = [p.now.counts[:, 1] > 0 for p in promises]
    covered: NDArray[np.bool_] = (
        np.logical_or.reduce(assessed) if promises else np.array([i not in lost_rows for i in range(len(cases))], dtype=bool)
    )
    count, rows = int(covered.sum()), len(cases)
    shares = [_sentences_read(p, sentences) for p in promises]
    short = [
        p for p, share in zip(promises, shares, strict=True) if share is not None and share < rules.coverage.sentences - 1e-9
    ]
    broken = not count or count / rows < rules.covered - 1e-9 or bool(short)
    words = [_words(p, mask, share, sentences) for p, mask, share in zip(promises, assessed, shares, strict=True)]
    why = [*([] if count else [NOTHING]), *([f"{'; '.join(words)}."] if words else [])]
    floor = f", and {percent(rules.coverage.sentences)} of the sentences" if rules.coverage.sentences else ""
    return PromiseOutcome(
        _TITLE,
        f"{count:,} of {rows:,} answers, {percent(count / max(1, rows))}",
        f"at least {percent(rules.covered)}{floor}",
        GateState.BROKEN if broken else GateState.HELD,
        " ".join(why),
        tuple(_uncovered(promises, covered, lost_rows, cases)) if broken else (),
    )


def _sentences_read(promise: SharePromise, sentences: NDArray[np.int64]) -> float | None:
    """The share of sentences that a promise could assess; None for one that is about something else."""
    if promise.unit != "sentences" or not sentences.sum():
        return None
    read = np.minimum(promise.now.counts[:, 1], sentences)
    if promise.now.whole is not None:
        read = np.where(promise.now.whole, sentences, read)
    return float(read.sum() / sentences.sum())


def _words(promise: SharePromise, mask: NDArray[np.bool_], share: float | None, sentences: NDArray[np.int64]) -> str:
    name = promise.name or promise.title
    read = "" if share is None else f", {round(share * sentences.sum()):,} of {sentences.sum():,} sentences"
    return f"{name}: {mask.sum():,} of {len(mask):,} answers{read}"


def _uncovered(
    promises: Sequence[SharePromise], covered: NDArray[np.bool_], lost: dict[int, AnswerFinding], cases: Sequence[Case]
) -> Iterator[AnswerFinding]:
    """The answers that no promise could assess, each with the reason."""
    units = " and no ".join(dict.fromkeys(p.unit for p in promises))
    for row in np.flatnonzero(~covered).tolist():
        why = f"No promise could assess this answer: it has no {units} that are read."
        yield lost.get(row) or AnswerFinding(row, (about_whole(cases[row], "coverage", why),))
