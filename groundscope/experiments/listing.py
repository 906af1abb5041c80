"""List the jobs of a kind: purpose, progress, failures and cost of each."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from groundscope.chat.budget import Cost, Limits
from groundscope.errors import StoreError
from groundscope.experiments.directory import JobDirectory
from groundscope.experiments.plan import Count, Progress, Start
from groundscope.experiments.store import JobFile

TELLING = 3
"""Results of a part before which nothing is said of its time."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of job.

    Attributes:
        wanted: by part, its title and how many final results it has in the end.
        given: parts of a plan whose results come from elsewhere, so that nothing of them is tried again.
        far: says how much of a long step is done, of how much.
    """

    folder: JobDirectory
    unit: str
    read: Callable[[JobFile], Any]
    final: Callable[[Any], str]
    wanted: Callable[[JobFile, Any], Mapping[int, tuple[str, int]]]
    about: Callable[[JobFile, Any], str]
    given: Callable[[Any], Collection[int]] = lambda plan: ()
    far: Callable[[int, int], str] = "{:,} of {:,}".format


class PartProgress(NamedTuple):
    """How far a part is; `seconds` are those expected until it is done, None = not known."""

    title: str
    done: int
    failed: int
    wanted: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Listed:
    """A job in a list."""

    id: str
    plan: Any
    created: str
    finished: str
    busy: bool
    parts: tuple[PartProgress, ...]
    about: str
    faults: Counter[str]
    spent: Cost
    limits: Limits
    step: Progress | None
    started: str = ""
    why: str = ""
    retriable: int = 0

    @property
    def name(self) -> str:
        """For people."""
        return str(self.plan.name)

    @property
    def done(self) -> int:
        """Final results so far, faults among them."""
        return sum(part.done for part in self.parts)

    @property
    def failed(self) -> int:
        """Final results that are faults."""
        return sum(part.failed for part in self.parts)

    @property
    def wanted(self) -> int:
        """Final results in the end."""
        return sum(part.wanted for part in self.parts)


def listed(kind: Kind) -> tuple[list[Listed], list[str]]:
    """List all jobs of a kind."""
    jobs: list[Listed] = []
    files, problems = kind.folder.listing()
    for file in files:
        try:
            jobs.append(one(kind, file))
        except StoreError as error:
            problems.append(str(error))
        finally:
            file.close()
    return jobs, problems


def one(kind: Kind, file: JobFile) -> Listed:
    """Describe one job as it is now, its parts in the order of `wanted`."""
    plan = kind.read(file)
    counts, totals, starts = file.counts(kind.final(plan)), kind.wanted(file, plan), file.starts()
    left = seconds_left(counts, {p: n for p, (_, n) in totals.items()}, starts[-1]) if starts else {}
    parts = tuple(
        PartProgress(title, *counts.get(part, Count()), number, left.get(part)) for part, (title, number) in totals.items()
    )
    return Listed(
        file.id,
        plan,
        file.created(),
        file.finished(),
        file.busy(),
        parts,
        kind.about(file, plan),
        file.faults(),
        file.spent(),
        file.limits(),
        file.at_work(),
        starts[-1].started if starts else "",
        str(file.about("ended", "")),
        sum(part.failed for place, part in zip(totals, parts, strict=True) if place not in kind.given(plan)),
    )


def seconds_left(counts: Mapping[int, Count], totals: Mapping[int, int], start: Start) -> dict[int, float | None]:
    """Estimate when each part is done, at its pace since work began."""
    seconds = (datetime.now(UTC) - datetime.fromisoformat(start.started)).total_seconds()
    remaining: dict[int, float | None] = {}
    for part, total in totals.items():
        done = counts.get(part, Count()).done
        new = done - (start.done[part] if part < len(start.done) else 0)
        left = total - done
        remaining[part] = 0.0 if left <= 0 else seconds / new * left if new >= TELLING and seconds >= 0 else None
    return remaining
