"""From a model's verdicts on claims to sentence scores: each claim on its response sentence, beside related context.

A model judges claims against the whole context and names no place in it. The context sentences shown beside a claim are those
that share most words with it, so that a reader finds the place; they are not part of the verdict.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from groundscope.chat.conversation import Quoted
from groundscope.text.locate import locate, nearest, sentences_of
from groundscope.text.sentences import Sentence, context_sentences, split
from groundscope.types import Case, Claim, Match, SentenceScore

_MATCHES = 3


class ClaimFinding(NamedTuple):
    """Verdict on one claim; support is 0..1, higher = more grounded, and `contradicted` None where the model was not asked.

    `sentence` is the number, from 1, of the response sentence that it comes from, as the model stated it; 0 = not stated.
    """

    text: str
    support: float
    label: str
    reason: str = ""
    sentence: int = 0
    contradicted: bool | None = None

    @property
    def said(self) -> str:
        """The verdict with its reason."""
        return f"{self.label}: {self.reason}" if self.reason else self.label


class EvidencePlacer:
    """Maps claims and quotes to a case's sentences."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._all = split(case.response)
        self._claiming = [s for s in self._all if not s.heading]
        self._texts = [case.response[s.start : s.end] for s in self._claiming]
        self._units = context_sentences(case.context)
        self._contexts = [case.context[u.passage].text[u.start : u.end] for u in self._units]

    def by_claims(self, findings: Sequence[ClaimFinding]) -> tuple[tuple[SentenceScore, ...], tuple[Claim, ...]]:
        """Score sentences by their claims: the least supported claim of a sentence counts, and any that is contradicted."""
        places = [self._place(f) for f in findings]
        worst: dict[int, ClaimFinding] = {}
        stances: dict[int, float | None] = {}
        for finding, at in zip(findings, places, strict=True):
            if at not in worst or finding.support < worst[at].support:
                worst[at] = finding
            if finding.contradicted is not None:
                stances[at] = max(stances.get(at) or 0.0, float(finding.contradicted))
        supports = [worst[i].support if i in worst else None for i in range(len(self._claiming))]
        matches = [self._matches(worst[i].text) if i in worst else () for i in range(len(self._claiming))]
        claims = tuple(
            Claim(
                f.text,
                f.support,
                self._claiming[at].start,
                self._claiming[at].end,
                f.said,
            )
            for f, at in zip(findings, places, strict=True)
        )
        return self._scores(supports, matches, stances), claims

    def by_quotes(
        self, quotes: Sequence[Quoted], *, passed: bool, stances: bool = False
    ) -> tuple[tuple[SentenceScore, ...], tuple[Claim, ...]]:
        """Score sentences by unsupported quotes: 0 for a sentence with such a quote, 1 for the others.

        `stances` says that the model was asked what is contradicted: nothing is that it does not quote as such.
        """
        spans = [(*span, q) for q in quotes if not passed and (span := locate(q.text, self._case.response))]
        borders = [(s.start, s.end) for s in self._claiming]
        hit: dict[int, float | None] = {}
        for start, end, quote in spans:
            stance = None if quote.contradicted is None else float(quote.contradicted)
            for i in sentences_of((start, end), borders):
                hit[i] = stance if hit.get(i) is None else max(hit[i] or 0.0, stance or 0.0)
        decided = passed or bool(hit)
        supports = [(0.0 if i in hit else 1.0) if decided else None for i in range(len(self._claiming))]
        matches = [self._matches(text) if decided else () for text in self._texts]
        claims = tuple(Claim(self._case.response[start:end], 0.0, start, end, quote.why) for start, end, quote in spans)
        against = {i: 0.0 for i in range(len(self._claiming)) if stances and decided} | hit
        return self._scores(supports, matches, against), claims

    def _place(self, finding: ClaimFinding) -> int:
        if 1 <= finding.sentence <= len(self._claiming):
            return finding.sentence - 1
        candidates = nearest(finding.text, self._texts)
        return candidates[0][0] if candidates else 0

    def _matches(self, text: str) -> tuple[Match, ...]:
        candidates = nearest(text, self._contexts, _MATCHES)
        return tuple(Match(self._units[j].passage, self._units[j].start, self._units[j].end, near) for j, near in candidates)

    def _scores(
        self, supports: Sequence[float | None], matches: Sequence[tuple[Match, ...]], stances: Mapping[int, float | None]
    ) -> tuple[SentenceScore, ...]:
        rows = iter(enumerate(zip(supports, matches, strict=True)))

        def score(s: Sentence) -> SentenceScore:
            i, (support, matched) = next(rows)
            return SentenceScore(s.start, s.end, support, matched, contradiction=stances.get(i))

        return tuple(SentenceScore(s.start, s.end, None) if s.heading else score(s) for s in self._all)
