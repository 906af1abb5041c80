"""Sentences of the Compare page, and the points it draws. Pure: no streamlit."""

import math
from collections.abc import Sequence
from typing import Literal

from components.charts.spots import PaperSpot, Spot
from groundscope.grounding.comparing.comparisons import F1Standing, Pairs, standing, words
from groundscope.grounding.latency import PAPERS_SPLIT, RESOLUTION, Latency
from groundscope.grounding.level_results import Level, LevelResult
from groundscope.grounding.paper_tables import SOURCE, TABLE_3
from groundscope.grounding.result_columns import coverage_words, interval, money, seconds, share
from groundscope.grounding.results import MethodResult, RunResults
from groundscope.statistics.bootstrap import Interval
from groundscope.text.humanize import joined, plural

Over = Literal["dev", "shown"]
"""The responses of the latency: dev as in the paper, or the responses shown."""

LEVEL_WORDS: dict[Level, str] = {"response": "Responses", "sentence": "Sentences", "span": "Characters", "three": "Three answers"}
F1_WORDS: dict[Level, str] = {
    "response": "Macro-F1",
    "sentence": "Macro-F1 of sentences",
    "span": "F1 of wrong characters",
    "three": "Macro-F1 of three answers",
}


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


def standing_of(points: Sequence[Spot], compared: Pairs | None, guess: float = 0.5) -> F1Standing:
    """What is shown of the points: by the comparison of each two of them, or else by their own intervals."""
    ends = [Interval(s.low, s.high) for s in points]
    differences = None if compared is None else compared.differences
    return standing([s.f1 for s in points], ends, [s.seconds for s in points], differences, guess)


def headline(points: Sequence[Spot], shown: F1Standing) -> list[str]:
    """Which method is best and which is fastest, as far as that is more than chance; empty if no method has an F1."""
    ranked = sorted(
        (i for i, s in enumerate(points) if not math.isnan(s.f1)),
        key=lambda i: (-points[i].f1, math.isnan(points[i].seconds), points[i].seconds),
    )
    if not ranked:
        return []
    top, more = points[ranked[0]], points[ranked[1]] if len(ranked) > 1 else None
    if shown.best is not None and more:
        lines = [
            f"{top.title} has the best F1: {top.f1:.2f}{_ends(top)}{_pace(top)}.",
            f"It is clearly above the next, {more.title} ({more.f1:.2f}), and above what chance reaches ({shown.guess:.2f}).",
        ]
    else:
        lines = _undecided(points, ranked, shown)
    if all(math.isnan(points[i].seconds) for i in ranked):
        return [*lines, "No method was timed in this run."]
    return [*lines, *_fastest(points, ranked, shown.best)]


def _undecided(points: Sequence[Spot], ranked: Sequence[int], shown: F1Standing) -> list[str]:
    """Why no method is called the best."""
    top = points[ranked[0]]
    if len(ranked) == 1:
        doubt = "" if shown.above else f" It is not shown to do better than chance, which reaches {shown.guess:.2f}."
        return [f"{top.title} has an F1 of {top.f1:.2f}{_ends(top)}{_pace(top)}.{doubt}"]
    like = [f"{points[i].title} ({points[i].f1:.2f})" for i in ranked[1:] if (ranked[0], i) not in shown.better]
    lines = [f"By F1 {top.title} ({top.f1:.2f}) cannot be distinguished from {_list(like)}."] if like else []
    if not shown.above:
        return [f"No method is shown to judge better than chance, which reaches an F1 of {shown.guess:.2f}.", *lines]
    if ranked[0] not in shown.above:
        lines.append(f"{top.title}{_ends(top)} is not shown to do better than chance, which reaches {shown.guess:.2f}.")
    return ["No method can be called the best.", *lines]


def _fastest(points: Sequence[Spot], ranked: Sequence[int], best: int | None) -> list[str]:
    """The fastest method, where its interval ends before the next one's begins."""
    timed = sorted((i for i in ranked if not math.isnan(points[i].seconds)), key=lambda i: points[i].seconds)
    if len(timed) < 2 or any(not points[timed[0]].slow < points[i].fast for i in timed[1:]):
        return []
    first, after = points[timed[0]], points[timed[1]]
    if timed[0] == best:
        return ["It is also the fastest."]
    # A ratio to what no clock counts would say nothing.
    ratio = "" if first.instant else f", {times_words(after.seconds / first.seconds)} as fast as {after.title}"
    return [f"{first.title} is the fastest{_pace(first)}{ratio}, with an F1 of {first.f1:.2f}{_ends(first)}."]


def figures(points: Sequence[Spot], compared: Pairs | None) -> list[str]:
    """The figures behind the headline: the highest F1 against each other one, or the intervals of a level without pairs."""
    ranked = sorted((i for i, s in enumerate(points) if not math.isnan(s.f1)), key=lambda i: -points[i].f1)
    titles = [s.title for s in points]
    if compared is None or not compared.differences:
        return [f"{titles[i]}: F1 {points[i].f1:.3f}{_ends(points[i])}." for i in ranked]
    mine = {frozenset((d.first, d.second)): d for d in compared.differences}
    return [words(mine[pair], titles) for i in ranked[1:] if (pair := frozenset((ranked[0], i))) in mine]


def with_chance(lines: Sequence[str], titles: Sequence[str], sentences: Sequence[LevelResult], best: int | None) -> list[str]:
    """The headline, and which methods are shown to find wrong sentences better than a coin; first unless a method is best."""
    shown = chance_words(titles, sentences)
    if not shown:
        return list(lines)
    return [shown, *lines] if best is None else [lines[0], shown, *lines[1:]]


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
    return joined(names)


def alt(points: Sequence[Spot], what: str, lines: Sequence[str]) -> str:
    """Alt text of the plot, with the headline."""
    drawn = sum(not math.isnan(s.f1) for s in points)
    methods = plural(drawn, "method")
    return f"{what} of {methods} against seconds per response. {' '.join(lines)}".strip()


def over_words(over: Over, split_words: str, results: RunResults) -> str:
    """The title of the latency axis: the responses of the mean."""
    timed = [n for m in results.methods if (n := latency_of(m, over).timed)] or [0]
    number = f"{min(timed):,}" if min(timed) == max(timed) else f"{min(timed):,}–{max(timed):,}"
    of = f"{PAPERS_SPLIT}, as in the paper" if over == "dev" else split_words
    return f"Seconds per response, mean over {of} ({number} timed)"
