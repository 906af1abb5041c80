"""Pairs of the sample set's train contexts, made once."""

import pytest

from evaluation.contrast_pairs import contrast_pairs
from evaluation.training_pairs import Pair
from tests.evaluation.contrast.documents import training_texts


@pytest.fixture(scope="session")
def texts() -> list[list[str]]:
    return training_texts()


@pytest.fixture(scope="session")
def made(texts: list[list[str]]) -> list[Pair]:
    return contrast_pairs(texts)
