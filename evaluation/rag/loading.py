"""Parts of an experiment by their ids. Methods, embedders and chat models come from outside, through `Doors`.

Ids: `bm25` or `embed:SPEC` of retrievers; `chat:SPEC`, `similar` or `support:METHOD` of generators; `chat:SPEC` or
`offline:METHOD` of judges. An id that means nothing is a ValueError.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple, Protocol, cast

from evaluation.chat import ChatModel
from evaluation.errors import ScorerUnavailable
from evaluation.rag.bm25 import Bm25
from evaluation.rag.dense import Dense
from evaluation.rag.experiment_file import Part, Plan
from evaluation.rag.extracting import BySimilarity, BySupport
from evaluation.rag.judging import ChatJudge
from evaluation.rag.offline_judge import OfflineJudge
from evaluation.rag.types import Embedder, Generator, Judge, Retriever
from evaluation.rag.work import Parts
from evaluation.rag.writing import ChatGenerator
from evaluation.types import Scorer

BM25, SIMILAR = "bm25", "similar"
CLASSIFIER = "grounding_classifier"
_BUNDLED_JUDGE, _BUNDLED_SUPPORT = "cos_sim:minilm", "overlap"


class NamedEmbedder(Embedder, Protocol):
    """An embedder that can be shown to people."""

    @property
    def title(self) -> str:
        """What people call it."""

    @property
    def address(self) -> str:
        """The host that texts go to; empty where they stay on this machine."""

    def unavailable(self) -> str:
        """Why it cannot be used here, with the mend; empty if it can."""

    def price(self, texts: Sequence[str]) -> float | None:
        """US dollars at most; None = not known."""


class Doors(NamedTuple):
    """Where parts come from.

    Attributes:
        embedder: an embedder by its spec.
        chat: a chat model by its spec.
        scorer: a method by its id.
        bundled: the spec of the embedder that the generator of nearest sentences uses.
    """

    embedder: Callable[[str], NamedEmbedder]
    chat: Callable[[str], ChatModel]
    scorer: Callable[[str], Scorer]
    bundled: str = "minilm"


class First(NamedTuple):
    """What is offered first where no chat model is chosen: ids of generators and of a judge."""

    generators: tuple[str, ...]
    judge: str


def first_choice(ready: Collection[str]) -> First:
    """The grounding classifier where it is ready, or else methods that are always here.

    Args:
        ready: ids of methods that can run here.
    """
    best = CLASSIFIER in ready
    generators = (SIMILAR, f"support:{CLASSIFIER if best else _BUNDLED_SUPPORT}")
    return First(generators, f"offline:{CLASSIFIER if best else _BUNDLED_JUDGE}")


def retriever(part: str, doors: Doors) -> tuple[Retriever, str]:
    """A retriever with its title."""
    kind, _, spec = part.partition(":")
    if part == BM25:
        return Bm25(), "BM25"
    if kind == "embed" and spec:
        embedder = doors.embedder(spec)
        return Dense(embedder), embedder.title
    raise ValueError(f"no retriever {part!r}: bm25 or embed:SPEC")


def generator(part: str, doors: Doors) -> tuple[Generator, str]:
    """A generator with its title."""
    kind, _, spec = part.partition(":")
    if part == SIMILAR:
        return BySimilarity(doors.embedder(doors.bundled)), "Nearest sentences"
    if kind == "support" and spec:
        scorer = doors.scorer(spec)
        return BySupport(scorer), f"Sentences by {_title(scorer, spec)}"
    if kind == "chat" and spec:
        return ChatGenerator(doors.chat(spec)), _model(spec)
    raise ValueError(f"no generator {part!r}: similar, support:METHOD or chat:SPEC")


def judge(part: str, doors: Doors) -> tuple[Judge, str]:
    """A judge with its title, which stands beside every figure of it.

    Raises:
        ScorerUnavailable: a method without a threshold cannot judge.
    """
    kind, _, spec = part.partition(":")
    if kind == "chat" and spec:
        asked = ChatJudge(doors.chat(spec))
        return asked, asked.title
    if kind == "offline" and spec:
        scorer = doors.scorer(spec)
        threshold = getattr(getattr(scorer, "about", None), "threshold", None)
        if threshold is None:
            raise ScorerUnavailable(f"{_title(scorer, spec)} has no threshold, so it cannot judge; choose another method.")
        offline = OfflineJudge(scorer, threshold, _on_average(scorer), threshold)
        return offline, offline.title
    raise ValueError(f"no judge {part!r}: chat:SPEC or offline:METHOD")


def planned(
    name: str, retrievers: Sequence[str], generators: Sequence[str], judged_by: str, k: int, doors: Doors, **about: str
) -> Plan:
    """A plan of parts by their ids, with the signatures that they have now.

    Raises:
        ValueError: what cannot be run together, or an id that means nothing.
        ScorerUnavailable: a part cannot be used here.
    """
    found = [_part(i, *retriever(i, doors)) for i in retrievers]
    made = [_part(i, *generator(i, doors)) for i in generators]
    return Plan(name, tuple(found), tuple(made), _part(judged_by, *judge(judged_by, doors)), k, **about)


def _part(part: str, made: Any, title: str) -> Part:
    return Part(part, title, made.signature)


def parts_of(plan: Plan, doors: Doors) -> Parts:
    """The parts of a plan, as they are here now.

    Raises:
        ValueError: an id that means nothing.
        ScorerUnavailable: a part cannot be used here.
    """
    return Parts(
        {p.id: retriever(p.id, doors)[0] for p in plan.retrievers},
        {p.id: generator(p.id, doors)[0] for p in plan.generators},
        judge(plan.judge.id, doors)[0],
        asks=any(p.id.startswith("chat:") for p in (*plan.generators, plan.judge)),
    )


def _on_average(scorer: Scorer) -> Scorer:
    """The method with the mean of its sentences, where it has that choice: the core of an answer counts, not every sentence."""
    if is_dataclass(scorer) and not isinstance(scorer, type) and "aggregation" in {f.name for f in fields(scorer)}:
        return cast(Scorer, replace(cast(Any, scorer), aggregation="mean"))
    return scorer


def _title(scorer: Scorer, method: str) -> str:
    return str(getattr(getattr(scorer, "about", None), "title", "") or method)


def _model(spec: str) -> str:
    from evaluation import chat_spec

    return chat_spec.parse(spec).model
