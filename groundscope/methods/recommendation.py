"""Which method is recommended, and why: the best worst case on the record, `record.json`, which a benchmark writes."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from groundscope.methods import registry
from groundscope.methods.defaults import chosen
from groundscope.methods.method import Method, same_method

FILE = Path(__file__).with_name("record.json")
"""Written by `python -m benchmarks.judges.record`; it holds the command, the sets and their sizes."""
CHANCE = 0.5
"""The AUROC of a coin."""
_PEOPLE = "people"
_OWN_CHOICE = "It was chosen here as the method to open with."
_NO_RECORD = "It was not measured on sets labelled by people, and neither was any other method here."


class Recommendation(NamedTuple):
    """A method's id, and why it is recommended, in one plain sentence."""

    method: str
    why: str


class MeasuredMethod(NamedTuple):
    """A method on the record.

    Attributes:
        signature: of the method that was measured; another one under its id has no record.
        seconds: a claim took, wall clock.
        by_people: AUROC by set labelled by people, 0..1.
        lows: lower ends of their 95 % intervals.
        others: AUROC by other set.
    """

    signature: str
    seconds: float
    by_people: Mapping[str, float]
    lows: Mapping[str, float]
    others: Mapping[str, float]

    @property
    def worth(self) -> tuple[float, ...]:
        """What orders methods: the worst set labelled by people, then the means, then speed.

        By the means no other method is as good on all sets and better on one.
        """
        return min(self.by_people.values()), fmean(self.by_people.values()), fmean((*self.others.values(), 0.0)), -self.seconds

    @property
    def why(self) -> str:
        """The worst case in words."""
        worst = min(self.by_people, key=lambda name: self.by_people[name])
        return (
            f"On the worst of {len(self.by_people)} sets labelled by people ({worst}) it ranks a sound statement above a "
            f"wrong one in {100 * self.by_people[worst]:.0f} of 100 pairs; chance is 50"
            f"{'' if self.lows[worst] > CHANCE else ', and this may be chance'}."
        )


@lru_cache(maxsize=1)
def measured() -> tuple[MeasuredMethod, ...]:
    """Read the record."""
    data = json.loads(FILE.read_text(encoding="utf-8"))
    people = {s["name"] for s in data["sets"] if s["labelled"] == _PEOPLE}
    methods = []
    for entry in data["methods"].values():
        aurocs = {name: float(figures["auroc"]) for name, figures in entry["sets"].items()}
        by_people, others = ({n: a for n, a in aurocs.items() if (n in people) is labelled} for labelled in (True, False))
        lows = {name: float(entry["sets"][name]["low"]) for name in by_people}
        methods.append(MeasuredMethod(entry["signature"], float(entry["seconds"]), by_people, lows, others))
    return tuple(methods)


def recommended(ready: Sequence[str] | None = None, signatures: Mapping[str, str] | None = None) -> Recommendation:
    """Recommend one of the methods that are ready: the one whose worst AUROC over the sets labelled by people is highest.

    The method that the user chose to open with comes before it. One without a record comes after all that have one.

    Args:
        ready: their ids, in the order that counts where none has a record; None = those `eligible` of all.
        signatures: of those that judged with other parameters than they have here, such as parts of a run, by id.

    Returns:
        One of them.

    Raises:
        ValueError: there is none.
    """
    methods = eligible({name: registry.find(name) for name in registry.names()}) if ready is None else tuple(ready)
    if not methods:
        raise ValueError("there is no method to recommend")
    if (preferred := chosen()) in methods:
        return Recommendation(str(preferred), _OWN_CHOICE)
    signed = {m: (signatures or {}).get(m) or registry.find(m).signature for m in methods}
    on_record = [(r, m) for m, signature in signed.items() for r in measured() if same_method(r.signature, signature)]
    if not on_record:
        return Recommendation(methods[0], _NO_RECORD)
    best, method = max(on_record, key=lambda pair: pair[0].worth)
    return Recommendation(method, best.why)


def eligible(methods: Mapping[str, Method]) -> tuple[str, ...]:
    """Choose what may be recommended here, by id: what can run and is shown unasked, and the method that the user chose."""
    preferred = chosen()
    shown = [name for name, m in methods.items() if name == preferred or not (m.asks or m.on_request)]
    return tuple(name for name in shown if not methods[name].unavailable())
