"""An app with a data folder of its own, so that its runs meet no other test."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.browser.conftest import serving


class App(NamedTuple):
    address: str
    data: Path


@pytest.fixture(scope="package")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    root = tmp_path_factory.mktemp("runs")
    own = {k: v for k, v in os.environ.items() if not k.startswith("GROUNDSCOPE_")}
    with serving(root / "log.txt", {**own, "GROUNDSCOPE_DATA": str(root / "data")}) as address:
        yield App(address, root / "data")
