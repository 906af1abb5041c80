"""Labelled cases -> train and dev, never test, and (evidence, sentence, label) pairs to fine-tune a cross-encoder on.

The paper's recipe (Trautmann et al. 2024, section 5.4): of a grounded response and an ungrounded variant of it, the sentences
that differ; the context sentence nearest to the grounded one by embedding; its cosine as the label of the grounded pair, and
1 - that cosine as the label of the same context sentence with the ungrounded counterpart.

Departs from the paper where a `Recipe` says so: several context sentences as evidence, plain labels with or without smoothing,
all labelled sentences instead of those that differ, and variants made by the legal edit operators as further negatives.

Cosines are labels where the paper's embedder makes them: those of legal-bert lie from 0.8 to 0.99. With other embedders many
lie near one half, and some below it, so that the changed sentence would get the higher label: there `suited` uses sides instead.
"""

import hashlib
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

import numpy as np

from groundscope.cases.edits.variants import adapt
from groundscope.cases.gold import sentence_labels
from groundscope.errors import DataError
from groundscope.text.evidence import evidence_of, likeness
from groundscope.text.humanize import plural
from groundscope.text.sentences import context_sentences, split
from groundscope.types import Case, Matrix

Labels = Literal["cosine", "sides", "smoothed"]
Scope = Literal["changed", "all"]
Embed = Callable[[list[str]], Matrix]
"""n texts -> (n, d) vectors of length 1."""

_ALIKE = 0.3
"""Sentences of a replaced block that share less than this of their characters are not the same sentence rewritten."""


class Pair(NamedTuple):
    """One row to train on: `evidence` is the nearest context sentence, or several joined as by `groundscope.text.evidence`.

    `wrong` are the characters of an unsupported sentence that the evidence does not support, where they are known; `supported` is
    its side where its label is a cosine, which can lie on the other one, else None.
    """

    evidence: str
    sentence: str
    label: float
    group: str
    made_by: str = "response"
    wrong: tuple[int, int] | None = None
    supported: bool | None = None

    @property
    def side(self) -> bool:
        """Whether the sentence is supported: what dev is measured by, whatever is learned from."""
        return self.label >= 0.5 if self.supported is None else self.supported


