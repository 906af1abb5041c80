"""A data folder of its own for each test, a server on loopback, and short pauses."""

import pytest

from tests.groundscope.chat.clients.conftest import fresh, serve

__all__ = ["fresh", "serve"]


@pytest.fixture(autouse=True)
def _own(fresh: None) -> None:
    """Every test has its own folder, no keys of the machine, and models made anew."""
