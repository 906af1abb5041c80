"""Parts of an experiment by their ids. Methods, embedders and chat models come from outside, through `Doors`.

Ids: `bm25` or `embed:SPEC` of retrievers; `chat:SPEC`, `similar` or `support:METHOD` of generators; `chat:SPEC`,
`offline:METHOD` or `offline:GROUNDED+CORRECT` of judges, METHOD judging both and each of two judging one. An id that means
nothing is a ValueError, and so is a method that asks a chat model: what is sent is reckoned, and agreed to, for `chat:` alone.
An ensemble judges, but does not rank: it has no supports of its own for single context sentences.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple, Protocol, cast

from evaluation.chat import ChatModel
from evaluation.default_methods import CLASSIFIER, EMBEDDER
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
_BUNDLED_SUPPORT = "overlap"


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

    def cut(self, texts: Sequence[str]) -> int | None:
        """How many passages are longer than it reads, so that their ends are left out; None = not known."""

    def reads(self) -> int | None:
        """Tokens of a passage that it reads at most; None = all, or not known."""


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

    What is correct stays with cosine: the classifier's threshold is that of a response's lowest sentence, and for the mean over a
    reference's sentences it is so low that it called all 496 answers of the sample set's pipelines correct.

    Args:
        ready: ids of methods that can run here.
    """
    best = CLASSIFIER in ready
    generators = (SIMILAR, f"support:{CLASSIFIER if best else _BUNDLED_SUPPORT}")
    return First(generators, f"offline:{CLASSIFIER}+{EMBEDDER}" if best else f"offline:{EMBEDDER}")


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
    """A generator with its title.

    Raises:
        ValueError: the id means nothing, or names a method that asks a chat model or cannot rank sentences.
    """
    kind, _, spec = part.partition(":")
    if part == SIMILAR:
        return BySimilarity(doors.embedder(doors.bundled)), "Nearest sentences"
    if kind == "support" and spec:
        scorer = _quiet(spec, doors)
        if not ranks(scorer):
            raise ValueError(f"{spec} has no support of its own for each single context sentence; name one of its methods.")
        # Evidence of several sentences has one support, and within it the nearest would come first, whatever the method says.
        return BySupport(_with(scorer, context_unit="sentence")), f"Sentences by {_title(scorer, spec)}"
    if kind == "chat" and spec:
        return ChatGenerator(doors.chat(spec)), _model(spec)
    raise ValueError(f"no generator {part!r}: similar, support:METHOD or chat:SPEC")


def judge(part: str, doors: Doors) -> tuple[Judge, str]:
    """A judge with its title, which stands beside every figure of it.

    Raises:
        ValueError: the id means nothing, or names a method that asks a chat model.
        ScorerUnavailable: a method without a threshold cannot judge.
    """
    kind, _, spec = part.partition(":")
    if kind == "chat" and spec:
        asked = ChatJudge(doors.chat(spec))
        return asked, asked.title
    if kind == "offline" and spec:
        grounded, two, correct = spec.partition("+")
        by, threshold = _judging(grounded, doors)
        entails, reached = _judging(correct, doors) if two else (by, threshold)
        # The core of an answer counts for what is correct, not every sentence.
        offline = OfflineJudge(by, threshold, _with(entails, aggregation="mean"), reached)
        return offline, offline.title
    raise ValueError(f"no judge {part!r}: chat:SPEC, offline:METHOD or offline:GROUNDED+CORRECT")


def _judging(method: str, doors: Doors) -> tuple[Scorer, float]:
    """A method that can judge, with its threshold."""
    scorer = _quiet(method, doors)
    threshold = getattr(getattr(scorer, "about", None), "threshold", None)
    if threshold is None:
        raise ScorerUnavailable(f"{_title(scorer, method)} has no threshold, so it cannot judge; choose another method.")
    return scorer, threshold


def _quiet(method: str, doors: Doors) -> Scorer:
    """A method that sends nothing."""
    scorer = doors.scorer(method)
    if hasattr(scorer, "estimate"):
        raise ValueError(f"{method} asks a chat model; use chat:SPEC.")
    return scorer


def planned(
    name: str,
    retrievers: Sequence[str],
    generators: Sequence[str],
    judged_by: str,
    k: int,
    doors: Doors,
    *,
    benchmark: str = "",
    licence: str = "",
    notes: Sequence[str] = (),
) -> Plan:
    """A plan of parts by their ids, with the signatures that they have now.

    Two parts that people call the same, such as one model on two servers, have their spec behind the title.

    Raises:
        ValueError: what cannot be run together, or an id that means nothing.
        ScorerUnavailable: a part cannot be used here.
    """
    found = _told_apart(_part(i, *retriever(i, doors)) for i in retrievers)
    made = _told_apart(_part(i, *generator(i, doors)) for i in generators)
    return Plan(name, found, made, _part(judged_by, *judge(judged_by, doors)), k, benchmark, licence, tuple(notes))


def _told_apart(parts: Iterable[Part]) -> tuple[Part, ...]:
    """The parts with titles that differ: answers are known by them."""
    parts = tuple(parts)
    often = Counter(p.title for p in parts)
    return tuple(p._replace(title=f"{p.title} ({p.id.partition(':')[2] or p.id})") if often[p.title] > 1 else p for p in parts)


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


def ranks(scorer: Scorer) -> bool:
    """Whether a method has supports of its own for single context sentences; an ensemble shows those of its first method."""
    return not hasattr(scorer, "methods")


def _with(scorer: Scorer, **options: str) -> Scorer:
    """The method with those of the options that it has."""
    if not is_dataclass(scorer) or isinstance(scorer, type):
        return scorer
    its = {f.name for f in fields(scorer)}
    return cast(Scorer, replace(cast(Any, scorer), **{name: value for name, value in options.items() if name in its}))


def _title(scorer: Scorer, method: str) -> str:
    return str(getattr(getattr(scorer, "about", None), "title", "") or method)


def _model(spec: str) -> str:
    from evaluation import chat_spec

    return chat_spec.parse(spec).model
