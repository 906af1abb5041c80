"""Similarity of two claims, 0..1: the B-SIM of L-FRESCO and FRESCO before its threshold.

ROUGE-L needs no model. The others are handed in by the caller: an embedder, a method of entailment, a chat model.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import isnan, nan
from typing import Any, Protocol

import numpy as np
from rapidfuzz.distance import LCSseq

from groundscope.chat.clients.model import chat_model
from groundscope.chat.conversation import Asking, schema, truth_field
from groundscope.chat.json_reply import Unreadable
from groundscope.chat.messages import Block, ChatModel, Prompt
from groundscope.chat.prompt_files import PromptFile, asked_chat, prompt_named
from groundscope.errors import ScorerUnavailable
from groundscope.experiments.directory import JobDirectory
from groundscope.experiments.forecast import CostEstimate, of_each
from groundscope.experiments.plan import Content
from groundscope.experiments.store import JobFile
from groundscope.experiments.task import Task, TaskPart
from groundscope.files.fields import clean
from groundscope.methods import Method, registry
from groundscope.runtime.byte_cache import keep
from groundscope.runtime.progress import listener, report
from groundscope.text.embedding import Embedder
from groundscope.types import Case, Passage, Status

Texts = Sequence[tuple[str, str]]
"""(generated claim, reference claim)."""


class Similarity(Protocol):
    """Similarity of two claims; NaN = not known; higher = more alike."""

    @property
    def title(self) -> str:
        """Name for users."""

    @property
    def signature(self) -> str:
        """Model and every option: numbers of one signature are comparable."""

    @property
    def threshold(self) -> float:
        """Default similarity from which two claims say the same."""

    def of(self, pairs: Texts) -> list[float]:
        """Compare the claims of each pair: one value a pair, 0 to 1; the same pair may come twice.

        `ScorerUnavailable` if it cannot be used here, `BudgetSpent` as of any call to a chat model, `Cancelled` if the user
        stopped it.
        """


def _each(pairs: Texts, compare: Callable[[str, str], float], step: int = 1) -> list[float]:
    """One value a pair, with progress at every so many; equal pairs are compared once."""
    distinct = list(dict.fromkeys(pairs))
    values: dict[tuple[str, str], float] = {}
    for i, pair in enumerate(distinct):
        if i % step == 0:
            report(i, len(distinct))
        values[pair] = compare(*pair)
    return [values[pair] for pair in pairs]


@dataclass(frozen=True)
class RougeL:
    """F-measure of the longest common subsequence of words (Lin 2004), stemmed, by Google's rouge-score package."""

    threshold: float = 0.4
    title: str = "ROUGE-L"
    signature: str = "rouge_l|rouge-score 0.1.2|fmeasure|stemmer"

    def of(self, pairs: Texts) -> list[float]:
        """One value a pair; 0 where one side has no word."""
        return _each(pairs, _rouge_l, step=200)


def _rouge_l(generated: str, reference: str) -> float:
    # rouge-score's own words; its table of the subsequence would take minutes for two long texts.
    mine, theirs = _words(generated), _words(reference)
    return 2 * LCSseq.similarity(mine, theirs) / (len(mine) + len(theirs)) if mine and theirs else 0.0


@keep(megabytes=32)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_tokenizer().tokenize(text))


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    from rouge_score.tokenizers import DefaultTokenizer

    return DefaultTokenizer(use_stemmer=True)


@dataclass(frozen=True)
class Cosine:
    """Cosine of two embeddings; below 0 counts as 0."""

    embedder: Embedder
    title: str = "Embedding cosine"
    threshold: float = 0.6

    @property
    def signature(self) -> str:
        """The embedder's."""
        return f"cosine|{self.embedder.signature}"

    def of(self, pairs: Texts) -> list[float]:
        """One value a pair; NaN where a side has no word."""
        texts = list(dict.fromkeys(t for pair in pairs for t in pair if t.strip()))
        vectors = self.embedder.passages(texts, listener()) if texts else np.zeros((0, 0), np.float32)
        at = {t: i for i, t in enumerate(texts)}
        return [min(1.0, max(0.0, float(vectors[at[a]] @ vectors[at[b]]))) if a in at and b in at else nan for a, b in pairs]


@dataclass(frozen=True)
class Entailment:
    """Whether the generated claim entails the reference claim, by any method of this project: its support of one by the other."""

    scorer: Method
    title: str = "Entailment"
    threshold: float = 0.5

    @property
    def signature(self) -> str:
        """The method's."""
        return f"entailment|{self.scorer.signature}"

    def takes(self, pairs: Texts) -> CostEstimate:
        """Nothing is sent by a method that asks no model."""
        return CostEstimate(self.title, len(set(pairs)), unit="pair")

    def of(self, pairs: Texts) -> list[float]:
        """One value a pair; NaN where the method gives no support."""
        return _each(pairs, self._support)

    def _support(self, generated: str, reference: str) -> float:
        judgement = self.scorer.score(entailment_case(generated, reference))
        if judgement.status is Status.FAILED:
            raise ScorerUnavailable(judgement.note)
        scored = judgement.status is Status.SCORED and judgement.support is not None
        return float(judgement.support or 0.0) if scored else nan


def entailment_case(generated: str, reference: str) -> Case:
    """Build the case, without query and labels, whose context is the generated claim and whose response is the reference."""
    return Case("claim", "", (Passage("generated", clean(generated)),), clean(reference))


