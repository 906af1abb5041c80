"""Labelled cases and pairs for trainings that take a second, in words that the tiny model knows."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from groundscope.errors import Cancelled
from groundscope.training.options import Options, TrainingProgress
from groundscope.training.pairs import Pair
from groundscope.types import Case, ErrorSpan, ErrorType, Matrix, Passage

CONTEXT = (
    Passage("p1", "The court of appeal dismissed the appeal in 2003. It held that the notice was served too late."),
    Passage("p2", "Costs of 4,500 euros were awarded to the tenant, because the landlord had acted unreasonably."),
)
RIGHT = ("The appeal was dismissed in 2003.", "The notice was served too late.", "The tenant was awarded costs.")
WRONG = ("The appeal was dismissed in 2005.", "The notice was not served.", "The landlord was awarded costs.")
QUICK = Options(epochs=2, batch=8, rate=1e-3, longest=64, evaluations=1, bf16=False)
"""Some six steps, with the same numbers on every processor."""


def query(number: int, split: str | None) -> tuple[Case, Case]:
    """A grounded response and an ungrounded variant of it."""
    i = number % 3
    sound = Case(
        f"q{number}-a",
        f"What did the court say in case {number}?",
        CONTEXT,
        f"{' '.join(RIGHT)} See {number}.",
        grounded=True,
        split=split,
        group=f"q{number}",
    )
    said = sound.response.replace(RIGHT[i], WRONG[i])
    start = said.index(WRONG[i])
    error = ErrorSpan(start, start + len(WRONG[i]), ErrorType.FACTUAL_INACCURACY)
    return sound, replace(sound, id=f"q{number}-b", response=said, grounded=False, errors=(error,), parent=sound.id)


def labelled(train: int = 12, dev: int = 6, test: int = 3) -> list[Case]:
    """So many queries a split, two responses each."""
    splits = ["train"] * train + ["dev"] * dev + ["test"] * test
    return [case for number, split in enumerate(splits) for case in query(number, split)]


def easy(count: int, group: str) -> list[Pair]:
    """So many supported and unsupported pairs: which word the sentence ends on tells them apart."""
    evidence = "The court of appeal dismissed the appeal in 2003."
    supported = [Pair(evidence, f"The court dismissed the appeal {i}.", 0.9, f"{group}{i}") for i in range(count)]
    return [p for s in supported for p in (s, s._replace(sentence=s.sentence.replace("appeal", "costs"), label=0.1))]


def noise(count: int, group: str) -> list[Pair]:
    """Pairs whose labels have nothing to do with their texts: dev goes up and down."""
    rng = np.random.default_rng(len(group))
    words = [*RIGHT, *WRONG]
    return [
        Pair(words[int(a)], words[int(b)], 0.9 if i % 2 else 0.1, f"{group}{i}")
        for i, (a, b) in enumerate(rng.integers(0, 6, (count, 2)))
    ]


def stop_at(step: int) -> Callable[[TrainingProgress], None]:
    """Who watches, and has enough at a step."""

    def watch(progress: TrainingProgress) -> None:
        if progress.step >= step:
            raise Cancelled

    return watch


def by_hash(texts: list[str]) -> Matrix:
    """Unit vectors that only depend on the text, some of them at more than a right angle."""
    vectors = np.stack([np.random.default_rng(list(t.encode())).normal(size=4) for t in texts]).astype(np.float32)
    found: Matrix = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return found
