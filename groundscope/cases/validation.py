"""Is a labelled set fit to measure on? Checks for the shipped sample set and for what users load.

Two questions: are its labels consistent (spans, parents, evidence, splits), and is it hard for the right reasons, so that
nothing but the relation between response and context separates a grounded response from an ungrounded one?
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import copysign, inf, sqrt

import numpy as np

from groundscope.cases.parents import differs_only_at_spans
from groundscope.cases.set_counts import counted
from groundscope.cases.splitting import query_of
from groundscope.text.facts import FactKind, items
from groundscope.text.humanize import plural
from groundscope.text.sentences import split
from groundscope.types import Case, Matrix

BAG_OF_WORDS_LIMIT = 0.58
"""Macro-F1 above which the words of the responses give the label away."""
FOLDS = 5
Embed = Callable[[list[str]], Matrix]
"""n texts -> (n, d) vectors of length 1."""
SetFinding = tuple[str, str]
"""The id of a case and what is wrong with it, in one sentence that quotes nothing."""
NEAR = 0.9
"""Cosine above which two queries, or two passages of different queries, count as near-copies."""
_BLOCK = 1024
"""Rows of cosines held at a time."""
_SHORT = 5
"""Words; a shorter sentence ("The answer is no.") may recur without being a copy."""
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


def _share(text: str, words_of_kind: frozenset[str]) -> float:
    words = _words(text)
    return sum(w in words_of_kind for w in words) / max(1, len(words))


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
    measured = []
    for name, measure in HABITS.items():
        a, b = (np.array([measure(c.response) for c in group], dtype=float) for group in (sound, wrong))
        spread = sqrt((a.var(ddof=1) * (len(a) - 1) + b.var(ddof=1) * (len(b) - 1)) / (len(a) + len(b) - 2))
        gap = float(b.mean() - a.mean())
        d = gap / spread if spread else copysign(inf, gap) if gap else 0.0
        measured.append(Habit(name, float(a.mean()), float(b.mean()), d))
    return tuple(measured)


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
    groups = [query_of(c) for c in (*sound, *wrong)]
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


def normal(text: str) -> str:
    """A text as two texts are compared: case folded, white space as single spaces, none at its ends."""
    return " ".join(text.casefold().split())


def _labels(cases: Sequence[Case]) -> Iterator[SetFinding]:
    """A grounded response has no error, an ungrounded one at least one span where the set has spans; typed ones give reasons."""
    spans = any(case.errors or case.unsupported for case in cases)
    for case in cases:
        wrong = bool(case.errors or case.unsupported)
        if case.grounded and case.called_wrong:
            yield case.id, f"It is labelled grounded but has an error {'span' if wrong else 'type'}."
        if spans and case.grounded is False and not wrong:
            yield case.id, "It is labelled ungrounded, but no span says where."
        if any(not e.why for e in case.errors):
            yield case.id, "An error span lacks the reason why it is wrong."


def _parents(cases: Sequence[Case]) -> Iterator[SetFinding]:
    """A variant's parent is in the set, not labelled ungrounded, and has the same query, context, group and split."""
    by_id = {c.id: c for c in cases}
    for case in cases:
        if case.parent is None:
            continue
        parent = by_id.get(case.parent)
        if parent is None:
            yield case.id, "Its parent is not in the set."
        elif parent.grounded is False:
            yield case.id, "Its parent is labelled ungrounded."
        elif (parent.query, parent.context) != (case.query, case.context):
            yield case.id, "Its query or context is not its parent's."
        elif (parent.group, parent.split) != (case.group, case.split):
            yield case.id, "Its group or split is not its parent's."


def _edits(cases: Sequence[Case]) -> Iterator[SetFinding]:
    """A variant differs from its parent only in its error spans and the words next to them."""
    by_id = {c.id: c for c in cases}
    for case in cases:
        parent = by_id.get(case.parent or "")
        if parent and case.errors and not differs_only_at_spans(case, parent.response):
            yield case.id, "It differs from its parent elsewhere than in and next to its error spans."


