"""Sentences of the Compare page, and the points it draws. Pure: no streamlit."""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from components.charts.spots import PaperSpot, Spot
from groundscope.grounding.latency import PAPERS_SPLIT, RESOLUTION, Latency
from groundscope.grounding.level_results import Level, LevelResult
from groundscope.grounding.paper_tables import SOURCE, TABLE_3
from groundscope.grounding.result_columns import coverage_words, interval, money, seconds, share
from groundscope.grounding.results import MethodResult, RunResults
from groundscope.statistics.significance import Front, pareto_front
from groundscope.text.humanize import plural

_BEST = " has the best F1"
Over = Literal["dev", "shown"]
"""The responses of the latency: dev as in the paper, or the responses shown."""

LEVEL_WORDS: dict[Level, str] = {"response": "Responses", "sentence": "Sentences", "span": "Characters"}
F1_WORDS: dict[Level, str] = {"response": "Macro-F1", "sentence": "Macro-F1 of sentences", "span": "F1 of wrong characters"}


def latency_of(method: MethodResult, over: Over) -> Latency:
    """The method's latency over dev, or over the responses shown."""
    return method.dev_latency if over == "dev" else method.latency


def spots(results: RunResults, over: Over, levels: Sequence[LevelResult] | None = None) -> list[Spot]:
    """The methods as points; F1 is of responses, or of `levels` if given."""
    return [_spot(m, latency_of(m, over), levels[i] if levels else None) for i, m in enumerate(results.methods)]


def _spot(method: MethodResult, latency: Latency, level: LevelResult | None) -> Spot:
    f1, ends = (method.scores.macro_f1, method.f1) if level is None else (level.f1, level.interval)
    # An F1 of 0 without any verdict says nothing about how well the method judges.
    f1 = f1 if level is not None or method.verdicts else float("nan")
    lines = [
        f"F1 {share(f1)}, 95 % {interval(ends)}",
        f"Mean: {latency_words(latency)}",
        f"{tail_words(latency)}, {latency.timed:,} of {latency.responses:,} timed",
        cost_words(method),
        coverage_words(method.coverage),
    ]
    if level is None:
        s = method.scores
        figures = f"Precision {share(s.precision)}, recall {share(s.recall)}, accuracy {share(s.accuracy)}"
        lines[1:1] = [figures, f"Errors found {share(s.error_recall)}, AUROC {share(method.auroc)}"]
        lines.append(f"Rule: {method.rule or 'none'}")
    return Spot(
        method.id,
        method.title,
        f1,
        ends.low,
        ends.high,
        latency.mean,
        latency.interval.low,
        latency.interval.high,
        method.cost,
        method.asks,
        tuple(lines),
        method.recorded,
    )


def latency_words(latency: Latency) -> str:
    """The mean with its interval."""
    if not latency.timed:
        return "not measured"
    if latency.mean < RESOLUTION:
        return "below the resolution of its clock"
    ends = "" if math.isnan(latency.interval.low) else f" (95 % {interval(latency.interval, seconds)})"
    return f"{seconds(latency.mean)} s{ends}"


def tail_words(latency: Latency) -> str:
    """The median and the 95th percentile."""
    return f"p50 {seconds(latency.p50)} s, p95 {seconds(latency.p95)} s" if latency.timed else "no p50 and p95"


def cost_words(method: MethodResult) -> str:
    """The cost of a response."""
    if method.recorded:
        return "The export has no cost" if math.isnan(method.cost) else f"{money(method.cost)} per response, as exported"
    if math.isnan(method.cost):
        return "Cost unknown: enter the model's price on the Methods page"
    return f"{money(method.cost)} per response" if method.asks else "Free: it runs within Groundscope"


def paper_spots(split: str | None) -> list[PaperSpot]:
    """The paper's table 3: its test figures where test is shown, else those on dev. Latencies are of dev."""
    name = "test" if split == "test" else "dev"
    printed = []
    for row in TABLE_3:
        f1 = (row.test if name == "test" else row.dev).macro_f1
        pace = "Latency not printed" if row.seconds is None else f"Printed mean on dev: {row.seconds} s"
        hover = (f"Printed F1 on the paper's {name}: {f1:.3f}", pace, SOURCE)
        printed.append(PaperSpot(row.name, f1, math.nan if row.seconds is None else row.seconds, hover))
    return printed


