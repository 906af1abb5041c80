"""Choosing a cascade's band of doubt from a finished run that holds both methods: nothing is asked again.

For every band between quantiles of the first method's sentence supports on dev: what share of the sentences the second would be
asked about, what that takes in seconds and US dollars by the run's own records, and the macro-F1 at the threshold that is best on
dev. The best band within a budget is proposed; none where the second method is no better than the first on dev, or where no band
is better than the first alone.
"""

import math
from itertools import combinations

import numpy as np

from groundscope.errors import DataError
from groundscope.grounding.runs.arrays import RunData
from groundscope.statistics.curves import best, curve
from groundscope.training.cascade_bands import CascadeBand, CascadeBudget, CascadeChoice
from groundscope.training.cascade_files import Asked, Bools, CascadePart, Floats, cascaded
from groundscope.training.cascade_records import DEV, PairRecords, records, taken

QUANTILES = 21
"""Ends of bands that are tried: each twentieth of the first method's sentences lies between two."""
_DIGITS = 12


def part_of(run: RunData, place: int, kept: PairRecords, whole: Floats) -> CascadePart:
    """Describe a method of a run as a part of a cascade, with the threshold that is best on the records."""
    method, threshold = run.methods[place], _tuned(whole, kept.gold, run.methods[place].title)[0]
    return CascadePart(method.id, method.loads, method.signature, threshold, dict(method.options), method.title)


def _tuned(supports: Floats, gold: Bools, title: str) -> tuple[float, float]:
    """The best threshold and its macro-F1."""
    if np.isnan(supports).all():
        raise DataError(f"{title} gives no labelled response of {DEV} a support, so nothing can be tuned on it.")
    found = curve(supports, gold)
    quality = found.macro_f1()
    at = best(quality)
    return float(found.thresholds[at]), float(quality[at])


def checked(run: RunData, first: str, second: str) -> tuple[int, int]:
    """Find two methods that a cascade can be made of.

    Raises:
        ValueError: the run lacks one, both are the same, or one of them cannot be a part of a cascade; the message says why.
    """
    places = run.method(first), run.method(second)
    one, two = (run.methods[place] for place in places)
    if one.signature == two.signature:
        raise ValueError(
            f"A cascade needs two different methods; {first} and {second} judge alike. Choose another second method."
        )
    for method in (one, two):
        if method.recorded:
            raise ValueError(
                f"The scores of {method.id} came from another tool, which cannot be asked here; choose another method."
            )
        if method.loads.partition(":")[0] == "cascade":
            raise ValueError("A cascade cannot be a part of a cascade; name its methods themselves.")
    if one.asks:
        # Its texts would go to a second address, and it would cost something for every response.
        raise ValueError(f"{first} asks a chat model; the first method of a cascade works on this machine alone.")
    return places


def choose(
    run: RunData, first: str, second: str, budget: CascadeBudget | None = None, asked: Asked | None = None, split: str = DEV
) -> CascadeChoice:
    """Choose the band of doubt with the best macro-F1 within a budget.

    Raises:
        DataError: no response of the split is judged by both, they have one label alone, or the first judges no sentences.
    """
    places = checked(run, first, second)
    found = records(run, *places, split)
    judged, titles = found.judged, [run.methods[place].title for place in places]
    if found.gold.all() or not found.gold.any():
        label = "grounded" if found.gold.all() else "ungrounded"
        raise DataError(
            f"All labelled responses of {split or 'no split'} that both methods judged ({len(found.gold):,}) are {label}: a "
            "threshold needs both labels. Run both methods on a set that has both."
        )
    if np.isnan(judged.first).all():
        raise DataError(f"{titles[0]} gives no sentence a support; the first method of a cascade must judge single sentences.")
    whole = bool(run.methods[places[1]].asks or np.isnan(judged.second).all())
    reads: Asked = asked or ("answer" if whole else "sentences")
    parts = [part_of(run, p, found, s) for p, s in zip(places, (judged.first_whole, judged.second_whole), strict=True)]
    thresholds = parts[0].threshold, parts[1].threshold
    never = measured(found, 0.0, 0.0, thresholds, reads)
    bands = tuple(measured(found, low, high, thresholds, reads) for low, high in _grid(judged.first))
    everywhere = np.ones(len(found.gold))
    threshold, value = _tuned(judged.second_whole, found.gold, titles[1])
    always = CascadeBand(0.0, 1.0, threshold, value, 1.0, 1.0, *found.take(1, everywhere))
    budget = budget or CascadeBudget()
    queries = len(np.unique(found.groups))
    chosen, why = _proposed(bands, (never, always), budget, titles, split or "no split")
    one, two = parts
    return CascadeChoice(one, two, reads, budget, split, len(found.gold), queries, never, always, bands, chosen, why)