def _unsupported(cases: Sequence[Case]) -> Iterator[SetFinding]:
    """No sentence with a typed error stands word for word in its context or in a grounded response to the same query."""
    sound: dict[str, set[str]] = defaultdict(set)
    for case in cases:
        if case.grounded:
            sound[query_of(case)] |= {normal(case.response[s.start : s.end]) for s in split(case.response)}
    for case in cases:
        if not case.errors:
            continue
        context = normal("\n".join(p.text for p in case.context))
        for sentence in split(case.response):
            text = normal(case.response[sentence.start : sentence.end])
            if not any(sentence.start < e.end and e.start < sentence.end for e in case.errors):
                continue
            if text in context:
                yield case.id, "A sentence with an error span stands word for word in the context."
            elif text in sound[query_of(case)]:
                yield case.id, "A sentence with an error span stands in a grounded response to the same query."


def _evidence(cases: Sequence[Case]) -> Iterator[SetFinding]:
    """Every sentence of a grounded response has gold evidence; headings need none."""
    for case in cases:
        if case.grounded:
            bare = [
                s
                for s in split(case.response)
                if not s.heading and not any(e.response_start < s.end and s.start < e.response_end for e in case.evidence)
            ]
            if bare:
                yield case.id, f"{plural(len(bare), 'of its sentences has', 'of its sentences have')} no gold evidence."


def _splits(cases: Sequence[Case]) -> Iterator[SetFinding]:
    """A query lies in one split, and no sentence of five words or more of a response or passage stands in two."""
    groups: dict[str, str | None] = {}
    seen: dict[str, str | None] = {}
    for case in cases:
        if case.split is None:
            continue
        if groups.setdefault(query_of(case), case.split) != case.split:
            yield case.id, "Its query has cases in another split."
        texts = (case.response, *(p.text for p in case.context))
        sentences = {normal(t[s.start : s.end]) for t in texts for s in split(t)}
        shared = [t for t in sentences if len(t.split()) >= _SHORT and seen.setdefault(t, case.split) != case.split]
        if shared:
            yield case.id, f"{plural(len(shared), 'of its sentences is', 'of its sentences are')} in another split too."


def texts_to_embed(cases: Sequence[Case]) -> list[str]:
    """List the texts that `near_copies` embeds, so that their vectors can be made beforehand."""
    return list(dict.fromkeys([normal(c.query) for c in cases] + [normal(p.text) for c in cases for p in c.context]))


def _near_pairs(cases: Sequence[Case], embed: Embed) -> tuple[float, list[SetFinding]]:
    """The highest cosine between two queries, or two passages, of different groups, and one finding a pair above `NEAR`."""
    queries = {(query_of(c), normal(c.query)): c for c in cases}
    passages = {(query_of(c), normal(p.text)): c for c in cases for p in c.context}
    highest, findings = 0.0, []
    for owners, what in ((queries, "query"), (passages, "passage")):
        for cosine, i, j in _close_pairs(list(owners), embed):
            highest = max(highest, cosine)
            if cosine > NEAR:
                ours, theirs = list(owners.values())[j], list(owners.values())[i]
                findings.append((ours.id, f"A {what} is nearly the same as one of {theirs.id}."))
    return highest, findings


def _close_pairs(texts: Sequence[tuple[str, str]], embed: Embed) -> Iterator[tuple[float, int, int]]:
    """(cosine, i, j) of all pairs above `NEAR` from different groups with i < j, and of the closest in each block of rows."""
    vectors = embed([text for _, text in texts])
    numbers = {group: n for n, group in enumerate(dict.fromkeys(group for group, _ in texts))}
    groups = np.array([numbers[group] for group, _ in texts])
    for start in range(0, len(texts), _BLOCK):
        rows = np.arange(start, min(start + _BLOCK, len(texts)))
        cosines = vectors[rows] @ vectors.T
        cosines[(groups[rows, None] == groups[None, :]) | (np.arange(len(texts))[None, :] <= rows[:, None])] = 0.0
        close = {(int(i), int(j)) for i, j in np.argwhere(cosines > NEAR)}
        top = np.unravel_index(int(cosines.argmax()), cosines.shape)
        for i, j in sorted(close | {(int(top[0]), int(top[1]))}):
            yield float(cosines[i, j]), start + i, j


