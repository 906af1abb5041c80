"""How long methods took a response in runs before, for forecasts of the next one."""

from collections.abc import Mapping

import numpy as np

from groundscope.errors import GroundscopeError
from groundscope.grounding.runs.listing import entries, read

_LATEST = 5
"""Runs that expected times are taken from."""


def known_seconds() -> Mapping[str, float]:
    """Find how long methods took a response, in the latest runs and the samples; later ones win, unless much smaller."""
    per_response: dict[str, float] = {}
    sizes: dict[str, int] = {}
    there = [e for e in entries()[0] if e.finished]
    for entry in reversed([*there[:_LATEST], *[e for e in there[_LATEST:] if e.comes_with_app]]):
        try:
            run = read(entry)
        except GroundscopeError:
            continue
        for m, method in enumerate(run.methods):
            # What a local method uses again it will use again then, too; a kept reply says nothing of the next call.
            counted = run.timed[m] if method.asks else run.support[m] >= 0
            seconds = run.seconds[m][counted | run.timed[m]]
            # A handful of small cases says little of a whole set.
            if run.timed[m].any() and 2 * len(seconds) >= sizes.get(method.signature, 0):
                per_response[method.signature], sizes[method.signature] = float(np.mean(seconds)), len(seconds)
    return per_response
