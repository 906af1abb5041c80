"""The steps of a run of arguments: write, then extract."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol

from groundscope.arguments import runs
from groundscope.arguments.asking import ChatExtractor
from groundscope.arguments.parsing import Argument
from groundscope.arguments.prompts import wording
from groundscope.arguments.runs import places
from groundscope.arguments.types import Catalogue, Scenario
from groundscope.chat.prompt_files import PromptFile
from groundscope.experiments.plan import Content, Part, Place, Result
from groundscope.experiments.steps import Phase, Steps, signature_of
from groundscope.experiments.store import JobFile


class ArgumentWriter(Protocol):
    """Writes arguments."""

    @property
    def signature(self) -> str:
        """An argument depends on this, the triple and the wording alone."""

    def argue(self, scenario: Scenario, catalogue: Catalogue, wording: PromptFile) -> Argument:
        """Write one argument; `ModelUnavailable` if the model cannot be asked or has no room, `BudgetSpent` as of any call."""


class ArguingParts(NamedTuple):
    """The parts of a plan: arguers by their ids, and the extractor."""

    arguers: Mapping[str, ArgumentWriter]
    extractor: ChatExtractor | None = None


class Arguing(Steps):
    """What a run of arguments gives the engine; see `groundscope.experiments.steps.Steps`."""

    def __init__(self, file: JobFile, parts: ArguingParts) -> None:
        self._file, self._parts, self._plan = file, parts, runs.plan_of(file)
        self._scenarios = runs.scenarios_of(file, self._plan)

    def planned(self) -> Iterable[tuple[Part, str | None]]:
        """The arguers, then the extractor if there is one."""
        for part in self._plan.arguers:
            yield part, signature_of(self._parts.arguers.get(part.id))
        if self._plan.extractor:
            yield self._plan.extractor, signature_of(self._parts.extractor)

    def phases(self) -> Iterator[Phase]:
        """The one phase of a run: every argument, scenario by scenario; of given arguments those that are there."""
        argued = places(self._plan, len(self._scenarios))
        if self._plan.given:
            argued = sorted(self._file.done(runs.ARGUMENT), key=lambda place: place.row)
        yield Phase(runs.final(self._plan), argued)

    def title(self, place: Place) -> str:
        """The arguer of a place, or the extractor where the arguments exist already."""
        extractor = self._plan.extractor
        return extractor.title if self._plan.given and extractor else self._plan.arguers[place.part].title

    def asks(self, place: Place) -> bool:
        """Whether a chat model writes or extracts."""
        return self._plan.extractor is not None or self._plan.arguers[place.part].asks

    def do(self, place: Place, earlier: Mapping[str, Content]) -> Iterator[Result]:
        """Write an argument, unless it is there, and extract from it where the plan has an extractor."""
        if runs.ARGUMENT in earlier:
            argument = runs.argument_of(earlier[runs.ARGUMENT])
        else:
            arguer = self._parts.arguers[self._plan.arguers[place.part].id]
            chosen = wording(self._plan.wordings[place.other])
            argument = arguer.argue(self._scenarios[place.row], self._plan.catalogue, chosen)
            yield runs.argument_result(argument)
        if self._parts.extractor is not None and self._plan.extractor is not None:
            yield runs.extraction_result(self._parts.extractor.extract(argument, self._plan.catalogue))
