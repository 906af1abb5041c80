"""The estimate before a training starts: number of pairs, time, and the basis of the estimate. No streamlit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from components.training.messages import roughly
from groundscope.errors import DataError
from groundscope.training.data import LabelledSplits
from groundscope.training.options import Options
from groundscope.training.pairs import Recipe, pairs
from groundscope.types import Case, Matrix

SPEED = (10.0, 30.0)
"""Pairs per second that a small encoder learns from on two processor cores, measured with all-MiniLM-L6-v2."""
_LOOKED_AT = 150
"""Responses whose pairs are counted; a larger set is estimated from them."""


class Speed(NamedTuple):
    """Pairs per second of an earlier training on this machine, evaluations included, and the name of its model."""

    model: str
    pairs: float


def count(found: LabelledSplits, recipe: Recipe) -> int:
    """About how many pairs a recipe makes of train; a DataError where a set small enough to count whole makes none."""
    some = _some(found.train)
    whole = len(some) == len(found.train)
    try:
        made = len(pairs(some, replace(recipe, edits=0), _alike))
    except DataError:
        if whole:
            raise
        made = 0
    share = len(found.train) / len(some)
    return round(made * share) + recipe.edits * sum(bool(c.grounded) for c in found.train)


def _alike(texts: list[str]) -> Matrix:
    """For counting, any sentence can be the nearest."""
    return np.ones((len(texts), 1), dtype=np.float32)


def _some(cases: Sequence[Case]) -> list[Case]:
    """The queries at the start of the set, whole, so that variants keep their parents."""
    wanted = {_query(case) for case in cases[:_LOOKED_AT]}
    return [case for case in cases if _query(case) in wanted]


def _query(case: Case) -> str:
    return case.group or case.parent or case.id


def speed(base: str, longest: int, records: Iterable[tuple[str, Mapping[str, Any]]]) -> Speed | None:
    """The speed of the last training here with the same base and as long pairs."""
    found = None
    for name, record in records:
        options, about = record.get("options") or {}, record.get("about") or {}
        seconds, steps, batch = record.get("seconds"), record.get("steps"), options.get("batch")
        if about.get("Base") != base or options.get("longest") != longest or not (seconds and steps and batch):
            continue
        found = Speed(name, steps * batch / seconds)
    return found


def words(count_: int, options: Options, known: Speed | None, *, bundled: bool) -> str:
    """Pairs and time in a sentence or two."""
    read = count_ * options.epochs
    times = "once" if options.epochs == 1 else f"up to {options.epochs:g} times"
    size = f"About {count_:,} pairs of a sentence and its evidence, each read {times}."
    around = "Preparation, and scoring dev at the end, take a few more minutes."
    if known is not None:
        took = roughly(read / known.pairs * 0.8, read / known.pairs * 1.25)
        return f"{size} Training takes {took}, estimated from {known.model} ({known.pairs:,.0f} pairs per second). {around}"
    span = f"about {SPEED[0]:.0f} to {SPEED[1]:.0f} pairs per second on two processor cores"
    if bundled:
        return f"{size} Training takes {roughly(read / SPEED[1], read / SPEED[0])}: this base learns from {span}. {around}"
    return (
        f"{size} The time for this base is unknown before it runs: a small base learns from {span}, a large one from far "
        "fewer. The time left shows after the start."
    )
