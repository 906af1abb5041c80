"""Promises about misses as tables, and whether frozen ones held on other responses than they were found on."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import escape

import pandas as pd
import streamlit as st

from components import shell
from components.controls import table_csv
from components.thresholds import tables
from components.thresholds.tables import merged, one_line, split_name
from components.thresholds.tune import BY_MARK, TEST
from groundscope.drawing.html import explained, listed, region, table
from groundscope.errors import GroundscopeError
from groundscope.grounding.result_columns import MISSING
from groundscope.grounding.result_columns import share as figure
from groundscope.grounding.rules.frozen_rules import Decision
from groundscope.grounding.rules.promises import (
    MEANING,
    KeptPromise,
    SoughtPromise,
    keep_promises,
    made_here,
    other_cases,
    why_none,
)
from groundscope.grounding.runs.arrays import RunData
from groundscope.statistics.risk import MissLimit, MissRate, Promise
from groundscope.text.humanize import plural

_RATE = "Missed\nMean over queries of the share of what is wrong that is not flagged"
_ALARMS = "False alarms\nSound ones that are flagged"


def sought_html(searched: Mapping[str, SoughtPromise], titles: Mapping[str, str], limit: MissLimit) -> str:
    """One row per method: its promise, or the smallest that it could make; the fewest false alarms first; notes below."""
    heads = ("Method", "Promised", "Flagged below", "Found on", explained(_RATE), "Wrong ones missed", explained(_ALARMS))
    rows = [(one_line(titles[m]), *_row(searched[m])) for m in sorted(searched, key=lambda m: _order(searched[m]))]
    reasons = {m: why_none(sought.control, limit) for m, sought in searched.items() if sought.control.promise is None}
    notes = [(one_line(titles[m]), why) for m, why in reasons.items()]
    return region("Promises about misses", table(heads, rows)) + listed(merged(notes))


def _order(sought: SoughtPromise) -> tuple[bool, float]:
    promise, least = sought.control
    shown = promise or least
    return promise is None, shown.seen.alarms / max(1, shown.seen.sound) if shown else 2.0


def _row(sought: SoughtPromise) -> tuple[str, ...]:
    promise, least = sought.control
    shown = promise or least
    if shown is None:
        return ("no", *(MISSING,) * 5)
    promised = shown.limit.amount if promise else f"no; {shown.limit.amount.replace('most', 'best')}"
    split = split_name(sought.split)
    where = f"{split}, {plural(shown.seen.queries, 'query', 'queries')}"
    return promised.replace(" %", "\u00a0%"), f"{shown.threshold:.4f}", where, share(shown.seen.rate), *_counts(shown.seen)


def share(value: float) -> str:
    """A share in percent with a tenth."""
    return f"{100 * value:.1f}\u00a0%"


def _counts(seen: MissRate) -> tuple[str, str]:
    return tables.share(seen.missed, seen.wrong), tables.share(seen.alarms, seen.sound)


def kept_html(outcomes: Mapping[str, KeptPromise], titles: Mapping[str, str]) -> str:
    """One row per promise: what it missed on other responses, whether it held, and whether they are like its own."""
    heads = (
        "Method", "Promised", "Flagged below", explained(_RATE), "95 % interval", "Wrong ones missed", explained(_ALARMS),
        "The promise", explained("Alike, p\nKolmogorov-Smirnov test of supports by query; small = the queries differ"),
    )  # fmt: skip
    rows = []
    for method, outcome in outcomes.items():
        figures: tuple[str, ...] = (MISSING,) * 4
        if outcome.seen is not None:
            ends = outcome.seen.interval
            between = f"{100 * ends.low:.1f} to {100 * ends.high:.1f}\u00a0%"
            figures = share(outcome.seen.rate), between, *_counts(outcome.seen)
        value = "< 0.001" if outcome.likeness.p < 0.001 else figure(outcome.likeness.p)
        p = f"{value}{', they differ' if outcome.likeness.different else ''}"
        limit = outcome.promise.limit
        promised = f"{limit.amount}, {limit.confidence * 100:g}\u00a0% sure"
        below = f"{outcome.promise.threshold:.4f}"
        rows.append((one_line(titles[method]), promised, below, *figures, outcome.words, p))
    return region("Promises on other responses", table(heads, rows), css="gs-across gs-nowrap")


def sought_table(searched: Mapping[str, SoughtPromise], titles: Mapping[str, str], promised: Mapping[str, str]) -> pd.DataFrame:
    """The figures of `sought_html` as data; without a promise those of the smallest possible one. `promised` has phrases."""
    rows = []
    for method, sought in searched.items():
        promise, least = sought.control
        if shown := promise or least:
            rows.append(
                {
                    "method": titles[method],
                    "promised": promise is not None,
                    "split": sought.split,
                    **_figures(shown, shown.seen),
                    "promise": promised.get(method, ""),
                }
            )
    return pd.DataFrame(rows)


def kept_table(outcomes: Mapping[str, KeptPromise], titles: Mapping[str, str], promised: Mapping[str, str]) -> pd.DataFrame:
    """The figures of `kept_html` as data, methods in the order of the run. `promised` has phrases."""
    rows = []
    for method, outcome in outcomes.items():
        ends = outcome.seen.interval if outcome.seen else None
        rows.append(
            {
                "method": titles[method],
                "outcome": outcome.words,
                **_figures(outcome.promise, outcome.seen),
                "missed_low": ends and ends.low,
                "missed_high": ends and ends.high,
                "alike_p": outcome.likeness.p,
                "alike_distance": outcome.likeness.distance,
                "promise": promised.get(method, ""),
            }
        )
    return pd.DataFrame(rows)


def _figures(promise: Promise, seen: MissRate | None) -> dict[str, float | None]:
    counts = seen._asdict() if seen else dict.fromkeys(MissRate._fields)
    return {
        "limit": promise.limit.most,
        "confidence": promise.limit.confidence,
        "threshold": promise.threshold,
        "missed_by_query": counts["rate"],
        "queries": counts["queries"],
        f"missed_{promise.limit.of}": counts["missed"],
        f"wrong_{promise.limit.of}": counts["wrong"],
        "false_alarms": counts["alarms"],
        f"sound_{promise.limit.of}": counts["sound"],
    }


@contextmanager
def sentences_read() -> Iterator[None]:
    """Show a message where the sentences of the run cannot be read."""
    try:
        yield
    except (GroundscopeError, OSError, ValueError):
        shell.notice("bad", "The labelled sentences of this run cannot be read. Open the run again on the Runs page.")


@st.cache_data(max_entries=16, show_spinner="Reading the labelled sentences", hash_funcs=BY_MARK)
def _outcomes(run: RunData, decision: Decision, split: str | None) -> dict[str, KeptPromise]:
    return keep_promises(run, decision, split)


def show(run: RunData, decision: Decision) -> None:
    """The promises on test; on other cases without a test split, on all of them."""
    elsewhere = other_cases(run, decision)
    split = None if elsewhere and TEST not in run.labelled_splits() else TEST
    if made_here(run, decision, split):
        shell.notice("bad", "The promises were found on test itself, so test cannot confirm them.")
        return
    with sentences_read():
        outcomes = _outcomes(run, decision, split)
        titles = {m.id: m.title for m in run.methods}
        st.html(f'<h2 class="gs-small">Promises about misses, {"all responses" if split is None else split}</h2>')
        if elsewhere:
            _warn_of_other_cases(decision, outcomes, titles)
        st.html(kept_html(outcomes, titles))
        st.html(f'<p class="gs-note gs-measure">{escape(MEANING)}</p>')
        table_csv(kept_table(outcomes, titles, decision.promised), f"{run.name} promises kept", "thresholds_kept_csv")


def _warn_of_other_cases(decision: Decision, outcomes: dict[str, KeptPromise], titles: dict[str, str]) -> None:
    differ = any(one.likeness.different for one in outcomes.values())
    shell.notice(
        "bad" if differ else "info",
        f"These are other cases than those of the run {decision.run}, where the promises were found. "
        + (
            "For some methods the supports differ from those there: do not rely on their promises here."
            if differ
            else "Whether the promises carry over is not known: search again on labelled cases of this set."
        ),
    )
    st.html(listed(merged([(one_line(titles[m]), one.likeness.words) for m, one in outcomes.items()])))
