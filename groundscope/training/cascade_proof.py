"""Whether a cascade holds what dev promised: read on test, only after the band was chosen, beside either method alone."""

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from groundscope.errors import DataError
from groundscope.grounding.runs.arrays import RunData
from groundscope.statistics.bootstrap import Interval, resamples
from groundscope.statistics.curves import Curve
from groundscope.statistics.metrics import called, confusion, scores
from groundscope.statistics.nested import nested_interval, nested_scores
from groundscope.statistics.significance import compare_all
from groundscope.statistics.tuned import Labelled, choices
from groundscope.training.cascade_bands import CascadeBand, CascadeChoice
from groundscope.training.cascade_files import FittedCascade, cascaded
from groundscope.training.cascade_records import TEST, records, taken


class CascadeReading(NamedTuple):
    """One way to judge on test: `macro_f1` with its 95 % interval, the tuning of the threshold on dev in it; and what it takes.

    `share` is of the sentences that the second method was asked about; `seconds` and `dollars` are means of a response, NaN = not
    known.
    """

    macro_f1: float
    interval: Interval
    share: float
    seconds: float
    dollars: float


class CascadeProof(NamedTuple):
    """The cascade, the first method alone and the second alone on the same responses of test.

    Attributes:
        cascade: under the band and the threshold that dev chose.
        over_first: the cascade's macro-F1 less the first's, with its paired interval by query; thresholds are drawn, the band is
            given.
    """

    cascade: CascadeReading
    never: CascadeReading
    always: CascadeReading
    over_first: tuple[float, Interval]
    over_second: tuple[float, Interval]
    responses: int
    queries: int


def prove(run: RunData, choice: CascadeChoice, band: CascadeBand, split: str = TEST) -> CascadeProof:
    """Read a chosen band on responses that played no part in choosing it.

    Args:
        run: the one that it was chosen on.
        choice: of `groundscope.training.cascades.choose`.
        band: the chosen one.
        split: of the responses that are read.

    Returns:
        The cascade beside either method alone; an end of an interval is NaN where a query alone does not say it.

    Raises:
        DataError: the split has no labelled responses that both have judged.
    """
    places = run.method(choice.first.name), run.method(choice.second.name)
    thresholds = choice.first.threshold, choice.second.threshold
    dev, test = (records(run, *places, s) for s in (choice.split, split))
    made, there = (cascaded(found.judged, band.low, band.high, thresholds) for found in (test, dev))
    of_test = (made.responses, test.judged.first_whole, test.judged.second_whole)
    of_dev = (there.responses, dev.judged.first_whole, dev.judged.second_whole)
    cuts = (band.threshold, *thresholds)
    said = np.stack([called(s, cut) for s, cut in zip(of_test, cuts, strict=True)])
    draws, tuning = resamples(test.groups), resamples(dev.groups)
    read = [Labelled(s[None], test.gold, test.groups, draws) for s in of_test]
    chosen = [choices(Labelled(s[None], dev.gold, dev.groups, tuning), Curve.macro_f1) for s in of_dev]
    everywhere = np.ones(len(test.gold))
    share, _, *spent = taken(test, made, choice.asked)
    takes = ((share, *spent), (0.0, *test.take(0, everywhere)), (1.0, *test.take(1, everywhere)))
    readings = [
        CascadeReading(scores(confusion(test.gold.astype(int), row)).macro_f1, nested_interval(rules, on), *what)
        for row, rules, on, what in zip(said, chosen, read, takes, strict=True)
    ]
    drawn = {i: nested_scores(rules, on) for i, (rules, on) in enumerate(zip(chosen, read, strict=True))}
    found = compare_all(test.gold.astype(int), said, test.groups, draws, drawn)
    differences = {(d.first, d.second): d for d in found}
    one, two = ((differences[0, i].macro_f1, differences[0, i].interval) for i in (1, 2))
    return CascadeProof(readings[0], readings[1], readings[2], one, two, len(test.gold), draws.shape[1])


def proven(run: RunData, choice: CascadeChoice, band: CascadeBand, split: str = TEST) -> CascadeProof | str:
    """Read a chosen band on test, or say why it cannot be read; see `prove`."""
    try:
        return prove(run, choice, band, split)
    except DataError as error:
        return str(error)


def fitted(choice: CascadeChoice, band: CascadeBand, proof: CascadeProof | str, run: RunData) -> FittedCascade:
    """Make the cascade of a chosen band."""
    on_dev: dict[str, Any] = {
        "split": choice.split,
        "responses": choice.responses,
        "queries": choice.queries,
        "budget": choice.budget.words,
    }
    on_dev |= {name: _plain(asdict(b)) for name, b in (("cascade", band), ("never", choice.never), ("always", choice.always))}
    made = {"run": run.name, "data": run.source, "data_hash": run.data_hash, "on_dev": on_dev, "on_test": as_json(proof)}
    return FittedCascade(choice.first, choice.second, band.low, band.high, choice.asked, band.threshold, made)


def as_json(proof: CascadeProof | str) -> dict[str, Any]:
    """Give what a cascade's file keeps of the reading on test."""
    if isinstance(proof, str):
        return {"why": proof}
    found: dict[str, Any] = {"responses": proof.responses, "queries": proof.queries}
    for name in ("cascade", "never", "always"):
        one: CascadeReading = getattr(proof, name)
        ends = {"low": one.interval.low, "high": one.interval.high}
        found[name] = _plain(
            {"macro_f1": one.macro_f1, **ends, "share": one.share, "seconds": one.seconds, "dollars": one.dollars}
        )
    for name in ("over_first", "over_second"):
        value, interval = getattr(proof, name)
        found[name] = _plain({"value": value, "low": interval.low, "high": interval.high})
    return found


def _plain(values: Mapping[str, float]) -> dict[str, float | None]:
    """Rounded for a file; JSON has no NaN."""
    return {name: None if math.isnan(value) else round(float(value), 6) for name, value in values.items()}
