"""From a model's verdicts on claims to sentence scores: each claim on its response sentence, beside related context.

A model judges claims against the whole context and names no place in it. The context sentences shown beside a claim are those
that share most words with it, so that a reader finds the place; they are not part of the verdict.
"""

from collections.abc import Sequence
from typing import NamedTuple

from groundscope.text.locate import locate, nearest, sentences_of
from groundscope.text.sentences import context_sentences, split
from groundscope.types import Case, Claim, Match, SentenceScore

_MATCHES = 3


class ClaimFinding(NamedTuple):
    """Verdict on one claim.

    Attributes:
        support: 0..1, higher = more grounded.
        sentence: number, from 1, of the response sentence that it comes from, as the model stated it; 0 = not stated.
    """

    text: str
    support: float
    label: str
    reason: str = ""
    sentence: int = 0

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
        """Score sentences by their claims: the least supported claim of a sentence counts."""
        places = [self._place(f) for f in findings]
        worst: dict[int, ClaimFinding] = {}
        for finding, at in zip(findings, places, strict=True):
            if at not in worst or finding.support < worst[at].support:
                worst[at] = finding
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
        return self._scores(supports, matches), claims

    def by_quotes(
        self, quotes: Sequence[tuple[str, str]], *, passed: bool
    ) -> tuple[tuple[SentenceScore, ...], tuple[Claim, ...]]:
        """Score sentences by unsupported quotes: 0 for a sentence with such a quote, 1 for the others."""
        spans = [(*span, quote, why) for quote, why in quotes if not passed and (span := locate(quote, self._case.response))]
        borders = [(s.start, s.end) for s in self._claiming]
        hit = {i for start, end, *_ in spans for i in sentences_of((start, end), borders)}
        decided = passed or bool(hit)
        supports = [(0.0 if i in hit else 1.0) if decided else None for i in range(len(self._claiming))]
        matches = [self._matches(text) if decided else () for text in self._texts]
        claims = tuple(Claim(self._case.response[start:end], 0.0, start, end, why) for start, end, _, why in spans)
        return self._scores(supports, matches), claims

    def _place(self, finding: ClaimFinding) -> int:
        if 1 <= finding.sentence <= len(self._claiming):
            return finding.sentence - 1
        candidates = nearest(finding.text, self._texts)
        return candidates[0][0] if candidates else 0

    def _matches(self, text: str) -> tuple[Match, ...]:
        candidates = nearest(text, self._contexts, _MATCHES)
        return tuple(Match(self._units[j].passage, self._units[j].start, self._units[j].end, near) for j, near in candidates)

    def _scores(self, supports: Sequence[float | None], matches: Sequence[tuple[Match, ...]]) -> tuple[SentenceScore, ...]:
        rows = iter(zip(supports, matches, strict=True))
        return tuple(
            SentenceScore(s.start, s.end, None) if s.heading else SentenceScore(s.start, s.end, *next(rows)) for s in self._all
        )
