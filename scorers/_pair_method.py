"""Judging a response with a cross-encoder: every sentence against every context unit, the best one counts.

What the paper leaves open are options here: what a context unit is, how sentences make the response's support, and
whether all units are read or only the nearest ones.
"""

import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from evaluation.about import About
from evaluation.alignment import judge, not_assessable, nothing_to_assess, score_sentences
from evaluation.decision import SentenceRule, check_choice
from evaluation.errors import ScorerUnavailable
from evaluation.sentences import Sentence, Unit, context_sentences, split
from evaluation.types import Case, Judgement, Matrix, Status
from scorers import _embedding, _pair_models
from scorers._encoders import Pair
from scorers._local import LocalModel
from scorers._pairs import PairModel, PairScores, Supports
from scorers._precision import PairPrecision, native
from scorers._weights import Weights

ContextUnit = Literal["sentence", "window", "passage", "full", "nearest"]
Grid = NDArray[np.float64]


class Sanity(NamedTuple):
    """A pair with its published support."""

    context: str
    claim: str
    support: float


@dataclass(frozen=True)
class PairMethod(LocalModel):
    """A cross-encoder over (context unit, response sentence).

    Attributes:
        weights: the model and its pinned revision.
        precision: `bf16`, `fp32`, or `int8` through onnxruntime.
        context_unit: `sentence`; `window` of consecutive sentences of a passage; `passage`; or `full`, the context as one text,
            which names no context sentence; or `nearest`, the `window` sentences nearest to the response sentence by embedding
            (all-MiniLM-L6-v2), joined in reading order: one pair a sentence. The best match then has the sentence's support,
            the others less in proportion to their cosine. What is longer than the model reads is read in overlapping windows
            of tokens.
        window: how many sentences, for `context_unit="window"` or `"nearest"`.
        aggregation: how sentence supports make the response's support.
        prune: 0 reads every unit, as in the paper; k reads only the k units nearest by embedding (all-MiniLM-L6-v2).
    """

    weights: Weights
    precision: PairPrecision = field(default_factory=native)
    context_unit: ContextUnit = "sentence"
    window: int = 3
    aggregation: SentenceRule = "min"
    prune: int = 0

    sanity: ClassVar[tuple[Sanity, ...]] = ()
    """Pairs with the supports that the publisher prints."""
    input: ClassVar[str]
    """How the two texts go into the model: part of the signature."""

    def __post_init__(self) -> None:
        """Refuse impossible parameters."""
        check_choice("precision", self.precision, get_args(PairPrecision))
        check_choice("context_unit", self.context_unit, get_args(ContextUnit))
        check_choice("aggregation", self.aggregation, get_args(SentenceRule))
        for name, least in (("window", 1), ("prune", 0)):
            value = getattr(self, name)
            if type(value) is not int or value < least:
                raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")

    @property
    @abstractmethod
    def about(self) -> About:
        """What to tell users."""

    @abstractmethod
    def _load(self) -> _pair_models.Loaded:
        """The weights as a model with its input.

        Raises:
            ScorerUnavailable: they are not here or not what is wanted.
        """

    @staticmethod
    @abstractmethod
    def _read(logits: Supports) -> Supports:
        """Logits (n, n_outputs) to supports (n,) in 0..1."""

    @property
    def needed(self) -> tuple[Weights, ...]:
        """The model's weights; a method that needs more says so."""
        return (self.weights,)

    @property
    def signature(self) -> str:
        """Method, model, revision, precision and every parameter."""
        options = f"unit={self.context_unit}|window={self.window}|aggregation={self.aggregation}|prune={self.prune}"
        if self.prune or self.context_unit == "nearest":
            options += f" nearest by {_embedding.MINILM.identity()} in {native()}"
        return f"{self.pair_signature}|{options}"

    @property
    def pair_signature(self) -> str:
        """What the support of one pair depends on besides its texts."""
        weights = "+".join(w.identity() for w in self.needed)
        return f"{type(self).__module__.rpartition('.')[2]}|{weights}|{self.precision}|{self.input}"

    def prepare(self) -> None:
        """Load the weights.

        Raises:
            ScorerUnavailable: they are not here, or not what the method runs on.
        """
        self._model()

    def verify(self) -> None:
        """Load the weights and compare the published pairs.

        Raises:
            ScorerUnavailable: the model is another one than its name says.
        """
        expected = [pair.support for pair in self.sanity]
        found = self.pairs([Pair(s.claim, s.context) for s in self.sanity]).support if self.sanity else np.zeros(0)
        # int8 moves supports by some hundredths, bf16 by less; another model, or a random one, moves them by tenths.
        if self.sanity and np.abs(found - expected).max() > 0.15:
            raise ScorerUnavailable(
                f"The weights of {self.weights.name} do not give the supports that their publisher prints; get them again."
            )
        self._model()

    def pairs(self, pairs: Sequence[Pair]) -> PairScores:
        """Score pairs of texts.

        Raises:
            ScorerUnavailable: the weights are not here, or not what the method runs on.
        """
        scores: PairScores = self._model().score(pairs)
        return scores

    def _model(self) -> PairModel:
        return _pair_models.load(self.pair_signature, self.weights.name, self.precision, self._load, self._read)

    def score(self, case: Case) -> Judgement:
        """Judge one case; `seconds` leaves out the loading of models."""
        if note := nothing_to_assess(case):
            return not_assessable(note)
        try:
            self._model()
            if self.prune or self.context_unit == "nearest":
                _embedding.load(_embedding.MINILM, native())
            return self._judge_nearest(case) if self.context_unit == "nearest" else self._judge(case)
        except ScorerUnavailable as error:
            return Judgement(Status.FAILED, note=str(error), context_seen=0.0)

    def _judge(self, case: Case) -> Judgement:
        started = time.perf_counter()
        response, context = split(case.response), context_sentences(case.context)
        units = _units(case, context, self.context_unit, self.window)
        claims = [case.response[s.start : s.end] for s in response]
        read = _nearest(claims, units, self.prune) if 0 < self.prune < len(units) else np.ones((len(claims), len(units)), bool)
        read[[s.heading for s in response]] = False
        rows, columns = np.nonzero(read)
        scores = self.pairs([Pair(claims[i], units[u].text) for i, u in zip(rows, columns, strict=True)])
        grid = np.full(read.shape, np.nan)
        grid[rows, columns] = scores.support
        matrix = _by_sentence(grid, units, len(context)).astype(np.float32)
        supports = np.array([np.nan if s.heading else np.nanmax(row) for s, row in zip(response, grid, strict=True)])
        named = self.context_unit != "full"
        sentences = score_sentences(response, context, matrix if named else np.zeros_like(matrix), supports)
        return judge(
            sentences,
            self.aggregation,
            seconds=time.perf_counter() - started,
            matrix=matrix if named else None,
            context_seen=_seen(matrix, context),
            cached=scores.cached / len(rows) if len(rows) else 0.0,
            note=" ".join(_notes(response, rows, scores, self.prune if 0 < self.prune < len(units) else 0)),
        )

    def _judge_nearest(self, case: Case) -> Judgement:
        started = time.perf_counter()
        response, context = split(case.response), context_sentences(case.context)
        claims = [case.response[s.start : s.end] for s in response]
        texts = [case.context[u.passage].text[u.start : u.end] for u in context]
        cosines = np.clip(_cosines(claims, texts), 0.0, 1.0)
        chosen = np.sort(np.argsort(-cosines, axis=1, kind="stable")[:, : self.window], axis=1)
        said = [i for i, s in enumerate(response) if not s.heading]
        scores = self.pairs([Pair(claims[i], " ".join(texts[j] for j in chosen[i])) for i in said])
        supports = np.full(len(response), np.nan)
        supports[said] = scores.support
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.nan_to_num(cosines / cosines.max(axis=1, keepdims=True))
        matrix = (supports[:, None] * share).astype(np.float32)
        return judge(
            score_sentences(response, context, matrix, supports),
            self.aggregation,
            seconds=time.perf_counter() - started,
            matrix=matrix,
            context_seen=_share_read(chosen[said], context),
            cached=scores.cached / len(said) if said else 0.0,
            note=" ".join(_notes(response, np.array(said), scores, 0)),
        )


