"""What a run crosses: who argues, under which wordings, and who extracts.

An argument's place is the arguer's index, the wording's index and the scenario's row.
"""

from dataclasses import dataclass
from typing import Any

from groundscope.arguments.types import Catalogue, Factor, Side
from groundscope.experiments.plan import Part, Place

GIVEN = "given:"
"""How the id of a part begins whose arguments the run was begun with: `given:NUMBER:WORDING`."""


@dataclass(frozen=True, slots=True)
class ArgumentsPlan:
    """What a run crosses.

    Attributes:
        wordings: ids of the wordings of the abstention; a built-in arguer reads none, and argues once.
        extractor: another model that extracts beside the exact extractor; None = none does.
    """

    name: str
    catalogue: Catalogue
    arguers: tuple[Part, ...]
    wordings: tuple[str, ...]
    extractor: Part | None = None

    def __post_init__(self) -> None:
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


def reads_wording(part: str) -> bool:
    """Whether an arguer with this id reads the wording: a chat model alone does."""
    return part.startswith("chat:")


def given_wording(part: str) -> str:
    """Take the wording of given arguments from the id of their part; empty where none is known, or they are not given."""
    return part.split(":", 2)[2] if part.startswith(GIVEN) else ""


def places(plan: ArgumentsPlan, scenarios: int) -> list[Place]:
    """List all arguments of a run that writes them."""
    return [
        Place(a, w, s)
        for s in range(scenarios)
        for a, part in enumerate(plan.arguers)
        for w in range(len(plan.wordings) if reads_wording(part.id) else 1)
    ]


def from_json(row: Any) -> ArgumentsPlan:
    """Read a plan."""
    factors = tuple(Factor(f["number"], f["name"], Side(f["side"]), f["description"]) for f in row["catalogue"]["factors"])
    return ArgumentsPlan(
        row["name"],
        Catalogue(row["catalogue"]["name"], factors),
        tuple(Part(*p) for p in row["arguers"]),
        tuple(row["wordings"]),
        Part(*row["extractor"]) if row["extractor"] else None,
    )