def front_of(points: Sequence[Spot]) -> Front:
    """The methods on the Pareto front."""
    return pareto_front(np.array([s.f1 for s in points]), np.array([s.seconds for s in points]))


def headline(points: Sequence[Spot]) -> list[str]:
    """The trade-off in a few sentences; empty if no method has an F1."""
    with_f1 = [s for s in points if not math.isnan(s.f1)]
    if not with_f1:
        return []
    # Of equally good ones the fastest; one that was not timed comes last.
    best = max(with_f1, key=lambda s: (s.f1, -math.inf if math.isnan(s.seconds) else -s.seconds))
    words = [f"{best.title}{_BEST}: {best.f1:.2f}{_ends(best)}{_pace(best)}."]
    front = front_of(points)
    if not front.members:
        return [*words, "No method was timed in this run."]
    fastest = points[front.members[0]]
    if fastest.id != best.id and not math.isnan(best.seconds):
        # A ratio to what no clock counts would say nothing.
        ratio = "" if fastest.instant else f": {times_words(best.seconds / fastest.seconds)} as fast"
        words.append(f"{fastest.title} is the fastest{ratio}{_pace(fastest)}, with an F1 of {fastest.f1:.2f}{_ends(fastest)}.")
    elif fastest.id == best.id and len(with_f1) > 1:
        words.append("It is also the fastest.")
    if len(front.members) > 2:
        between = [points[i].title for i in front.members[1:-1] if points[i].id != best.id]
        if between:
            words.append(f"Between them {'is' if len(between) == 1 else 'are'} {_list(between)}.")
    beaten = sum(j >= 0 for j in front.beaten_by)
    if beaten:
        some = plural(beaten, "method is", "methods are")
        words.append(f"{some} beaten by another one that is at least as good and at least as fast.")
    return words


def with_chance(words: Sequence[str], results: RunResults, sentences: Sequence[LevelResult]) -> list[str]:
    """The headline with which methods are shown to find wrong sentences better than a coin; first unless the best one is.

    Nothing is added where no sentence shows it.
    """
    titles = [m.title for m in results.methods]
    shown = chance_words(titles, sentences)
    if not shown:
        return list(words)
    better = [title for title, s in zip(titles, sentences, strict=True) if s.ranking.better_than_chance]
    crowned = any(words[0].startswith(f"{title}{_BEST}") for title in better)
    return [words[0], shown, *words[1:]] if crowned else [shown, *words]


def chance_words(titles: Sequence[str], sentences: Sequence[LevelResult]) -> str:
    """Which methods are shown to find wrong sentences better than a coin; empty where no sentence shows it."""
    if all(math.isnan(s.ranking.auroc) for s in sentences):
        return ""
    better = [title for title, s in zip(titles, sentences, strict=True) if s.ranking.better_than_chance]
    if not better:
        which = "with a score for each sentence" if any(math.isnan(s.ranking.auroc) for s in sentences) else "here"
        return f"No method {which} is shown to find wrong sentences better than chance."
    return f"Shown to find wrong sentences better than chance: {_list(better)}."


def _ends(spot: Spot) -> str:
    return "" if math.isnan(spot.low) else f" (95 % {spot.low:.2f} to {spot.high:.2f})"


def _pace(spot: Spot) -> str:
    if spot.instant:
        return ", faster than its clock can measure"
    return ", its speed not measured" if math.isnan(spot.seconds) else f", at {seconds(spot.seconds)} s per response"


def times_words(ratio: float) -> str:
    """How many times: "2.4 times", "1,020 times"."""
    return f"{ratio:.1f} times" if ratio < 10 else f"{float(f'{ratio:.2g}'):,.0f} times"


def _list(names: Sequence[str], most: int = 3) -> str:
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def alt(points: Sequence[Spot], what: str) -> str:
    """Alt text of the plot."""
    drawn = sum(not math.isnan(s.f1) for s in points)
    methods = plural(drawn, "method")
    return f"{what} of {methods} against seconds per response. {' '.join(headline(points))}".strip()


def over_words(over: Over, split_words: str, results: RunResults) -> str:
    """The title of the latency axis: the responses of the mean."""
    timed = [n for m in results.methods if (n := latency_of(m, over).timed)] or [0]
    number = f"{min(timed):,}" if min(timed) == max(timed) else f"{min(timed):,}–{max(timed):,}"
    of = f"{PAPERS_SPLIT}, as in the paper" if over == "dev" else split_words
    return f"Seconds per response, mean over {of} ({number} timed)"
