"""A server on loopback, no keys or proxies of the machine, a data folder of its own for each test, and short pauses."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest
from httpx2 import create_ssl_context
from httpx2._transports import default

from groundscope.methods import registry
from scorers import _embedders
from scorers._chat import ceilings
from scorers._chat.transport import CheckedTransport
from scorers._embedders.remote import Remote
from tests.llm_server import Fault
from tests.scorers.embedders.server import Vectors

KEY = "sk-secret-0123456789"
SERVER_KEY = "own-server-secret"
WAYS = {"openai": "text-embedding-3-large", "isaacus": "kanon-2-embedder", "google": "gemini-embedding-001"}
_FOREIGN = ("OPENAI_", "ISAACUS_", "GOOGLE_", "GEMINI_", "GROUNDSCOPE_SERVER_KEY", "GROUNDSCOPE_MODELS")

Serve = Callable[..., Vectors]
Build = Callable[..., Remote]

_context = cache(create_ssl_context)


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in list(os.environ):
        if name.startswith(_FOREIGN) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(ceilings, "POLL", 0.01)
    monkeypatch.setattr(ceilings, "_FIRST_PAUSE", 0.002)
    monkeypatch.setattr(ceilings, "_LONGEST_PAUSE", 0.004)
    # The certificates of the machine are read once, not for every client.
    monkeypatch.setattr(default, "create_ssl_context", _context)
    _embedders.embedder.cache_clear()
    yield
    _embedders.embedder.cache_clear()


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Start a server; every provider's key and address in the environment lead to it."""
    with ExitStack() as servers:

        def start(*faults: Fault) -> Vectors:
            server = servers.enter_context(Vectors(*faults))
            for name in ("OPENAI_API_KEY", "ISAACUS_API_KEY", "GEMINI_API_KEY"):
                monkeypatch.setenv(name, KEY)
            monkeypatch.setenv("GROUNDSCOPE_SERVER_KEY", SERVER_KEY)
            monkeypatch.setenv("OPENAI_BASE_URL", f"{server.address}/v1")
            monkeypatch.setenv("ISAACUS_BASE_URL", f"{server.address}/v1")
            monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.address)
            return server

        yield start


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch) -> Iterator[Build]:
    """Build a provider's embedder by its name or a whole line, with settings."""
    opened: list[CheckedTransport] = []
    make_transport = CheckedTransport.__init__

    def noted(self: CheckedTransport) -> None:
        opened.append(self)
        make_transport(self)

    monkeypatch.setattr(CheckedTransport, "__init__", noted)

    def make(way: str, **settings: object) -> Remote:
        line = way if ":" in way else f"{way}:{WAYS[way]}"
        found = registry.embedder(line + "".join(f";{name}={value}" for name, value in settings.items()))
        assert isinstance(found, Remote)
        return found

    yield make
    for transport in opened:
        transport.close()


def ignore(done: int, total: int) -> None:
    """Hear nothing."""
