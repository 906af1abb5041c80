"""An app with a data folder of its own, and a scripted model on loopback: as a host elsewhere, and as one of this machine."""

import os
from collections.abc import Iterator

import pytest

from tests.browser.asking.asking_page import KEY, MODEL, SECOND, App, Script
from tests.browser.conftest import serving
from tests.llm_server import LLMServer

_FOREIGN = ("ANTHROPIC_", "OPENAI_", "AZURE_", "AWS_", "GROUNDSCOPE_")


@pytest.fixture(scope="package")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    root, script = tmp_path_factory.mktemp("asking"), Script()
    own = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy") and not k.startswith(_FOREIGN)}
    with LLMServer(script.answer) as server:
        server.models = [MODEL, SECOND]
        # 127.1 leads here too, and is not known as this machine: texts that go there leave it, for all the app knows.
        own |= {"GROUNDSCOPE_DATA": str(root), "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": f"http://127.1:{server.port}"}
        try:
            with serving(root / "log.txt", own) as address:
                yield App(address, server, script, root)
        finally:
            script.ended.set()
    assert KEY not in (root / "log.txt").read_text(encoding="utf-8"), "the key stands in the log"


@pytest.fixture
def app(started: App) -> App:
    """Nothing was asked or stated before."""
    started.fresh()
    return started
