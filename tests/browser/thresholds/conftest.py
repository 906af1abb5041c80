"""The app without any frozen thresholds."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
import sqlalchemy as sa

from groundscope.grounding.rules.frozen_rules import FROZEN
from groundscope.storage.database import FILE, Database
from tests.browser.site import Site


class App(NamedTuple):
    """Its address and its data folder."""

    address: str
    data: Path


@pytest.fixture
def app(the_site: Site) -> Iterator[App]:
    yield App(the_site.address, the_site.data)
    with closing(Database.at(the_site.data / FILE)) as database, database.writing() as connection:
        connection.execute(sa.delete(FROZEN))