class ValidationOutcome(StrEnum):
    """Outcome of a check."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True, slots=True)
class Check:
    """One check of a set: a title that holds if it passed, and what was measured, or why it was not, in words."""

    title: str
    outcome: ValidationOutcome
    figure: str
    findings: tuple[SetFinding, ...] = ()


_LISTED: tuple[tuple[str, Callable[[Sequence[Case]], Iterator[SetFinding]], Callable[[Case], bool], str], ...] = (
    ("Labels and error spans agree", _labels, lambda c: c.grounded is not None, "labelled cases"),
    ("Variants name a grounded parent", _parents, lambda c: c.parent is not None, "variants"),
    ("Variants differ only in and next to their spans", _edits, lambda c: bool(c.parent and c.errors), "variants"),
    ("Wrong sentences stand in no source", _unsupported, lambda c: bool(c.errors), "cases with error spans"),
    ("Every grounded sentence has gold evidence", _evidence, lambda c: bool(c.grounded), "grounded cases"),
    ("Splits share no query and no sentence", _splits, lambda c: c.split is not None, "cases with a split"),
)


def validate(cases: Sequence[Case], embed: Embed | None = None) -> tuple[Check, ...]:
    """Run every check."""
    listed = (_listed(cases, *row) for row in _LISTED)
    return (*listed, _habits(cases), _bag_of_words(cases), near_copies(cases, embed))


def _listed(
    cases: Sequence[Case],
    title: str,
    check: Callable[[Sequence[Case]], Iterator[SetFinding]],
    concerns: Callable[[Case], bool],
    what: str,
) -> Check:
    number = sum(map(concerns, cases))
    if not number:
        return Check(title, ValidationOutcome.NOT_APPLICABLE, f"There are no {what}.")
    if check is _evidence and not any(c.evidence for c in cases):
        return Check(title, ValidationOutcome.NOT_APPLICABLE, "The set carries no gold evidence.")
    findings = tuple(check(cases))
    wrong = len({case for case, _ in findings})
    figure = f"{number:,} {what}, {wrong or 'none'} at fault"
    if check is _labels and not any(c.errors or c.unsupported for c in cases):
        figure += "; labels are of whole answers: no case has error spans"
    if check is _splits and (leaks := counted(cases).leaks):
        figure += f"; {'; '.join(leak.words for leak in leaks)}"
    return Check(title, ValidationOutcome.FAILED if findings else ValidationOutcome.PASSED, figure, findings)


def _habits(cases: Sequence[Case]) -> Check:
    title = "Both labels look alike: length, sentences, hedging, figures"
    measured = habits(cases)
    if not measured:
        return Check(title, ValidationOutcome.NOT_APPLICABLE, "There are too few cases of one label.")
    telling = [h for h in measured if h.telling]
    largest = max(measured, key=lambda h: abs(h.d))
    figure = f"largest standardised difference {largest.d:+.2f} ({largest.name}); up to 0.20 is small"
    findings = tuple(("", f"{h.name}: {h.grounded:.3g} in grounded, {h.ungrounded:.3g} in ungrounded responses") for h in telling)
    return Check(title, ValidationOutcome.FAILED if telling else ValidationOutcome.PASSED, figure, findings)


def _bag_of_words(cases: Sequence[Case]) -> Check:
    title = "The words of a response alone do not give its label away"
    score = bag_of_words(cases)
    if score is None:
        return Check(title, ValidationOutcome.NOT_APPLICABLE, "There are too few labels, groups or words for five folds.")
    figure = f"bag-of-words macro-F1 {score:.3f} in {FOLDS} folds by query; at most {BAG_OF_WORDS_LIMIT}"
    return Check(title, ValidationOutcome.PASSED if score <= BAG_OF_WORDS_LIMIT else ValidationOutcome.FAILED, figure)


def near_copies(cases: Sequence[Case], embed: Embed | None) -> Check:
    """Run the last check by itself: the only one that needs a model, n texts -> (n, d) vectors of length 1 of `texts_to_embed`.

    Fails if the highest cosine exceeds `NEAR`; not applicable without `embed` or with one query only.
    """
    title = "No query or passage is a near-copy of another query's"
    if embed is None:
        return Check(title, ValidationOutcome.NOT_APPLICABLE, "Not measured yet: it needs a model, and a little time.")
    if len({query_of(c) for c in cases}) < 2:
        return Check(title, ValidationOutcome.NOT_APPLICABLE, "There is one query only, so there is nothing to compare.")
    highest, findings = _near_pairs(cases, embed)
    figure = f"highest cosine {highest:.2f}; at most {NEAR}"
    return Check(title, ValidationOutcome.FAILED if findings else ValidationOutcome.PASSED, figure, tuple(findings))
