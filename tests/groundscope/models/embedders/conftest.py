"""A server on loopback, no keys or proxies of the machine, a data folder of its own for each test, and short pauses."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from groundscope.chat.clients.transport import CheckedTransport
from groundscope.models import embedders
from groundscope.models.embedders.remote import Remote
from tests.groundscope.chat.clients.conftest import alone
from tests.groundscope.chat.clients.scripts import KEY, SERVER_KEY
from tests.groundscope.models.embedders.server import Vectors
from tests.llm_server import Fault

WAYS = {"openai": "text-embedding-3-large", "isaacus": "kanon-2-embedder", "google": "gemini-embedding-001"}

Serve = Callable[..., Vectors]
Build = Callable[..., Remote]


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    alone(tmp_path, monkeypatch)
    embedders.embedder.cache_clear()
    yield
    embedders.embedder.cache_clear()


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
        found = embedders.embedder(line + "".join(f";{name}={value}" for name, value in settings.items()))
        assert isinstance(found, Remote)
        return found

    yield make
    for transport in opened:
        transport.close()


def ignore(done: int, total: int) -> None:
    """Hear nothing."""
