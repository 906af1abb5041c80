"""The chat model that the app asks: as a host elsewhere, and as one of this machine."""

from collections.abc import Iterator

import pytest

from tests.browser.asking.asking_page import App
from tests.browser.site import Site


@pytest.fixture
def app(the_site: Site) -> Iterator[App]:
    """Nothing was asked or stated before, nor will have been afterwards."""
    app = App(the_site)
    app.fresh()
    yield app
    app.fresh()
