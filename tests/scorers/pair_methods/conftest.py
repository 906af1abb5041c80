"""What the tests of the paper's cross-encoders share: tiny models in the publishers' layouts, also in plain torch."""

import shutil
from pathlib import Path

import pytest

from tests.scorers.pair_methods.published import METHODS, Reference


@pytest.fixture(scope="package")
def references(cross_encoders: Path) -> dict[str, Reference]:
    return {method: Reference(cross_encoders, method) for method in METHODS}


@pytest.fixture(autouse=True)
def models(
    cross_encoders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_models_loaded: None, none_shipped: Path
) -> Path:
    monkeypatch.setenv("GROUNDSCOPE_MODELS", str(cross_encoders))
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    return cross_encoders


@pytest.fixture
def copied(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The models' folders to change, where the methods look for them."""
    root = shutil.copytree(models, tmp_path / "models")
    monkeypatch.setenv("GROUNDSCOPE_MODELS", str(root))
    return root
