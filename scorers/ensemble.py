"""Ensemble: support from logistic regression over what other methods say of a sentence, and over deterministic differences.

Not in the paper. Every method of the ensemble judges the case; a sentence's support is the sigmoid of a weighted sum of their
supports and of the numbers, names, negations and so on that stand on one side only. Their contributions are shown with every
sentence. A sentence that stands word for word in the context has support 1, whatever they say (`groundscope.text.verbatim`). The
response's support is the lowest sentence's.

The ensemble that comes with the app lies in `models/ensemble/`; `python -m groundscope fit-ensemble` makes others, which appear
as `ensemble:NAME`.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from groundscope.errors import ScorerUnavailable
from groundscope.methods import About, Method
from groundscope.methods.combined import Member, fitted, judged, members
from groundscope.methods.defaults import CLASSIFIER
from groundscope.paths import ROOT
from groundscope.runtime.retention import reused
from groundscope.statistics.decision import SentenceRule
from groundscope.text.alignment import judge, not_assessable, nothing_to_assess
from groundscope.text.sentences import context_sentences
from groundscope.text.verbatim import credited, credited_matrix, verbatim, words
from groundscope.training.ensemble_features import NOWHERE, Features, Table, table, unfit, usable
from groundscope.training.ensembles import FittedEnsemble, read
from groundscope.training.own_models import ensembles, own_ensemble
from groundscope.types import Case, Claim, Judgement, SentenceScore, Status
from scorers._weights.grounding import SHIPPED as CLASSIFIER_WEIGHTS

SHIPPED = ROOT / "models" / "ensemble" / "ensemble.json"
_PINNED: Mapping[str, Mapping[str, Any]] = {
    CLASSIFIER: {"weights": CLASSIFIER_WEIGHTS},
    "quip": {"scope": "passage", "aggregation": "pooled"},
}
"""What the shipped ensemble was fitted to, whatever the defaults are now or the user put in the place of weights."""
_SHOWN = 4
"""Number of columns shown with a sentence: those that contributed most."""
_LEAST = 0.05
"""Contributions below this, in logits, are not shown."""
_COPIED = "It stands word for word in the sources."
"""Shown instead of contributions for a copied sentence."""


def variants() -> dict[str, dict[str, Any]]:
    """Parameters of `EnsembleMethod` by the name of each ensemble that the user fitted."""
    return {name: {"path": own_ensemble(name)} for name in ensembles()}


@dataclass(frozen=True)
class EnsembleMethod(Method):
    """A fitted ensemble.

    Attributes:
        aggregation: how sentence supports are combined into the response's.
        verbatim: whether a sentence that stands word for word in the context counts as supported by it.
    """

    path: Path = field(default=SHIPPED)
    aggregation: SentenceRule = "min"
    verbatim: bool = True

    def _fitted(self) -> FittedEnsemble:
        return fitted(Path(self.path), read, "ensemble")

    @property
    def methods(self) -> tuple[str, ...]:
        """Ids of the combined methods; empty if the ensemble is not here."""
        try:
            return self._fitted().methods
        except ScorerUnavailable:
            return ()

    def _members(self, made: FittedEnsemble) -> dict[str, Method]:
        known = reused()
        if known is None:
            return self._built(made)
        if self not in known:
            # Many cases follow one another in such a block.
            known[self] = self._built(made)
        found: dict[str, Method] = known[self]
        return found

    def _built(self, made: FittedEnsemble) -> dict[str, Method]:
        pinned = _PINNED if Path(self.path) == SHIPPED else {}
        wanted = {m: Member(m, pinned.get(m, {}), made.signatures.get(m, "")) for m in made.methods}
        return members(wanted, "ensemble", unfit)

    @property
    def about(self) -> About:
        """Title, meaning, threshold and licence, for users."""
        try:
            made = self._fitted()
        except ScorerUnavailable:
            made = None
        own = "" if Path(self.path) == SHIPPED else f" {Path(self.path).stem}"
        return About(
            title=f"Ensemble{own}",
            measures="How likely a sentence is supported, by several methods and by figures, names and negations that differ.",
            threshold=made.threshold if made else None,
            threshold_source="tuned on dev when it was fitted" if made and made.threshold is not None else "",
            needs="" if made else "an ensemble fitted with `python -m groundscope fit-ensemble`",
            licence="that of its methods",
        )

    @property
    def signature(self) -> str:
        """The fitted weights' hash, the signatures of all methods, and the other parameters."""
        options = f"aggregation={self.aggregation}{'|verbatim=on' if self.verbatim else ''}"
        try:
            made = self._fitted()
            numbers = (made.names, made.means, made.scales, made.weights, made.intercept)
            digest = blake2b(repr(numbers).encode(), digest_size=6)
            parts = " + ".join(scorer.signature for scorer in self._members(made).values())
        except ScorerUnavailable:
            return f"ensemble|missing {Path(self.path).stem}|{options}"
        return f"ensemble|{digest.hexdigest()}|{options}|of {parts}"

    def unavailable(self) -> str:
        """Why this ensemble cannot run here and what to do; empty if it can."""
        try:
            for scorer in self._members(self._fitted()).values():
                if note := scorer.unavailable():
                    return note
        except ScorerUnavailable as error:
            return str(error)
        return ""

    def prepare(self) -> None:
        """Load the weights of all methods."""
        for scorer in self._members(self._fitted()).values():
            scorer.prepare()

    def read_ahead(self, cases: Sequence[Case]) -> None:
        """See `Method`: by each method in turn."""
        for scorer in self._members(self._fitted()).values():
            scorer.read_ahead(cases)

    def score(self, case: Case) -> Judgement:
        """Judge one case; `seconds` are those of all methods together."""
        if note := nothing_to_assess(case):
            return not_assessable(note)
        try:
            made = self._fitted()
            here = self._members(made)
            found = {method: judged(scorer, case) for method, scorer in here.items()}
        except ScorerUnavailable as error:
            return Judgement(Status.FAILED, note=str(error), context_seen=0.0)
        if failed := next(((m, j) for m, j in found.items() if not usable(j)), None):
            return Judgement(failed[1].status, note=f"{failed[0]}: {failed[1].note}", context_seen=0.0)
        started = time.perf_counter()
        try:
            numbers = table(case, found)
        except ValueError as error:
            return Judgement(Status.FAILED, note=str(error), context_seen=0.0)
        supports = made.supports(numbers.values)
        copied = verbatim(case) if self.verbatim else {}
        sentences = credited(_sentences(found, numbers, supports), copied, context_sentences(case.context))
        titles = {f"support by {method}": f"support by {scorer.about.title}" for method, scorer in here.items()}
        reasons = zip(numbers.places, _reasons(numbers, titles, made.counted(numbers.values)), strict=True)
        claims = tuple(_claim(case, sentences[i], _COPIED if i in copied else reason) for i, reason in reasons)
        whole = judge(
            sentences,
            self.aggregation,
            seconds=time.perf_counter() - started + sum(j.seconds for j in found.values()),
            context_seen=min(j.context_seen for j in found.values()),
            cached=max(j.cached for j in found.values()),
        )
        return _with_claims(whole, claims, found, copied)


