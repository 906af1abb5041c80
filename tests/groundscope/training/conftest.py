"""What the tests of training share: a tiny base in one thread, and what came of one training of it."""

import gc
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from groundscope.training.finetuning import finetune
from tests.groundscope.training.samples import QUICK, easy
from tests.scorers import tiny


@pytest.fixture(scope="package")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tiny.quiet()
    return tiny.bert_cross_encoder(tmp_path_factory.mktemp("bases") / "base")


@pytest.fixture(scope="package", autouse=True)
def libraries_out_of_the_way(base: Path) -> Iterator[None]:
    """Every training collects garbage twice, which takes longer than its steps while all that was imported is looked at."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="package")
def trained(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a training with nothing special, for tests that only read."""
    place = tmp_path_factory.mktemp("trained")
    finetune(
        easy(12, "t"),
        easy(6, "d"),
        base,
        place,
        replace(QUICK, epochs=6, patience=9),
        about={"Base": "tiny", "Data": "made.jsonl"},
    )
    return place / "model"


@pytest.fixture(scope="package")
def record(trained: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((trained / "training.json").read_text("utf-8"))
    return found
