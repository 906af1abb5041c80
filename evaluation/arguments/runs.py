"""All runs of arguments on this machine: made, listed, opened, deleted; and what a run holds, to analyse."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from evaluation.arguments.extraction import exact
from evaluation.arguments.judged import Judged
from evaluation.arguments.parsing import Argument
from evaluation.arguments.plan import Place, Plan, given_wording, places, reads_wording
from evaluation.arguments.run_file import RunFile
from evaluation.arguments.types import Scenario
from evaluation.arguments.writing import Cost
from evaluation.errors import StoreError
from evaluation.places import data_folder


def folder() -> Path:
    """Where runs lie; it may not exist yet."""
    return data_folder() / "arguments"


def create(plan: Plan, scenarios: Sequence[Scenario], written: Mapping[Place, Argument] | None = None) -> str:
    """Begin a run, perhaps with arguments that are there already, and give its id.

    Raises:
        StoreError: it cannot be written.
        ValueError: there is nothing to argue about.
    """
    if not scenarios:
        raise ValueError("A run needs scenarios.")
    name = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{uuid4().hex[:6]}"
    file = RunFile(folder() / f"{name}.sqlite")
    try:
        file.fill(plan, scenarios, written)
    except StoreError:
        _remove(file)
        raise
    finally:
        file.close()
    return name


def opened(run: str) -> RunFile:
    """The file of a run.

    Raises:
        StoreError: there is none of this id.
    """
    path = folder() / f"{run}.sqlite"
    if Path(run).name != run or not path.is_file():
        raise StoreError("There is no such run of arguments any more; choose another.")
    return RunFile(path)


@dataclass(frozen=True, slots=True)
class Listed:
    """A run as it is listed.

    Attributes:
        id: its id.
        created: UTC.
        plan: what it crosses.
        scenarios: how many.
        done: arguments that are written and, where a model extracts, read.
        wanted: arguments in all.
        busy: whether a process works on it now.
        faults: why steps of the last start failed, and how often.
    """

    id: str
    created: str
    plan: Plan
    scenarios: int
    done: int
    wanted: int
    busy: bool
    faults: dict[str, int]

    @property
    def finished(self) -> bool:
        """Whether nothing is left."""
        return self.done == self.wanted


def listed() -> tuple[list[Listed], list[str]]:
    """All runs, the newest first; and of files that cannot be read, why."""
    found, troubles = [], []
    for path in sorted(folder().glob("*.sqlite"), reverse=True):
        file = RunFile(path)
        try:
            plan, (scenarios, written, extracted) = file.plan(), file.counts()
            done = extracted if plan.extractor else written
            wanted = written if plan.given else len(places(plan, scenarios))
            found.append(Listed(path.stem, file.created(), plan, scenarios, done, wanted, file.busy(), file.faults()))
        except StoreError as error:
            troubles.append(str(error))
        finally:
            file.close()
    return found, troubles


def delete(run: str) -> None:
    """Delete a run with everything of it; one that is not there is no error.

    Raises:
        StoreError: a process works on it, or it cannot be deleted.
    """
    try:
        file = opened(run)
    except StoreError:
        return
    with file.working():
        _remove(file)
    with suppress(OSError):
        file.path.with_name(f"{file.path.name}.lock").unlink(missing_ok=True)


def _remove(file: RunFile) -> None:
    file.close()
    for ending in ("", "-wal", "-shm"):
        path = file.path.with_name(file.path.name + ending)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{path} cannot be deleted ({error.strerror}); make it writable, then delete it again.") from None


def judged(file: RunFile) -> list[Judged]:
    """Every argument so far, with what the exact extractor finds in it now, and what a model had extracted.

    Raises:
        StoreError: the file cannot be read.
    """
    plan = file.plan()
    scenarios, extracted = file.scenarios(plan.catalogue), file.extractions()
    found = []
    for place, (argument, cost) in sorted(file.arguments().items()):
        other = extracted.get(place)
        part = plan.arguers[place.arguer]
        found.append(
            Judged(
                scenarios[place.scenario],
                part.title,
                plan.wordings[place.wording] if reads_wording(part.id) else given_wording(part.id),
                argument,
                exact(argument.plies, plan.catalogue),
                other.found if other else None,
                cost + other.cost if other else cost,
                other.why if other else "",
            )
        )
    return found


def spent(file: RunFile) -> Cost:
    """What the run took so far, with what was paid for steps that came to nothing.

    Raises:
        StoreError: the file cannot be read.
    """
    taken = [*(cost for _, cost in file.arguments().values()), *(made.cost for made in file.extractions().values())]
    return sum(taken, file.paid())
