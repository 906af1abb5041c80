"""Runs of arguments as jobs: their plan, and how they are created, listed and read as arguments.

An argument's place is the arguer's index, the wording's index and the scenario's row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from groundscope.arguments.asking import Extracted
from groundscope.arguments.extraction import exact, of_sets
from groundscope.arguments.parsing import Argument
from groundscope.arguments.scenarios import from_row, to_row
from groundscope.arguments.summary import Judged
from groundscope.arguments.types import Catalogue, Scenario
from groundscope.chat.budget import NO_LIMITS, NOTHING, Limits
from groundscope.experiments import listing
from groundscope.experiments.directory import JobDirectory
from groundscope.experiments.plan import Content, Part, Place, Result
from groundscope.experiments.store import JobFile
from groundscope.text.humanize import plural

GIVEN = "given/"
"""How the id of a part begins whose arguments the run was begun with: `given/NUMBER`."""


@dataclass(frozen=True, slots=True)
class ArgumentsPlan:
    """What a run crosses.

    `wordings`: ids of the wordings of the abstention; a built-in arguer reads none, and argues once. `extractor`: another
    model that extracts beside the exact extractor; None = none does.
    """

    name: str
    catalogue: Catalogue
    arguers: tuple[Part, ...]
    wordings: tuple[str, ...]
    extractor: Part | None = None

    def __post_init__(self) -> None:
        if not self.arguers or not self.wordings:
            raise ValueError("Choose at least one arguer and one wording.")
        if len({p.title for p in self.arguers}) < len(self.arguers) or len(set(self.wordings)) < len(self.wordings):
            raise ValueError("Each arguer and each wording can be chosen once.")

    @property
    def given(self) -> bool:
        """Whether its arguments were there when it began: there may be none of an arguer about a scenario."""
        return self.arguers[0].id.startswith(GIVEN)


def reads_wording(part: str) -> bool:
    """Whether an arguer with this id reads the wording: a built-in one reads none."""
    return part.startswith(("chat:", GIVEN))


def places(file: JobFile, plan: ArgumentsPlan) -> list[Place]:
    """List all arguments of a run, scenario by scenario."""
    if plan.given:
        return sorted(file.done(ARGUMENT), key=lambda place: place.row)
    return [
        Place(a, w, s)
        for s in range(file.size(_SCENARIOS))
        for a, part in enumerate(plan.arguers)
        for w in range(len(plan.wordings) if reads_wording(part.id) else 1)
    ]


FOLDER = JobDirectory("arguments", "run of arguments")
ARGUMENT, EXTRACTION = "argument", "extraction"
"""Stages; the last one of a plan ends a place."""
_SCENARIOS = "scenarios"


def create(
    plan: ArgumentsPlan,
    scenarios: Sequence[Scenario],
    written: Mapping[Place, Argument] | None = None,
    limits: Limits = NO_LIMITS,
) -> str:
    """Make a run, perhaps with arguments that exist already."""
    if not scenarios:
        raise ValueError("A run needs scenarios.")
    provided = [(place, argument_result(argument)) for place, argument in (written or {}).items()]
    rows = [to_row(s, plan.catalogue) for s in scenarios]
    return FOLDER.create(asdict(plan), {_SCENARIOS: rows}, provided, limits)


def plan_of(file: JobFile) -> ArgumentsPlan:
    """Read the plan of a run."""
    return file.plan(ArgumentsPlan)


def scenarios_of(file: JobFile, plan: ArgumentsPlan) -> list[Scenario]:
    """Read the scenarios of a run in the order of their rows; `StoreError` if they cannot be read."""
    return [file.meaning(from_row, row, plan.catalogue) for row in file.inputs(_SCENARIOS)]


def final(plan: ArgumentsPlan) -> str:
    """Name the stage that ends a place: `EXTRACTION` where a model extracts, else `ARGUMENT`."""
    return EXTRACTION if plan.extractor else ARGUMENT


def argument_result(argument: Argument) -> Result:
    """Make an argument, written or given, a result of the stage `ARGUMENT`."""
    return Result(ARGUMENT, {"plies": list(argument.plies), "note": argument.note})


def argument_of(content: Content) -> Argument:
    """Read the argument from the content of a result of the stage `ARGUMENT`."""
    return Argument(tuple(content["plies"]), content["note"])


def extraction_result(extracted: Extracted) -> Result:
    """Make what came of asking a result; its `sets` are None where nothing could be read, and its `note` then says why."""
    sets = None if extracted.found is None else [sorted(s) for s in extracted.found.sets]
    return Result(EXTRACTION, {"sets": sets, "note": extracted.why or (extracted.found.note if extracted.found else "")})


def _extracted(content: Content) -> Extracted:
    if content["sets"] is None:
        return Extracted(None, content["note"])
    return Extracted(of_sets([frozenset(s) for s in content["sets"]], content["note"]))


def judged(file: JobFile) -> list[Judged]:
    """Read every argument so far, with what the exact extractor finds in it now, and what a model extracted."""
    plan = plan_of(file)
    scenarios = scenarios_of(file, plan)
    extracted = {stored.place: (found, stored.cost) for stored, found in file.made(EXTRACTION, _extracted)}
    arguments = []
    for stored, argument in file.made(ARGUMENT, argument_of):
        other, cost = extracted.get(stored.place, (None, NOTHING))
        part = plan.arguers[stored.place.part]
        arguments.append(
            Judged(
                scenarios[stored.place.row],
                part.title,
                plan.wordings[stored.place.other] if reads_wording(part.id) else "",
                argument,
                exact(argument.plies, plan.catalogue),
                other.found if other else None,
                stored.cost + cost,
                other.why if other else "",
            )
        )
    return arguments


def _wanted(file: JobFile, plan: ArgumentsPlan) -> dict[int, tuple[str, int]]:
    parts = [place.part for place in places(file, plan)]
    return {a: (part.title, parts.count(a)) for a, part in enumerate(plan.arguers)}


def _about(file: JobFile, plan: ArgumentsPlan) -> str:
    titles = ", ".join(dict.fromkeys(p.title for p in plan.arguers))
    extracted = f", also extracted by {plan.extractor.title}" if plan.extractor else ""
    return f"{titles}: {plural(file.size(_SCENARIOS), 'triple')}{extracted}"


KIND = listing.Kind(FOLDER, "argument", plan_of, final, _wanted, _about)
