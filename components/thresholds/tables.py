"""Thresholds and their results as HTML tables. Pure: no streamlit."""

import math
from collections.abc import Mapping, Sequence

from components.thresholds import messages as words
from groundscope.drawing.html import explained, listed, region, table
from groundscope.experiments.plan import Part
from groundscope.grounding.rules.changed_verdicts import TradeOff
from groundscope.grounding.rules.generalization import SplitGap, cost
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tuning import Objective, Tuned, chosen, not_swept, rejected
from groundscope.statistics.bootstrap import Interval
from groundscope.statistics.calibration import IntervalEstimate
from groundscope.statistics.metrics import Confusion, scores


def tuned_html(run: RunData, tuned: Mapping[str, Tuned], tables: Mapping[str, Confusion], objective: Objective) -> str:
    """One row per tuned method, by the objective; notes below."""
    value = "Macro-F1" if objective.missed is None else "Cost per response"
    heads = ("Method", "Grounded if", "Tuned on", value, "Errors found", "False alarms", "No score")
    by_id = {m.id: m for m in run.methods}
    titles = {m.id: words.one_line(m.title) for m in run.methods}
    rows: list[tuple[str, ...]] = []
    notes: list[tuple[str, str]] = []
    for method in words.ranked(tuned, objective):
        best, counts = tuned[method], tables[method]
        rows.append(
            (
                titles[method],
                words.rule_words(best.rule, by_id[method]),
                f"{words.split_name(best.split)}, {best.responses:,}",
                words.number(best.value),
                _found(counts),
                words.share(counts.grounded_wrong, words.sound(counts)),
                f"{words.none(counts):,}",
            )
        )
        notes += [(titles[method], note) for note in (best.warning, _extreme(counts)) if note]
    notes += [(titles[m], note) for m, note in not_swept(run.methods).items() if m in tuned]
    for sweep, title in chosen(run.methods, rejected(run.methods, tuned, objective)).items():
        notes.append((words.one_line(title), f"Chosen of the sweep {sweep}; frozen thresholds show no other part of it."))
    return region("All methods, tuned", table(heads, rows), css="gs-across gs-nowrap") + listed(merged(notes))


def failed_lines(run: RunData, failed: Mapping[str, str]) -> list[str]:
    """Why methods have no rule, those with one reason together."""
    return merged([(words.one_line(m.title), failed[m.id]) for m in run.methods if m.id in failed])


def merged(notes: Sequence[tuple[str, str]]) -> list[str]:
    """Notes with equal words, merged into one with the titles of all their methods."""
    by_words: dict[str, list[str]] = {}
    for title, note in notes:
        by_words.setdefault(note, []).append(title)
    return [f"{', '.join(titles)}: {note}" for note, titles in by_words.items()]


def _extreme(table: Confusion) -> str:
    flagged = table.grounded_wrong + table.ungrounded_right
    passed = table.grounded_right + table.ungrounded_wrong
    if flagged and not passed:
        return "The best threshold flags every response."
    return "The best threshold flags no response." if passed and not flagged else ""


def live_html(now: Confusion, tuned: Confusion, threshold: float, tuned_threshold: float, objective: Objective) -> str:
    """The tuned and the chosen threshold, side by side."""
    before, after = _figures(tuned, tuned_threshold, objective), _figures(now, threshold, objective)
    rows = [(explained(name), figure, after[name]) for name, figure in before.items()]
    return f'<div class="gs-tables">{table(("", "Tuned", "Yours"), rows)}</div>'


