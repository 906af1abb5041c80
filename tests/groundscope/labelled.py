"""A small labelled set in which nothing but the relation to the context tells the labels apart."""

from dataclasses import replace

import numpy as np

from groundscope.cases.validation import Check, Embed, validate
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Matrix, Passage

NAMES = [a + b for a in "BDFGKLMN" for b in ("ar", "el", "im", "on", "ut")]
COLOURS = ("red", "tan", "bay", "ash")


def pair(name: str, right: str, wrong: str, split: str) -> list[Case]:
    """A grounded response and its variant, with another colour of the same length in its first sentence."""
    start = len(f"{name} leased its house to a ")
    response = (
        f"{name} leased its house to a {right} tenant. The rent of {name} falls due on the first day when each month begins."
    )
    end = response.index(".") + 1
    grounded = Case(
        f"{name}-ok",
        f"Who leased the house of {name}?",
        (Passage("p1", f"The {right} tenant of {name} signed. A month later {name} asked for rent."),),
        response,
        grounded=True,
        evidence=(EvidenceSpan(0, end, 0, 0, 9), EvidenceSpan(end + 1, len(response), 0, 0, 9)),
        split=split,
        group=name,
    )
    error = ErrorSpan(start, start + 3, ErrorType.FACTUAL_INACCURACY, "The tenant has another colour.")
    text = response[:start] + wrong + response[start + 3 :]
    return [grounded, replace(grounded, id=f"{name}-bad", response=text, grounded=False, errors=(error,), parent=grounded.id)]


def sound_set() -> list[Case]:
    rng = np.random.default_rng(1)
    found = []
    for i, name in enumerate(NAMES):
        right, wrong = rng.choice(COLOURS, 2, replace=False)
        found += pair(name, str(right), str(wrong), "dev" if i < 10 else "test")
    return found


SOUND = sound_set()


def apart(texts: list[str]) -> Matrix:
    """No text is near another one."""
    return np.eye(len(texts), dtype=np.float32)


def check(title: str, cases: list[Case], embed: Embed | None = apart) -> Check:
    return next(c for c in validate(cases, embed) if c.title == title)
