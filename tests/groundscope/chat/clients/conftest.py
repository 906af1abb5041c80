"""Servers on loopback, a data folder of its own for each test, no keys or proxies of the machine, and short pauses."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest
from httpx2 import create_ssl_context
from httpx2._transports import default

from groundscope.chat import replies
from groundscope.chat.clients import ceilings, model, provider
from tests.groundscope.chat.clients.scripts import KEY, SERVER_KEY
from tests.llm_server import Answer, Fault, LLMServer

Serve = Callable[..., LLMServer]
_FOREIGN = tuple("ANTHROPIC_ OPENAI_ ISAACUS_ AZURE_ GEMINI_ GOOGLE_ AWS_ GROUNDSCOPE_MODEL GROUNDSCOPE_SERVER_KEY".split())


_context = cache(create_ssl_context)


def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No keys or proxies of this machine, a data folder for one test, and short pauses."""
    for name in list(os.environ):
        if name.startswith(_FOREIGN) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(ceilings, "POLL", 0.01)
    monkeypatch.setattr(ceilings, "_FIRST_PAUSE", 0.002)
    monkeypatch.setattr(ceilings, "_LONGEST_PAUSE", 0.004)
    # The certificates of the machine are read once, not for every client.
    monkeypatch.setattr(default, "create_ssl_context", _context)


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    alone(tmp_path, monkeypatch)
    forget()
    yield
    replies.default().close()
    forget()


def forget() -> None:
    """As in a new process: models and ceilings are made again."""
    model.chat_model.cache_clear()
    ceilings.gate.cache_clear()
    provider.usual_way.cache_clear()


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Start a server; every provider's key and address in the environment lead to it."""
    with ExitStack() as servers:

        def start(answer: Answer, *faults: Fault, seed: int = 0) -> LLMServer:
            server = servers.enter_context(LLMServer(answer, faults, seed))
            monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
            monkeypatch.setenv("ANTHROPIC_BASE_URL", server.anthropic)
            monkeypatch.setenv("OPENAI_API_KEY", KEY)
            monkeypatch.setenv("GEMINI_API_KEY", KEY)
            monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.anthropic)
            monkeypatch.setenv("OPENAI_BASE_URL", server.openai)
            monkeypatch.setenv("GROUNDSCOPE_SERVER_KEY", SERVER_KEY)
            return server

        yield start
