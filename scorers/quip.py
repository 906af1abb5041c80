"""QUIP: exact character n-gram precision of the response against its own context (paper, section 5.1).

QUIP-Score(Y; C) = n-grams of Y that are members of C / n-grams of Y, counted per position with repetition (Weller et
al. 2024, "According to ..."; data-portraits). Both sides are normalised as data-portraits does: line breaks become one
newline, other white space one space, white space after a newline goes, ends are stripped; case and punctuation stay. Before
that, a line's end inside a sentence becomes a blank, since the text of a PDF wraps anywhere.

As in the paper, a sentence is compared with the context's sentences, and the response's support is made of its sentences'; the
paper does not say how, so that is the parameter `aggregation`. It tuned n jointly with the threshold on its dev set: n = 21.
`scope="passage"` with `aggregation="pooled"` is the original's way.

Departs from the original: membership is exact, where the original asks a Bloom filter over a whole corpus; n-grams do
not cross passages, nor by default sentences.
"""

import time
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from groundscope.methods import About, Method, starting
from groundscope.statistics.decision import SentenceRule
from groundscope.text.alignment import MATCHES, judge, not_assessable, nothing_to_assess
from groundscope.text.ngrams import Hits, NgramIndex, Normalised, SharedRun, find, join, normalise, runs
from groundscope.text.sentences import Sentence, context_sentences, split, unwrapped
from groundscope.types import Case, Judgement, Match, SentenceScore, Status

Scope = Literal["passage", "sentence"]
Rule = Literal[SentenceRule, "pooled"]


@dataclass(frozen=True)
class Quip(Method):
    """Share of the response's character n-grams that stand word for word in the context.

    Attributes:
        scope: `sentence`: a quotation lies within one sentence of the context, as in the paper; `passage`: it may run on.
        aggregation: a rule over sentences, or `pooled`: n-grams of the whole response, as the original.
    """

    n: int = field(default=21, metadata={"least": 1, "grid": "5..40"})
    scope: Scope = "sentence"
    aggregation: Rule = "min"

    about: ClassVar[About] = About(
        title="QUIP",
        plain="Quoted words",
        measures="Share of a sentence that is quoted word for word from the sources, in runs of 21 characters or more.",
        paper="5.1",
        **starting("quip"),
    )

    @property
    def signature(self) -> str:
        """Method and every parameter."""
        return f"quip|n={self.n}|scope={self.scope}|aggregation={self.aggregation}"

    def score(self, case: Case) -> Judgement:
        """Judge one case; matches are the quoted runs in the context, longest first."""
        started = time.perf_counter()
        if note := nothing_to_assess(case):
            return not_assessable(note)
        response = normalise(unwrapped(case.response))
        corpus = self._corpus(case)
        hits = find(response.codes, corpus.codes, self.n)
        sentences = tuple(_score_sentence(s, response, corpus, hits) for s in split(case.response))
        seconds = time.perf_counter() - started
        if all(s.support is None for s in sentences):
            note = f"No sentence of the response has {self.n} characters, so there is no run that could be looked up."
            return Judgement(Status.NOT_ASSESSABLE, sentences=sentences, seconds=seconds, note=note)
        if self.aggregation != "pooled":
            return judge(sentences, self.aggregation, seconds=seconds)
        return Judgement(Status.SCORED, support=float(hits.member.mean()), sentences=sentences, seconds=seconds)

    def _corpus(self, case: Case) -> NgramIndex:
        if self.scope == "sentence":
            units = context_sentences(case.context)
            passages = [unwrapped(p.text, source=True) for p in case.context]
            texts = [normalise(passages[u.passage][u.start : u.end], u.start) for u in units]
            return join(texts, [u.passage for u in units])
        return join([normalise(unwrapped(p.text, source=True)) for p in case.context], range(len(case.context)))


def _score_sentence(sentence: Sentence, response: Normalised, corpus: NgramIndex, hits: Hits) -> SentenceScore:
    start, end = (int(i) for i in np.searchsorted(response.origin, (sentence.start, sentence.end)))
    count = end - start - hits.n + 1
    if count < 1 or sentence.heading:
        return SentenceScore(sentence.start, sentence.end, None)
    shared = runs(response.codes, corpus.codes, hits, start, end)
    matches = [_match(run, corpus, (run.length - hits.n + 1) / count) for run in shared]
    return SentenceScore(
        sentence.start,
        sentence.end,
        float(hits.member[start : start + count].mean()),
        tuple(sorted(matches, key=lambda m: -m.support)[:MATCHES]),
        _covered(shared, response),
    )


def _match(run: SharedRun, corpus: NgramIndex, support: float) -> Match:
    last = run.context + run.length - 1
    return Match(
        passage=corpus.owner(run.context),
        start=int(corpus.origin[run.context]),
        end=int(corpus.origin[last]) + 1,
        support=support,
    )


def _covered(shared: list[SharedRun], response: Normalised) -> tuple[tuple[int, int], ...]:
    """Original spans of the characters that some matching n-gram covers; neighbouring runs may share characters."""
    spans: list[tuple[int, int]] = []
    for run in shared:
        start = int(response.origin[run.response])
        end = int(response.origin[run.response + run.length - 1]) + 1
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return tuple(spans)
