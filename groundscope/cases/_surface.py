"""Does anything but the content separate grounded from ungrounded responses? Surface habits, and a bag-of-words classifier."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import copysign, inf, sqrt

import numpy as np

from groundscope.text.facts import FactKind, items
from groundscope.text.sentences import split
from groundscope.types import Case

FOLDS = 5
_ENOUGH = 20
"""Responses of each label below which no habit can be distinguished from chance."""

_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_HEDGES = frozenset(
    "may might could can would should generally usually ordinarily typically often sometimes perhaps possibly probably likely "
    "appears seems suggests arguably potentially normally largely somewhat rarely".split()
)
_ABSOLUTES = frozenset(
    "only always never all every any must cannot regardless automatically solely entirely invariably none exclusively "
    "whenever irrespective no".split()
)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _share(text: str, wanted: frozenset[str]) -> float:
    words = _words(text)
    return sum(w in wanted for w in words) / max(1, len(words))


def _facts(text: str) -> float:
    counted = {FactKind.NUMBER, FactKind.DATE, FactKind.MONEY, FactKind.CITATION}
    return sum(i.kind in counted for s in split(text) for i in items(text[s.start : s.end]))


HABITS: Mapping[str, Callable[[str], float]] = {
    "characters": len,
    "sentences": lambda text: sum(not s.heading for s in split(text)),
    "words a sentence": lambda text: len(_words(text)) / max(1, len(split(text))),
    "hedging words": lambda text: _share(text, _HEDGES),
    "absolute words": lambda text: _share(text, _ABSOLUTES),
    "figures and citations": _facts,
    "commas a sentence": lambda text: text.count(",") / max(1, len(split(text))),
}


@dataclass(frozen=True, slots=True)
class Habit:
    """One surface measure in both classes; `d` is the standardised mean difference, ungrounded minus grounded."""

    name: str
    grounded: float
    ungrounded: float
    d: float

    @property
    def telling(self) -> bool:
        """More than a small difference (Cohen 1988: 0.2)."""
        return abs(self.d) > 0.2


def _labelled(cases: Sequence[Case]) -> tuple[list[Case], list[Case]]:
    return [c for c in cases if c.grounded], [c for c in cases if c.grounded is False]


def habits(cases: Sequence[Case]) -> tuple[Habit, ...]:
    """Measure every surface habit in both classes."""
    sound, wrong = _labelled(cases)
    if min(len(sound), len(wrong)) < _ENOUGH:
        return ()
    found = []
    for name, measure in HABITS.items():
        a, b = (np.array([measure(c.response) for c in group], dtype=float) for group in (sound, wrong))
        spread = sqrt((a.var(ddof=1) * (len(a) - 1) + b.var(ddof=1) * (len(b) - 1)) / (len(a) + len(b) - 2))
        gap = float(b.mean() - a.mean())
        d = gap / spread if spread else copysign(inf, gap) if gap else 0.0
        found.append(Habit(name, float(a.mean()), float(b.mean()), d))
    return tuple(found)


def bag_of_words(cases: Sequence[Case]) -> float | None:
    """Compute the macro-F1 of a logistic regression on word counts of the response alone, which never sees the context.

    Five folds by group, so that no query is in both parts; predictions of all folds are pooled; class weights are balanced.
    Chance is about 0.5.
    """
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import f1_score
    from sklearn.model_selection import GroupKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline

    sound, wrong = _labelled(cases)
    groups = [c.group or c.id for c in (*sound, *wrong)]
    if min(len(sound), len(wrong)) < _ENOUGH or len(set(groups)) < FOLDS:
        return None
    truth = np.array([1] * len(sound) + [0] * len(wrong))
    model = make_pipeline(CountVectorizer(), LogisticRegression(solver="liblinear", class_weight="balanced", random_state=0))
    texts = [c.response for c in (*sound, *wrong)]
    try:
        predicted = cross_val_predict(model, texts, truth, groups=groups, cv=GroupKFold(FOLDS))
    except ValueError:
        # A fold without one of the labels, or responses without a word: nothing can be learned.
        return None
    return float(f1_score(truth, predicted, average="macro"))
