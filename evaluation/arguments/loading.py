"""Parts of a run by their ids, and what they take before anything is sent. Chat models come from outside.

Ids: `built-in:NAME` or `chat:SPEC` of arguers, `given:NUMBER:WORDING` of those whose arguments are there already (see `given`),
`chat:SPEC` of the extractor. An id that means nothing is a ValueError.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evaluation import chat_spec
from evaluation.arguments import arguers
from evaluation.arguments.asking import ChatExtractor
from evaluation.arguments.parsing import Argument
from evaluation.arguments.plan import Part, Plan
from evaluation.arguments.prompts import WORDINGS, Wording, wording
from evaluation.arguments.types import Catalogue, Scenario
from evaluation.arguments.work import Arguer, Parts
from evaluation.arguments.writing import NOTHING, ChatArguer, Cost
from evaluation.chat import CHARACTERS_A_TOKEN, ChatModel, Prompt
from evaluation.errors import StoreError

Chat = Callable[[str], ChatModel]
"""A chat model by its spec."""
BUILT_IN = "built-in:"
_VERSION = 1
"""Of what the built-in arguers write."""


@dataclass(frozen=True)
class BuiltIn:
    """A built-in arguer as a part of a run; no wording changes what it writes."""

    made: arguers.Arguer

    @property
    def signature(self) -> str:
        """Its id and version."""
        return f"built_in|{self.made.id}|version={_VERSION}"

    def argue(self, scenario: Scenario, catalogue: Catalogue, wanted: Wording) -> tuple[Argument, Cost]:
        """Write one argument; it costs nothing."""
        return self.made.argue(scenario, catalogue), NOTHING


def arguer(part: str, chat: Chat) -> tuple[Arguer, str]:
    """An arguer with its title.

    Raises:
        ValueError: the id means nothing.
    """
    kind, _, spec = part.partition(":")
    if kind == "built-in":
        made = arguers.arguer(spec)
        return BuiltIn(made), made.title
    if kind == "chat" and spec:
        return ChatArguer(chat(spec)), chat_spec.parse(spec).model
    raise ValueError(f"no arguer {part!r}: built-in:NAME or chat:SPEC")


def extractor(part: str, chat: Chat) -> ChatExtractor:
    """An extractor.

    Raises:
        ValueError: the id means nothing.
    """
    kind, _, spec = part.partition(":")
    if kind != "chat" or not spec:
        raise ValueError(f"no extractor {part!r}: chat:SPEC; the exact one always runs")
    return ChatExtractor(chat(spec))


def planned(name: str, catalogue: Catalogue, chosen: Sequence[str], wordings: Sequence[str], extracts: str, chat: Chat) -> Plan:
    """A plan of parts by their ids, with the signatures that they have now; `extracts` is empty where no model extracts.

    Raises:
        ValueError: what cannot be run together, or an id that means nothing.
    """
    made = [(part, *arguer(part, chat)) for part in chosen]
    titles = [title for _, _, title in made]
    # Two servers may have a model of the same name.
    parts = [
        Part(part, title if titles.count(title) == 1 else part.partition(":")[2], found.signature) for part, found, title in made
    ]
    other = None
    if extracts:
        signature = extractor(extracts, chat).signature
        other = Part(extracts, chat_spec.parse(extracts.partition(":")[2]).model, signature)
    return Plan(name, catalogue, tuple(parts), tuple(wording(w).id for w in wordings), other)


@dataclass(frozen=True)
class _Given:
    """Stands for who wrote what a run began with."""

    signature: str

    def argue(self, scenario: Scenario, catalogue: Catalogue, wanted: Wording) -> tuple[Argument, Cost]:
        """Nobody can write these anew."""
        raise StoreError("An argument of this run is gone from its file; begin a new one.")


def parts_of(plan: Plan, chat: Chat) -> Parts:
    """The parts of a plan, as they are here now.

    Raises:
        ValueError: an id that means nothing.
        ScorerUnavailable: a part cannot be used here.
    """
    made: dict[str, Arguer] = {p.id: _Given(p.signature) if plan.given else arguer(p.id, chat)[0] for p in plan.arguers}
    other = extractor(plan.extractor.id, chat) if plan.extractor else None
    return Parts(made, other, asks=other is not None or any(p.id.startswith("chat:") for p in plan.arguers))


class Takes(NamedTuple):
    """What one part takes.

    Attributes:
        title: of the part.
        calls: to a chat model; a reply that cannot be read is asked for once more, which is not counted here.
        address: the host that texts go to; empty = they stay on this machine.
        dollars: at most, without repeated calls; None = not known.
        missing: why it cannot be used here; empty = it can.
    """

    title: str
    calls: int
    address: str
    dollars: float | None
    missing: str


_STAND_IN = "x" * int(ChatArguer.max_tokens * CHARACTERS_A_TOKEN)
"""Stands for an argument in what an extractor will read: as long as one may be that is written at once."""


def forecast(
    scenarios: Sequence[Scenario], catalogue: Catalogue, chosen: Sequence[str], wordings: Sequence[str], extracts: str, chat: Chat
) -> list[Takes]:
    """What every part takes that asks a model; prompts are reckoned with the largest triple, so that what is paid is less."""
    largest = max(scenarios, key=lambda s: s.size)
    longest = max((wording(w) for w in wordings), key=lambda w: len(w.text), default=WORDINGS[0])
    asked = [part for part in chosen if part.startswith("chat:")]
    found = []
    for part in asked:
        model = chat(part.partition(":")[2])
        prompt = ChatArguer(model).plan(largest, catalogue, longest)
        found.append(takes_of(f"{part.partition(':')[2]} argues", model, prompt, len(scenarios) * len(wordings)))
    if extracts:
        model = chat(extracts.partition(":")[2])
        times = len(scenarios) * (len(chosen) - len(asked) + len(asked) * len(wordings))
        prompt = ChatExtractor(model).plan(_STAND_IN)
        found.append(takes_of(f"{extracts.partition(':')[2]} extracts", model, prompt, times))
    return found


def takes_of(title: str, model: ChatModel, prompt: Prompt, times: int) -> Takes:
    """What it takes to send a prompt, or shorter ones, so many times."""
    if missing := model.unavailable():
        return Takes(title, times, "", None, missing)
    most = model.most(prompt)
    return Takes(title, times, model.address, None if most is None else most * times, "")
