"""What the tests of the engine for pairs share: tiny tokenizers, encoders, and a data folder of their own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from groundscope.models.pairs.encoders import Encoder, PairPrompt, TwoTexts
from groundscope.storage import support_cache
from tests.groundscope.models.pairs.engine import KINDS, LIMIT, PROMPT_LIMIT
from tests.scorers import tiny


@pytest.fixture(scope="package")
def tokenizers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    tiny.quiet()
    folder = tmp_path_factory.mktemp("tokenizers")
    folders = {
        "bert": tiny.bert_cross_encoder(folder / "bert"),
        "roberta": tiny.roberta(folder / "factkb", folder / "roberta")[1],
        "deberta": tiny.deberta(folder / "deberta", labels=1),
        "t5": tiny.t5(folder / "hem", folder / "t5")[1],
    }
    return {kind: tiny.tokenizer_of(folders[kind]) for kind in KINDS}


@pytest.fixture(scope="package")
def encoders(tokenizers: dict[str, Any]) -> dict[str, Encoder]:
    return {
        "two texts": TwoTexts(tokenizers["bert"], LIMIT, context_first=True),
        "prompt": PairPrompt(tokenizers["t5"], tiny.PROMPT, PROMPT_LIMIT),
    }


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    yield tmp_path
    support_cache.default().close()
