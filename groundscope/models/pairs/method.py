"""Base of the cross-encoder methods: every sentence against every context unit, the best unit counts.

What the paper leaves open are options here: what a context unit is, how sentence supports are combined into the response's, and
whether all units are read or only the nearest ones.
"""

import time
from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.errors import ScorerUnavailable
from groundscope.methods import About
from groundscope.models.embedders import sentences as _embedding
from groundscope.models.pairs import models
from groundscope.models.pairs.context_units import (
    ContextUnit,
    Grid,
    TextUnit,
    by_sentence,
    cosines,
    nearest,
    seen,
    share_read,
    texts_of,
    units,
)
from groundscope.models.pairs.encoders import TextPair
from groundscope.models.pairs.scoring import MOST_HELD, PairModel, PairScores, Supports
from groundscope.models.weights.files import MINILM, WeightFiles
from groundscope.models.weights.local import LocalModel
from groundscope.models.weights.memory import PairPrecision, fast, native
from groundscope.statistics.decision import SentenceRule
from groundscope.text.alignment import judge, nothing_to_assess, score_sentences
from groundscope.text.evidence import evidence_of, likeness
from groundscope.text.sentences import Sentence, Unit, context_sentences, split
from groundscope.text.verbatim import credited, credited_matrix, verbatim, words
from groundscope.types import Case, Judgement, Matrix

Rows = NDArray[np.int64]


class Spread(NamedTuple):
    """The supports of sentences, (n_response,) and (n_response, n_context), and the share of the context that was read."""

    supports: Grid
    matrix: Matrix
    seen: float


@dataclass(frozen=True, slots=True)
class EveryUnit:
    """Each sentence with each unit, or with the nearest ones. `rows`: (n_pairs,) the response sentence of each pair."""

    response: Sequence[Sentence]
    context: Sequence[Unit]
    texts: Sequence[TextUnit]
    pruned: int
    rows: Rows
    columns: Rows
    pairs: list[TextPair]

    def spread(self, scored: Supports) -> Spread:
        """A sentence's best unit counts, and so it does for each context sentence; NaN = not read."""
        grid = np.full((len(self.response), len(self.texts)), np.nan)
        grid[self.rows, self.columns] = scored
        matrix = by_sentence(grid, self.texts, len(self.context)).astype(np.float32)
        supports = np.array([np.nan if s.heading else np.nanmax(row) for s, row in zip(self.response, grid, strict=True)])
        return Spread(supports, matrix, seen(matrix, self.context))

    def cached(self, share: float) -> float:
        """The share of the work that was not done again, of that share of pairs."""
        return share


def every_unit(case: Case, texts: Sequence[TextUnit], pruned: int) -> EveryUnit:
    """Pair the sentences of a case with its units: with the `pruned` nearest ones, 0 = with all. A heading is in no pair."""
    response, context = split(case.response), context_sentences(case.context)
    claims = [case.response[s.start : s.end] for s in response]
    read = nearest(claims, texts, pruned) if pruned else np.ones((len(claims), len(texts)), bool)
    read[[s.heading for s in response]] = False
    rows, columns = np.nonzero(read)
    pairs = [TextPair(claims[i], texts[u].text) for i, u in zip(rows.tolist(), columns.tolist(), strict=True)]
    return EveryUnit(response, context, texts, pruned, rows, columns, pairs)


@dataclass(frozen=True, slots=True)
class NearestJoined:
    """Each sentence with the context sentences nearest to it, joined.

    `near`: (n_response, n_context) likeness in meaning and words. `chosen`: the context sentences that are read for any sentence.
    `copied`: the sentences that stand in the context word for word. `rows` as in `EveryUnit`.
    """

    response: Sequence[Sentence]
    context: Sequence[Unit]
    near: Grid
    chosen: list[int]
    copied: list[int]
    rows: Rows
    pairs: list[TextPair]
    again: bool
    pruned = 0

    def spread(self, scored: Supports) -> Spread:
        """The context sentence most like a sentence has its support, the others less in proportion to their likeness."""
        supports = np.full(len(self.response), np.nan)
        supports[self.rows], supports[self.copied] = scored, 1.0
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.nan_to_num(self.near / self.near.max(axis=1, keepdims=True))
        return Spread(supports, (supports[:, None] * share).astype(np.float32), share_read(self.chosen, self.context))

    def cached(self, share: float) -> float:
        """As of `EveryUnit`; half of the work is finding the evidence, about."""
        return (self.again + share) / 2


