"""Cascade: a cheap method judges every sentence, and a second one, such as a chat model, only what the first leaves in doubt.

Not in the paper; in the manner of FrugalGPT (Chen et al. 2023). A sentence is doubtful if its support by the first method lies
in the band that `python -m groundscope fit-cascade` chose on dev, or if the first cannot assess it. Supports are brought to one
scale by each method's own threshold, which becomes 0.5 (`groundscope.training.cascade_files`). The second method reads the whole
answer once, or the doubtful sentences alone as an answer of their own; where nothing is doubtful it is not asked. A second method
that judges what it reads as a whole decides all doubtful sentences alike. Where it fails, they have no support and the response
has none: the first method never decides in its place. Each sentence states in its claim who decided, and why.

Cascades appear as `cascade:NAME`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from groundscope.chat.messages import Estimate
from groundscope.chat.prompt_files import PromptFile
from groundscope.errors import ScorerUnavailable
from groundscope.methods import About, Method
from groundscope.methods.combined import Member, fitted, members
from groundscope.text.alignment import not_assessable, nothing_to_assess
from groundscope.text.sentences import split
from groundscope.training.cascade_files import FittedCascade, doubtful, read
from groundscope.training.cascade_judgement import CascadeReport, supports_at
from groundscope.training.ensemble_features import usable
from groundscope.training.own_models import cascades, own_cascade
from groundscope.training.second_opinion import opinion
from groundscope.types import Case, Judgement, Status

PLAIN = False
_NONE = Path("cascade.json")
"""Stands for no cascade: the method is listed by its plain name while there is none."""


def variants() -> dict[str, dict[str, Any]]:
    """Parameters of `CascadeMethod` by the name of each cascade that the user fitted."""
    return {name: {"path": own_cascade(name)} for name in cascades()}


def _unfit(name: str, scorer: Method) -> str:
    if scorer.id.partition(":")[0] == "cascade":
        return "A cascade cannot be a part of a cascade; name its methods themselves."
    return ""


@dataclass(frozen=True)
class CascadeMethod(Method):
    """A fitted cascade."""

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
            measures=(
                f"How well a sentence is supported by {first}, or, where that is in doubt, by {second}; each method's own "
                "threshold counts as 0.5."
            ),
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

    def prompt_used(self) -> PromptFile | None:
        """See `Method`; that of the second method."""
        second = self._second()
        return second.prompt_used() if second else None

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

    def read_ahead(self, cases: Sequence[Case]) -> None:
        """See `Method`: by the first method; what the second reads is not known yet."""
        self._members(self._fitted())[0].read_ahead(cases)

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
        doubts = doubtful(supports_at(one, claiming), made.low, made.high)
        places = [i for i, doubt in zip(claiming, doubts, strict=True) if doubt]
        two = opinion(case, second, places, alone=made.asked == "sentences") if places else None
        titles = first.about.title, second.about.title
        return CascadeReport(case, made, titles, one, two, claiming, places).judgement()
