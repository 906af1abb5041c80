"""Bands of doubt of a cascade: what each gives and takes, the budget that it must keep to, and which is proposed."""

import math
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from groundscope.statistics.pareto import pareto_front
from groundscope.text.humanize import money
from groundscope.training.cascade_files import Asked, CascadePart


@dataclass(frozen=True, slots=True)
class CascadeBudget:
    """What a response may take at most, on average; None = no limit.

    Attributes:
        share: of the sentences that the second method is asked about, above 0 to 1.
    """

    dollars: float | None = None
    seconds: float | None = None
    share: float | None = None

    def __post_init__(self) -> None:
        """Refuse what buys nothing."""
        for name, value in (("US dollars", self.dollars), ("seconds", self.seconds), ("share asked", self.share)):
            if value is not None and not 0 < value < math.inf:
                raise ValueError(f"a budget of {value:g} {name} buys no question; give more than 0, or leave it out.")
        if self.share is not None and self.share > 1:
            raise ValueError(f"the share asked is at most 1, got {self.share:g}.")

    @property
    def words(self) -> str:
        """For people; empty without a limit."""
        parts = [money(self.dollars)] if self.dollars is not None else []
        parts += [f"{self.seconds:g} s"] if self.seconds is not None else []
        figures = [f"{' and '.join(parts)} a response"] if parts else []
        return " and ".join([*figures, *([f"{self.share:.0%} of the sentences asked"] if self.share is not None else [])])

    def allows(self, band: "CascadeBand") -> bool:
        """Whether a band keeps to it; what a band takes must be known where it is limited."""
        limits = ((self.dollars, band.dollars), (self.seconds, band.seconds), (self.share, band.share))
        return all(most is None or taken <= most for most, taken in limits)


@dataclass(frozen=True, slots=True)
class CascadeBand:
    """What a band of doubt gives on some responses.

    Attributes:
        low: its lower end, a support of the first method.
        high: its upper end; equal ends = the second method is never asked.
        threshold: of the combined supports, the best on dev.
        macro_f1: at that threshold, 0 to 1.
        responses: share of the responses of which a sentence is asked about.
        seconds: mean of a response; NaN = not timed.
        dollars: likewise in US dollars; NaN = the price is not known.
    """

    low: float
    high: float
    threshold: float
    macro_f1: float
    share: float
    responses: float
    seconds: float
    dollars: float


@dataclass(frozen=True, slots=True)
class CascadeChoice:
    """The bands of two methods on dev, and the one that is proposed.

    Attributes:
        first: with the threshold of the first method that is best on dev.
        chosen: the proposed one; None = none.
        why: a sentence where none is proposed; else empty.
    """

    first: CascadePart
    second: CascadePart
    asked: Asked
    budget: CascadeBudget
    split: str
    responses: int
    queries: int
    never: CascadeBand
    always: CascadeBand
    bands: tuple[CascadeBand, ...] = field(repr=False)
    chosen: CascadeBand | None
    why: str


def bands_frame(choice: CascadeChoice) -> pd.DataFrame:
    """Tabulate all bands, the first method alone and the second alone."""
    lines = [("never", choice.never), *(("in doubt", b) for b in choice.bands), ("always", choice.always)]
    names = ("low", "high", "threshold", "macro_f1", "share", "responses", "seconds", "dollars")
    rows = [(asks, *(getattr(b, n) for n in names), b is choice.chosen) for asks, b in lines]
    return pd.DataFrame(rows, columns=["asks", *names, "chosen"])


def best_bands(choice: CascadeChoice) -> tuple[CascadeBand, ...]:
    """Find the bands that ask and that no other one beats: none asks less and is as good, or asks as much and is better."""
    asking = [band for band in choice.bands if band.share > 0]
    shares, quality = (np.array([getattr(band, name) for band in asking]) for name in ("share", "macro_f1"))
    found = [asking[i] for i in pareto_front(quality, shares).members]
    if choice.chosen is not None and choice.chosen not in found:
        found.append(choice.chosen)
    return tuple(sorted(found, key=lambda band: (band.share, band.macro_f1)))
