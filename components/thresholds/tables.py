"""Thresholds and their results in words and HTML tables. Pure: no streamlit; the caller escapes user text of sentences."""

import math
from collections.abc import Mapping, Sequence

from groundscope.drawing.html import explained, listed, region, table
from groundscope.experiments.plan import Part
from groundscope.grounding.result_columns import MISSING
from groundscope.grounding.result_columns import share as figure
from groundscope.grounding.results import rule_words
from groundscope.grounding.rules.generalization import SplitGap, TradeOff, cost
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tuning import Objective, Tuned, chosen, not_swept, rejected
from groundscope.statistics.bootstrap import Interval
from groundscope.statistics.calibration import Bin, IntervalEstimate
from groundscope.statistics.chance import AurocEstimate
from groundscope.statistics.metrics import Confusion, scores
from groundscope.text.humanize import plural


def percent(value: float) -> str:
    """A share in percent, without a line break before the sign."""
    return f"{round(value * 100)}\u00a0%"


def share(part: int, whole: int) -> str:
    """As "63 of 80 (79 %)"; a dash of nothing."""
    return f"{part:,} of {whole:,} ({percent(part / whole)})" if whole else MISSING


def span(interval: Interval) -> str:
    """Both ends of an interval; a dash where there is none."""
    return MISSING if math.isnan(interval.low) else f"{interval.low:.3f} to {interval.high:.3f}".replace("-", "−")


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
    return ", so few that the threshold may be chance" if len(set(run.groups[run.rows(split)].tolist())) < 30 else ""


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


def tuned_html(run: RunData, tuned: Mapping[str, Tuned], tables: Mapping[str, Confusion], objective: Objective) -> str:
    """One row per tuned method, by the objective; notes below."""
    value = "Macro-F1" if objective.missed is None else "Cost per response"
    heads = ("Method", "Grounded if", "Tuned on", value, "Errors found", "False alarms", "No score")
    by_id = {m.id: m for m in run.methods}
    titles = {m.id: one_line(m.title) for m in run.methods}
    rows: list[tuple[str, ...]] = []
    notes: list[tuple[str, str]] = []
    for method in ranked(tuned, objective):
        best, counts = tuned[method], tables[method]
        rows.append(
            (
                titles[method],
                rule_words(best.rule, by_id[method], 4),
                f"{split_name(best.split)}, {best.responses:,}",
                figure(best.value),
                _errors_found(counts),
                share(counts.grounded_wrong, sound(counts)),
                f"{none(counts):,}",
            )
        )
        notes += [(titles[method], note) for note in (best.warning, _extreme(counts)) if note]
    notes += [(titles[m], note) for m, note in not_swept(run.methods).items() if m in tuned]
    for sweep, title in chosen(run.methods, rejected(run.methods, tuned, objective)).items():
        notes.append((one_line(title), f"Chosen of the sweep {sweep}; frozen thresholds show no other part of it."))
    return region("All methods, tuned", table(heads, rows), css="gs-across gs-nowrap") + listed(merged(notes))


def failed_lines(run: RunData, failed: Mapping[str, str]) -> list[str]:
    """Why methods have no rule, those with one reason together."""
    return merged([(one_line(m.title), failed[m.id]) for m in run.methods if m.id in failed])


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
    costs = {} if objective.missed is None else {"Cost per response": figure(cost(counts, objective.missed))}
    return {
        "Threshold": f"{threshold:.4f}",
        "Macro-F1": figure(scores(counts).macro_f1),
        **costs,
        "Precision of flags\nShare of the flagged responses that are ungrounded": figure(precision),
        "Errors found\nShare of the ungrounded responses that are flagged": _errors_found(counts),
        "Missed errors\nUngrounded responses that pass": f"{counts.ungrounded_wrong:,}",
        "False alarms\nGrounded responses that are flagged": f"{counts.grounded_wrong:,}",
        "No verdict": f"{none(counts):,}",
    }


def _errors_found(counts: Confusion) -> str:
    return share(counts.ungrounded_right, errors(counts))


def trades_html(trades: Sequence[TradeOff], now: Confusion) -> str:
    """The false alarms that finding more errors costs, from the chosen threshold."""
    rows = [
        (
            _more(t.caught, now.ungrounded_right),
            _more(t.alarms, now.grounded_wrong),
            f"{abs(t.alarms / t.caught):.1f}" if t.caught else MISSING,
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
            one_line(methods[g.method].title),
            rule_words(g.tuned.rule, methods[g.method], 4),
            split_name(g.tuned.split),
            figure(g.dev),
            _with_span(figure(g.test.macro_f1), g.interval),
            span(g.given),
            _with_span(MISSING if math.isnan(g.gap) else f"{g.gap:+.3f}".replace("-", "−"), g.gap_interval),
            _recall(g),
            share(g.table.grounded_wrong, sound(g.table)),
            f"{none(g.table):,}",
            *((figure(g.cost),) if objective.missed else ()),
        )
        for g in gaps
    ]
    return region("Frozen thresholds on test", table(heads, rows), css="gs-across gs-nowrap")


def _with_span(value: str, interval: Interval) -> str:
    return value if math.isnan(interval.low) else f"{value} ({span(interval)})"


def _recall(gap: SplitGap) -> str:
    """The share of errors found with its interval, then the counts."""
    table, ends = gap.table, gap.error_interval
    if not errors(table):
        return MISSING
    between = "" if math.isnan(ends.low) else f" ({ends.low * 100:.0f} to {percent(ends.high)})"
    return f"{percent(gap.test.error_recall)}{between}, {table.ungrounded_right:,} of {errors(table):,}"


def readings_html(readings: Sequence[tuple[str, int, IntervalEstimate, IntervalEstimate]]) -> str:
    """Calibration error and Brier score with intervals, one row per (supports, number of responses)."""
    rows = [
        (name, f"{count:,}", figure(error.value), span(error.interval), figure(brier.value), span(brier.interval))
        for name, count, error, brier in readings
    ]
    heads = ("Supports", "Responses", "ECE", "95 % interval", "Brier", "95 % interval")
    return region("Calibration", table(heads, rows), css="gs-across gs-nowrap")