def _grid(supports: Floats) -> list[tuple[float, float]]:
    """Ends of bands: quantiles of the sentences' supports, the outermost reaching to 0 and 1."""
    inner = np.nanquantile(supports, np.linspace(0, 1, QUANTILES)[1:-1])
    return list(combinations(np.unique([0.0, *np.clip(inner, 0, 1), 1.0]).tolist(), 2))


def measured(found: PairRecords, low: float, high: float, thresholds: tuple[float, float], asked: Asked) -> CascadeBand:
    """Measure a band, at the threshold that is best on these responses."""
    made = cascaded(found.judged, low, high, thresholds)
    known = not np.isnan(made.responses).all()
    threshold, value = _tuned(made.responses, found.gold, "The cascade") if known else (0.5, 0.0)
    return CascadeBand(low, high, threshold, value, *taken(found, made, asked))


def _proposed(
    bands: tuple[CascadeBand, ...],
    alone: tuple[CascadeBand, CascadeBand],
    budget: CascadeBudget,
    titles: list[str],
    split: str,
) -> tuple[CascadeBand | None, str]:
    """The band to propose, or why there is none; `alone` are the first method and the second by themselves."""
    never, always = alone
    if round(always.macro_f1 - never.macro_f1, _DIGITS) <= 0:
        return None, (
            f"{titles[1]} is no better than {titles[0]} on {split} (macro-F1 {always.macro_f1:.3f} and {never.macro_f1:.3f}), so "
            "no cascade is proposed. Choose another second method."
        )
    within = [band for band in bands if budget.allows(band)]
    if not within:
        return None, f"No band keeps to {budget.words}; {_least(bands, never)}. Allow more, or choose a faster first method."
    top = max(within, key=lambda b: (round(b.macro_f1, _DIGITS), -b.share, -b.seconds if b.seconds == b.seconds else 0.0))
    if round(top.macro_f1 - never.macro_f1, _DIGITS) <= 0:
        within_words = f" that keeps to {budget.words}" if budget.words else ""
        return None, (
            f"No band{within_words} is better on {split} than {titles[0]} alone (macro-F1 {never.macro_f1:.3f}), so no cascade "
            "is proposed."
        )
    if top.share >= 1:
        return None, (
            f"Nothing short of asking {titles[1]} about every sentence reaches its macro-F1 on {split}, so no cascade is "
            "proposed. Set a budget to find the best band below that."
        )
    return top, ""


def _least(bands: tuple[CascadeBand, ...], never: CascadeBand) -> str:
    """What there is to know where no band keeps to a budget."""
    seconds = [b.seconds for b in bands if not math.isnan(b.seconds)]
    figures = "the run has no seconds that count"
    if seconds:
        figures = f"the fastest takes {min(seconds):.3f} s a response, the first method alone {never.seconds:.3f} s"
    unpriced = all(math.isnan(b.dollars) for b in bands if b.share > 0)
    return f"{figures}, and the price of the second method is not known" if unpriced else figures
