"""The same tests with SQLite and with Postgres, and logins that end with the test."""

from collections.abc import Iterator

import pytest

from groundscope.storage.team.acting import use_logins
from tests.postgres import database, postgres, shared_database

__all__ = ["database", "logins", "postgres", "shared_database"]


@pytest.fixture
def logins() -> Iterator[None]:
    """Logins are set up, and no one is logged in."""
    use_logins(lambda: None)
    yield
    use_logins(None)
