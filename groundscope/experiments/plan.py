"""Types that every long job shares: parts, places of results, starts and progress."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from groundscope.chat.budget import NOTHING, Cost

Content = dict[str, Any]
"""What a stage gives, as JSON."""

FAILED = "failed"
"""The status of a result that is a fault."""


class Part(NamedTuple):
    """What judges, writes or retrieves in a job."""

    id: str
    title: str
    signature: str
    asks: bool = False


class Place(NamedTuple):
    """Where in a job a result belongs: up to two parts, and the row of the input; -1 = all rows."""

    part: int
    other: int
    row: int


@dataclass(frozen=True, slots=True)
class Result:
    """What one stage gave for a place."""

    stage: str
    content: Content
    status: str = "done"
    timed: bool = False
    why: str = ""


class Stored(NamedTuple):
    """A result as it is stored."""

    place: Place
    status: str
    timed: bool
    cost: Cost
    why: str
    content: Content


class Count(NamedTuple):
    """How many places of a part have a result, and how many of these are faults."""

    done: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Start:
    """A time that work began on a phase."""

    started: str
    machine: tuple[str, ...] = ()
    cold: Mapping[str, float] = field(default_factory=dict)
    done: tuple[int, ...] = ()
    cost: Cost = NOTHING


class Progress(NamedTuple):
    """What work is at: a stage of a part, how much of it is done, and about how many seconds are left; None = not known yet."""

    stage: str
    part: str
    done: int
    total: int
    left: float | None = None
