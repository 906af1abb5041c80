"""Sweeps: of the parts that differ in one parameter, tuning chooses one on dev, and only that one is read on test.

As Trautmann et al. 2024 tuned QUIP's n together with its threshold (section 5.1): each part gets its best rule on the split that
it is tuned on, and the part with the best value is chosen; of equally good ones the first.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from groundscope.grounding.runs.arrays import MethodRun, RunData
from groundscope.grounding.tuning import Objective, Tuned
from groundscope.methods import registry

_BY_METHOD = ("status", "support", "lowest", "mean", "seconds", "timed", "context_seen", "cost", "calls", "tokens")
"""Arrays of a run whose first axis is its methods."""


def rejected(methods: Sequence[MethodRun], tuned: Mapping[str, Tuned], objective: Objective) -> tuple[str, ...]:
    """The ids of the parts of sweeps that tuning does not choose; of a sweep in which nothing could be tuned all parts stay.

    `tuned` has the best rule of each that could be tuned; macro-F1 is better higher, a cost lower.
    """
    better: Callable[..., str] = max if objective.missed is None else min
    chosen = set()
    for sweep in {m.sweep for m in methods if m.sweep}:
        if parts := [m.id for m in methods if m.sweep == sweep and m.id in tuned]:
            chosen.add((sweep, better(parts, key=lambda part: round(tuned[part].value, 12))))
    swept = {sweep for sweep, _ in chosen}
    return tuple(m.id for m in methods if m.sweep in swept and (m.sweep, m.id) not in chosen)


def chosen(methods: Sequence[MethodRun], left_out: Collection[str]) -> dict[str, str]:
    """Name, by sweep, the part that was chosen; sweeps of which no part was left out are not there."""
    swept = {m.sweep for m in methods if m.id in left_out}
    return {m.sweep: m.title for m in methods if m.sweep in swept and m.id not in left_out}


def not_swept(methods: Sequence[MethodRun]) -> dict[str, str]:
    """Say by method which parameter a paper tunes together with the threshold, where this run has one value of it."""
    swept = {m.sweep for m in methods if m.sweep}
    notes = {}
    for m in methods:
        for name, grid in registry.grids(m.loads).items():
            sweep = f"{m.loads}.{name}"
            if sweep not in swept and name not in m.options:
                notes[m.id] = f"Its {name} is not tuned here. A run with the sweep {sweep}={grid} tunes it with the threshold."
    return notes


def without(run: RunData, parts: Collection[str]) -> RunData:
    """Give a run as if some parts were not there; the run itself where it has none of them."""
    left = [i for i, method in enumerate(run.methods) if method.id not in parts]
    return run if len(left) == len(run.methods) else select(run, left)


def select(run: RunData, places: Sequence[int]) -> RunData:
    """Give a run with the methods at some places alone, in this order, and all responses."""
    selected = list(places)
    arrays: dict[str, Any] = {name: getattr(run, name)[selected] for name in _BY_METHOD}
    return replace(
        run,
        methods=tuple(run.methods[i] for i in selected),
        read_sentences=lambda method: run.read_sentences(selected[method]),
        read_notes=lambda method, rows: run.read_notes(selected[method], rows),
        **arrays,
        version=run.version and f"{run.version} {selected}",
        read_row=(lambda method, row: run.sentences(selected[method], row)) if run.read_row else None,
    )
