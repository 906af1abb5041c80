"""A store in a folder of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.run_folder import export
from evaluation.store import Store
from tests.evaluation.runs.scripted import cases_of, finished, two_methods


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "runs.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    found = Store(path)
    yield found
    found.close()


@pytest.fixture
def folder(store: Store, tmp_path: Path) -> Path:
    """The files of the only run in the store, of 20 cases by two methods."""
    return export(store, finished(store, cases_of(20), two_methods()), tmp_path / "out" / "run")