def nearest_joined(case: Case, window: int, copied: Collection[int]) -> NearestJoined:
    """Pair the sentences of a case with the `window` nearest context sentences; a heading and what is `copied` are in no pair."""
    response, context = split(case.response), context_sentences(case.context)
    claims, texts = [case.response[s.start : s.end] for s in response], texts_of(case, context)
    similarity = cosines(claims, texts)
    near = likeness(similarity.grid, claims, texts)
    chosen = [[] if s.heading else evidence_of(row, texts, window) for s, row in zip(response, near, strict=True)]
    asked = [i for i, s in enumerate(response) if not s.heading and i not in copied]
    pairs = [TextPair(claims[i], " ".join(texts[j] for j in chosen[i])) for i in asked]
    read = [j for places in chosen for j in places]
    return NearestJoined(response, context, near, read, list(copied), np.array(asked, np.int64), pairs, similarity.again)


class Sanity(NamedTuple):
    """A pair with its published support."""

    context: str
    claim: str
    support: float


@dataclass(frozen=True)
class PairMethod(LocalModel):
    """A cross-encoder over (context unit, response sentence).

    Attributes:
        precision: `bf16`, `fp32`, or `int8` through onnxruntime.
        context_unit: `sentence`; `window` of consecutive sentences of a passage; `chunk`, as many consecutive sentences of a
            passage as have 300 words together; `passage`; or `full`, the context as one text, which names no context sentence;
            or `nearest`, at most `window` sentences, those most like the response sentence in meaning (all-MiniLM-L6-v2) and
            words, joined (`groundscope.text.evidence`): one pair a sentence, and the same one in whatever order the sources
            come. The best match then has the sentence's support, the others less in proportion to their likeness. What is
            longer than the model reads is read in overlapping windows of tokens.
            Where the model states contradictions, the highest of the units that were read for a sentence counts.
        prune: 0 reads every unit, as in the paper; k reads only the k units nearest by embedding (all-MiniLM-L6-v2).
        verbatim: whether a sentence that stands word for word in the context counts as supported by it, whatever the model says
            (`groundscope.text.verbatim`); in no paper.
    """

    weights: WeightFiles
    precision: PairPrecision = field(default_factory=fast)
    context_unit: ContextUnit = "sentence"
    window: int = field(default=3, metadata={"least": 1})
    aggregation: SentenceRule = "min"
    prune: int = field(default=0, metadata={"least": 0})
    verbatim: bool = False

    sanity: ClassVar[tuple[Sanity, ...]] = ()
    """Pairs with the supports that the publisher prints."""
    input: ClassVar[str]
    """How the two texts go into the model: part of the signature."""
    cut_words: ClassVar[str] = "{} of {} response sentences are longer than the model reads; their ends were left out."
    """What the note of a judgement says of texts that were cut."""

    @property
    @abstractmethod
    def about(self) -> About:
        """Title, meaning, threshold and licence, for users."""

    @abstractmethod
    def _load(self) -> models.LoadedModel:
        """Load the model with its input."""

    @property
    def signature(self) -> str:
        """Method, model, revision, precision and every parameter."""
        options = f"unit={self.context_unit}|window={self.window}|aggregation={self.aggregation}|prune={self.prune}"
        if self._looks_for_nearest:
            options += f" nearest by {MINILM.identity()} in {native()}"
        if self.context_unit == "nearest":
            options += " and words"
        # Off adds nothing, so that signatures from before this option stay valid.
        return f"{self.pair_signature}|{options}{'|verbatim=on' if self.verbatim else ''}"

    @property
    def _looks_for_nearest(self) -> bool:
        return bool(self.prune) or self.context_unit == "nearest"

    @property
    def pair_signature(self) -> str:
        """Everything that the support of one pair depends on besides its texts."""
        weights = "+".join(w.identity() for w in self.needed)
        return f"{type(self).__module__.rpartition('.')[2]}|{weights}|{self.precision}|{self.input}"

    def prepare(self) -> None:
        """Load the weights, including the embedding model if the method looks for the nearest context sentences."""
        self._model()
        if self._looks_for_nearest:
            _embedding.load(MINILM, native())

    def verify(self) -> None:
        """Load the weights and compare supports with the published ones."""
        if self.sanity:
            expected = [pair.support for pair in self.sanity]
            supports = self.pairs([TextPair(s.claim, s.context) for s in self.sanity]).support
            # int8 moves supports by some hundredths, bf16 by less; another model, or a random one, moves them by tenths.
            if np.abs(supports - expected).max() > 0.15:
                raise ScorerUnavailable(
                    f"The weights of {self.weights.name} do not give the supports that their publisher prints; get them again."
                )
        self._model()

    def pairs(self, pairs: Sequence[TextPair]) -> PairScores:
        """Support of each pair, 0 to 1, in the order given; see `PairModel.score`."""
        return self._model().score(pairs)

    def _model(self) -> PairModel:
        return models.load(self.pair_signature, self.weights.name, self.precision, self._load)

    def _units(self, case: Case, context: Sequence[Unit]) -> list[TextUnit]:
        """What the model reads at once, in reading order."""
        return units(case, context, self.context_unit, self.window)

    def judge_case(self, case: Case) -> Judgement:
        """See `LocalModel`."""
        started = time.perf_counter()
        copied = verbatim(case) if self.verbatim else {}
        read = self._reading(case, copied)
        scores = self.pairs(read.pairs)
        supports, matrix, context_seen = read.spread(scores.support)
        against = np.full(len(read.response), np.nan)
        np.fmax.at(against, read.rows, scores.contradiction)
        named = self.context_unit != "full"
        shown = matrix if named else np.zeros_like(matrix)
        return judge(
            credited(score_sentences(read.response, read.context, shown, supports, against), copied, read.context),
            self.aggregation,
            seconds=time.perf_counter() - started,
            matrix=credited_matrix(matrix, copied) if named else None,
            context_seen=context_seen,
            cached=read.cached(scores.cached / len(read.rows) if len(read.rows) else 0.0),
            note=" ".join(self._notes(read, scores, copied)),
        )

    def read_ahead(self, cases: Sequence[Case]) -> None:
        """See `Method`: the pairs of all cases together. Not in int8, where the numbers of a pair depend on its batch."""
        if self.precision == "int8":
            return
        self.prepare()
        some = [case for case in cases if not nothing_to_assess(case)]
        if self._looks_for_nearest:
            _embedding.load(MINILM, native()).embed(_embedding.sentences_of(some))
        pairs = chain.from_iterable(self._reading(case, verbatim(case) if self.verbatim else {}).pairs for case in some)
        self.pairs(list(islice(pairs, MOST_HELD // 2)))

    def _reading(self, case: Case, copied: Collection[int]) -> EveryUnit | NearestJoined:
        if self.context_unit == "nearest":
            return nearest_joined(case, self.window, copied)
        texts = self._units(case, context_sentences(case.context))
        return every_unit(case, texts, self.prune if 0 < self.prune < len(texts) else 0)

    def _notes(self, read: EveryUnit | NearestJoined, scores: PairScores, copied: Mapping[int, int]) -> Iterator[str]:
        if copied:
            yield words(copied, len(read.response))
        if cut := len(set(read.rows[scores.cut].tolist())):
            yield self.cut_words.format(cut, len(read.response))
        if read.pruned:
            yield f"For each sentence only the {read.pruned} nearest context units were read."
