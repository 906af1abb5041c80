"""Interface between a kind of job and the engine: its steps, progress events and the outcome."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from groundscope.errors import StoreError
from groundscope.experiments.plan import Content, Part, Place, Result

LANES = 8
"""Places under way at once where a server is asked, unless the steps say another number."""


class Phase(NamedTuple):
    """Places that come to a result of one stage before the next phase begins."""

    stage: str
    places: Sequence[Place]
    final: str = ""


class Steps(Protocol):
    """What a kind of job supplies; each place is one of a phase."""

    lanes: int = LANES
    apart: bool = False
    """Whether all places are worked on outside this process, and so several at once, also those that ask no server."""

    def working(self) -> AbstractContextManager[object]:
        """Hold what all phases need while they are worked on; by default nothing."""
        return nullcontext()

    def planned(self) -> Iterable[tuple[Part, str | None]]:
        """List the parts that have something left to do, each with the signature that it has here now; None = it is not here."""

    def phases(self) -> Iterator[Phase]:
        """Divide what the job has to do into phases."""

    def title(self, place: Place) -> str:
        """Name the part that works on a place, for people; also the lane whose failures in a row are counted."""

    def asks(self, place: Place) -> bool:
        """Say whether a place asks a chat model or another server; several such places are under way at once."""

    def keeps(self, place: Place) -> bool:
        """Say whether what a place computes may be kept on disk, as cached replies and supports; by default all of it is."""
        return True

    def warm(self, place: Place) -> tuple[str, float] | None:
        """Load the part of a place that asks no server; by default nothing is loaded before it is asked."""
        return None

    def do(self, place: Place, earlier: dict[str, Content]) -> Iterator[Result]:
        """Give the results of a place, stage by stage; an error that is not listed here becomes the fault of the place.

        Raises BudgetSpent, so that the rest is done after a later start, and Deferred where a reply comes with the next batch.
        """


class Tick(NamedTuple):
    """Something happened: a part got a result of `status` for a place; no status: it is being loaded, see `Progress`."""

    stage: str
    part: str
    place: Place
    status: str = ""
    done: int = 0
    total: int = 0
    left: float | None = None


TickListener = Callable[[Tick], None]


@dataclass
class Outcome:
    """How work on a job ended."""

    finished: bool
    why: str = ""
    failed: Counter[str] = field(default_factory=Counter)
    nothing: bool = False
    paused: bool = False


def check(parts: Iterable[tuple[Part, str | None]]) -> None:
    """See that parts are those that a job was planned with."""
    for part, current in parts:
        if current is None:
            raise StoreError(
                f"{part.title} of this job is no longer available. Its results are saved; "
                "restore it to resume, or start a new job."
            )
        if current != part.signature:
            raise StoreError(
                f"{part.title} has changed since this job began: its signature was {part.signature} and is now {current}. "
                "Set it back to resume, or start a new job; the results so far are kept."
            )
