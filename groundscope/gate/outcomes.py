"""Outcomes of promises: against their limits, and against a baseline by a test of significance."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.gate.matching import PairedQuestions
from groundscope.gate.measuring import AnswerFinding, MeasuredShare
from groundscope.gate.rules import EffortLimit, ShareLimit
from groundscope.statistics.significance import ShareChange, holm, share_change
from groundscope.text.humanize import plural


class GateState(StrEnum):
    """Outcome of a promise."""

    HELD = "held"
    BROKEN = "broken"
    UNKNOWN = "not known"


@dataclass(frozen=True, slots=True)
class PromiseOutcome:
    """A promise and its outcome.

    Attributes:
        state: a promise that cannot be measured is not held either.
        why: a sentence that says more; may be empty.
        rejected: line (0 = not known) and reason of each row that cannot be read, for the promise about them.
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
    """A share with its limit.

    Attributes:
        unit: what it is a share of, in the plural.
        before: in the baseline's; None = there is none.
        empty_holds: whether the promise is held where there is nothing to count.
        name: in few words.
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
    wrong, of = p.now.counts.sum(axis=0)
    most = p.limit.at_most or 0.0
    allowed = f"at most {percent(most)}"
    if not of:
        state = GateState.HELD if p.empty_holds else GateState.UNKNOWN
        why = "" if p.empty_holds else f"There are no {p.unit} to count."
        return PromiseOutcome(p.title, _counted(p), allowed, state, why)
    # A share that is written like its limit is not above it.
    broken = wrong / of > most + 1e-9
    return PromiseOutcome(p.title, _counted(p), allowed, _state(broken), findings=p.now.findings if broken else ())


def _changed(p: SharePromise, before: MeasuredShare, pairs: PairedQuestions) -> ShareChange:
    sides = (p.now.by_question(pairs.current, pairs.questions), before.by_question(pairs.baseline, pairs.questions))
    return share_change(*sides, p.limit.worse_by)


def _against(p: SharePromise, change: ShareChange, adjusted: float, level: float, promises: int) -> PromiseOutcome:
    title = f"{p.title}, against the baseline"
    allowed = _compared_limit(p.limit)
    if math.isnan(change.difference):
        return _one_sided(p, title, allowed)
    broken = adjusted <= level
    figures = f"{percent(change.now)}, before {percent(change.before)}: {_signed(change.difference)}"
    if not math.isnan(change.interval.low):
        figures += f" (95 % {100 * change.interval.low:+.1f} to {100 * change.interval.high:+.1f})"
    p_words = "p < 0.001" if adjusted < 0.0005 else f"p = {adjusted:.3f}"
    why = f"{p_words}, {plural(change.queries, 'question')}."
    if not broken and change.difference > p.limit.worse_by:
        few = change.least_p > level / promises
        why += " Too few answers differ to show any difference." if few else " The difference may be chance."
    return PromiseOutcome(title, figures, allowed, _state(broken), why, p.now.findings if broken else ())


def _one_sided(p: SharePromise, title: str, allowed: str) -> PromiseOutcome:
    """Judge by the count alone where there is no share on one side to compare with."""
    wrong, of = p.now.counts.sum(axis=0)
    if not of:
        state = GateState.HELD if p.empty_holds else GateState.UNKNOWN
        return PromiseOutcome(title, _counted(p), allowed, state, f"These answers have no {p.unit} to compare.")
    broken = wrong / of > max(p.limit.at_most or 0.0, p.limit.worse_by) + 1e-9
    why = f"The baseline has no {p.unit}, so that the count alone decides."
    return PromiseOutcome(title, _counted(p), allowed, _state(broken), why, p.now.findings if broken else ())


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


def _signed(difference: float) -> str:
    return f"{100 * difference:+.1f} points"