def _sentences(judged: Mapping[str, Judgement], found: Table, supports: Any) -> tuple[SentenceScore, ...]:
    """The first method's sentences and matches with the ensemble's supports."""
    first = next(iter(judged.values())).sentences
    own = dict(zip(found.places, supports.tolist(), strict=True))
    return tuple(SentenceScore(s.start, s.end, own.get(i), s.matches, s.verbatim) for i, s in enumerate(first))


def _reasons(found: Table, titles: Mapping[str, str], counted: Features) -> Iterator[str]:
    """What counted most, the strongest first, sentence by sentence; from (n, f) what each column counted."""
    for values, missing, row in zip(found.values, found.missing, counted, strict=True):
        names = [titles.get(name) or _found(name, value, missing) for name, value in zip(found.names, values, strict=True)]
        order = [int(i) for i in np.argsort(-np.abs(row)) if abs(row[i]) >= _LEAST][:_SHOWN]
        lowered, raised = ("; ".join(names[i] for i in order if bool(row[i] > 0) is up) for up in (False, True))
        said = [f"{words} by: {what}." for words, what in (("Lowered", lowered), ("Raised", raised)) if what]
        yield " ".join(said) or "Nothing stands out."


def _found(name: str, value: float, missing: Sequence[str]) -> str:
    """What a column says of one sentence: its words that stand nowhere, or that there is no such difference."""
    if name == NOWHERE and missing:
        shown = ", ".join(missing[:_SHOWN]) + (" and more" if len(missing) > _SHOWN else "")
        return f"{shown} {'stands' if len(missing) == 1 else 'stand'} nowhere in the sources"
    return f"no {name}" if value == 0 else name


def _claim(case: Case, sentence: SentenceScore, reason: str) -> Claim:
    return Claim(case.response[sentence.start : sentence.end], sentence.support, sentence.start, sentence.end, reason)


def _with_claims(
    made: Judgement, claims: tuple[Claim, ...], judged: Mapping[str, Judgement], copied: Mapping[int, int]
) -> Judgement:
    if made.status is not Status.SCORED:
        return made
    # A note of one method does not matter if the others could assess the case; and equal notes are shown once.
    notes = dict.fromkeys([note] if (note := words(copied, len(made.sentences))) else [])
    notes |= dict.fromkeys(j.note for j in judged.values() if j.note and j.status is Status.SCORED)
    matrix = next(iter(judged.values())).matrix
    matrix = None if matrix is None else credited_matrix(matrix, copied)
    return replace(made, claims=claims, matrix=matrix, note=" ".join(notes))
