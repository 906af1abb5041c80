"""What an experiment crosses: who retrieves, who answers from what was retrieved, and who judges.

The place of an answer is the generator's index, the retriever's index and the question's row; of what a retriever found for all
questions, the retriever's index alone.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from groundscope.experiments.plan import Part, Place
from groundscope.rag.retrieving.arms import arm

DEEPEST = 10
"""At least so many passages are retrieved: retrieval is measured at 1, 3, 5 and 10."""


@dataclass(frozen=True, slots=True)
class ExperimentPlan:
    """What an experiment crosses.

    Attributes:
        k: passages that an answer is written from, unless a retriever's id says otherwise.
        notes: what readers of the results must know of how they came about, in sentences.
    """

    name: str
    retrievers: tuple[Part, ...]
    generators: tuple[Part, ...]
    judge: Part
    k: int = 5
    benchmark: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.retrievers or not self.generators:
            raise ValueError("Choose at least one embedder and one generator.")
        for kind, parts in (("embedder", self.retrievers), ("generator", self.generators)):
            if len({p.signature for p in parts}) < len(parts):
                raise ValueError(f"Each {kind} can be chosen once.")
            # Answers are known by titles: two parts of one title would be taken for one.
            if len({p.title for p in parts}) < len(parts):
                raise ValueError(f"Each {kind} needs a title of its own.")
        if type(self.k) is not int or self.k < 1:
            raise ValueError(f"k must be a whole number of at least 1, got {self.k!r}")

    @property
    def deepest(self) -> int:
        """How many passages are retrieved for each question."""
        return max(*(self.k_of(i) for i in range(len(self.retrievers))), DEEPEST)

    def k_of(self, retriever: int) -> int:
        """How many passages an answer is written from that this retriever found, by its place."""
        return arm(self.retrievers[retriever].id).k or self.k


def places(plan: ExperimentPlan, retrievers: Iterable[int], questions: int) -> list[Place]:
    """List the places of answers, question by question, so that a stopped experiment says something of each combination."""
    parts = list(retrievers)
    return [Place(g, r, q) for q in range(questions) for r in parts for g in range(len(plan.generators))]


def from_json(row: Any) -> ExperimentPlan:
    """Read a plan, checked as when it was made."""
    parts = {name: tuple(Part(*p) for p in row[name]) for name in ("retrievers", "generators")}
    return ExperimentPlan(**{**row, **parts, "judge": Part(*row["judge"]), "notes": tuple(row["notes"])})
