"""Parts of a run by their ids, what they take before anything is sent, and the steps of a run: write, then extract.

Ids: `built-in:NAME` or `chat:SPEC` of arguers, `given/NUMBER` of arguers whose arguments exist already (`begin_extraction`),
`chat:SPEC` or `chat/PROMPT:SPEC` of the extractor. An id that means nothing is a ValueError.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from groundscope.arguments import arguers, runs
from groundscope.arguments.asking import EXTRACTION, ChatArguer, ChatExtractor
from groundscope.arguments.prompts import verification, verifies, wording
from groundscope.arguments.runs import GIVEN, ArgumentsPlan, places, reads_wording
from groundscope.arguments.summary import Judged
from groundscope.arguments.types import Catalogue, Scenario
from groundscope.chat import model_spec
from groundscope.chat.budget import NO_LIMITS, Limits
from groundscope.chat.clients.model import chat_model
from groundscope.chat.messages import CHARACTERS_A_TOKEN
from groundscope.chat.prompt_files import asked_chat, prompt_named
from groundscope.experiments.forecast import CostEstimate, of_prompts
from groundscope.experiments.plan import Content, Part, Place, Result
from groundscope.experiments.steps import Phase, Steps
from groundscope.experiments.store import JobFile


class Arguing(Steps):
    """What a run of arguments gives the engine; see `groundscope.experiments.steps.Steps`."""

    def __init__(self, file: JobFile) -> None:
        self._file, self._plan = file, runs.plan_of(file)
        self._scenarios = runs.scenarios_of(file, self._plan)
        writing = () if self._plan.given else self._plan.arguers
        self._arguers = [arguer(part.id, self._plan.wordings)[0] for part in writing]
        self._extractor = extractor(self._plan.extractor.id) if self._plan.extractor else None

    def planned(self) -> Iterable[tuple[Part, str | None]]:
        """The arguers that have something to write, then the extractor if there is one."""
        yield from ((part, writer.signature) for part, writer in zip(self._plan.arguers, self._arguers, strict=False))
        if self._plan.extractor and self._extractor:
            yield self._plan.extractor, self._extractor.signature

    def phases(self) -> Iterator[Phase]:
        """The one phase of a run: every argument."""
        yield Phase(runs.final(self._plan), places(self._file, self._plan))

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
            chosen = wording(self._plan.wordings[place.other])
            argument = self._arguers[place.part].argue(self._scenarios[place.row], self._plan.catalogue, chosen)
            yield runs.argument_result(argument)
        if self._extractor:
            yield runs.extraction_result(self._extractor.extract(argument, self._plan.catalogue))


BUILT_IN = "built-in:"


def arguer(part: str, wordings: Sequence[str] = ()) -> tuple[arguers.Arguer | ChatArguer, str]:
    """Build the arguer of an id, `built-in:NAME` or `chat:SPEC`; gives it with its title, of a model its name at the provider.

    A model's signature covers the user's own among the wordings that it will be asked by.
    """
    kind, _, spec = part.partition(":")
    if kind == "built-in":
        writer = arguers.arguer(spec)
        return writer, writer.title
    if kind == "chat" and spec:
        added = tuple(w for w in map(wording, wordings) if w.own)
        return ChatArguer(chat_model(spec), own=added), model_spec.parse(spec).model
    raise ValueError(f"no arguer {part!r}: built-in:NAME or chat:SPEC")


def extractor(part: str) -> ChatExtractor:
    """Build the extractor of an id, `chat:SPEC` or `chat/PROMPT:SPEC`; the exact one has none. Nothing is sent yet."""
    spec, name = asked_chat(part)
    if spec in ("", part):
        raise ValueError(f"no extractor {part!r}: chat:SPEC or chat/PROMPT:SPEC; the exact one always runs")
    return ChatExtractor(chat_model(spec), prompt_named(EXTRACTION, name))


def extracting(part: str) -> Part:
    """Plan an extractor, with the signature that it has now; arguments and errors are those of `extractor`."""
    signature, (spec, name) = extractor(part).signature, asked_chat(part)
    title = model_spec.parse(spec).model + (f", {name} prompt" if name else "")
    return Part(part, title, signature, asks=True)


def extraction_takes(part: str, times: int, longest: str) -> CostEstimate:
    """Estimate what an extractor takes."""
    loaded = extractor(part)
    return of_prompts(f"{part.partition(':')[2]} extracts", loaded.model, times, loaded.plan(longest))


def planned(name: str, catalogue: Catalogue, chosen: Sequence[str], wordings: Sequence[str], extracts: str) -> ArgumentsPlan:
    """Plan a run of parts by their ids, with the signatures that they have now."""
    loaded = [(part, *arguer(part, wordings)) for part in chosen]
    titles = [title for _, _, title in loaded]
    # Two servers may have a model of the same name.
    parts = [
        Part(part, title if titles.count(title) == 1 else part.partition(":")[2], writer.signature, reads_wording(part))
        for part, writer, title in loaded
    ]
    other = extracting(extracts) if extracts else None
    return ArgumentsPlan(name, catalogue, tuple(parts), tuple(wording(w).name for w in wordings), other)


_STAND_IN = "x" * int(ChatArguer.max_tokens * CHARACTERS_A_TOKEN)
"""Stands for an argument in what an extractor will read: as long as one may be that is written at once."""


def forecast(
    scenarios: Sequence[Scenario], catalogue: Catalogue, chosen: Sequence[str], wordings: Sequence[str], extracts: str
) -> list[CostEstimate]:
    """Estimate what every part takes that asks a model.

    Prompts are counted with the largest triple and the longest wording, so the real price is lower.
    """
    largest = max(scenarios, key=lambda s: s.size)
    asking = [wording(w) for w in wordings] or [wording()]
    longest = max(asking, key=lambda w: len(w.text("task") + w.text("abstention")))
    asked = [part for part in chosen if part.startswith("chat:")]
    estimates = []
    for part in asked:
        model = chat_model(part.partition(":")[2])
        prompt = ChatArguer(model).plan(largest, catalogue, longest)
        name = part.partition(":")[2]
        estimates.append(of_prompts(f"{name} argues", model, len(scenarios) * len(wordings), prompt))
        first = [verification(largest, catalogue, w) for w in asking if verifies(w)]
        if first:
            times, most = len(scenarios) * len(first), max(first, key=lambda p: p.tokens())
            estimates.append(of_prompts(f"{name} verifies first", model, times, most))
    if extracts:
        times = len(scenarios) * (len(chosen) - len(asked) + len(asked) * len(wordings))
        estimates.append(extraction_takes(extracts, times, _STAND_IN))
    return estimates


def begin_extraction(
    name: str, catalogue: Catalogue, arguments: Sequence[Judged], extracts: str, limits: Limits = NO_LIMITS
) -> str:
    """Begin a run of given arguments; `work` then has a model extract from each. Nothing is sent yet."""
    if not arguments:
        raise ValueError("There is no argument to extract from.")
    rows = ((j.arguer, j.wording, j.scenario) for j in arguments)
    titles, wordings, scenarios = map(_numbered, zip(*rows, strict=True))
    written = {Place(titles[j.arguer], wordings[j.wording], scenarios[j.scenario]): j.argument for j in arguments}
    parts = tuple(Part(f"{GIVEN}{i}", title) for title, i in titles.items())
    plan = ArgumentsPlan(name, catalogue, parts, tuple(wordings), extracting(extracts))
    return runs.create(plan, list(scenarios), written, limits)


def _numbered(values: Sequence[Any]) -> dict[Any, int]:
    return {value: i for i, value in enumerate(dict.fromkeys(values))}


def extraction_forecast(arguments: Sequence[Judged], extracts: str) -> CostEstimate:
    """Estimate what the extraction takes, counted with the longest argument, so the real price is lower."""
    written = [j.argument.text for j in arguments if not j.argument.empty]
    return extraction_takes(extracts, len(written), max(written, key=len, default=""))
