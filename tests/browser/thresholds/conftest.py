"""An app with a data folder of its own, so that what is frozen here is frozen nowhere else."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.browser.conftest import serving


class App(NamedTuple):
    """Its address and its data folder."""

    address: str
    data: Path


@pytest.fixture(scope="package")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    root = tmp_path_factory.mktemp("thresholds")
    with serving(root / "log.txt", {**os.environ, "GROUNDSCOPE_DATA": str(root / "data")}) as address:
        yield App(address, root / "data")


@pytest.fixture
def app(started: App) -> Iterator[App]:
    yield started
    for path in (started.data / "decisions").glob("*.json"):
        path.unlink()
