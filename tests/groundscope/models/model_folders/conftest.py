"""Tiny models of all cross-encoders, copied for each test to break; nothing else of this machine is seen."""

import shutil
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def models(
    cross_encoders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_models_loaded: None, none_shipped: Path
) -> Path:
    """A folder where the methods look, with copies of the models to break."""
    monkeypatch.setenv("GROUNDSCOPE_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    return shutil.copytree(cross_encoders, tmp_path / "models")
