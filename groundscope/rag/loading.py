"""Parts of an experiment by their ids.

Ids: `bm25` or `embed:SPEC` of retrievers; `chat:SPEC`, `chat/PROMPT:SPEC`, `similar` or `support:METHOD` of generators;
`chat:SPEC`, `chat/PROMPT:SPEC`, `offline:METHOD` or `offline:GROUNDED+CORRECT` of judges, METHOD judging both and each of two
judging one; METHOD or METHOD@THRESHOLD of a second judge, which says what is grounded. PROMPT is the name of a prompt of the
task `rag_answer` or `rag_judge`, by default its first. An id that means nothing is a ValueError, and so is a method that asks a
chat model, except as second judge: what is sent is counted, and agreed to, for `chat` and for that one alone.
A cascade judges, but does not rank: it has no supports of its own for single context sentences.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

from groundscope.chat import model_spec
from groundscope.chat.clients.model import chat_model
from groundscope.chat.prompt_files import AskedChat, asked_chat, prompt_named
from groundscope.errors import ScorerUnavailable
from groundscope.grounding.parts import method_here
from groundscope.methods import Method, registry
from groundscope.methods.advice import recommended
from groundscope.methods.defaults import DEFAULTS, EMBEDDER, QUICK
from groundscope.models import embedders
from groundscope.rag.asking import ANSWER, JUDGE, ChatGenerator, ChatJudge
from groundscope.rag.extracting import BySimilarity, BySupport
from groundscope.rag.offline_judge import GroundedBy, OfflineJudge
from groundscope.rag.retrieving.bm25 import Bm25
from groundscope.rag.retrieving.dense import Dense
from groundscope.rag.retrieving.second_step import Pieces, Reranked
from groundscope.rag.retrieving.settings import settings_of
from groundscope.rag.types import Generator, Judge, Retriever

BM25, SIMILAR = "bm25", "similar"


class First(NamedTuple):
    """What is offered first where no chat model is chosen: ids of generators and of a judge."""

    generators: tuple[str, ...]
    judge: str


def first_choice(ready: Collection[str]) -> First:
    """Answers are written by methods that rank sentences at once; what is grounded is judged by the recommended of those ready.

    What is correct is judged by cosine: the other thresholds are those of a response's lowest sentence, and too low for the mean
    over a reference's sentences.
    """
    able = [m for m in DEFAULTS if m in ready] or [QUICK]
    judge = recommended({m: registry.find(m).signature for m in able}).method
    return First((SIMILAR, f"support:{QUICK}"), f"offline:{judge}+{EMBEDDER}")


def retriever(part: str) -> tuple[Retriever, str]:
    """Build the retriever of an id, `bm25` or `embed:SPEC`, with its settings (`groundscope.rag.retrieving.settings`).

    Gives it with its title for people. How many passages are read and which are given is the experiment's part.
    """
    chosen = settings_of(part)
    if chosen.first != part:
        search, title = retriever(chosen.first)
        if chosen.size:
            counts = embedders.embedder("minilm")
            search = Pieces(search, chosen.size, counts.tokens, counts.signature)
        by = ""
        if chosen.reranker:
            ranker, by = extractor(chosen.reranker)
            search = Reranked(search, ranker)
        return search, chosen.title(title, by)
    kind, _, spec = part.partition(":")
    if part == BM25:
        return Bm25(), "BM25"
    if kind == "embed" and spec:
        embedder = embedders.embedder(spec)
        return Dense(embedder), embedder.title
    raise ValueError(f"no retriever {part!r}: bm25 or embed:SPEC")


def generator(part: str) -> tuple[Generator, str]:
    """Build the generator of an id, `similar`, `support:METHOD`, `chat:SPEC` or `chat/PROMPT:SPEC`, with its title for people."""
    if part == SIMILAR or part.startswith("support:"):
        copies, by = extractor(part)
        return copies, by[0].upper() + by[1:] if part == SIMILAR else f"Sentences by {by}"
    if (asked := asked_by(part)) is not None:
        prompt = prompt_named(ANSWER, asked.prompt)
        other = f", {prompt.name} prompt" if prompt != prompt_named(ANSWER) else ""
        return ChatGenerator(chat_model(asked.spec), prompt), f"{_model(asked.spec)}{other}"
    raise ValueError(f"no generator {part!r}: similar, support:METHOD, chat:SPEC or chat/PROMPT:SPEC")


def extractor(part: str) -> tuple[BySimilarity | BySupport, str]:
    """Build what ranks sentences of passages, `similar` or `support:METHOD`: it writes answers, or orders passages again."""
    kind, _, spec = part.partition(":")
    if part == SIMILAR:
        return BySimilarity(embedders.embedder("minilm")), "nearest sentences"
    if kind != "support" or not spec:
        raise ValueError(f"nothing ranks sentences by {part!r}: similar or support:METHOD")
    scorer = _quiet(spec)
    if not ranks(scorer):
        raise ValueError(f"{spec} has no support of its own for each single context sentence; name one of its methods.")
    # Evidence of several sentences has one support, and within it the nearest would come first, whatever the method says.
    return BySupport(_with(scorer, context_unit="sentence")), scorer.about.title


def asked_by(part: str) -> AskedChat | None:
    """Read which chat model a generator or a judge asks."""
    asked = asked_chat(part)
    return asked if asked.spec not in ("", part) else None


def with_prompts(generators: Sequence[str], prompts: Sequence[str]) -> list[str]:
    """Cross chat models with prompts."""
    named = [prompt_named(ANSWER, name) for name in prompts]
    heads = ["chat" if p == prompt_named(ANSWER) else f"chat/{p.name}" for p in named]
    return [i for g in generators for i in ([f"{h}:{g[5:]}" for h in heads] if g.startswith("chat:") else [g])]


def judge(part: str) -> tuple[Judge, str]:
    """Build the judge of an id, `chat:SPEC`, `chat/PROMPT:SPEC`, `offline:METHOD` or `offline:GROUNDED+CORRECT`.

    Gives it with its title for people, which stands beside every figure of it.
    """
    kind, _, spec = part.partition(":")
    if (chat := asked_by(part)) is not None:
        asked = ChatJudge(chat_model(chat.spec), prompt_named(JUDGE, chat.prompt))
        return asked, asked.title
    if kind == "offline" and spec:
        grounded, two, correct = spec.partition("+")
        by = _judging(grounded)
        entails = _judging(correct) if two else by
        # The core of an answer counts for what is correct, not every sentence.
        offline = OfflineJudge(by, replace(entails, method=_with(entails.method, aggregation="mean")))
        return offline, offline.title
    raise ValueError(f"no judge {part!r}: chat:SPEC, chat/PROMPT:SPEC, offline:METHOD or offline:GROUNDED+CORRECT")


def second_judge(part: str) -> tuple[GroundedBy, str]:
    """Build the second judge of an id, METHOD or METHOD@THRESHOLD, any method with a threshold; gives it with its title."""
    name, threshold = threshold_in(part)
    method = method_here(name)
    second = _with_threshold(method) if threshold is None else GroundedBy(method, threshold)
    return second, second.title


def threshold_in(part: str) -> tuple[str, float | None]:
    """Part the id of a second judge into method and threshold; an @ before what is no number belongs to a chat model."""
    method, at, number = part.rpartition("@")
    try:
        threshold = float(number) if at else None
    except ValueError:
        return part, None
    if threshold is None:
        return part, None
    if not 0 <= threshold <= 1:
        raise ValueError(f"the threshold of {method} must lie in 0..1, got {number}")
    return method, threshold


def _judging(method: str) -> GroundedBy:
    """A method that can judge and sends nothing, with its threshold."""
    return _with_threshold(_quiet(method))


def _with_threshold(scorer: Method) -> GroundedBy:
    threshold = scorer.about.threshold
    if threshold is None:
        raise ScorerUnavailable(f"{scorer.about.title} has no threshold, so it cannot judge; choose another method.")
    return GroundedBy(scorer, threshold)


def _quiet(method: str) -> Method:
    """A method that sends nothing."""
    scorer = method_here(method)
    if scorer.asks:
        raise ValueError(f"{method} asks a chat model; use chat:SPEC.")
    return scorer


def ranks(scorer: Method) -> bool:
    """Check whether a method has supports of its own for single context sentences."""
    return not scorer.methods


def _with(scorer: Method, **options: str) -> Method:
    """The method with those of the options that it has."""
    accepted = {name: value for name, value in options.items() if name in scorer.parameters}
    return cast(Method, replace(cast(Any, scorer), **accepted)) if accepted else scorer


def _model(spec: str) -> str:
    return model_spec.parse(spec).model
