"""A small kind of job: parts that double numbers, one that asks a paid model for it, and one that fails."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from groundscope.chat.budget import NO_LIMITS, Limits, budget
from groundscope.errors import ModelUnavailable
from groundscope.experiments.plan import Content, Part, Place, Result
from groundscope.experiments.steps import Phase, Steps
from groundscope.experiments.store import JobFile
from groundscope.runtime.progress import report

ROWS = 16
LOCAL, PAID = Part("local", "Local", "local|1"), Part("paid", "Paid", "paid|1", asks=True)


def made(folder: Path, parts: tuple[Part, ...] = (LOCAL, PAID), limits: Limits = NO_LIMITS) -> JobFile:
    file = JobFile(folder / "job.sqlite")
    file.fill({"name": "Toy", "parts": [asdict(p) for p in parts]}, {"numbers": [{"n": n} for n in range(ROWS)]}, limits=limits)
    return file


@dataclass
class Toy(Steps):
    """Steps of it: first an index of each part, then two stages a place.

    Attributes:
        file: the job.
        indexes: whether there is a first phase.
        at: called at each place; may raise.
        parts: as they are here.
        did: places in the order of work.
    """

    file: JobFile
    indexes: bool = False
    at: Callable[[Place], None] = lambda place: None
    parts: tuple[Part, ...] = (LOCAL, PAID)
    did: list[Place] = field(default_factory=list)

    def planned(self) -> Iterator[tuple[Part, str | None]]:
        here = {p.id: p.signature for p in self.parts}
        for part in self._plan():
            yield part, here.get(part.id)

    def _plan(self) -> list[Part]:
        return [Part(**p) for p in self.file.about("plan")["parts"]]

    def phases(self) -> Iterator[Phase]:
        parts = range(len(self._plan()))
        if self.indexes:
            yield Phase("index", [Place(p, -1, -1) for p in parts], final="doubled")
            parts = sorted({place.part for place in self.file.done("index")})  # type: ignore[assignment]
        yield Phase("doubled", [Place(p, 0, row) for row in range(ROWS) for p in parts])

    def title(self, place: Place) -> str:
        return self._plan()[place.part].title

    def asks(self, place: Place) -> bool:
        return self._plan()[place.part].asks

    def keeps(self, place: Place) -> bool:
        return True

    def warm(self, place: Place) -> tuple[str, float] | None:
        return self._plan()[place.part].id, 0.5

    def do(self, place: Place, earlier: Mapping[str, Content]) -> Iterator[Result]:
        self.did.append(place)
        if place.row < 0:
            report(1, 2)
            self.at(place)
            yield Result("index", {})
            return
        if "read" not in earlier:
            yield Result("read", self.file.inputs("numbers", [place.row])[0])
        self.at(place)
        if self.asks(place):
            with budget().set_aside(0.5) as call:
                call.answered(10, 0.25)
        yield Result("doubled", {"n": 2 * place.row})


def unavailable(*wanted: Place) -> Callable[[Place], None]:
    """Fail at some places, or at all."""

    def fail(place: Place) -> None:
        if not wanted or place in wanted:
            raise ModelUnavailable("Its server is gone.")

    return fail
