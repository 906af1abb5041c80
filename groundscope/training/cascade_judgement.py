"""The judgement of a cascade: who decided about each sentence and why, and what was asked."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from groundscope.text.humanize import plural
from groundscope.training.cascade_files import BothJudged, Cascaded, FittedCascade, Floats, cascaded
from groundscope.types import Case, Claim, Judgement, SentenceScore, Status

_WORKED = (Status.SCORED, Status.NOT_ASSESSABLE)


def supports_at(judgement: Judgement, places: Sequence[int]) -> Floats:
    """Read the supports of some sentences.

    Args:
        judgement: one score a response sentence.
        places: k of its sentences.

    Returns:
        (k,) 0 to 1; NaN = none.
    """
    found = [judgement.sentences[i].support for i in places]
    return np.array([np.nan if s is None else s for s in found], dtype=np.float64)


class CascadeReport(NamedTuple):
    """What both methods said of a response, and the judgement made of it.

    Attributes:
        two: the second's, as `groundscope.training.second_opinion.opinion` gives it; None = it was not asked.
        claiming: places of the sentences that make a claim.
    """

    case: Case
    made: FittedCascade
    titles: tuple[str, str]
    one: Judgement
    two: Judgement | None
    claiming: Sequence[int]
    doubt: Sequence[int]

    def judgement(self) -> Judgement:
        """Make the cascade's judgement: who decided stands in a claim on each sentence, what was asked in the note."""
        found, two = self._combined(), self.two or Judgement(Status.NOT_ASSESSABLE)
        supports = {i: None if np.isnan(s) else float(s) for i, s in zip(self.claiming, found.sentences, strict=True)}
        support = None if np.isnan(found.responses[0]) else float(found.responses[0])
        failed = two.status not in _WORKED
        own = [self._claim(i, supports[i]) for i in self.claiming]
        return Judgement(
            Status.SCORED if support is not None else two.status if failed else Status.NOT_ASSESSABLE,
            support=support,
            sentences=tuple(self._sentence(i, supports.get(i)) for i in range(len(self.one.sentences))),
            claims=tuple(sorted([*own, *two.claims], key=lambda claim: claim.start)),
            seconds=self.one.seconds + two.seconds,
            calls=two.calls,
            tokens=two.tokens,
            cost=two.cost,
            context_seen=0.0 if failed else min(self.one.context_seen, two.context_seen),
            cached=max(self.one.cached, two.cached),
            note=self._note(supports),
            raw=two.raw,
        )

    def _combined(self) -> Cascaded:
        """Both judgements of the response as numbers, combined as they were when the band was chosen."""
        two = self.two or replace(self.one, sentences=tuple(replace(s, support=None) for s in self.one.sentences))
        first, second = (np.array([np.nan if j.support is None else j.support]) for j in (self.one, two))
        none = np.zeros(len(self.claiming), dtype=np.int32)
        asked = supports_at(two, self.claiming)
        worked = np.array([two.status in _WORKED])
        judged = BothJudged(none, supports_at(self.one, self.claiming), asked, first, second, worked)
        thresholds = self.made.first.threshold, self.made.second.threshold
        return cascaded(judged, self.made.low, self.made.high, thresholds)

    def _sentence(self, i: int, support: float | None) -> SentenceScore:
        """The score of who decided, with the support on the common scale."""
        return replace(self.two.sentences[i] if self.two and i in self.doubt else self.one.sentences[i], support=support)

    def _claim(self, i: int, support: float | None) -> Claim:
        span = self.one.sentences[i]
        return Claim(self.case.response[span.start : span.end], support, span.start, span.end, self._reason(i, support))

    def _reason(self, i: int, support: float | None) -> str:
        """Who decided about a sentence, and why."""
        (first, second), own = self.titles, self.one.sentences[i].support
        given, low, high = _apart(own, self.made.low, self.made.high)
        if self.two is None or i not in self.doubt:
            if own is None:
                return f"{first} cannot assess it."
            band = f"{low} to {'below ' if own == self.made.high else ''}{high}"
            why = f"only {band} is doubtful" if self.made.low < self.made.high else "nothing is doubtful"
            return f"Decided by {first}, which gives it {given}: {why}."
        doubt = f"{first} cannot assess it" if own is None else f"{first} gives it {given}, which is doubtful ({low} to {high})"
        theirs = self.two.sentences[i].support
        if support is None:
            return f"Not decided: {doubt}, and {second} gives it no support."
        whole = f"whose support of all that it read is {self.two.support:.2f}"
        return f"Decided by {second}, {f'which gives it {theirs:.2f}' if theirs is not None else whole}: {doubt}."

    def _note(self, supports: Mapping[int, float | None]) -> str:
        first, second = self.titles
        notes = [self.one.note] if self.one.status is Status.SCORED else []
        if self.two is None:
            return " ".join(filter(None, [f"Nothing was doubtful after {first}: {second} was not asked.", *notes]))
        count = f"{len(self.doubt)} of {plural(len(self.claiming), 'sentence')}"
        asked = f"{second} was asked about {count}, doubtful after {first}."
        if silent := sum(supports[i] is None for i in self.doubt):
            asked += f" It gave no support to {silent} of them, and {first} did not decide in its place."
        return " ".join(filter(None, [asked, self.two.note, *notes]))


def _apart(*values: float | None) -> list[str]:
    """Numbers with two digits, or with as many more as it takes to see that they differ; four at most."""
    known = {value for value in values if value is not None}
    digits = next((d for d in (2, 3) if len({f"{value:.{d}f}" for value in known}) == len(known)), 4)
    return ["" if value is None else f"{value:.{digits}f}" for value in values]
