"""Cascade: a cheap method judges every sentence, and a second one, such as a chat model, only what the first leaves in doubt.

Not in the paper; in the manner of FrugalGPT (Chen et al. 2023). A sentence is doubtful if its support by the first method lies
in the band that `python -m groundscope fit-cascade` chose on dev, or if the first cannot assess it. Supports are brought to one
scale by each method's own threshold, which becomes 0.5 (`groundscope.training.cascade_files`). The second method reads the whole
answer once, or the doubtful sentences alone as an answer of their own; where nothing is doubtful it is not asked. A second method
that judges what it reads as a whole decides all doubtful sentences alike. Where it fails, they have no support and the response
has none: the first method never decides in its place. Each sentence states in its claim who decided, and why.

Cascades appear as `cascade:NAME`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from groundscope.chat.messages import Estimate
from groundscope.errors import ScorerUnavailable
from groundscope.humanize import plural
from groundscope.methods import About, Method
from groundscope.methods.combined import Member, fitted, members
from groundscope.text.alignment import not_assessable, nothing_to_assess
from groundscope.text.sentences import split
from groundscope.training.cascade_files import BothJudged, Cascaded, FittedCascade, Floats, cascaded, doubtful, read
from groundscope.training.ensemble_features import usable
from groundscope.training.own_models import cascades, own_cascade
from groundscope.training.second_opinion import opinion
from groundscope.types import Case, Claim, Judgement, SentenceScore, Status

PLAIN = False
_NONE = Path("cascade.json")
"""Stands for no cascade: the method is listed by its plain name while there is none."""
_WORKED = (Status.SCORED, Status.NOT_ASSESSABLE)


def variants() -> dict[str, dict[str, Any]]:
    """Parameters of `CascadeMethod` by the name of each cascade that the user fitted."""
    return {name: {"path": own_cascade(name)} for name in cascades()}


def _unfit(name: str, scorer: Method) -> str:
    if scorer.id.partition(":")[0] == "cascade":
        return "A cascade cannot be a part of a cascade; name its methods themselves."
    return ""


@dataclass(frozen=True)
class CascadeMethod(Method):
    """A fitted cascade.

    Attributes:
        path: of the fitted cascade.
    """

    path: Path = field(default=_NONE)

    def _fitted(self) -> FittedCascade:
        return fitted(Path(self.path), read, "cascade")

    def _members(self, made: FittedCascade) -> tuple[Method, Method]:
        parts = (made.first, made.second)
        found = members({p.name: Member(p.method, p.options, p.signature) for p in parts}, "cascade", _unfit)
        first, second = found.values()
        if first.asks:
            raise ScorerUnavailable(
                f"{made.first.name} asks a chat model, and the first method of a cascade must not; fit another."
            )
        return first, second

    def _second(self) -> Method | None:
        try:
            return self._members(self._fitted())[1]
        except ScorerUnavailable:
            return None

    @property
    def asks(self) -> bool:  # type: ignore[override]
        """Whether its second method asks a chat model."""
        second = self._second()
        return second is not None and second.asks

    @property
    def address(self) -> str:
        """The host that the second method sends texts to; empty if they stay on this machine."""
        second = self._second()
        return second.address if second else ""

    @property
    def methods(self) -> tuple[str, ...]:
        """Ids of both methods; empty if the cascade is not here."""
        try:
            made = self._fitted()
        except ScorerUnavailable:
            return ()
        return made.first.method, made.second.method

    @property
    def about(self) -> About:
        """Title, meaning, threshold and licence, for users."""
        try:
            made = self._fitted()
            first, second = (scorer.about.title for scorer in self._members(made))
        except ScorerUnavailable:
            made, first, second = None, "A cheap method", "a second one"
        return About(
            title="Cascade" if self.path == _NONE else f"Cascade {Path(self.path).stem}",
            measures=f"How well a sentence is supported by {first}, or, where that is in doubt, by {second}.",
            threshold=made.threshold if made else None,
            threshold_source="tuned on dev when it was fitted" if made else "",
            needs="" if made else "a cascade fitted with `python -m groundscope fit-cascade`",
            licence="that of its methods",
        )

    @property
    def signature(self) -> str:
        """The band of doubt, both methods' thresholds and signatures, and what the second reads."""
        try:
            made = self._fitted()
            first, second = (scorer.signature for scorer in self._members(made))
        except ScorerUnavailable:
            return f"cascade|missing {Path(self.path).stem}"
        cuts = f"thresholds={made.first.threshold!r}, {made.second.threshold!r}"
        return f"cascade|doubt={made.low!r}..{made.high!r}|{cuts}|asked={made.asked}|of {first} + {second}"

    def unavailable(self) -> str:
        """Why this cascade cannot run here and what to do; empty if it can."""
        try:
            return next((why for scorer in self._members(self._fitted()) if (why := scorer.unavailable())), "")
        except ScorerUnavailable as error:
            return str(error)

    def prepare(self) -> None:
        """Load the weights of both methods."""
        for scorer in self._members(self._fitted()):
            scorer.prepare()

    def estimate(self, case: Case) -> Estimate:
        """See `Method`: what the second method takes if every sentence is doubtful, so at most that."""
        second = self._second()
        return replace(second.estimate(case), at_most=True) if second and second.asks else super().estimate(case)

    def score(self, case: Case) -> Judgement:
        """Judge one case; `seconds` are those of both methods together."""
        if note := nothing_to_assess(case):
            return not_assessable(note)
        try:
            made = self._fitted()
            first, second = self._members(made)
        except ScorerUnavailable as error:
            return Judgement(Status.FAILED, note=str(error), context_seen=0.0)
        one = first.score(case)
        units = split(case.response)
        if not usable(one):
            return replace(one, note=f"{first.about.title}: {one.note}", claims=(), matrix=None)
        if [(s.start, s.end) for s in one.sentences] != [(s.start, s.end) for s in units]:
            note = (
                f"{first.about.title} does not judge sentence by sentence, so it cannot be the first of a cascade; fit another."
            )
            return Judgement(Status.FAILED, note=note, context_seen=0.0)
        claiming = [i for i, s in enumerate(units) if not s.heading]
        doubts = doubtful(_supports(one, claiming), made.low, made.high)
        places = [i for i, doubt in zip(claiming, doubts, strict=True) if doubt]
        two = opinion(case, second, places, alone=made.asked == "sentences") if places else None
        return _Report(case, made, (first.about.title, second.about.title), one, two, claiming, places).judgement()


def _supports(judgement: Judgement, places: Sequence[int]) -> Floats:
    found = [judgement.sentences[i].support for i in places]
    return np.array([np.nan if s is None else s for s in found], dtype=np.float64)


class _Report(NamedTuple):
    """Writes the judgement: `claiming` are the places of sentences that make a claim, `doubt` of those that are doubtful."""

    case: Case
    made: FittedCascade
    titles: tuple[str, str]
    one: Judgement
    two: Judgement | None
    claiming: Sequence[int]
    doubt: Sequence[int]

    def judgement(self) -> Judgement:
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
        asked = _supports(two, self.claiming)
        worked = np.array([two.status in _WORKED])
        judged = BothJudged(none, _supports(self.one, self.claiming), asked, first, second, worked)
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
        if self.two is None or i not in self.doubt:
            return f"{first} cannot assess it." if own is None else f"Decided by {first}, which gives it {own:.2f}."
        band = f"{self.made.low:.2f} to {self.made.high:.2f}"
        doubt = f"{first} cannot assess it" if own is None else f"{first} gives it {own:.2f}, which is doubtful ({band})"
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