TASK = "same_claim"
"""Whose prompts these are, see `groundscope.chat.prompt_files`."""
_FORM = ' Reply in JSON: {"same": true or false}.'


@dataclass(frozen=True)
class Asked:
    """A chat model's yes (1) or no (0)."""

    model: ChatModel
    prompt: PromptFile = field(default_factory=lambda: prompt_named(TASK))
    threshold: float = 0.5
    _schema: dict[str, Any] = field(default_factory=lambda: schema(same={"type": "boolean"}), repr=False, compare=False)

    @property
    def title(self) -> str:
        """The model, and a prompt of the user's."""
        return f"Asked: {self.model.identity}{f', {self.prompt.name} prompt' if self.prompt.own else ''}"

    @property
    def signature(self) -> str:
        """Model, sampling and wording."""
        return f"asked|{self.model.identity}|wording={self.plan('a', 'b').key('')[:8]}"

    def plan(self, generated: str, reference: str) -> Prompt:
        """Build the prompt for one pair, for a reply of one truth value in JSON."""
        blocks = (Block("reference_claim", clean(reference)), Block("generated_claim", clean(generated)))
        return Prompt(self.prompt.text("task") + _FORM, self.prompt.text("system"), blocks, self._schema, 200)

    def takes(self, pairs: Texts) -> CostEstimate:
        """Estimate calls, tokens and the highest cost, before anything is sent; equal pairs are sent once."""
        sent = [self.plan(*pair) for pair in dict.fromkeys(pairs)]
        return of_each(self.title, self.model, sent, again=len(sent))

    def of(self, pairs: Texts) -> list[float]:
        """One value a pair; NaN where two replies could not be read."""
        return _each(pairs, self._asked)

    def _asked(self, generated: str, reference: str) -> float:
        try:
            return Asking(self.model, entailment_case(generated, reference)).json(self.plan(generated, reference), _same)
        except Unreadable:
            return nan


def model_similarity(line: str, options: Content) -> Entailment | Asked:
    """Build the similarity of `entails:METHOD`, with options of the method, or of `chat:SPEC` or `chat/PROMPT:SPEC`."""
    kind, _, method = line.partition(":")
    if kind == "entails" and method:
        scorer = registry.load(method, **options)
        threshold = scorer.about.threshold
        return Entailment(scorer, f"Entailment by {scorer.about.title}", 0.5 if threshold is None else threshold)
    spec, prompt = asked_chat(line)
    if spec in ("", line):
        raise ValueError(f"no similarity {line!r}: rouge, cosine, cosine:EMBEDDER, entails:METHOD, chat:SPEC or chat/PROMPT:SPEC")
    return Asked(chat_model(spec), prompt_named(TASK, prompt))


def asks(similarity: Similarity) -> bool:
    """Whether a similarity sends claims to a chat model or another server."""
    if isinstance(similarity, Weighted):
        return any(asks(part) for _, part in similarity.parts)
    if isinstance(similarity, Entailment):
        return similarity.scorer.asks
    return isinstance(similarity, Asked) or (isinstance(similarity, Cosine) and bool(getattr(similarity.embedder, "address", "")))


def _same(reply: dict[str, Any]) -> float:
    return float(truth_field(reply, "same"))


@dataclass(frozen=True)
class Weighted:
    """Mean of several similarities, each with a weight above 0; weights are divided by their sum."""

    parts: tuple[tuple[float, Similarity], ...]

    @property
    def title(self) -> str:
        """Its parts with their shares."""
        return " + ".join(f"{share:g} {part.title}" for share, part in self._shares)

    @property
    def signature(self) -> str:
        """Those of its parts, with their shares."""
        return "weighted|" + "+".join(f"{share:g}*({part.signature})" for share, part in self._shares)

    @property
    def threshold(self) -> float:
        """The mean of its parts' thresholds, by the same weights."""
        return sum(share * part.threshold for share, part in self._shares)

    @property
    def _shares(self) -> list[tuple[float, Similarity]]:
        whole = sum(weight for weight, _ in self.parts)
        return [(weight / whole, part) for weight, part in self.parts]

    def of(self, pairs: Texts) -> list[float]:
        """One value a pair; NaN where a part has none."""
        columns = np.array([part.of(pairs) for _, part in self.parts], dtype=np.float64)
        values: list[float] = np.minimum(1.0, [share for share, _ in self._shares] @ columns).tolist()
        return values


@dataclass(frozen=True)
class CachedSimilarity:
    """A similarity whose values were computed before, for example in another process."""

    title: str
    signature: str
    threshold: float
    values: dict[tuple[str, str], float] = field(repr=False, hash=False)

    def of(self, pairs: Texts) -> list[float]:
        """One value a pair; NaN where none is known."""
        return [self.values.get(pair, nan) for pair in pairs]


def _part(line: str, options: Content) -> TaskPart[tuple[str, str]]:
    similarity = model_similarity(line, options)

    def do(pair: tuple[str, str]) -> Content:
        (value,) = similarity.of([pair])
        return {"value": None if isnan(value) else value}

    return TaskPart(similarity.signature, do, asks(similarity))


COMPARING: Task[tuple[str, str]] = Task(
    JobDirectory("comparisons", "comparison of claims"), "comparison", "pair", list, tuple, _part
)
"""A chat model, or a method with the options of the plan, compares pairs of claims."""


def compared_in(file: JobFile) -> dict[tuple[str, str], float]:
    """Read the values of a job so far, by pair; NaN = not known."""
    return {pair: nan if content["value"] is None else content["value"] for pair, content in COMPARING.by_item(file).items()}
