"""Answers without a chat model: the best sentences of the retrieved passages, copied; no key, and nothing leaves the machine.

Beyond the paper (Butler and Butler 2026), which has chat models alone. Every sentence of such an answer stands word for word in a
passage, so it is grounded by construction, whatever a judge says; what can go wrong is that it does not answer the question.
Where nothing in the passages answers it, the best sentences are copied all the same: an extract never says that it does not know.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.errors import ModelUnavailable, ScorerUnavailable
from groundscope.files.fields import clean
from groundscope.methods import Method
from groundscope.rag.types import Written
from groundscope.runtime.progress import listener
from groundscope.text.alignment import UnitFinder
from groundscope.text.embedding import Embedder
from groundscope.text.sentences import Unit, context_sentences, split
from groundscope.types import Case, Judgement, Passage, Status

Scores = NDArray[np.float64]


class Extracting:
    """What copies sentences: how many at most, and the answer that is made of them."""

    sentences: int

    @property
    def signature(self) -> str:
        """What is copied depends on this and the texts alone."""
        raise NotImplementedError

    def extracts(self, question: str, passages: Sequence[Passage]) -> tuple[list[Unit], str]:
        """Find the sentences that make the answer, at most `sentences`, in reading order, with offsets into the passages.

        Nothing is found for a blank question or one without a sentence, or where a method gives no verdict, which it then says.
        """
        read = self._scored(question, passages)
        return _best(read.context, read.units, read.scores, self.sentences), read.note

    def answer(self, question: str, passages: Sequence[Passage]) -> Written:
        """Copy the best sentences; the note says which passages they come from, or why there is none."""
        extracts, note = self.extracts(question, passages)
        return Written("", note) if note else _copied(passages, extracts)

    def passage_scores(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """Score passages by the best of their sentences, higher = better, to order them again; NaN where none has a score."""
        read = self._scored(question, passages)
        best = np.full(len(passages), np.nan)
        for unit, score in zip(read.units, read.scores, strict=True):
            best[unit.passage] = np.fmax(best[unit.passage], score)
        return [float(score) for score in best]

    def _scored(self, question: str, passages: Sequence[Passage]) -> "_Scored":
        """The sentences that can be ranked, with their scores; none with the reason."""
        raise NotImplementedError


class _Scored(NamedTuple):
    """Sentences of passages, a score each (NaN = not read), and why there is none."""

    context: tuple[Passage, ...] = ()
    units: Sequence[Unit] = ()
    scores: Scores = np.empty(0)
    note: str = ""


@dataclass(frozen=True)
class BySimilarity(Extracting):
    """The sentences whose embeddings are nearest to the question's by cosine, in reading order.

    `embed`: makes the embeddings; what is longer than it reads is ranked by its beginning.
    """

    embed: Embedder
    sentences: int = 3

    @property
    def signature(self) -> str:
        """The embedder's, and how many sentences."""
        return f"extract_by_similarity|{self.embed.signature}|sentences={self.sentences}"

    def _scored(self, question: str, passages: Sequence[Passage]) -> _Scored:
        context, units = _read(passages)
        if not units or not question.strip():
            return _Scored()
        texts = [context[u.passage].text[u.start : u.end] for u in units]
        try:
            # An embedder listens itself while it works, so the listener of this thread must be passed on.
            heard = listener()
            vectors = self.embed.passages(texts, heard)
            asked = self.embed.questions([clean(question)], heard)
        except ScorerUnavailable as error:
            raise ModelUnavailable(str(error)) from error
        return _Scored(context, units, (vectors @ asked[0]).astype(np.float64))


@dataclass(frozen=True)
class BySupport(Extracting):
    """The sentences that a method finds the best support for the question, in reading order.

    The method is asked how far each sentence supports the question as if it were a statement. No method is made for that: a
    question claims nothing, so the supports are no probabilities of anything, and only their order is used. It works as far as
    a sentence that answers a question shares with it what a sentence that supports a claim shares with the claim.

    `scorer`: a method that reads one context sentence at a time, such as the grounding classifier with `context_unit` of
    `sentence`. Where its judgement has no matrix, only the sentences that it names as matches can be copied.
    """

    scorer: Method
    sentences: int = 3

    @property
    def signature(self) -> str:
        """The method's, and how many sentences."""
        return f"extract_by_support|{self.scorer.signature}|sentences={self.sentences}"

    def _scored(self, question: str, passages: Sequence[Passage]) -> _Scored:
        context, units = _read(passages)
        if not units or not split(clean(question)):
            return _Scored()
        judgement = self.scorer.score(Case("question", "", context, clean(question)))
        if judgement.status is Status.FAILED:
            raise ModelUnavailable(judgement.note or "The method that ranks the sentences could not run.")
        if judgement.status is not Status.SCORED:
            return _Scored(note=f"The method could not rank the sentences: {judgement.note or judgement.status.value}")
        everything = context_sentences(context)
        supports = dict(zip(everything, _supports(judgement, everything), strict=True))
        return _Scored(context, units, np.array([supports[u] for u in units]))


def _read(passages: Sequence[Passage]) -> tuple[tuple[Passage, ...], list[Unit]]:
    """Passages without what models and files cannot take, offsets kept, and their sentences; headings only where all are."""
    context = tuple(Passage(p.id, clean(p.text), p.source) for p in passages)
    units = context_sentences(context)
    headings = {Unit(i, s.start, s.end) for i, p in enumerate(context) for s in split(p.text, source=True) if s.heading}
    return context, [u for u in units if u not in headings] or list(units)


def _supports(judgement: Judgement, units: Sequence[Unit]) -> Scores:
    """(n_context,) the best support that each sentence gives to any sentence of the question; NaN where it was not read."""
    best = np.full(len(units), np.nan)
    if judgement.matrix is not None:
        for row, sentence in zip(judgement.matrix, judgement.sentences, strict=True):
            if sentence.support is not None:
                best = np.fmax(best, row)
        return best
    finder = UnitFinder(units)
    for sentence in judgement.sentences:
        for j, support in finder.ranked(sentence):
            best[j] = np.fmax(best[j], support)
    return best


def _best(context: Sequence[Passage], units: Sequence[Unit], scores: Scores, count: int) -> list[Unit]:
    """The best sentences in reading order; of equals the first, and what stands in several passages once."""
    chosen: dict[str, Unit] = {}
    for j in np.argsort(-scores, kind="stable"):
        unit = units[j]
        same = " ".join(context[unit.passage].text[unit.start : unit.end].split()).casefold()
        if len(chosen) < count and not np.isnan(scores[j]):
            chosen.setdefault(same, unit)
    return sorted(chosen.values())


def _copied(passages: Sequence[Passage], extracts: Sequence[Unit]) -> Written:
    """The answer: the sentence, or a list of them, so that each stays a sentence of its own whatever it ends with."""
    if not extracts:
        return Written("", "No sentence of the passages could be copied.")
    sentences = [clean(passages[e.passage].text[e.start : e.end]) for e in extracts]
    *others, last = (str(e.passage + 1) for e in extracts)
    if not others:
        return Written(sentences[0], f"Copied from passage {last}.")
    where = f"{', '.join(others)} and {last}"
    return Written("\n".join(f"- {s}" for s in sentences), f"Copied, in this order, from passages {where}.")
