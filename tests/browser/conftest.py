"""A real server, a real Chromium, and a watch on every request that leaves for another host."""

import itertools
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Download, Error, FloatRect, Locator, Page, Request, TimeoutError, expect

from components import shell
from tests import chromium
from tests.browser.site import Site, site

HERE = Path(__file__).parent
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# It has to last: between a click and the run that follows the page looks as it did.
_IDLE = """([visit, calm]) => {
  const app = document.querySelector('[data-testid="stApp"]'), now = performance.now();
  const rests = app && app.dataset.testScriptState === 'notRunning' && app.dataset.testConnectionState === 'CONNECTED'
    && !document.querySelector('[data-stale="true"], [data-testid="stSkeleton"], [data-testid="stSpinner"]');
  if (!rests || window.idleVisit !== visit) { window.idleVisit = visit; window.idleSince = now; return false; }
  return now - window.idleSince >= calm;
}"""
_CALM = 200
"""Milliseconds for which a page must rest."""
_STORED = "cookies,local_storage,indexeddb"
_VISITS = itertools.count(1)


# Five seconds, the usual, are short on a machine that also draws, scores and serves; where all is well nothing waits for them.
expect.set_options(timeout=30_000)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = [item for item in items if HERE in item.path.parents]
    for item in here:
        # On a busy machine a click can come between two redraws. The summary names what was run twice; who fails twice fails.
        item.add_marker(pytest.mark.flaky(reruns=1))
        # Tests of a folder share what its fixtures put into the data folder of the process.
        item.add_marker(pytest.mark.xdist_group(f"browser {item.path.relative_to(HERE).parts[0]}"))
    if chromium.find() or os.environ.get("REQUIRE_BROWSER") == "1":
        return
    for item in here:
        # Some ask the server itself, without a browser.
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.skip(reason=chromium.NONE))


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    found = chromium.find()
    assert found, chromium.NONE
    return {"executable_path": found, "args": _ARGUMENTS}


@pytest.fixture(scope="session")
def the_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The one server of this process; starting one costs as much as ten tests."""
    with site(tmp_path_factory.mktemp("site")) as started:
        yield started


@pytest.fixture(scope="session")
def server(the_site: Site) -> str:
    """Its address, for tests that keep nothing in its data folder."""
    return the_site.address


@pytest.fixture(scope="session")
def profile(browser: Browser) -> Iterator[BrowserContext]:
    """The one profile of this process: what the app's scripts compile to stays cached, which saves a fifth of each page load."""
    made = browser.new_context(viewport={"width": 1440, "height": 1000})
    made.set_default_timeout(30_000)
    yield made
    made.close()


class Watch(NamedTuple):
    """What pages did that they must not: requests to other hosts, dialogs, scripts that failed."""

    foreign: list[str]
    dialogs: list[str]
    errors: list[str]


@contextmanager
def watching(profile: BrowserContext) -> Iterator[Watch]:
    """Watch every page that a profile opens."""
    seen = Watch([], [], [])

    def watch(page: Page) -> None:
        page.on("dialog", lambda dialog: (seen.dialogs.append(dialog.type), dialog.dismiss()))
        page.on("pageerror", lambda error: seen.errors.append(str(error)))
        page.on("websocket", lambda ws: seen.foreign.append(ws.url) if urlsplit(ws.url).hostname != "127.0.0.1" else None)

    def leaving(request: Request) -> None:
        if urlsplit(request.url).scheme in {"http", "https"} and urlsplit(request.url).hostname != "127.0.0.1":
            seen.foreign.append(request.url)

    profile.on("page", watch)
    profile.on("request", leaving)
    yield seen
    profile.remove_listener("page", watch)
    profile.remove_listener("request", leaving)


