"""A real server, a real Chromium, and a watch on every request that leaves for another host."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Download, Error, FloatRect, Locator, Page, expect

from tests import chromium

ROOT = Path(__file__).resolve().parent.parent.parent
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_IDLE = """() => {
  const app = document.querySelector('[data-testid="stApp"]');
  return app && app.dataset.testScriptState === 'notRunning' && app.dataset.testConnectionState === 'CONNECTED'
    && !document.querySelector('[data-stale="true"], [data-testid="stSkeleton"], [data-testid="stSpinner"]');
}"""


# Five seconds, the usual, are short on a machine that also draws, scores and serves.
expect.set_options(timeout=20_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = [item for item in items if Path(__file__).parent in item.path.parents]
    for item in here:
        # On a busy machine a click can come between two redraws. The summary names what was run twice; who fails twice fails.
        item.add_marker(pytest.mark.flaky(reruns=1))
    if chromium.find() or os.environ.get("REQUIRE_BROWSER") == "1":
        return
    for item in here:
        item.add_marker(pytest.mark.skip(reason=chromium.NONE))


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    found = chromium.find()
    assert found, chromium.NONE
    return {"executable_path": found, "args": _ARGUMENTS}


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("server") / "log.txt", os.environ) as address:
        yield address


@contextmanager
def serving(log: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """The app on a port of its own; gives its address, and looks through its log at the end."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "groundscope", "app", "--server.port", str(port)],
            cwd=ROOT,
            stdout=out,
            stderr=out,
            env=dict(environment),
        )
        try:
            _wait_healthy(address)
            yield address
        finally:
            process.terminate()
            process.wait(timeout=20)
    written = log.read_text(encoding="utf-8", errors="replace")
    assert "Traceback" not in written, written
    assert WATCHWORD not in written, "text of a case stands in the log"


WATCHWORD = "Quagmire-7731"
"""Stands in pasted and uploaded cases of the tests; the server's log must never hold it."""


def _wait_healthy(address: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server did not become healthy within 60 seconds")


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1440, "height": 1000})
    foreign: list[str] = []
    dialogs: list[str] = []
    errors: list[str] = []

    def watch(page: Page) -> None:
        page.on("dialog", lambda dialog: (dialogs.append(dialog.type), dialog.dismiss()))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("websocket", lambda ws: foreign.append(ws.url) if urlsplit(ws.url).hostname != "127.0.0.1" else None)

    made.on("page", watch)
    made.on(
        "request",
        lambda r: (
            foreign.append(r.url) if urlsplit(r.url).scheme in {"http", "https"} and "127.0.0.1" not in r.url[:20] else None
        ),
    )
    made.set_default_timeout(20_000)
    yield made
    made.close()
    assert foreign == [], "requests left for another host"
    assert dialogs == [], "text of a case ran as a script"
    assert errors == [], "a script of the page failed"


def idle(page: Page) -> None:
    """Wait until the script has run and the page shows it."""
    page.wait_for_function(_IDLE, timeout=60_000)
    page.wait_for_timeout(200)
    page.wait_for_function(_IDLE, timeout=60_000)


def downloaded(button: Locator) -> Download:
    """What a download button gives. Streamlit gives it another file with every rerun, and a click during one finds none."""
    idle(button.page)
    with button.page.expect_download() as waiting:
        button.click()
    return waiting.value


def steady(place: Locator) -> FloatRect:
    """Scroll to a place and wait until the page moves it no more; a rerun may replace it meanwhile."""
    last: FloatRect | None = None
    for _ in range(100):
        try:
            place.scroll_into_view_if_needed()
            box = place.bounding_box()
        except Error as fault:
            if "not attached" not in str(fault):
                raise
            box = None
        if box is not None and box == last:
            return box
        last = box
        place.page.wait_for_timeout(200)
    raise AssertionError("the page did not come to rest within 20 seconds")


class Heatmap:
    """The heatmap page as a user sees it."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def ready(self, cells: int = 1) -> "Heatmap":
        """Wait until every chosen method is scored."""
        self.page.locator(".strip .cell").nth(cells - 1).wait_for(timeout=60_000)
        self.page.locator(".strip tr.busy").first.wait_for(state="detached", timeout=60_000)
        idle(self.page)
        return self

    @property
    def sentences(self) -> Any:
        return self.page.locator(".pane .s[role=option]")

    @property
    def selected(self) -> Any:
        return self.page.locator(".pane .s[aria-selected=true]")

    @property
    def best(self) -> Any:
        return self.page.locator(".c.best")

    def selected_number(self) -> int:
        return int(self.selected.get_attribute("data-i") or -2) + 1

    def method(self) -> str:
        return str(self.page.locator(".strip .m[aria-pressed=true]").inner_text())


@pytest.fixture
def sample(page: Page, server: str) -> Heatmap:
    """The heatmap of a sample with two labelled errors, by a method whose figures stay when weights are trained anew."""
    page.goto(f"{server}/heatmap?case=overtime-exempt-variant-1&method=cos_sim:minilm")
    return Heatmap(page).ready()
