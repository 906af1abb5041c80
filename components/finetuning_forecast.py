"""What a training will take, before it begins: how many pairs, and about how long, and how that is known. No streamlit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from components.finetuning_words import roughly
from evaluation.errors import DataError
from evaluation.finetuning import Options
from evaluation.training_data import Parts
from evaluation.training_pairs import Recipe, pairs
from evaluation.types import Case, Matrix

SPEED = (10.0, 30.0)
"""Pairs a second that a small encoder learns from on two processor cores, as measured with all-MiniLM-L6-v2."""
_LOOKED_AT = 150
"""Responses whose pairs are counted; of a larger set the rest is reckoned from them."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Pairs a second, as an earlier training here had it.

    Attributes:
        model: whose training that was.
        pairs: a second, the evaluations between counted in.
    """

    model: str
    pairs: float


def count(found: Parts, recipe: Recipe) -> int:
    """About how many pairs a recipe makes of train.

    Raises:
        DataError: none, for a set that is small enough to be looked at whole.
    """
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
    """For counting, any sentence will do as the nearest."""
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
    told = f"About {count_:,} pairs of a sentence and its evidence, each read {times}."
    around = "Preparing, and judging dev at the end, take a few minutes besides."
    if known is not None:
        took = roughly(read / known.pairs * 0.8, read / known.pairs * 1.25)
        return f"{told} Training takes {took}, going by {known.model} ({known.pairs:,.0f} pairs a second). {around}"
    span = f"about {SPEED[0]:.0f} to {SPEED[1]:.0f} pairs a second on two processor cores"
    if bundled:
        return f"{told} Training takes {roughly(read / SPEED[1], read / SPEED[0])}: this base learns from {span}. {around}"
    return (
        f"{told} How long this base takes is not known before it runs: a small one learns from {span}, a large one from far "
        "fewer. The time left is shown once it has begun."
    )