@dataclass(frozen=True, slots=True)
class Recipe:
    """How pairs are made; the defaults are the paper's.

    Attributes:
        labels: `cosine` as in the paper, for embedders whose cosines lie near 1 (`pair_labels.suited`); `sides`: 1 for supported,
            0 for not; or `smoothed`: 1 - smoothing for supported, smoothing for not.
        smoothing: of smoothed labels, 0 up to below 0.5.
        edits: variants of each grounded response by the legal edit operators, one an operator; 0 = none.
    """

    evidence: int = 1
    labels: Labels = "cosine"
    smoothing: float = 0.1
    scope: Scope = "changed"
    edits: int = 0
    operators: tuple[str, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        if self.evidence < 1 or self.edits < 0:
            raise ValueError("evidence must be at least 1 sentence, and edits at least 0")
        if not 0.0 <= self.smoothing < 0.5:
            raise ValueError(f"smoothing must lie from 0 up to below 0.5, got {self.smoothing}")


RECIPES = {"paper": Recipe(), "evidence": Recipe(evidence=4, labels="smoothed", scope="all", edits=4)}
"""Recipes by name: the paper's, and one that joins evidence and learns from every labelled sentence and from legal edits."""


class SentenceChange(NamedTuple):
    """A sentence of a grounded response and its counterpart in a variant."""

    grounded: str
    ungrounded: str


def changes(grounded: str, variant: str) -> list[SentenceChange]:
    """Align two versions of a response and find the sentences that differ.

    Blocks with equally many sentences on both sides are aligned in order. In other blocks each sentence is aligned with the most
    similar one that is left; a sentence similar to none is left out.
    """
    ours, theirs = _texts(grounded), _texts(variant)
    differing: list[SentenceChange] = []
    for kind, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if kind == "replace" and b - a == d - c:
            differing += map(SentenceChange, ours[a:b], theirs[c:d])
        elif kind == "replace":
            differing += _by_likeness(ours[a:b], theirs[c:d])
    return differing


def pairs(cases: Sequence[Case], recipe: Recipe, embed: Embed) -> list[Pair]:
    """Make pairs of cases."""
    everything = [*cases, *_edited(cases, recipe)]
    originals = {c.id for c in cases}
    nearest = Nearest(embed, recipe.evidence)
    drawn = list(
        _changed(everything, originals, recipe, nearest)
        if recipe.scope == "changed"
        else _all(everything, originals, recipe, nearest)
    )
    if not drawn:
        raise DataError(
            "No pairs can be made of these cases: they need grounded responses and ungrounded variants of them, "
            "or error spans with all sentences chosen."
        )
    return list(dict.fromkeys(drawn))


def _edited(cases: Sequence[Case], recipe: Recipe) -> Iterator[Case]:
    for case in cases if recipe.edits else ():
        # Spans of what is wrong in a response that is called grounded: an edit would not be its only error.
        if not case.grounded or case.called_wrong:
            continue
        variants = [v.case for v in adapt(case, seed=recipe.seed, names=recipe.operators).variants]
        # Their order is that of the operators: the first ones would always be figures and dates.
        chosen = random.Random(f"{recipe.seed} {case.id}")  # noqa: S311 - no secret
        yield from chosen.sample(variants, min(recipe.edits, len(variants)))


def _changed(cases: Sequence[Case], originals: set[str], recipe: Recipe, nearest: "Nearest") -> Iterator[Pair]:
    by_id = {c.id: c for c in cases if c.grounded}
    by_group = {c.group: c for c in reversed(cases) if c.grounded and c.group}
    for case in cases:
        if case.grounded is not False:
            continue
        parent = by_id.get(case.parent) if case.parent else by_group.get(case.group or "")
        if parent is None:
            continue
        made_by = "response" if case.id in originals else "edit"
        for change in changes(parent.response, case.response):
            evidence, cosine = nearest(parent, change.grounded)
            group = case.group or parent.id
            yield _pair(Pair(evidence, change.grounded, cosine, group, "response"), recipe, supported=True)
            yield _pair(Pair(evidence, change.ungrounded, cosine, group, made_by), recipe, supported=False)


def _all(cases: Sequence[Case], originals: set[str], recipe: Recipe, nearest: "Nearest") -> Iterator[Pair]:
    for case in cases:
        labels = sentence_labels(case)
        for s, supported in zip(split(case.response), labels, strict=True) if labels else ():
            if s.heading:
                continue
            # Of an edited response only the edited sentence is new.
            if case.id not in originals and supported:
                continue
            text = case.response[s.start : s.end]
            evidence, cosine = nearest(case, text)
            made_by = "response" if case.id in originals else "edit"
            yield _pair(Pair(evidence, text, cosine, family(case), made_by), recipe, supported=bool(supported))


def _pair(pair: Pair, recipe: Recipe, *, supported: bool) -> Pair:
    """The pair with its label, in place of the cosine of its evidence."""
    if recipe.labels == "cosine":
        return pair._replace(label=pair.label if supported else 1 - pair.label, supported=supported)
    unsure = recipe.smoothing if recipe.labels == "smoothed" else 0.0
    return pair._replace(label=1 - unsure if supported else unsure)


def family(case: Case) -> str:
    """Find the key that keeps a response and its variants in one split: its group, else its parent's id, else its own."""
    return case.group or case.parent or case.id


class Nearest:
    """The evidence of a sentence, as the methods choose it, and the best cosine."""

    def __init__(self, embed: Embed, count: int) -> None:
        """Keep what makes vectors, and the number of context sentences to join."""
        self._embed, self._count = embed, count
        self._context: tuple[object, list[str], Matrix] | None = None
        self._known: dict[tuple[int, str], tuple[str, float]] = {}

    def __call__(self, case: Case, sentence: str) -> tuple[str, float]:
        """Find the evidence of a sentence."""
        key = (hash(case.context), sentence)
        if key not in self._known:
            texts, vectors = self._of(case)
            cosines = vectors @ self._embed([sentence])[0]
            # The paper's single sentence is the nearest by embedding alone.
            alike = likeness(cosines[None].astype(np.float64), [sentence], texts)[0]
            chosen = evidence_of(alike, texts, self._count) if self._count > 1 else [int(cosines.argmax())]
            self._known[key] = (" ".join(texts[i] for i in chosen), float(np.clip(cosines.max(), 0.0, 1.0)))
        return self._known[key]

    def _of(self, case: Case) -> tuple[list[str], Matrix]:
        if self._context is None or self._context[0] != case.context:
            texts = [case.context[u.passage].text[u.start : u.end] for u in context_sentences(case.context)]
            if not texts:
                raise DataError(f"Case {case.id} has a label but no context sentence; leave it out.")
            self._context = (case.context, texts, self._embed(texts))
        return self._context[1], self._context[2]


def _texts(response: str) -> list[str]:
    return [response[s.start : s.end] for s in split(response) if not s.heading]


def _by_likeness(ours: Sequence[str], theirs: Sequence[str]) -> list[SentenceChange]:
    ratios = [
        (-SequenceMatcher(None, a, b, autojunk=False).ratio(), i, j) for i, a in enumerate(ours) for j, b in enumerate(theirs)
    ]
    taken: dict[int, int] = {}
    for ratio, i, j in sorted(ratios):
        if -ratio >= _ALIKE and i not in taken and j not in taken.values():
            taken[i] = j
    return [SentenceChange(ours[i], theirs[j]) for i, j in sorted(taken.items())]


PAPERS_EMBEDDER = "nlpaueb/legal-bert-base-uncased"
"""Its cosines are the paper's labels."""
LABEL_WARNING = "Labels, a warning"
"""Key of `label_warning` in what a model's card and record say of how it was made."""
LOWEST = 0.8
"""The lowest cosine of a grounded sentence that the paper reports."""


def suited(recipe: Recipe, signature: str) -> Recipe:
    """Replace cosines as labels by the true sides, unless the paper's embedder makes them."""
    papers = PAPERS_EMBEDDER in signature
    return recipe if papers or recipe.labels != "cosine" else replace(recipe, labels="sides")


def upside_down(pairs: Sequence[Pair]) -> int:
    """Count the labels that lie on the wrong side."""
    return sum((pair.label >= 0.5) != pair.side for pair in pairs)


def label_warning(pairs: Sequence[Pair]) -> str:
    """Say what is odd about the labels of a training."""
    sound = [pair for pair in pairs if pair.supported]
    low, wrong = sum(pair.label < LOWEST for pair in sound), upside_down(pairs)
    if not low:
        return ""
    words = f"{low:,} of {plural(len(sound), 'grounded sentence has', 'grounded sentences have')} a label below {LOWEST}"
    turned = f" {wrong:,} of all {len(pairs):,} labels lie on the wrong side of 0.5." if wrong else ""
    return f"{words}, where the paper's lie from {LOWEST} to 0.99: the model learns them as doubtful.{turned}"


DEV_SHARE = 0.1
"""Of sets without splits, this share of the queries is kept for dev, chosen by the hash of the query."""


@dataclass(frozen=True, slots=True)
class LabelledSplits:
    """A labelled set divided into training data, dev data and cases that stay unused.

    `untouched`: number of unused cases: test split and cases without a label.
    """

    train: tuple[Case, ...]
    dev: tuple[Case, ...]
    untouched: int
    drawn: bool = False


def parts(cases: Sequence[Case], split: str = "train") -> LabelledSplits:
    """Divide a set."""
    if split == "test":
        raise DataError("A test split is for the last look only: nothing is trained on it. Choose train.")
    if split == "dev":
        raise DataError("The dev split steers the training and finds the threshold, so nothing is learned from it. Choose train.")
    labelled = [c for c in cases if c.grounded is not None]
    if not labelled:
        raise DataError("These cases have no labels, so there is nothing to learn from; label them as grounded or not.")
    _one_split_each(labelled)
    drawn = not any(c.split for c in labelled)
    # Without a group the query itself shows which responses belong together.
    where: Callable[[Case], str] = (
        (lambda c: drawn_split(c.group or c.query or family(c))) if drawn else (lambda c: c.split or "")
    )
    train = tuple(c for c in labelled if where(c) == split)
    dev = tuple(c for c in labelled if where(c) == "dev")
    if not train:
        held = sorted({c.split or "none" for c in labelled})
        raise DataError(f"No labelled case is in the split {split}; there are {', '.join(held)}. Test is never trained on.")
    for name, members in ((split, train), ("dev", dev)):
        if len({c.grounded for c in members}) < 2:
            if drawn and len({c.grounded for c in labelled}) == 2:
                raise DataError(
                    f"These cases have no splits, and among the queries that were drawn for {name} are not both grounded and "
                    "ungrounded responses; give each case a split, train or dev."
                )
            raise DataError(f"The split {name} needs grounded and ungrounded responses, so that the model can learn.")
    return LabelledSplits(train, dev, len(cases) - len(train) - len(dev), drawn)


def digest(pairs: Sequence[Pair]) -> str:
    """Hash pairs."""
    hashed = hashlib.blake2b(digest_size=8)
    for pair in pairs:
        # Without a side of their own, pairs keep the hash that they had before they could have one.
        hashed.update(json.dumps(pair if pair.supported is not None else pair[:-1], ensure_ascii=True).encode())
    return hashed.hexdigest()


def _one_split_each(cases: Sequence[Case]) -> None:
    seen: dict[str, str] = {}
    for case in cases:
        group, part = family(case), case.split or ""
        if seen.setdefault(group, part) != part:
            raise DataError(
                f"The query of case {case.id} has responses in two splits, {seen[group] or 'none'} and {part or 'none'}; "
                "keep all responses of a query in one, or dev says nothing."
            )


def drawn_split(group: str) -> str:
    """Draw the split of a query by its hash, so that neither order nor company matters."""
    share = int.from_bytes(hashlib.blake2b(group.encode("utf-8", "replace"), digest_size=4).digest()) / 2**32
    return "dev" if share < DEV_SHARE else "train"
