"""Pairs of the sample set's train contexts, made once."""

import pytest

from groundscope.training.pairs import Pair
from models.contrast_pairs import contrast_pairs
from tests.models.pairs.documents import training_texts


@pytest.fixture(scope="session")
def texts() -> list[list[str]]:
    return training_texts()


@pytest.fixture(scope="session")
def made(texts: list[list[str]]) -> list[Pair]:
    return contrast_pairs(texts)