@pytest.fixture
def context(profile: BrowserContext, server: str) -> Iterator[BrowserContext]:
    """The profile, watched; it forgets what the app stored in it, and closes its pages, when the test ends."""
    with watching(profile) as seen:
        yield profile
        pages = profile.pages
        profile.new_cdp_session(pages[0]).send("Storage.clearDataForOrigin", {"origin": server, "storageTypes": _STORED})
        for page in pages:
            page.close()
    assert seen.foreign == [], "requests left for another host"
    assert seen.dialogs == [], "text of a case ran as a script"
    assert seen.errors == [], "a script of the page failed"


def idle(page: Page) -> None:
    """Wait until the script has run and the page shows it."""
    page.wait_for_function(_IDLE, arg=[next(_VISITS), _CALM], timeout=90_000, polling=50)


def visit(page: Page, title: str) -> None:
    """Follow the links over the page to another page of the session, by way of its place."""
    links = page.locator(".st-key-navigation").get_by_role("link")
    link = links.filter(has_text=re.compile(f"^(⚙ )?{title}$"))
    if not link.count():
        links.filter(has_text=next(place for place, pages in shell.PLACES.items() if title in pages)).click()
        link.wait_for()
        idle(page)
    # The place may open with this page; a click on the link of an open page begins it from nothing.
    if urlsplit(page.url).path != f"/{link.get_attribute('href')}":
        link.click()
        idle(page)


def downloaded(button: Locator) -> Download:
    """What a download button gives. Streamlit gives it another file with every rerun, and a click during one finds none."""
    for _ in range(3):
        idle(button.page)
        with button.page.expect_download() as waiting:
            button.click()
        if waiting.value.failure() is None:
            break
    return waiting.value


def steady(place: Locator) -> FloatRect:
    """Scroll to a place and wait until the page moves it no more; a rerun may replace it meanwhile."""
    last: FloatRect | None = None
    for _ in range(300):
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
        place.page.wait_for_timeout(100)
    raise AssertionError("the page did not come to rest within 30 seconds")


def unfold(control: Locator, inside: Locator) -> None:
    """Click on what opens a list, a popover or an expander; one that is clicked while the page still moves may stay shut."""
    for _ in range(4):
        steady(control)
        if not inside.is_visible():
            control.click()
        try:
            inside.wait_for(timeout=5_000)
            # What is clicked while it still opens is moved away under the pointer.
            steady(inside)
        except TimeoutError:
            continue
        if inside.is_visible():
            return
    expect(inside).to_be_visible()


def choose(page: Page, label: str, value: str) -> None:
    """Choose in a select box."""
    option = page.get_by_role("option", name=value, exact=True)
    unfold(page.get_by_role("combobox", name=label).first, option)
    option.click()
    page.keyboard.press("Escape")
    idle(page)


def open_tab(page: Page, name: str) -> None:
    """Turn to a tab."""
    tab = page.get_by_role("tab", name=name, exact=True)
    steady(tab)
    tab.click()
    expect(tab).to_have_attribute("aria-selected", "true")
    idle(page)


class Heatmap:
    """The heatmap page as a user sees it."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def at_threshold(self, title: str, value: float) -> "Heatmap":
        """Move the threshold of the method that is shown."""
        rule = self.page.locator(".rule summary")
        rule.click()
        self.page.get_by_role("slider", name=f"Threshold of {title}").fill(f"{value}")
        rule.click()
        idle(self.page)
        return self

    def ready(self, cells: int = 1) -> "Heatmap":
        """Wait until every chosen method is scored."""
        self.page.locator(".strip .cell").nth(cells - 1).wait_for(state="attached", timeout=60_000)
        self.page.locator(".strip tr.busy").first.wait_for(state="detached", timeout=120_000)
        idle(self.page)
        return self

    def all_methods(self) -> "Heatmap":
        """Show a row of every method."""
        button = self.page.locator(".strip .all")
        if button.get_attribute("aria-expanded") == "false":
            button.click()
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
    page.goto(f"{server}/heatmap?case=overtime-exempt-a&method=cos_sim:minilm")
    return Heatmap(page).ready()
