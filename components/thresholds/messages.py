"""Thresholds and their results in words. Pure: no streamlit; the caller escapes user text."""

import math
from collections.abc import Mapping, Sequence

from groundscope.experiments.plan import Part
from groundscope.grounding import results
from groundscope.grounding.rules.generalization import SplitGap
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tuning import Objective, Rule, Tuned
from groundscope.statistics.bootstrap import Interval
from groundscope.statistics.calibration import Bin
from groundscope.statistics.chance import AurocEstimate
from groundscope.statistics.metrics import Confusion
from groundscope.text.humanize import plural

NONE = "–"
_FEW_QUERIES = 30


def number(value: float, digits: int = 3) -> str:
    """A figure; a dash if there is none."""
    return NONE if math.isnan(value) else f"{value:.{digits}f}"


def percent(value: float) -> str:
    """A share in percent, without a line break before the sign."""
    return f"{round(value * 100)}\u00a0%"


def share(part: int, whole: int) -> str:
    """As "63 of 80 (79 %)"; a dash of nothing."""
    return f"{part:,} of {whole:,} ({percent(part / whole)})" if whole else NONE


def span(interval: Interval, digits: int = 3) -> str:
    """Both ends of an interval; a dash where there is none."""
    return NONE if math.isnan(interval.low) else f"{interval.low:.{digits}f} to {interval.high:.{digits}f}".replace("-", "−")


def rule_words(rule: Rule, method: Part) -> str:
    """When a response is called grounded."""
    return results.rule_words(rule, method, 4)


def ranking_words(estimate: AurocEstimate) -> str:
    """Whether supports are shown to rank responses better than a coin; empty where there is nothing to rank."""
    if math.isnan(estimate.auroc):
        return ""
    low, high = estimate.interval.low, estimate.interval.high
    ends = "" if math.isnan(low) else f" (95 % {low:.2f} to {high:.2f}, by query)"
    shown = "is shown" if estimate.better_than_chance else "is not shown"
    return f"It {shown} to rank these responses better than chance: AUROC {estimate.auroc:.2f}{ends}."


def errors(table: Confusion) -> int:
    """How many responses are ungrounded."""
    return table.ungrounded_right + table.ungrounded_wrong + table.ungrounded_none


def sound(table: Confusion) -> int:
    """How many responses are grounded."""
    return table.grounded_right + table.grounded_wrong + table.grounded_none


def none(table: Confusion) -> int:
    """How many responses have no verdict."""
    return table.grounded_none + table.ungrounded_none


def split_name(split: str) -> str:
    """The name of a split."""
    return split or "no split"


def size(run: RunData, split: str) -> str:
    """As "316 responses to 115 queries"."""
    rows = run.rows(split)
    queries = len(set(run.groups[rows].tolist()))
    return f"{plural(len(rows), 'response')} to {plural(queries, 'query', 'queries')}"


def few_words(run: RunData, split: str) -> str:
    """A doubt where a split has few queries, as the end of a clause."""
    return ", so few that the threshold may be chance" if len(set(run.groups[run.rows(split)].tolist())) < _FEW_QUERIES else ""


def ranked(tuned: Mapping[str, Tuned], objective: Objective) -> list[str]:
    """Method ids, the best first: of the highest macro-F1, or of the lowest cost."""
    sign = 1 if objective.missed is None else -1
    return sorted(tuned, key=lambda m: math.inf if math.isnan(tuned[m].value) else -sign * tuned[m].value)


def one_line(title: str) -> str:
    """A title of a user or a file on one line."""
    return " ".join(title.split()) or "(no name)"


def live_words(now: Confusion, before: Confusion, threshold: float) -> str:
    """The effect of a threshold, and its change against the tuned one, in a sentence."""
    caught, alarms = now.ungrounded_right, now.grounded_wrong
    words = (
        f"Flag responses below {threshold:.4f}: that finds {share(caught, errors(now))} ungrounded ones "
        f"and raises false alarms on {share(alarms, sound(now))} grounded ones"
    )
    more, false = caught - before.ungrounded_right, alarms - before.grounded_wrong
    if not more and not false:
        return f"{words}, as at the tuned threshold."
    return f"{words}: {_change(more, 'error')} found, {_change(false, 'false alarm')} than at the tuned threshold."


def _change(change: int, name: str) -> str:
    count = f"{abs(change):,} {'more' if change > 0 else 'fewer'}" if change else "no more"
    return f"{count} {name}{'' if abs(change) == 1 else 's'}"


def by_macro_f1(gaps: Sequence[SplitGap]) -> list[SplitGap]:
    """The best on test first, those without a figure last."""
    return sorted(gaps, key=lambda g: math.inf if math.isnan(g.test.macro_f1) else -g.test.macro_f1)


def calibration_words(split: str, shown: Bin) -> str:
    """A sentence about the calibration of a bin."""
    return (
        f"Of the {plural(shown.count, 'response')} of {split} that it gives {shown.lower:.1f} to "
        f"{shown.upper:.1f}, {percent(shown.grounded)} {'is' if shown.count == 1 else 'are'} grounded; "
        f"calibrated, it would be {percent(shown.support)}."
    )
