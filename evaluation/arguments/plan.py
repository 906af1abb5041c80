"""What a run crosses: who argues, under which wordings, who extracts; and where in that design an argument stands."""

from dataclasses import dataclass
from typing import NamedTuple

from evaluation.arguments.types import Catalogue

GIVEN = "given:"
"""How the id of a part begins whose arguments the run was begun with: `given:NUMBER:WORDING`."""


class Part(NamedTuple):
    """An arguer or an extractor: its id for `load`, what people call it, and its signature."""

    id: str
    title: str
    signature: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run crosses.

    Attributes:
        name: for people.
        catalogue: of the scenarios.
        arguers: of which each argues every scenario.
        wordings: ids of the wordings of the abstention; a built-in arguer reads none, and argues once.
        extractor: another model that extracts beside the exact extractor; None = none does.
    """

    name: str
    catalogue: Catalogue
    arguers: tuple[Part, ...]
    wordings: tuple[str, ...]
    extractor: Part | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be run."""
        if not self.arguers or not self.wordings:
            raise ValueError("Choose at least one arguer and one wording.")
        names = {(p.title, given_wording(p.id)) for p in self.arguers}
        if len(names) < len(self.arguers) or len(set(self.wordings)) < len(self.wordings):
            raise ValueError("Each arguer and each wording can be chosen once.")
        if self.given and not all(p.id.startswith(GIVEN) for p in self.arguers):
            raise ValueError("Arguments that are there already are read in a run of their own.")

    @property
    def given(self) -> bool:
        """Whether its arguments were there when it began: there may be none of an arguer about a scenario."""
        return any(p.id.startswith(GIVEN) for p in self.arguers)


class Place(NamedTuple):
    """Where in the design an argument stands: places in the plan, and the row of the scenario."""

    arguer: int
    wording: int
    scenario: int


def reads_wording(part: str) -> bool:
    """Whether an arguer reads the wording."""
    return part.startswith("chat:")


def given_wording(part: str) -> str:
    """The wording that given arguments were written under; empty where none is known, or they are not given."""
    return part.split(":", 2)[2] if part.startswith(GIVEN) else ""


def places(plan: Plan, scenarios: int) -> list[Place]:
    """All arguments of a run that writes them, scenario by scenario, so that a stopped run says something of every arguer."""
    return [
        Place(a, w, s)
        for s in range(scenarios)
        for a, part in enumerate(plan.arguers)
        for w in range(len(plan.wordings) if reads_wording(part.id) else 1)
    ]
