"""The app and the folder that its runs are kept in."""

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.browser.site import Site


class App(NamedTuple):
    address: str
    data: Path


@pytest.fixture(scope="package")
def app(the_site: Site) -> App:
    return App(the_site.address, the_site.data)
