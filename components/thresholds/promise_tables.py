"""Promises about misses as tables and words. Pure: no streamlit."""

from collections.abc import Mapping

import pandas as pd

from components.thresholds import messages as words
from components.thresholds.tables import merged
from groundscope.drawing.html import explained, listed, region, table
from groundscope.grounding.rules.promises import KeptPromise, SoughtPromise, why_none
from groundscope.statistics.risk import MissLimit, MissRate, Promise, percent_up
from groundscope.text.humanize import plural

_RATE = "Missed\nMean over queries of the share of their wrong sentences that is not flagged"
_ALARMS = "False alarms\nSound sentences that are flagged"


def sought_html(
    found: Mapping[str, SoughtPromise], failed: Mapping[str, str], titles: Mapping[str, str], limit: MissLimit
) -> str:
    """One row per method: its promise, or the smallest that it could make; the fewest false alarms first; notes below."""
    heads = ("Method", "Promised", "Flagged below", "Found on", explained(_RATE), "Wrong sentences missed", explained(_ALARMS))
    rows = [(words.one_line(titles[m]), *_row(found[m], limit)) for m in sorted(found, key=lambda m: _order(found[m]))]
    rows += [(words.one_line(titles[m]), *(words.NONE,) * 6) for m in failed]
    reasons = {m: why_none(sought.control, limit) for m, sought in found.items() if sought.control.promise is None}
    notes = [(words.one_line(titles[m]), why) for m, why in {**reasons, **failed}.items()]
    return region("Promises about misses", table(heads, rows), css="gs-across gs-nowrap") + listed(merged(notes))


def _order(sought: SoughtPromise) -> tuple[bool, float]:
    promise, least = sought.control
    shown = promise or least
    return promise is None, shown.seen.alarms / max(1, shown.seen.sound) if shown else 2.0


def _row(sought: SoughtPromise, limit: MissLimit) -> tuple[str, ...]:
    promise, least = sought.control
    shown = promise or least
    if shown is None:
        return ("no", *(words.NONE,) * 5)
    said = f"at most {percent_up(limit.most)}" if promise else f"no; at best {percent_up(shown.limit.most)}"
    split = words.split_name(sought.split)
    where = f"{split}, {plural(shown.seen.queries, 'query', 'queries')}"
    return said, f"{shown.threshold:.4f}", where, share(shown.seen.rate), *_counts(shown.seen)


def share(value: float) -> str:
    """A share in percent with a tenth."""
    return f"{100 * value:.1f}\u00a0%"


def _counts(seen: MissRate) -> tuple[str, str]:
    return words.share(seen.missed, seen.wrong), words.share(seen.alarms, seen.sound)


def kept_html(kept: Mapping[str, KeptPromise], titles: Mapping[str, str]) -> str:
    """One row per promise: what it missed on other responses, whether it held, and whether they are like its own."""
    heads = (
        "Method", "Promised", "Flagged below", explained(_RATE), "95 % interval", "Wrong sentences missed", explained(_ALARMS),
        "The promise", explained("Alike, p\nKolmogorov-Smirnov test of supports by query; small = the queries differ"),
    )  # fmt: skip
    rows = []
    for method, one in kept.items():
        figures: tuple[str, ...] = (words.NONE,) * 4
        if one.seen is not None:
            ends = one.seen.interval
            between = f"{100 * ends.low:.1f} to {100 * ends.high:.1f}\u00a0%"
            figures = share(one.seen.rate), between, *_counts(one.seen)
        value = "< 0.001" if one.likeness.p < 0.001 else words.number(one.likeness.p)
        p = f"{value}{', they differ' if one.likeness.different else ''}"
        rows.append((words.one_line(titles[method]), *_said(one.promise), *figures, one.words, p))
    return region("Promises on other responses", table(heads, rows), css="gs-across gs-nowrap")


def _said(promise: Promise) -> tuple[str, str]:
    limit = promise.limit
    return f"at most {percent_up(limit.most)}, {limit.confidence * 100:g}\u00a0% sure", f"{promise.threshold:.4f}"


def likeness_words(kept: Mapping[str, KeptPromise], titles: Mapping[str, str]) -> list[str]:
    """What the test of other cases shows, a sentence for each method."""
    return merged([(words.one_line(titles[m]), one.likeness.words) for m, one in kept.items()])


def sought_table(found: Mapping[str, SoughtPromise], titles: Mapping[str, str], promised: Mapping[str, str]) -> pd.DataFrame:
    """The figures of `sought_html` as data; without a promise those of the smallest possible one. `promised` has phrases."""
    rows = []
    for method, sought in found.items():
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


def kept_table(kept: Mapping[str, KeptPromise], titles: Mapping[str, str], promised: Mapping[str, str]) -> pd.DataFrame:
    """The figures of `kept_html` as data, methods in the order of the run. `promised` has phrases."""
    rows = []
    for method, one in kept.items():
        ends = one.seen.interval if one.seen else None
        rows.append(
            {
                "method": titles[method],
                "outcome": one.words,
                **_figures(one.promise, one.seen),
                "missed_low": ends and ends.low,
                "missed_high": ends and ends.high,
                "alike_p": one.likeness.p,
                "alike_distance": one.likeness.distance,
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
        "missed_sentences": counts["missed"],
        "wrong_sentences": counts["wrong"],
        "false_alarms": counts["alarms"],
        "sound_sentences": counts["sound"],
    }
