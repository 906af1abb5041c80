"""The board: how good methods are on labelled sets, read from `board.json`, which `python -m benchmarks.board --write` writes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import fmean, median_low
from typing import Any, NamedTuple, TypedDict

from groundscope.methods.method import same_method
from groundscope.text.humanize import plural

FILE = Path(__file__).with_name("board.json")
PEOPLE = "people"
"""Who labelled the sets that decide."""
CHANCE = 0.5
"""The AUROC of a coin."""
ALARMS = 0.05
"""Share of the sound answers of the median set that starting thresholds may flag."""
_ALIKE = 3
"""Sources are about as long as others if they have at most so many times their sentences."""


class BoardSet(NamedTuple):
    """A set of the board.

    `held`: how it is held that nothing learned from its rows; `length`: sentences in the sources of an answer, on the median.
    """

    name: str
    labelled: str
    held: str
    decides: bool
    rows: int
    wrong: int
    length: float


class SetAuroc(NamedTuple):
    """AUROC by answer on a set, 0..1, with the ends of its 95 % interval by group; NaN where there is none."""

    auroc: float
    low: float
    high: float


class StartingThreshold(TypedDict):
    """The fields of `About` that the board gives."""

    threshold: float | None
    threshold_source: str


@dataclass(frozen=True, slots=True)
class MeasuredMethod:
    """A method on the board.

    Attributes:
        signature: of the method that was measured; another one under its id has no record.
        alarms: share of the sound answers that it flags with it, on the median of the sets that decide.
        errors_flagged: share of the wrong answers that it flags with it, on the median of the same sets.
        shares: (101,) supports of sentences in the sets that decide, by percent of those that lie lower.
    """

    title: str
    signature: str
    threshold: float | None
    alarms: float
    errors_flagged: float
    seconds: float
    deciding: Mapping[str, SetAuroc]
    others: Mapping[str, SetAuroc]
    shares: tuple[float, ...] = ()

    @property
    def worst(self) -> str:
        """The set that decides on which it is worst."""
        return min(self.deciding, key=lambda name: self.deciding[name].auroc)

    @property
    def mean(self) -> float:
        """Mean AUROC over the sets that decide."""
        return fmean(r.auroc for r in self.deciding.values())

    @property
    def worth(self) -> tuple[float, ...]:
        """What orders methods: the worst set that decides, then the means, then speed.

        By the means no other method is as good on all sets and better on one.
        """
        others = fmean((*(r.auroc for r in self.others.values()), 0.0))
        return self.deciding[self.worst].auroc, self.mean, others, -self.seconds

    @property
    def why(self) -> str:
        """The worst case in words."""
        auroc, low, _ = self.deciding[self.worst]
        return (
            f"On the worst of {len(self.deciding)} sets labelled by people ({self.worst}) it ranks a sound statement above a "
            f"wrong one in {100 * auroc:.0f} of 100 pairs; chance is 50{'' if low > CHANCE else ', and this may be chance'}."
        )

    @property
    def starting(self) -> StartingThreshold:
        """Its starting threshold, where that comes from, and what it costs."""
        least = "" if self.alarms <= ALARMS else ", the least that it can flag"
        sets = f"the median of {len(self.deciding)} sets labelled by people"
        wrong = f"{100 * self.errors_flagged:.0f} % of the wrong"
        words = f"which flags {wrong} and {100 * self.alarms:.0f} % of the sound answers on {sets}{least}"
        return {"threshold": self.threshold, "threshold_source": words}


class Board(NamedTuple):
    """All sets and methods, by id."""

    sets: tuple[BoardSet, ...]
    methods: Mapping[str, MeasuredMethod]
    measured: str
    command: str

    @property
    def size(self) -> str:
        """How many sets there are, in words."""
        people = sum(s.labelled == PEOPLE for s in self.sets)
        return f"{len(self.sets)} sets, {people} labelled by people"


@lru_cache(maxsize=1)
def board() -> Board:
    """Read the board."""
    return from_data(json.loads(FILE.read_text(encoding="utf-8")))


def from_data(data: Mapping[str, Any]) -> Board:
    """Make the board of the content of its file."""
    sets = tuple(BoardSet(*(s[name] for name in BoardSet._fields)) for s in data["sets"])
    return Board(sets, {m: _method(r, sets) for m, r in data["methods"].items()}, data["measured"], data["command"])


def _method(row: Mapping[str, Any], sets: tuple[BoardSet, ...]) -> MeasuredMethod:
    rankings = {s: SetAuroc(*(float("nan") if x is None else x for x in row["sets"][s.name]["answers"])) for s in sets}
    deciding, others = ({s.name: r for s, r in rankings.items() if s.decides is d} for d in (True, False))
    facts = {name: row[name] for name in ("title", "signature", "threshold", "alarms", "seconds")}
    flagged = median_low(row["sets"][s.name]["flags"][0] / s.wrong for s in sets if s.decides)
    return MeasuredMethod(**facts, errors_flagged=flagged, deciding=deciding, others=others, shares=tuple(row["shares"]))


def record_of(signature: str) -> MeasuredMethod | None:
    """Find a method on the board."""
    return next((r for r in board().methods.values() if same_method(r.signature, signature)), None)


def standing(signature: str, length: int) -> dict[str, Any] | None:
    """Say what a method is worth on the board, beside its verdicts on sources of so many sentences; None = not measured."""
    if (row := record_of(signature)) is None:
        return None
    worst = f"in {100 * row.deciding[row.worst].auroc:.0f} of 100 pairs on the worst ({row.worst})"
    words = (
        f"Measured on {board().size}. On the {len(row.deciding)} that decide it ranks a sound statement above a wrong one "
        f"{worst}, in {100 * row.mean:.0f} on average; chance is 50. {_where_it_fits(row, length)}"
    )
    return {"words": words, "shares": row.shares}


def _where_it_fits(row: MeasuredMethod, length: int) -> str:
    rankings = {**row.deciding, **row.others}
    fits = [s.name for s in board().sets if length / _ALIKE <= s.length <= length * _ALIKE and s.name in rankings]
    if not fits:
        return f"No set has sources about as long as these ({plural(length, 'sentence')})."
    where = ", ".join(f"{100 * rankings[name].auroc:.0f} ({name})" for name in fits)
    return f"Where sources are about as long as these ({plural(length, 'sentence')}): {where}."


def starting(method: str) -> StartingThreshold:
    """Find the threshold that a method starts with, and where it comes from: none for a method that is not on the board."""
    row = board().methods.get(method)
    return row.starting if row else {"threshold": None, "threshold_source": ""}
