"""Outcomes of promises: against their limits, against a baseline by a test of significance, and of coverage.

Coverage is what of the answers promises could assess: one that reads nothing is not held by silence.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from groundscope.gate.findings import about_whole
from groundscope.gate.matching import PairedQuestions
from groundscope.gate.measuring import AnswerFinding, MeasuredShare
from groundscope.gate.rules import EffortLimit, GateRules, ShareLimit
from groundscope.statistics.significance import ShareChange, holm, share_change
from groundscope.text.humanize import plural
from groundscope.text.sentences import split
from groundscope.types import Case


class GateState(StrEnum):
    """Outcome of a promise."""

    HELD = "held"
    BROKEN = "broken"
    UNKNOWN = "not known"


@dataclass(frozen=True, slots=True)
class PromiseOutcome:
    """A promise and its outcome; one that cannot be measured is not held either.

    `rejected` has line (0 = not known) and reason of each row that cannot be read, for the promise about them.
    """

    title: str
    measured: str
    allowed: str
    state: GateState
    why: str = ""
    findings: tuple[AnswerFinding, ...] = ()
    rejected: tuple[tuple[int, str], ...] = ()

    @property
    def held(self) -> bool:
        """Whether it is held."""
        return self.state is GateState.HELD


class SharePromise(NamedTuple):
    """A share of `unit`, a plural, with its limit; `before` is the baseline's, None without one.

    `empty_holds` says whether the promise is held where there is nothing to count.
    """

    title: str
    unit: str
    limit: ShareLimit
    now: MeasuredShare
    before: MeasuredShare | None = None
    empty_holds: bool = False
    name: str = ""


def share_outcomes(
    promises: Sequence[SharePromise], pairs: PairedQuestions | None = None, level: float = 0.05
) -> list[PromiseOutcome]:
    """Judge promises about shares: each against its limit, then each against the baseline."""
    outcomes = [_limited(p) for p in promises if p.limit.at_most is not None]
    if pairs is None:
        return outcomes
    compared = [(p, _changed(p, p.before, pairs)) for p in promises if p.before is not None]
    adjusted = holm([change.p for _, change in compared])
    return outcomes + [_against(p, change, q, level, len(compared)) for (p, change), q in zip(compared, adjusted, strict=True)]


def _limited(p: SharePromise) -> PromiseOutcome:
    most = p.limit.at_most or 0.0
    nothing = "" if p.empty_holds else f"There are no {p.unit} to count."
    return _by_count(p, p.title, f"at most {percent(most)}", most, nothing=nothing)


def _by_count(p: SharePromise, title: str, allowed: str, most: float, *, nothing: str, why: str = "") -> PromiseOutcome:
    """Hold the share of these answers against a limit; `nothing`: what to say where there is nothing to count."""
    wrong, of = p.now.counts.sum(axis=0)
    if not of:
        return PromiseOutcome(title, _counted(p), allowed, GateState.HELD if p.empty_holds else GateState.UNKNOWN, nothing)
    # A share that is written like its limit is not above it.
    broken = wrong / of > most + 1e-9
    return PromiseOutcome(title, _counted(p), allowed, _state(broken), why, p.now.findings if broken else ())


def _changed(p: SharePromise, before: MeasuredShare, pairs: PairedQuestions) -> ShareChange:
    sides = (p.now.by_question(pairs.current, pairs.questions), before.by_question(pairs.baseline, pairs.questions))
    return share_change(*sides, p.limit.worse_by)


def _against(p: SharePromise, change: ShareChange, adjusted: float, level: float, promises: int) -> PromiseOutcome:
    title = f"{p.title}, against the baseline"
    allowed = _compared_limit(p.limit)
    if math.isnan(change.difference):
        # There is no share on one side to compare with.
        nothing, why = (
            f"These answers have no {p.unit} to compare.",
            f"The baseline has no {p.unit}, so that the count alone decides.",
        )
        return _by_count(p, title, allowed, max(p.limit.at_most or 0.0, p.limit.worse_by), nothing=nothing, why=why)
    broken = adjusted <= level
    figures = f"{percent(change.now)}, before {percent(change.before)}: {100 * change.difference:+.1f} points"
    if not math.isnan(change.interval.low):
        figures += f" (95 % {100 * change.interval.low:+.1f} to {100 * change.interval.high:+.1f})"
    p_words = "p < 0.001" if adjusted < 0.0005 else f"p = {adjusted:.3f}"
    why = f"{p_words}, {plural(change.queries, 'question')}."
    if not broken and change.difference > p.limit.worse_by:
        few = change.least_p > level / promises
        why += " Too few answers differ to show any difference." if few else " The difference may be chance."
    return PromiseOutcome(title, figures, allowed, _state(broken), why, p.now.findings if broken else ())


def _counted(p: SharePromise) -> str:
    wrong, of = p.now.counts.sum(axis=0)
    return f"{wrong:,.0f} of {of:,.0f} {p.unit}, {percent(wrong / of)}" if of else f"no {p.unit}"


def uncompared_outcomes(promises: Sequence[SharePromise]) -> list[PromiseOutcome]:
    """Judge promises that are about a baseline alone, where none is named: they cannot be checked."""
    why = "It is about a baseline, and none is named: name one with --baseline, make the first with --out, or write at_most."
    return [
        PromiseOutcome(p.title, _counted(p), _compared_limit(p.limit), GateState.UNKNOWN, why)
        for p in promises
        if p.limit.at_most is None
    ]


def _compared_limit(limit: ShareLimit) -> str:
    return f"at most {points(limit.worse_by)} more" if limit.worse_by else "no more than before"


def invalid_outcome(lost: Sequence[AnswerFinding], rejected: Sequence[tuple[int, str]], rows: int, most: float) -> PromiseOutcome:
    """Judge the promise about rows that cannot be read or judged."""
    wrong = len(rejected) + len({f.row for f in lost})
    broken = wrong / max(1, rows) > most + 1e-9
    figures = f"{wrong:,} of {rows:,} rows, {percent(wrong / max(1, rows))}"
    allowed = f"at most {percent(most)}"
    title, places = "Rows that cannot be read or judged", tuple(lost) if broken else ()
    return PromiseOutcome(title, figures, allowed, _state(broken), findings=places, rejected=tuple(rejected))


def latency_outcome(seconds: NDArray[np.float64], limit: EffortLimit) -> PromiseOutcome:
    """Judge the promise about the 95th percentile of seconds; answers without any are left out where others were measured."""
    title, allowed = f"Seconds an answer, 95th percentile {_field(limit)}", f"at most {limit.at_most:g} s"
    measured = seconds[~np.isnan(seconds)]
    if (limit.field and len(measured) < len(seconds)) or not len(measured):
        why = _missing(limit, seconds) or "No answer was timed: all judgements came from the cache."
        return PromiseOutcome(title, "not known", allowed, GateState.UNKNOWN, why)
    latency = float(np.percentile(measured, 95))
    return PromiseOutcome(title, f"{latency:.3g} s over {len(measured):,} answers", allowed, _state(latency > limit.at_most))


def cost_outcome(dollars: NDArray[np.float64], limit: EffortLimit) -> PromiseOutcome:
    """Judge the promise about the mean of dollars; not known where one price is not known."""
    title, allowed = f"US dollars an answer, mean {_field(limit)}", f"at most ${limit.at_most:g}"
    if np.isnan(dollars).any() or not len(dollars):
        why = _missing(limit, dollars) or "The price of a chat model is not known."
        return PromiseOutcome(title, "not known", allowed, GateState.UNKNOWN, why)
    cost = float(dollars.mean())
    return PromiseOutcome(title, f"${cost:.4g} over {len(dollars):,} answers", allowed, _state(cost > limit.at_most))


def _missing(limit: EffortLimit, values: NDArray[np.float64]) -> str:
    lacking = f"{int(np.isnan(values).sum()):,} of {len(values):,} rows have no number of 0 or more in the field {limit.field!r}."
    return lacking if limit.field else ""


def _field(limit: EffortLimit) -> str:
    return f"(field {limit.field})" if limit.field else "(of judging)"


def _state(broken: bool) -> GateState:
    return GateState.BROKEN if broken else GateState.HELD


def percent(share: float) -> str:
    """Write a share in percent."""
    return f"{100 * share:.1f} %"


def points(share: float) -> str:
    """Write a difference of shares in points."""
    return f"{100 * share:g} point{'' if share == 0.01 else 's'}"


NOTHING = "No promise had anything to check."


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
        "Answers that a promise could assess",
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
