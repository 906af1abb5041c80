"""Promises about misses in the shell: what `tune --promise` finds, and what `report` says of them on other responses."""

from collections.abc import Mapping, Sequence

import click

from groundscope.commands import options, terminal
from groundscope.commands.terminal import say, show
from groundscope.errors import DataError
from groundscope.grounding.rules.frozen_rules import Decision
from groundscope.grounding.rules.promises import (
    MEANING,
    keep_promises,
    made_here,
    other_cases,
    promised_rules,
    seek_promises,
    what_instead,
    why_none,
)
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tuning import Tuned
from groundscope.statistics.risk import MissLimit, MissRate, Promise

_PERCENT = options.Finite(0, 100, min_open=True, max_open=True)
PROMISE = options.together(
    click.option(
        "--promise", metavar="P", type=_PERCENT, help="find thresholds that miss at most P % of a query's wrong sentences"
    ),
    click.option("--confidence", metavar="C", type=_PERCENT, help="of the promise, in %", show_default="90"),
)


def limit_of(promise: float | None, confidence: float | None, missed: float | None) -> MissLimit | None:
    """What is to be promised, of percents; None = nothing. Refuses options that do not go together."""
    if promise is None and confidence is not None:
        raise DataError("--confidence goes with --promise; add how much may be missed.")
    if promise is not None and missed is not None:
        raise DataError("--missed asks for the lowest cost and --promise for a promise; name one of them.")
    return None if promise is None else MissLimit(promise / 100, 0.9 if confidence is None else confidence / 100)


def promised(run: RunData, limit: MissLimit, split: str | None) -> tuple[dict[str, Tuned], dict[str, Promise]]:
    """Search every method's thresholds for one that carries a promise, and show what was found and what could not be."""
    found, failed = seek_promises(run, limit, split)
    tuned, promises = promised_rules(run, found)
    titles = {m.id: m.title for m in run.methods}
    if promises:
        show(terminal.table(("method", "found on", *_HEAD), [_row(titles[m], found[m].split, p) for m, p in promises.items()]))
        say(f"Promised: {limit.words}. {MEANING}")
    none = {
        m: f"{why_none(sought.found, limit)} {what_instead(sought.found)}" for m, sought in found.items() if m not in promises
    }
    for method, why in {**none, **failed}.items():
        say(f"{titles[method]}: {why}")
    return tuned, promises


_HEAD = ("queries", "flagged below", "missed there, a query", "wrong sentences missed", "false alarms")


def _row(title: str, split: str, promise: Promise) -> Sequence[str]:
    seen = promise.seen
    return title, split or "no split", f"{seen.queries:,}", f"{promise.threshold:.4f}", f"{100 * seen.rate:.1f} %", *_counts(seen)


def _counts(seen: MissRate) -> tuple[str, str]:
    return f"{seen.missed:,} of {seen.wrong:,}", f"{seen.alarms:,} of {seen.sound:,}"


def say_kept(run: RunData, decision: Decision, split: str | None) -> None:
    """Say of each promise whether it held on a split, and on other cases whether they are like those it was found on."""
    if not decision.promises:
        return
    if made_here(run, decision, split):
        say("These responses are, or include, those that the promises were found on; read them on others, such as --split test.")
        return
    titles: Mapping[str, str] = {m.id: m.title for m in run.methods}
    for method, kept in keep_promises(run, decision, split).items():
        words = f"{titles[method]}: promised {kept.promise.limit.words}; {kept.words}"
        if seen := kept.seen:
            missed, alarms = _counts(seen)
            ends = f"95 % interval {100 * seen.interval.low:.1f} to {100 * seen.interval.high:.1f} %"
            words += (
                f": {100 * seen.rate:.1f} % missed ({ends}, {seen.queries:,} queries), that is {missed} wrong sentences, "
                f"with {alarms} sound ones flagged"
            )
        say(f"{words}.{f' These are other cases. {kept.likeness.words}' if other_cases(run, decision) else ''}")
