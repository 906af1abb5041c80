"""`compare`: two runs, method by method."""

import math

import click

from groundscope.commands import options
from groundscope.commands.reading import ruled, split_of
from groundscope.commands.terminal import DONE, say, show, table
from groundscope.grounding.comparing.comparisons import p_words
from groundscope.grounding.comparing.two_runs import ComparedMethod, RunSide, TwoRuns, sides_of, two_runs
from groundscope.grounding.latency import latencies
from groundscope.grounding.result_columns import MISSING, interval, seconds, share


@click.command()
@click.argument("run", metavar="A", help="a run, or a method of one: RUN:METHOD")
@click.argument("other", metavar="B", help="the other one, such as RUN:quip:n=9")
@options.READING
def compare(run: str, other: str, rules: str | None, split: str | None) -> int:
    """Compare two runs, method by method.

    Differences are B less A, with 95 % intervals and an adjusted p by the paired bootstrap over queries; they are shown
    where both runs judged the same responses. A:quip B:quip:n=9 compares two methods, also of one run.
    """
    first, second = sides_of((run, other), rules, split_of(split), ruled)
    comparison = two_runs(first, second)
    if comparison.methods:
        show(f"A: {_name(first)}\nB: {_name(second)}\n\n{_table(comparison, first, second)}")
    for side, ids in ((first, comparison.only_first), (second, comparison.only_second)):
        if ids:
            say(f"Only in {side.run.name}: {', '.join(ids)}.")
    if comparison.note:
        say(comparison.note)
    return DONE


def _name(side: RunSide) -> str:
    return f"{side.run.name}, {len(side.rows):,} labelled responses of {side.run.source}"


def _table(comparison: TwoRuns, first: RunSide, second: RunSide) -> str:
    speeds = [_speeds(side) for side in (first, second)]
    head = ("method", "F1 A", "F1 B", "B less A", "95 % interval", "p, adjusted", "responses")
    times = ("mean s A", "p50 s A", "mean s B", "p50 s B")
    return table((*head, *times, "parameters"), [_row(both, speeds) for both in comparison.methods])


def _row(both: ComparedMethod, speeds: list[dict[str, tuple[str, str]]]) -> list[str]:
    sign = "" if math.isnan(both.difference) else f"{both.difference:+.3f}"
    return [
        both.title,
        *map(share, both.f1),
        sign or MISSING,
        interval(both.interval),
        MISSING if math.isnan(both.adjusted_p) else p_words(both.adjusted_p).removeprefix("p ").removeprefix("= "),
        f"{both.shared:,}" if both.shared else MISSING,
        *speeds[0][both.id],
        *speeds[1][both.other_id],
        "the same" if both.same_signature else "differ",
    ]


def _speeds(side: RunSide) -> dict[str, tuple[str, str]]:
    """Mean and median seconds of each method, in words."""
    timings = latencies(side.run, side.rows)
    return {m.id: (seconds(one.mean), seconds(one.p50)) for m, one in zip(side.run.methods, timings, strict=True)}
