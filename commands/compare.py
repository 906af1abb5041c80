"""`compare`: two runs, method by method."""

import argparse
import math

from commands.reading import rules_of, split_of
from commands.terminal import DONE, say, show, table
from evaluation import run_list
from evaluation.latency import latencies
from evaluation.pairs import p_words
from evaluation.result_columns import MISSING, interval, seconds, share
from evaluation.store import Store
from evaluation.tuning import verdicts
from evaluation.two_runs import Both, Side, TwoRuns, two_runs


def compare(given: argparse.Namespace) -> int:
    """Both runs' F1 and seconds, and the differences where both judged the same responses."""
    split = split_of(given.split)
    first, second = (_side(given, named, split) for named in (given.run, given.other))
    found = two_runs(first, second)
    if found.methods:
        show(f"A: {_name(first)}\nB: {_name(second)}\n\n{_table(found, first, second)}")
    for side, ids in ((first, found.only_first), (second, found.only_second)):
        if ids:
            say(f"Only in {side.run.name}: {', '.join(ids)}.")
    if found.note:
        say(found.note)
    return DONE


def _side(given: argparse.Namespace, named: str, split: str | None) -> Side:
    run = run_list.find(named, Store())
    rules = rules_of(run, given.rules, named, *{given.run, given.other} - {named})
    return Side(run, verdicts(run, rules), rules, run.rows(split))


def _name(side: Side) -> str:
    return f"{side.run.name}, {len(side.rows):,} labelled responses of {side.run.source}"


def _table(found: TwoRuns, first: Side, second: Side) -> str:
    speeds = [_speeds(side) for side in (first, second)]
    head = ("method", "F1 A", "F1 B", "B less A", "95 % interval", "p, Holm", "responses")
    times = ("mean s A", "p50 s A", "mean s B", "p50 s B")
    return table((*head, *times, "parameters"), [_row(both, speeds) for both in found.methods])


def _row(both: Both, speeds: list[dict[str, tuple[str, str]]]) -> list[str]:
    sign = "" if math.isnan(both.difference) else f"{both.difference:+.3f}"
    return [
        both.title,
        *map(share, both.f1),
        sign or MISSING,
        interval(both.interval),
        MISSING if math.isnan(both.adjusted_p) else p_words(both.adjusted_p).removeprefix("p ").removeprefix("= "),
        f"{both.shared:,}" if both.shared else MISSING,
        *(cell for side in speeds for cell in side[both.id]),
        "the same" if both.same_signature else "differ",
    ]


def _speeds(side: Side) -> dict[str, tuple[str, str]]:
    """Mean and median seconds of each method, in words."""
    found = latencies(side.run, side.rows)
    return {m.id: (seconds(one.mean), seconds(one.p50)) for m, one in zip(side.run.methods, found, strict=True)}
