"""The app without any frozen thresholds."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.browser.site import Site


class App(NamedTuple):
    """Its address and its data folder."""

    address: str
    data: Path


@pytest.fixture
def app(the_site: Site) -> Iterator[App]:
    yield App(the_site.address, the_site.data)
    for path in (the_site.data / "decisions").glob("*.json"):
        path.unlink()
