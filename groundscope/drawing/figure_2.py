"""F1 against latency as in figure 2 of Trautmann et al. 2024: a run's methods as points, and the paper's."""

import math
from collections.abc import Sequence
from typing import Literal

from groundscope.drawing.spots import PaperSpot, Spot
from groundscope.grounding.comparing.comparisons import F1Standing, Pairs, standing
from groundscope.grounding.latency import PAPERS_SPLIT, RESOLUTION, Latency
from groundscope.grounding.level_results import LevelResult
from groundscope.grounding.paper_tables import RESPONSES, SOURCE, TABLE_3
from groundscope.grounding.result_columns import coverage_words, interval, money, seconds, share
from groundscope.grounding.results import MethodResult, RunResults
from groundscope.statistics.bootstrap import Interval

PAPER_NOTE = (
    "Hollow points are the paper's figures on the paper's own data: they show the range of similar methods, "
    "and are not directly comparable with yours."
)
Over = Literal["dev", "shown"]
"""The responses of the latency: dev as in the paper, or the responses shown."""


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
        method.part.asks,
        tuple(lines),
        method.part.recorded,
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
    if method.part.recorded:
        return "The export has no cost" if math.isnan(method.cost) else f"{money(method.cost)} per response, as exported"
    if math.isnan(method.cost):
        return "Cost unknown: enter the model's price on the Methods page"
    return f"{money(method.cost)} per response" if method.part.asks else "Free: it runs within Groundscope"


def paper_spots(split: str | None, *, dev_seconds: bool) -> list[PaperSpot]:
    """The paper's table 3: its test figures where test is shown, else those on dev, which alone have latencies.

    These count only beside `dev_seconds`: a latency over dev says nothing next to one over other responses.
    """
    name = "test" if split == "test" else PAPERS_SPLIT
    timed, size = dev_seconds and name == PAPERS_SPLIT, f"{name}, {RESPONSES[name]} responses"
    printed = []
    for row in TABLE_3:
        f1 = (row.test if name == "test" else row.dev).macro_f1
        pace = "Latency not printed" if row.seconds is None else f"Printed mean on dev: {row.seconds} s"
        hover = (f"Printed F1 on the paper's {size}: {f1:.3f}", pace, SOURCE)
        printed.append(PaperSpot(row.name, f1, row.seconds if timed and row.seconds else math.nan, size, hover))
    return printed


def standing_of(points: Sequence[Spot], compared: Pairs | None, guess: float = 0.5) -> F1Standing:
    """What is shown of the points: by the comparison of each two of them, or else by their own intervals."""
    ends = [Interval(s.low, s.high) for s in points]
    differences = None if compared is None else compared.differences
    return standing([s.f1 for s in points], ends, [s.seconds for s in points], differences, guess)


def over_words(over: Over, split_words: str, results: RunResults) -> str:
    """The title of the latency axis: the responses of the mean."""
    timed = [n for m in results.methods if (n := latency_of(m, over).timed)] or [0]
    number = f"{min(timed):,}" if min(timed) == max(timed) else f"{min(timed):,}–{max(timed):,}"
    of = f"{PAPERS_SPLIT}, as in the paper" if over == "dev" else split_words
    return f"Seconds per response, mean over {of} ({number} timed)"