def _figures(counts: Confusion, threshold: float, objective: Objective) -> dict[str, str]:
    flagged = counts.ungrounded_right + counts.grounded_wrong
    precision = counts.ungrounded_right / flagged if flagged else math.nan
    costs = {} if objective.missed is None else {"Cost per response": words.number(cost(counts, objective.missed))}
    return {
        "Threshold": f"{threshold:.4f}",
        "Macro-F1": words.number(scores(counts).macro_f1),
        **costs,
        "Precision of flags\nShare of the flagged responses that are ungrounded": words.number(precision),
        "Errors found\nShare of the ungrounded responses that are flagged": _found(counts),
        "Missed errors\nUngrounded responses that pass": f"{counts.ungrounded_wrong:,}",
        "False alarms\nGrounded responses that are flagged": f"{counts.grounded_wrong:,}",
        "No verdict": f"{words.none(counts):,}",
    }


def _found(counts: Confusion) -> str:
    return words.share(counts.ungrounded_right, words.errors(counts))


def trades_html(trades: Sequence[TradeOff], now: Confusion) -> str:
    """The false alarms that finding more errors costs, from the chosen threshold."""
    rows = [
        (
            _more(t.caught, now.ungrounded_right),
            _more(t.alarms, now.grounded_wrong),
            f"{abs(t.alarms / t.caught):.1f}" if t.caught else words.NONE,
            f"{t.threshold:.4f}",
        )
        for t in trades
    ]
    heads = ("Errors found", "False alarms", "False alarms an error", "At threshold")
    caption = "The cost of finding more errors, or the saving with fewer"
    return region(caption, table(heads, rows, caption=caption), css="gs-across")


def _more(change: int, now: int) -> str:
    return f"{change:+,} ({now + change:,})".replace("-", "−") if change else "as many"


def gaps_html(gaps: Sequence[SplitGap], methods: Sequence[Part], objective: Objective) -> str:
    """Test figures of frozen thresholds, in the order of `gaps`."""
    heads = (
        "Method", "Grounded if", "Tuned on", "Macro-F1 there", "Macro-F1 on test", "95 %, given the rule", "Gap",
        "Errors found", "False alarms", "No verdict", *(("Cost per response",) if objective.missed else ()),
    )  # fmt: skip
    rows = [
        (
            words.one_line(methods[g.method].title),
            words.rule_words(g.tuned.rule, methods[g.method]),
            words.split_name(g.tuned.split),
            words.number(g.dev),
            _with_span(words.number(g.test.macro_f1), g.interval),
            words.span(g.given),
            _with_span(_signed(g.gap), g.gap_interval),
            _recall(g),
            words.share(g.table.grounded_wrong, words.sound(g.table)),
            f"{words.none(g.table):,}",
            *((words.number(g.cost),) if objective.missed else ()),
        )
        for g in gaps
    ]
    return region("Frozen thresholds on test", table(heads, rows), css="gs-across gs-nowrap")


def _signed(value: float) -> str:
    return words.NONE if math.isnan(value) else f"{value:+.3f}".replace("-", "−")


def _with_span(value: str, interval: Interval) -> str:
    return value if math.isnan(interval.low) else f"{value} ({words.span(interval)})"


def _recall(gap: SplitGap) -> str:
    """The share of errors found with its interval, then the counts."""
    table, ends = gap.table, gap.error_interval
    if not words.errors(table):
        return words.NONE
    between = "" if math.isnan(ends.low) else f" ({ends.low * 100:.0f} to {words.percent(ends.high)})"
    return f"{words.percent(gap.test.error_recall)}{between}, {table.ungrounded_right:,} of {words.errors(table):,}"


def readings_html(readings: Sequence[tuple[str, int, IntervalEstimate, IntervalEstimate]]) -> str:
    """Calibration error and Brier score with intervals, one row per (supports, number of responses)."""
    rows = [
        (
            name,
            f"{count:,}",
            words.number(error.value),
            words.span(error.interval),
            words.number(brier.value),
            words.span(brier.interval),
        )
        for name, count, error, brier in readings
    ]
    heads = ("Supports", "Responses", "ECE", "95 % interval", "Brier", "95 % interval")
    return region("Calibration", table(heads, rows), css="gs-across gs-nowrap")
