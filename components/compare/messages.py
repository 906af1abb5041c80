"""Sentences of the Compare page. Pure: no streamlit."""

import math
from collections.abc import Sequence

from components.opened.run_words import chance_words, listed_names
from groundscope.drawing.spots import Spot
from groundscope.grounding.comparing.comparisons import F1Standing, Pairs, words
from groundscope.grounding.level_results import Level, LevelResult
from groundscope.grounding.result_columns import seconds
from groundscope.text.humanize import plural

LEVEL_WORDS: dict[Level, str] = {"response": "Responses", "sentence": "Sentences", "span": "Characters", "three": "Three answers"}
F1_WORDS: dict[Level, str] = {
    "response": "Macro-F1",
    "sentence": "Macro-F1 of sentences",
    "span": "F1 of wrong characters",
    "three": "Macro-F1 of three answers",
}


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
    top = points[ranked[0]]
    if len(ranked) == 1:
        doubt = "" if shown.above else f" It is not shown to do better than chance, which reaches {shown.guess:.2f}."
        return [f"{top.title} has an F1 of {top.f1:.2f}{_ends(top)}{_pace(top)}.{doubt}"]
    like = [f"{points[i].title} ({points[i].f1:.2f})" for i in ranked[1:] if (ranked[0], i) not in shown.better]
    lines = [f"By F1 {top.title} ({top.f1:.2f}) cannot be distinguished from {listed_names(like)}."] if like else []
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


def _ends(spot: Spot) -> str:
    return "" if math.isnan(spot.low) else f" (95 % {spot.low:.2f} to {spot.high:.2f})"


def _pace(spot: Spot) -> str:
    if spot.instant:
        return ", faster than its clock can measure"
    return ", its speed not measured" if math.isnan(spot.seconds) else f", at {seconds(spot.seconds)} s per response"


def times_words(ratio: float) -> str:
    """How many times: "2.4 times", "1,020 times"."""
    return f"{ratio:.1f} times" if ratio < 10 else f"{float(f'{ratio:.2g}'):,.0f} times"


def alt(points: Sequence[Spot], what: str, lines: Sequence[str]) -> str:
    """Alt text of the plot, with the headline."""
    methods = plural(sum(not math.isnan(s.f1) for s in points), "method")
    return f"{what} of {methods} against seconds per response. {' '.join(lines)}".strip()
