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


class ArgumentWriter(Protocol):
    """Writes arguments."""

    @property
    def signature(self) -> str:
        """An argument depends on this, the triple and the wording alone."""

    def argue(self, scenario: Scenario, catalogue: Catalogue, wanted: Wording) -> Argument:
        """Write one argument.

        Args:
            scenario: the triple to argue about.
            catalogue: of the scenario; has all of its factors.
            wanted: how the instruction to abstain is worded; built-in arguers do not read it.

        Returns:
            The argument; an empty one, with a note, where a model refused or its reply was cut off.

        Raises:
            ModelUnavailable: the model cannot be asked, or the triple does not fit into its window.
            BudgetSpent: the run's budget does not cover the call.
            Cancelled: the user stopped it.
            StoreError: the argument was to be there already, and is gone.
        """


class Extractor(Protocol):
    """Extracts factors of arguments."""

    @property
    def signature(self) -> str:
        """An extraction depends on this and the argument alone."""

    def extract(self, argument: Argument, catalogue: Catalogue) -> Extracted:
        """Extract from one argument.

        Args:
            argument: the argument; a model is not asked about one that says nothing.
            catalogue: whose factors the entries of its lists are brought to.

        Returns:
            The extraction; None, and why, where the replies could not be read.

        Raises:
            ModelUnavailable: the model cannot be asked, or the argument does not fit into its window.
            BudgetSpent: the run's budget does not cover the call.
            Cancelled: the user stopped it.
        """


class ArguingParts(NamedTuple):
    """The parts of a plan: arguers by their ids, and the extractor."""

    arguers: Mapping[str, ArgumentWriter]
    extractor: Extractor | None = None


class Arguing:
    """What a run of arguments gives the engine; see `groundscope.experiments.work.Steps`."""

    def __init__(self, file: JobFile, parts: ArguingParts) -> None:
        """Read the plan and the scenarios.

        Args:
            file: of the run.
            parts: the arguers and the extractor, as they are here now.

        Raises:
            StoreError: the run cannot be read.
        """
        self._file, self._parts, self._plan = file, parts, runs.plan_of(file)
        self._scenarios = runs.scenarios_of(file, self._plan)

    def planned(self) -> Iterable[Planned]:
        """Give the arguers and the extractor.

        Yields:
            One entry an arguer, in the order of the plan, then one of the extractor if there is one; each has both signatures.
        """
        for part in self._plan.arguers:
            found = self._parts.arguers.get(part.id)
            yield Planned(part.title, part.signature, found.signature if found else None)
        if self._plan.extractor:
            extractor = self._parts.extractor
            yield Planned(self._plan.extractor.title, self._plan.extractor.signature, extractor.signature if extractor else None)

    def phases(self) -> Iterator[Phase]:
        """Give the one phase of a run: every argument, scenario by scenario.

        Yields:
            A phase with all places of the plan; in a run of given arguments those that have one.

        Raises:
            StoreError: the run cannot be read.
        """
        wanted = places(self._plan, len(self._scenarios))
        if self._plan.given:
            there = self._file.done(runs.ARGUMENT)
            wanted = sorted(there, key=lambda place: place.row)
        yield Phase(runs.final(self._plan), wanted)

    def title(self, place: Place) -> str:
        """Name the arguer of a place, or the extractor where the arguments exist already.

        Args:
            place: its `part` is the arguer's index.

        Returns:
            The title of the part as it was planned.
        """
        extractor = self._plan.extractor
        return extractor.title if self._plan.given and extractor else self._plan.arguers[place.part].title

    def asks(self, place: Place) -> bool:
        """Whether a chat model writes or extracts.

        Args:
            place: its `part` is the arguer's index.

        Returns:
            True everywhere in a run with an extractor; else where the arguer asks a chat model.
        """
        return self._plan.extractor is not None or self._plan.arguers[place.part].asks

    def keeps(self, place: Place) -> bool:
        """Keep all replies, since a run is kept with all its texts.

        Args:
            place: any place of the run.

        Returns:
            Always True.
        """
        return True

    def warm(self, place: Place) -> None:
        """Load nothing: no arguer has weights.

        Args:
            place: any place of the run.
        """

    def do(self, place: Place, earlier: Mapping[str, Content]) -> Iterator[Result]:
        """Write an argument, unless it is there, and extract from it.

        Args:
            place: indices of the arguer and the wording, and the row of the scenario.
            earlier: what an earlier start gave, by stage; an argument in it is not written again.

        Yields:
            The argument, unless it is there, then what the model extracted, where the plan has an extractor.

        Raises:
            ModelUnavailable: a model cannot be asked, or a text does not fit into its window.
            BudgetSpent: the run's budget does not cover the next call.
            Cancelled: the user stopped it.
            StoreError: a given argument is gone.
            Deferred: a reply comes with a batch; see `groundscope.chat.batches`.
        """
        if runs.ARGUMENT in earlier:
            argument = runs.argument_of(earlier[runs.ARGUMENT])
        else:
            arguer = self._parts.arguers[self._plan.arguers[place.part].id]
            wanted = wording(self._plan.wordings[place.other])
            argument = arguer.argue(self._scenarios[place.row], self._plan.catalogue, wanted)
            yield runs.argument_result(argument)
        if self._parts.extractor is not None and self._plan.extractor is not None:
            yield runs.extraction_result(self._parts.extractor.extract(argument, self._plan.catalogue))
