"""A data folder for each test."""

from pathlib import Path

import pytest

from groundscope.grounding.runs.folder import export
from tests.groundscope.grounding.runs.scripted import cases_of, finished, two_methods


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("GROUNDSCOPE_STORE", raising=False)
    return tmp_path / "data"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files of the only run, of 20 cases by two methods."""
    return export(finished(cases_of(20), two_methods()), tmp_path / "out" / "run")
