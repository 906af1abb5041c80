"""Does either text alone tell the label? Statement-only and evidence-only models of each training stage's pairs.

    python -m benchmarks.one_sided

Each learns from a stage's pairs (`models.train`) and is read on those that steer it, which are about other texts: logistic
regression over words and pairs of words, and over the text's MiniLM embedding. 0.5 is chance. A model that could judge without
reading both texts would be well above it.
"""

import random
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline

from benchmarks.machine import describe
from groundscope.commands.terminal import say
from groundscope.methods import registry
from groundscope.training.pairs import Embed, Pair
from models.train import SEED, STAGES

MOST = 12_000
"""Pairs whose texts are embedded to learn from."""


def main() -> Iterator[str]:
    """Lines of a Markdown table, one a stage."""
    embed: Embed = registry.load("cos_sim:minilm").embed  # type: ignore[attr-defined]
    yield "| stage | pairs | statement, words | statement, embedding | evidence, words | evidence, embedding |"
    yield "|---" * 6 + "|"
    for stage in STAGES:
        train, dev = stage.pairs(embed, SEED)
        some = random.Random(SEED).sample(train, min(MOST, len(train)))  # noqa: S311 - no secret
        cells = [
            found
            for side in ("sentence", "evidence")
            for found in (_by_words(train, dev, side), _by_embedding(some, dev, side, embed))
        ]
        yield f"| {stage.name} | {len(train):,} | " + " | ".join(f"{c:.3f}" for c in cells) + " |"


def _texts(pairs: Sequence[Pair], side: str) -> list[str]:
    return [getattr(p, side) for p in pairs]


def _labels(pairs: Sequence[Pair]) -> NDArray[np.bool_]:
    return np.array([p.label > 0.5 for p in pairs])


def _by_words(train: Sequence[Pair], dev: Sequence[Pair], side: str) -> float:
    model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), min_df=3, sublinear_tf=True), LogisticRegression(max_iter=500))
    model.fit(_texts(train, side), _labels(train))
    return float(roc_auc_score(_labels(dev), model.decision_function(_texts(dev, side))))


def _by_embedding(train: Sequence[Pair], dev: Sequence[Pair], side: str, embed: Embed) -> float:
    model = LogisticRegression(max_iter=500).fit(embed(_texts(train, side)), _labels(train))
    return float(roc_auc_score(_labels(dev), model.decision_function(embed(_texts(dev, side)))))


if __name__ == "__main__":
    say(describe())
    for line in main():
        say(line)