class _Unit(NamedTuple):
    """A text of the context that goes into the model at once, and which context sentences it holds."""

    text: str
    sentences: tuple[int, ...]


def _units(case: Case, context: Sequence[Unit], kind: ContextUnit, size: int) -> list[_Unit]:
    by_passage: dict[int, list[int]] = {}
    for j, sentence in enumerate(context):
        by_passage.setdefault(sentence.passage, []).append(j)
    if kind == "full":
        text = "\n\n".join(case.context[p].text.strip() for p in by_passage)
        return [_Unit(text, tuple(range(len(context))))]
    found = []
    for passage, inside in by_passage.items():
        length = {"sentence": 1, "window": size, "passage": len(inside)}[kind]
        for first in range(max(1, len(inside) - length + 1)):
            held = inside[first : first + length]
            text = case.context[passage].text[context[held[0]].start : context[held[-1]].end]
            found.append(_Unit(text, tuple(held)))
    return found


def _nearest(claims: Sequence[str], units: Sequence[_Unit], k: int) -> NDArray[np.bool_]:
    """(n_response, n_units): whether a unit is among the k nearest of a sentence by cosine of embeddings."""
    cosines = _cosines(claims, [u.text for u in units])
    chosen = np.argsort(-cosines, axis=1, kind="stable")[:, :k]
    near = np.zeros(cosines.shape, bool)
    np.put_along_axis(near, chosen, True, axis=1)
    return near


def _cosines(claims: Sequence[str], texts: Sequence[str]) -> Grid:
    """(n_claims, n_texts) cosines of embeddings."""
    vectors = _embedding.load(_embedding.MINILM, native()).embed([*claims, *texts]).vectors
    return (vectors[: len(claims)] @ vectors[len(claims) :].T).astype(np.float64)


def _by_sentence(grid: Grid, units: Sequence[_Unit], count: int) -> Grid:
    """(n_response, n_context): a context sentence has the support of the best unit that holds it; NaN where none was read."""
    matrix = np.full((len(grid), count), np.nan)
    for u, unit in enumerate(units):
        inside = list(unit.sentences)
        matrix[:, inside] = np.fmax(matrix[:, inside], grid[:, [u]])
    return matrix


def _seen(matrix: Matrix, context: Sequence[Unit]) -> float:
    """The share of the context's characters that was read for at least one response sentence."""
    lengths = np.array([u.end - u.start for u in context])
    return float(lengths[~np.isnan(matrix).all(axis=0)].sum() / lengths.sum())


def _share_read(chosen: NDArray[np.int64], context: Sequence[Unit]) -> float:
    """The share of the context's characters that lies in one of the chosen sentences."""
    lengths = np.array([u.end - u.start for u in context])
    return float(lengths[np.unique(chosen)].sum() / lengths.sum())


def _notes(response: Sequence[Sentence], rows: NDArray[np.int64], scores: PairScores, pruned: int) -> list[str]:
    notes = []
    if cut := len(set(rows[scores.cut].tolist())):
        notes.append(f"{cut} of {len(response)} response sentences are longer than the model reads; their ends were left out.")
    if pruned:
        notes.append(f"For each sentence only the {pruned} nearest context units were read.")
    return notes
