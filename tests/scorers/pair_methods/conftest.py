"""What the tests of the paper's cross-encoders share: tiny models in the publishers' layouts, also in plain torch."""

import shutil
from pathlib import Path

import pytest

from scorers import context_nli, factkb, hem_v1, hem_v2
from tests.scorers import tiny
from tests.scorers.pair_methods.published import METHODS, Reference


@pytest.fixture(scope="package")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tiny.quiet()
    root = tmp_path_factory.mktemp("models")
    tiny.deberta(root / hem_v1.WEIGHTS.name, 1)
    tiny.t5(root / hem_v2.WEIGHTS.name, root / hem_v2.FOUNDATION.name)
    tiny.roberta(root / factkb.WEIGHTS.name, root / factkb.TOKENIZER.name)
    names = {"id2label": {0: "entailment", 1: "contradiction"}, "label2id": {"entailment": 0, "contradiction": 1}}
    tiny.deberta(root / context_nli.WEIGHTS.name, 2, **names)
    tiny.bert_cross_encoder(root / "grounding-classifier")
    return root


@pytest.fixture(scope="package")
def references(saved: Path) -> dict[str, Reference]:
    return {method: Reference(saved, method) for method in METHODS}


@pytest.fixture(autouse=True)
def models(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_models_loaded: None, none_shipped: Path) -> Path:
    monkeypatch.setenv("GROUNDSCOPE_MODELS", str(saved))
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    return saved


@pytest.fixture
def copied(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The models' folders to change, where the methods look for them."""
    root = shutil.copytree(models, tmp_path / "models")
    monkeypatch.setenv("GROUNDSCOPE_MODELS", str(root))
    return root
