"""Words and figures of a run in the heads and cells of its tables. Pure: no streamlit."""

import math
from collections.abc import Sequence

import numpy as np

from groundscope.grounding import results
from groundscope.grounding.level_results import LevelResult
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tuning import HOW_WORDS, Rule
from groundscope.text.humanize import joined, shortened

_NAMED = 3


def titles(run: RunData) -> dict[str, str]:
    """Titles of methods by id, cut to a readable length; equal titles get the id added."""
    return {m.id: shortened(title, 60) for m, title in zip(run.methods, results.titles(run), strict=True)}


def percent(value: float) -> str:
    """A share in percent; a dash if there is none."""
    return "–" if np.isnan(value) else f"{value:.1%}"


def interval(low: float, high: float) -> str:
    """An interval in percent; empty if there is none."""
    return "" if np.isnan(low) else f"{100 * low:.0f}–{100 * high:.0f}%"


def rule_words(rule: Rule) -> str:
    """A rule in words: how the support is made, and the threshold."""
    how = "" if rule.how == "own" else f", {HOW_WORDS[rule.how]}"
    below = "" if rule.sentence_threshold is None else f" at {rule.sentence_threshold:.2f}"
    return f"threshold {rule.threshold:.2f}{how}{below}"


def chance_words(titles: Sequence[str], sentences: Sequence[LevelResult]) -> str:
    """Which methods are shown to find wrong sentences better than a coin; empty where no sentence shows it."""
    if all(math.isnan(s.ranking.auroc) for s in sentences):
        return ""
    better = [title for title, s in zip(titles, sentences, strict=True) if s.ranking.better_than_chance]
    if not better:
        which = "with a score for each sentence" if any(math.isnan(s.ranking.auroc) for s in sentences) else "here"
        return f"No method {which} is shown to find wrong sentences better than chance."
    return f"Shown to find wrong sentences better than chance: {listed_names(better)}."


def listed_names(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    more = len(names) - _NAMED
    return f"{', '.join(names[:_NAMED])} and {more:,} more" if more > 0 else joined(names)
