"""Tiny judges in the layouts of their publishers, and the methods that read them."""

import shutil
from pathlib import Path

import pytest

from scorers import alignscore, bart_score, lettucedetect, minicheck, nli
from tests.scorers import tiny
from tests.scorers.judges import folders


@pytest.fixture(scope="package")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tiny.quiet()
    root = tmp_path_factory.mktemp("judges")
    folders.entailment(root / nli.PUBLISHED["deberta-base"][0].name, folders.ORDERS["first"])
    folders.roberta(root / minicheck.MODELS["roberta"].weights.name)
    tiny.deberta(root / minicheck.MODELS["deberta"].weights.name, 2)
    folders.flan_t5(root / minicheck.MODELS["flan-t5"].weights.name)
    base = alignscore.MODELS["base"]
    folders.alignscore(root / base.weights.name, root / base.foundation.name, base.weights.file)
    folders.bart(root / bart_score.WEIGHTS.name)
    folders.modernbert(root / lettucedetect.VARIANTS["base"]["weights"].name)
    return root


@pytest.fixture(autouse=True)
def judges(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_models_loaded: None) -> Path:
    monkeypatch.setenv("GROUNDSCOPE_MODELS", str(saved))
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    return saved


@pytest.fixture
def copied(judges: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folders to change, where the methods look for them."""
    root = shutil.copytree(judges, tmp_path / "judges")
    monkeypatch.setenv("GROUNDSCOPE_MODELS", str(root))
    return root
