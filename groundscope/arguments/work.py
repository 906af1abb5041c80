"""The steps of a run of arguments: write, then extract."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol

from groundscope.arguments import runs
from groundscope.arguments.asking import Extracted
from groundscope.arguments.parsing import Argument
from groundscope.arguments.plan import places
from groundscope.arguments.prompts import Wording, wording
from groundscope.arguments.types import Catalogue, Scenario
from groundscope.experiments.plan import Content, Place, Result
from groundscope.experiments.store import JobFile
from groundscope.experiments.work import Phase, Planned


class Arguer(Protocol):
    """Writes arguments."""

    @property
    def signature(self) -> str:
        """An argument depends on this, the triple and the wording alone."""

    def argue(self, scenario: Scenario, catalogue: Catalogue, wanted: Wording) -> Argument:
        """Write one; may raise `ModelUnavailable`."""


class Extractor(Protocol):
    """Extracts factors of arguments."""

    @property
    def signature(self) -> str:
        """An extraction depends on this and the argument alone."""

    def extract(self, argument: Argument, catalogue: Catalogue) -> Extracted:
        """Extract from one; may raise `ModelUnavailable`."""


class Parts(NamedTuple):
    """The parts of a plan: arguers by their ids, and the extractor."""

    arguers: Mapping[str, Arguer]
    extractor: Extractor | None = None


class Arguing:
    """What a run of arguments gives the engine; see `groundscope.experiments.work.Steps`."""

    def __init__(self, file: JobFile, parts: Parts) -> None:
        """Read the plan and the scenarios."""
        self._file, self._parts, self._plan = file, parts, runs.plan_of(file)
        self._scenarios = runs.scenarios_of(file, self._plan)

    def planned(self) -> Iterable[Planned]:
        """The arguers and the extractor."""
        for part in self._plan.arguers:
            found = self._parts.arguers.get(part.id)
            yield Planned(part.title, part.signature, found.signature if found else None)
        if self._plan.extractor:
            extractor = self._parts.extractor
            yield Planned(self._plan.extractor.title, self._plan.extractor.signature, extractor.signature if extractor else None)

    def phases(self) -> Iterator[Phase]:
        """One: every argument, scenario by scenario."""
        wanted = places(self._plan, len(self._scenarios))
        if self._plan.given:
            there = self._file.done(runs.ARGUMENT)
            wanted = sorted(there, key=lambda place: place.row)
        yield Phase(runs.final(self._plan), wanted)

    def title(self, place: Place) -> str:
        """The arguer, or the extractor where the arguments exist already."""
        extractor = self._plan.extractor
        return extractor.title if self._plan.given and extractor else self._plan.arguers[place.part].title

    def asks(self, place: Place) -> bool:
        """Whether a chat model writes or extracts."""
        return self._plan.extractor is not None or self._plan.arguers[place.part].asks

    def keeps(self, place: Place) -> bool:
        """A run is kept with all its texts, so replies are kept, too."""
        return True

    def warm(self, place: Place) -> None:
        """Load nothing: no arguer has weights."""

    def do(self, place: Place, earlier: Mapping[str, Content]) -> Iterator[Result]:
        """Write an argument, unless it is there, and extract from it."""
        if runs.ARGUMENT in earlier:
            argument = runs.argument_of(earlier[runs.ARGUMENT])
        else:
            arguer = self._parts.arguers[self._plan.arguers[place.part].id]
            wanted = wording(self._plan.wordings[place.other])
            argument = arguer.argue(self._scenarios[place.row], self._plan.catalogue, wanted)
            yield runs.argument_result(argument)
        if self._parts.extractor is not None and self._plan.extractor is not None:
            yield runs.extraction_result(self._parts.extractor.extract(argument, self._plan.catalogue))
