"""The columns of a results table, and how figures are written for people."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter as of

from groundscope.grounding.results import MethodResult
from groundscope.statistics.bootstrap import Interval
from groundscope.statistics.metrics import Coverage
from groundscope.text import humanize

Value = str | int | float
MISSING = "–"


def share(value: float) -> str:
    """Write a share with three decimals, as the paper prints them; a dash for NaN."""
    return MISSING if math.isnan(value) else f"{value:.3f}"


def seconds(value: float) -> str:
    """Write seconds with three figures that count, at most four decimals, whole from 100 on: "0.0123", "2.20"; a dash for NaN."""
    if math.isnan(value):
        return MISSING
    if value < 0.0001:
        return "<0.0001"
    digits = 0 if value >= 100 else 2 - math.floor(math.log10(value))
    return f"{value:,.{min(4, digits)}f}"


def money(value: float) -> str:
    """Write US dollars, small sums with four decimals, others with two; a dash for NaN, where the price is not known."""
    if math.isnan(value):
        return MISSING
    return "<$0.0001" if 0 < value < 0.0001 else humanize.money(value)


def interval(ends: Interval, write: Callable[[float], str] = share) -> str:
    """Write both ends of an interval with a dash between them; a dash alone where there is none."""
    return MISSING if math.isnan(ends.low) else f"{write(ends.low)}–{write(ends.high)}"


def coverage_words(coverage: Coverage) -> str:
    """Describe the outcomes of the responses; counts of zero are left out."""
    names = ("scored", "invalid", "abstained", "not_assessable", "failed", "pending")
    counts = [(name.replace("_", " "), getattr(coverage, name)) for name in names]
    parts = [f"{count:,} {name}" for name, count in counts if count or name == "scored"]
    cut = f"; of {coverage.truncated:,} the context was not read whole" if coverage.truncated else ""
    return f"{', '.join(parts)} of {coverage.total:,}{cut}"


def drawn_words(method: MethodResult) -> str:
    """Describe what the interval of a method's F1 resamples."""
    if math.isnan(method.f1.low):
        return ""
    return "these responses and those tuned on" if method.tuned_f1 else "these responses, given the rule"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a results table."""

    key: str
    head: str
    value: Callable[[MethodResult], Value]
    write: Callable[[float], str] | None = None
    about: str = ""


def _given(end: str) -> Callable[[MethodResult], float]:
    return lambda m: float(getattr(m.intervals["macro_f1"], end))


_COUNTS = {
    "scored": "responses with a support",
    "invalid": "answers that could not be read",
    "abstained": "responses on which the method declined to judge",
    "not_assessable": "responses without a sentence or a context to assess",
    "failed": "responses on which the method stopped with an error",
    "truncated": "scored responses whose context was not read whole",
    "pending": "responses that the run has not reached yet",
}

COLUMNS: tuple[Column, ...] = (
    Column("method", "Method", lambda m: m.title),
    Column("method_id", "Id", lambda m: m.id),
    Column("macro_f1", "F1", of("scores.macro_f1"), share, "macro-F1: the mean of the F1 of both classes"),
    Column("macro_f1_low", "F1 from", lambda m: m.f1.low, share, "the low end of its 95 % interval"),
    Column("macro_f1_high", "F1 to", lambda m: m.f1.high, share, "the high end of its 95 % interval"),
    Column("macro_f1_draws", "Interval draws", drawn_words, about="what the interval of F1 draws again and again"),
    *(
        Column(f"macro_f1_given_{end}", f"F1 {word}, given the rule", _given(end), share, "as if the rule had been known before")
        for end, word in (("low", "from"), ("high", "to"))
    ),
    Column("macro_precision", "Precision", of("scores.precision"), share, "the mean of both classes' precisions"),
    Column("macro_recall", "Recall", of("scores.recall"), share, "the mean of both classes' recalls"),
    Column("accuracy", "Accuracy", of("scores.accuracy"), share, "the share of responses with the right verdict"),
    Column("ungrounded_recall", "Errors found", of("scores.error_recall"), share, "share of ungrounded responses called so"),
    Column("auroc", "AUROC", lambda m: m.auroc, share, "how well supports rank, whatever the threshold; 0.5 is chance"),
    Column("responses", "Judged", lambda m: m.responses, about="responses that the figures are of"),
    Column("verdicts", "Verdicts", lambda m: m.verdicts, about="judged responses that have a verdict"),
    *(Column(k, k.replace("_", " ").capitalize(), of(f"coverage.{k}"), about=about) for k, about in _COUNTS.items()),
    Column("seconds_mean", "Seconds", of("latency.mean"), seconds, "mean a response, the model loaded"),
    Column("seconds_p50", "p50", of("latency.p50"), seconds, "half of the responses took at most this many seconds"),
    Column("seconds_p95", "p95", of("latency.p95"), seconds, "95 % of the responses took at most this many seconds"),
    Column("timed", "Timed", of("latency.timed"), about="responses whose seconds count: nothing of them was kept from before"),
    Column("dev_seconds_mean", "Seconds, dev", of("dev_latency.mean"), seconds, "mean over dev, as in the paper"),
    Column("dev_timed", "Timed, dev", of("dev_latency.timed"), about="responses of dev whose seconds count"),
    Column("cold_seconds", "Cold start", lambda m: m.cold_seconds, seconds, "seconds to load and score the first response"),
    Column("cost", "Cost", lambda m: m.cost, money, "US dollars a response; a dash where the price is not known"),
    Column("rule", "Rule", lambda m: m.rule, about="a response is called grounded where its support is at least the threshold"),
    Column("promise", "Promise", lambda m: m.promise, about="what the threshold promises about misses, for queries like those"),
    Column("signature", "Signature", lambda m: m.part.signature, about="figures with the same signature are comparable"),
    Column("note", "Note", lambda m: m.note),
)


PRINTED: tuple[tuple[str, Callable[[MethodResult], str]], ...] = (
    ("Method", lambda m: m.title),
    ("Precision", lambda m: share(m.scores.precision)),
    ("Recall", lambda m: share(m.scores.recall)),
    ("F1", lambda m: share(m.scores.macro_f1)),
    ("Accuracy", lambda m: share(m.scores.accuracy)),
    ("95 % of F1", lambda m: interval(m.f1)),
    ("Errors found", lambda m: share(m.scores.error_recall)),
    ("AUROC", lambda m: share(m.auroc)),
    ("Verdicts", lambda m: f"{m.verdicts:,} of {m.responses:,}"),
    ("Seconds", lambda m: seconds(m.latency.mean)),
)
"""What fits a page: the columns of the paper's table 3 in its order and digits, then what it lacks."""
