"""Tiny models of all cross-encoders, copied for each test to break; nothing else of this machine is seen."""

import shutil
from pathlib import Path

import pytest

from tests.scorers import tiny
from tests.scorers.model_folders.folders import CONFIGS, TOKENIZERS, WEIGHTS


@pytest.fixture(scope="package")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tiny.quiet()
    root = tmp_path_factory.mktemp("models")
    tiny.deberta(root / WEIGHTS["hem_v1"], 1)
    tiny.t5(root / WEIGHTS["hem_v2"], root / CONFIGS["hem_v2"])
    tiny.roberta(root / WEIGHTS["factkb"], root / TOKENIZERS["factkb"])
    names = {"id2label": {0: "entailment", 1: "contradiction"}, "label2id": {"entailment": 0, "contradiction": 1}}
    tiny.deberta(root / WEIGHTS["context_nli"], 2, **names)
    tiny.bert_cross_encoder(root / WEIGHTS["grounding_classifier"])
    return root


@pytest.fixture(autouse=True)
def models(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_models_loaded: None, none_shipped: Path) -> Path:
    """A folder where the methods look, with copies of the models to break; nothing else of this machine is seen."""
    monkeypatch.setenv("GROUNDSCOPE_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    return shutil.copytree(saved, tmp_path / "models")
