"""Tasks: jobs of one shape, in which each of some parts, such as chat models, works once on every item.

What a subject asks for beyond that is a `Task` in its own room: the items, what a part is here now, and what it gives of an item.
A task's job is deleted when its result was taken over, so that no copy of its texts stays.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from groundscope.chat.budget import NO_LIMITS, Limits
from groundscope.experiments import listing
from groundscope.experiments.directory import JobDirectory
from groundscope.experiments.plan import Content, Part, Place, Result
from groundscope.experiments.steps import Phase, Steps
from groundscope.experiments.store import JobFile
from groundscope.storage.team import current_person
from groundscope.text.humanize import plural

STAGE = "done"
_ITEMS = "items"
_T = TypeVar("_T")


class TaskPart(NamedTuple, Generic[_T]):
    """What works on items, what its results depend on besides them, and whether it asks a chat model or another server."""

    signature: str
    do: Callable[[_T], Content]
    asks: bool = True


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """Which parts work on which `rows` of the items, None = on all; `options` are what the task's own room needs, as JSON.

    A verb writes the result to `out`, empty = to no file; None = the page that began it takes it over. Replies may stay on disk
    where it `keeps` them. `by` is the address of who made it, empty where there are no logins.
    """

    name: str
    parts: tuple[Part, ...]
    options: Content
    rows: tuple[int, ...] | None = None
    out: str | None = None
    keeps: bool = True
    by: str = ""


@dataclass(frozen=True, slots=True)
class Task(Generic[_T]):
    """A task as its room defines it; `unit` and `item` are words for what a part gives of an item, and for an item.

    `write` makes an item JSON, `read` reads it; `part` builds the part of an id, with the plan's options, and sends nothing.
    """

    folder: JobDirectory
    unit: str
    item: str
    write: Callable[[_T], Any]
    read: Callable[[Any], _T]
    part: Callable[[str, Content], TaskPart[_T]]

    @property
    def kind(self) -> listing.Kind:
        """Lists the jobs of this task."""
        return listing.Kind(self.folder, self.unit, plan_of, lambda _: STAGE, _wanted, partial(_about, self.item))

    def create(
        self, name: str, parts: Mapping[str, str], items: Sequence[_T], options: Content, limits: Limits = NO_LIMITS, *,
        rows: Sequence[int] | None = None, out: str | None = None, keeps: bool = True, cases: Iterable[str] = (),
    ) -> str:  # fmt: skip
        """Make a job by parts with their titles; no work begins yet. `cases` are the ids of those that it holds."""
        built = {part: self.part(part, options) for part in parts}
        planned = tuple(Part(part, title, built[part].signature, built[part].asks) for part, title in parts.items())
        person = current_person()
        plan = TaskPlan(name, planned, options, None if rows is None else tuple(rows), out, keeps, person.email if person else "")
        return self.folder.create(asdict(plan), {_ITEMS: [self.write(item) for item in items]}, limits=limits, cases=cases)

    def items(self, file: JobFile) -> list[_T]:
        """Read the items of a job."""
        return [file.meaning(self.read, row) for row in file.inputs(_ITEMS)]

    def by_item(self, file: JobFile) -> dict[_T, Content]:
        """Read what the one part of a job gave so far."""
        items = self.items(file)
        return {items[row]: content for (row, _), content in contents(file).items() if not isinstance(content, str)}


def plan_of(file: JobFile) -> TaskPlan:
    """Read the plan of a job."""
    return file.plan(TaskPlan)


def contents(file: JobFile) -> dict[tuple[int, int], Content | str]:
    """Read what parts gave so far, by row and part; why where one failed."""
    return {(s.place.row, s.place.part): s.why or s.content for s in file.results(STAGE)}


def _size(file: JobFile, plan: TaskPlan) -> int:
    return file.size(_ITEMS) if plan.rows is None else len(plan.rows)


def _wanted(file: JobFile, plan: TaskPlan) -> dict[int, tuple[str, int]]:
    return {number: (part.title, _size(file, plan)) for number, part in enumerate(plan.parts)}


def _about(item: str, file: JobFile, plan: TaskPlan) -> str:
    return f"{', '.join(part.title for part in plan.parts)}: {plural(_size(file, plan), item)}"


class TaskSteps(Steps, Generic[_T]):
    """What a task gives the engine; see `groundscope.experiments.steps.Steps`."""

    def __init__(self, task: Task[_T], file: JobFile) -> None:
        self._plan, self._items = plan_of(file), task.items(file)
        self._parts = [task.part(part.id, self._plan.options) for part in self._plan.parts]

    def planned(self) -> Iterable[tuple[Part, str | None]]:
        """Every part."""
        return zip(self._plan.parts, (part.signature for part in self._parts), strict=True)

    def phases(self) -> Iterator[Phase]:
        """Item by item, not part by part: what is there when it ends early is of every part."""
        rows = range(len(self._items)) if self._plan.rows is None else self._plan.rows
        yield Phase(STAGE, [Place(part, 0, row) for row in rows for part in range(len(self._parts))])

    def title(self, place: Place) -> str:
        """The part."""
        return self._plan.parts[place.part].title

    def asks(self, place: Place) -> bool:
        """Whether the part does."""
        return self._parts[place.part].asks

    def keeps(self, place: Place) -> bool:
        """Whether replies may be kept."""
        return self._plan.keeps

    def do(self, place: Place, earlier: Mapping[str, Content]) -> Iterator[Result]:
        """What the part gives of the item."""
        yield Result(STAGE, self._parts[place.part].do(self._items[place.row]))
