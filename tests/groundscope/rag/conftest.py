"""A data folder for each test, where texts may leave a trace."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from groundscope.runtime.retention import keeping


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    with keeping():
        yield tmp_path
