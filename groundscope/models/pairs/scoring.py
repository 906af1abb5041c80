"""Scores pairs of claim and context text with a local model, batched for speed.

Equal pairs are computed once; cached pairs are not computed again if the cache may be used. The rest is sorted by length,
tokenised a chunk at a time and batched by a token budget, so that little is spent on padding and memory use does not grow with
the number of pairs.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.errors import ScorerUnavailable
from groundscope.models.batches import batches, grouped
from groundscope.models.pairs.encoders import Encoder, TextPair, Window
from groundscope.models.pairs.packed import beginning_alike
from groundscope.runtime.byte_cache import MEGABYTE, ByteLRU
from groundscope.runtime.progress import report
from groundscope.runtime.retention import may_hold, may_keep, may_revise
from groundscope.storage import support_cache

CHUNK = 2048
"""Pairs tokenised at a time, at most."""
CHARACTERS = 2_000_000
"""Their characters, at most: tokens take many times the memory of text. One longer pair is taken alone."""
_CUT = 2.0
"""Added to a cached support whose claim was cut, so that the note about it survives the cache."""
_HELD = 4 * MEGABYTE
"""Keys and supports that a model holds in memory, and ..."""
MOST_HELD = 4_096
"""... pairs of a case up to which it does; more would push each other out."""
_PACKED = "|packed"
"""Ends the signature under which numbers of a packed pass are cached."""
_AGAINST = "|contradiction"
"""Ends the signature under which the contradictions of pairs are cached."""

Tokens = NDArray[np.int64]
Supports = NDArray[np.float32]
Forward = Callable[[Tokens, Tokens, Tokens], Supports]
"""Token ids, mask and segment ids, each (n, longest), to logits (n, n_outputs)."""


class PairScores(NamedTuple):
    """Supports of pairs.

    Attributes:
        support: (n_pairs,) 0..1, higher = better supported.
        cut: (n_pairs,) whether the end of the claim was left out because it is longer than the model reads.
        cached: number of pairs that came from the cache on disk or from memory.
        contradiction: (n_pairs,) how likely the context says otherwise, 0..1; NaN where the model does not say it.
    """

    support: Supports
    cut: NDArray[np.bool_]
    cached: int
    contradiction: Supports


class PairModel:
    """A loaded model with its input and output conversion; threads use it in turn, batch by batch."""

    def __init__(
        self,
        forward: Forward,
        read: Callable[[Supports], Supports],
        encoder: Encoder,
        *,
        name: str,
        pad: int,
        budget: int,
        signature: str,
        contradicts: bool = False,
        packs: bool = False,
    ) -> None:
        self._forward, self._read, self._encoder = forward, read, encoder
        self._name, self._pad, self._budget, self._packs = name, pad, budget, packs
        # Numbers of a padded pass, which round otherwise in bf16, are not taken for those of a packed one.
        computed = f"{signature}{_PACKED}" if packs else signature
        signatures = (computed, f"{computed}{_AGAINST}")[: 1 + contradicts]
        self._signatures = [support_cache.digest(s) for s in signatures]
        self._held = ByteLRU(_HELD)
        self._lock = threading.Lock()

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text, without special ones."""
        with self._lock:
            return self._encoder.counts(texts)

    def score(self, pairs: Sequence[TextPair]) -> PairScores:
        """Score pairs: of each its best window's support and highest contradiction, in the order given; equal ones once.

        Reports progress. Finished pairs stay in the cache where it may be used, also when the user cancels (`Cancelled`). NaN or
        infinity, which the published weights do not give, is a `ScorerUnavailable`.
        """
        index: dict[TextPair, int] = {}
        rows = np.array([index.setdefault(pair, len(index)) for pair in pairs], dtype=np.int64)
        distinct = list(index)
        keys = self._keys(distinct) if may_keep() or may_hold() else []
        stored = self._known([key for own in keys for key in own])
        run = _Run(len(distinct))
        todo = [i for i in range(len(distinct)) if not keys or any(key not in stored for key in keys[i])]
        for i in set(range(len(distinct))) - set(todo):
            run.restore(i, *(stored[key] for key in keys[i]))
        try:
            self._compute(distinct, todo, run)
        finally:
            with self._lock:
                self._encoder.forget()
            if keys:
                self._keep(stored, {k: v for i in run.finished for k, v in zip(keys[i], run.kept(i), strict=False)})
        cached = int(np.isin(rows, todo, invert=True).sum()) if stored else 0
        return PairScores(run.support[rows], run.cut[rows], cached, run.contradiction[rows])

    def _keys(self, pairs: Sequence[TextPair]) -> list[list[bytes]]:
        """Of each pair the keys of its support and, where the model gives it, its contradiction."""
        digests = {text: support_cache.digest(text) for text in dict.fromkeys(t for pair in pairs for t in pair)}
        return [[support_cache.pair_key(s, digests[p.claim], digests[p.context]) for s in self._signatures] for p in pairs]

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, float]:
        """What the cache on disk and memory have of these, as far as each may be used."""
        stored = dict(support_cache.default().get(keys)) if may_keep() else {}
        if may_revise():
            stored |= {key: value for key in keys if (value := self._held.get(key)) is not None}
        return stored

    def _keep(self, stored: Mapping[bytes, float], new: Mapping[bytes, float]) -> None:
        if may_keep():
            support_cache.default().put(new)
        if may_hold() and len(stored) + len(new) <= MOST_HELD:
            for key, value in {**stored, **new}.items():
                self._held.put(key, value)

    def _compute(self, pairs: Sequence[TextPair], todo: list[int], run: "_Run") -> None:
        sizes = {i: len(pairs[i].claim) + len(pairs[i].context) for i in todo}
        # Longest first: what cannot be held in memory shows at once, and the time left is never longer than it looks.
        todo = sorted(todo, key=lambda i: -sizes[i])
        done, total = 0.0, sum(sizes.values())
        report(0, total)
        for chunk in grouped(todo, sizes.__getitem__, CHARACTERS, CHUNK):
            for parts, length in self._batches([pairs[i] for i in chunk], chunk, run):
                # A batch at a time: while progress is reported, another thread's score may take its turn.
                with self._lock:
                    self._run(parts, length, run)
                done += sum(w.share * sizes[w.pair] for w in parts)
                report(min(round(done), total), total)

    def _batches(self, pairs: Sequence[TextPair], numbers: Sequence[int], run: "_Run") -> Iterator[tuple[list["_Part"], int]]:
        """Windows of one padded length, longest first, at most the budget with padding; of a model that packs, of any length."""
        parts = []
        with self._lock:
            inputs = self._encoder.encode(pairs)
        for i, encoded in zip(numbers, inputs, strict=True):
            run.cut[i], run.left[i] = encoded.cut, len(encoded.windows)
            parts += [_Part(i, window, 1 / len(encoded.windows)) for window in encoded.windows]
        windows = [part.window.ids for part in parts]
        alike = beginning_alike(windows, self._budget) if self._packs else None
        for batch in alike or batches([len(ids) for ids in windows], self._budget, self._encoder.limit):
            yield [parts[i] for i in batch.places], batch.length

    def _run(self, parts: Sequence["_Part"], length: int, run: "_Run") -> None:
        ids = np.full((len(parts), length), self._pad, np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for row, part in enumerate(parts):
            size = len(part.window.ids)
            ids[row, :size], types[row, :size], mask[row, :size] = part.window.ids, part.window.types, 1
        logits = self._forward(ids, mask, types)
        if not np.isfinite(logits).all():
            raise ScorerUnavailable(
                f"The model in the folder for {self._name} gives no numbers; get the published weights again."
            )
        supports = self._read(logits)
        for part, values in zip(parts, supports.reshape(len(parts), -1), strict=True):
            run.take(part.pair, *map(float, values))


class _Part(NamedTuple):
    """A window of a pair, and which share of the pair's text it stands for."""

    pair: int
    window: Window
    share: float


class _Run:
    """What is known of the distinct pairs while they are computed."""

    def __init__(self, count: int) -> None:
        self.support = np.zeros(count, np.float32)
        self.contradiction = np.full(count, np.nan, np.float32)
        self.cut = np.zeros(count, np.bool_)
        self.left = np.zeros(count, np.int32)
        self.finished: list[int] = []

    def take(self, pair: int, support: float, against: float = np.nan) -> None:
        """One window's support and contradiction; the highest of each count."""
        self.support[pair] = max(self.support[pair], support)
        self.contradiction[pair] = np.fmax(self.contradiction[pair], against)
        self.left[pair] -= 1
        if self.left[pair] == 0:
            self.finished.append(pair)

    def restore(self, pair: int, support: float, against: float = np.nan) -> None:
        """Take the numbers that `kept` gave."""
        self.support[pair], self.cut[pair] = support % _CUT, support >= _CUT
        self.contradiction[pair] = against

    def kept(self, pair: int) -> tuple[float, float]:
        """The numbers to cache of a pair."""
        return float(self.support[pair]) + _CUT * bool(self.cut[pair]), float(self.contradiction[pair])


def sigmoid(logits: Supports) -> Supports:
    """Convert the logits (n, 1) of a model with one output to supports (n,), float32 from 0 to 1; further outputs are ignored."""
    with np.errstate(over="ignore"):  # of a very low logit; the support is 0 then, as it should
        return (1.0 / (1.0 + np.exp(-logits[:, 0].astype(np.float64)))).astype(np.float32)


def softmax(logits: Supports, index: int) -> Supports:
    """Softmax probability (n,) of one output, counted from 0, of logits (n, n_outputs); float32 from 0 to 1."""
    return shares_of(logits)[:, index].astype(np.float32)


def shares_of(logits: Supports) -> NDArray[np.float64]:
    """Softmax probabilities (n, n_outputs) of logits (n, n_outputs)."""
    shifted = np.exp(logits.astype(np.float64) - logits.max(axis=1, keepdims=True))
    shares: NDArray[np.float64] = shifted / shifted.sum(axis=1, keepdims=True)
    return shares
