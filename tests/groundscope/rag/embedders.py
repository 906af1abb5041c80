"""Embedders that need no model, and what they leave on disk."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from groundscope.rag.retrieving.vectors import folder
from groundscope.text.embedding import Hear
from groundscope.types import Matrix


def heard_by_none(done: int, total: int) -> None:
    """For those who do not want to know."""


@dataclass
class Hashed:
    """Unit vectors of hashed words: texts with the same words are alike. Remembers what it was given."""

    dimension: int = 32
    signature: str = "hashed words"
    given: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def passages(self, texts: Sequence[str], hear: Hear) -> Matrix:
        for i in range(len(texts)):
            hear(i, len(texts))
        self.given += texts
        return self.vectors(texts)

    def questions(self, texts: Sequence[str], hear: Hear) -> Matrix:
        hear(0, len(texts))
        self.asked += texts
        return self.vectors(texts)

    def vectors(self, texts: Sequence[str]) -> Matrix:
        found = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split() or [""]:
                hashed = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
                found[row, int.from_bytes(hashed, "big") % self.dimension] += 1.0
        unit: Matrix = found / np.linalg.norm(found, axis=1, keepdims=True)
        return unit


def texts_of(count: int, name: str = "clause") -> list[str]:
    return [f"{name} {i} of the lease" for i in range(count)]


def files() -> list[Path]:
    return sorted(p for p in folder().rglob("*") if p.is_file())
