"""A pair cache in a folder of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from groundscope.storage.sqlite import CacheFile
from groundscope.storage.support_cache import PairCache


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "pairs.sqlite"


@pytest.fixture
def cache(path: Path) -> Iterator[PairCache]:
    found = PairCache(path)
    yield found
    found.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CacheFile, "patience", 0.2)
