"""The app beside a scripted model, and its pages as somebody sees them who has a chat model judge."""

import re
import time
from contextlib import closing

from playwright.sync_api import Locator, Page, TimeoutError, expect

from groundscope.chat.replies import ReplyStore
from tests.browser.conftest import Heatmap, idle, unfold, visit
from tests.browser.scripted import MODEL
from tests.browser.site import Site

CASE = "/heatmap?case=overtime-exempt-a"
LONG = 60_000
"""Milliseconds in which a model is asked, also where others use the processor."""


class App:
    """The app; `here` and `elsewhere` are its model server, as this machine and as another host."""

    def __init__(self, site: Site) -> None:
        self.address, self.server, self.script, self.data = site.address, site.model, site.script, site.data
        self.elsewhere, self.here = f"http://127.1:{self.server.port}/v1", self.server.openai

    def fresh(self) -> None:
        """Nothing was asked, kept or stated before, and the model answers at once."""
        self.script.gate.set()
        self.script.held = ""
        self.script.stock = None
        self.server.faults.clear()
        self._quiet()
        self.server.asked.clear()
        self.server.requests.clear()
        (self.data / "prices.csv").unlink(missing_ok=True)
        with closing(ReplyStore(self.data / "replies.sqlite")) as store:
            assert store.clear()

    def _quiet(self) -> None:
        """Wait until nothing more comes in of what a test before has left behind."""
        ends, seen = time.monotonic() + 10, 0
        while time.monotonic() < ends and (self.server.under_way or len(self.server.asked) > seen):
            seen = len(self.server.asked)
            time.sleep(0.3)

    def calls(self) -> int:
        """How many calls came in."""
        return len(self.server.asked)


class Methods:
    """The methods page."""

    def __init__(self, page: Page, app: App) -> None:
        self.page, self.app = page, app
        page.goto(f"{app.address}/methods")
        idle(page)

    def open(self, name: str, field: str) -> Locator:
        """Open a folded part; gives a button or field in it."""
        inside = self.page.get_by_role("button", name=field, exact=True)
        if not inside.is_visible():
            unfold(self.page.locator("summary", has_text=name), inside)
        return inside

    def fill(self, model: str, address: str | None = None) -> None:
        """Fill the form; an address means a server of one's own."""
        self.open("Choose a model", "Use this model")
        if address is not None:
            provider = self.page.get_by_role("combobox", name="Provider")
            provider.click()
            self.page.get_by_role("option", name=re.compile("A server of your own")).click()
            self.page.get_by_role("textbox", name="Address, for a server of your own").fill(address)
        self.page.get_by_role("textbox", name="Model", exact=True).fill(model)

    def press(self, name: str) -> Locator:
        """Press a button of the form; gives the notice that follows."""
        self.page.get_by_role("button", name=name, exact=True).click()
        return self.page.locator(".gs-notice").first

    def use(self, model: str = MODEL, address: str | None = None) -> "Methods":
        """Choose a model for this session."""
        self.fill(model, address)
        said = self.press("Use this model")
        try:
            said.wait_for(timeout=10_000)
        except TimeoutError:
            # The same choice twice is one choice.
            self.press("Use this model")
        expect(said).to_have_text(f"Methods now ask {model} in this session.", timeout=LONG)
        idle(self.page)
        return self

    def fact(self, name: str) -> Locator:
        """What stands beside a word of the chosen model's list."""
        return self.page.locator(f".gs-facts:not(.gs-words) dt:text-is('{name}') + dd").first


def go(page: Page, name: str) -> None:
    """Follow a link of the navigation, in the same session."""
    visit(page, name)
    page.wait_for_url(re.compile(f"/{name.lower()}"))
    idle(page)


def heatmap(page: Page) -> Heatmap:
    """The heatmap of the session, the local methods scored."""
    go(page, "Heatmap")
    page.locator(".strip .cell").first.wait_for(timeout=LONG)
    idle(page)
    return Heatmap(page)


def offer(page: Page) -> Locator:
    """What waits for the user's word."""
    return page.locator(".gs-privacy")


def row(page: Page, title: str) -> Locator:
    """A method's row of the strip."""
    Heatmap(page).all_methods()
    return page.locator(".strip tbody tr", has_text=title)


def reading(page: Page, title: str) -> Locator:
    """What a method's row says at its end."""
    return row(page, title).locator("td.reading")


def send(page: Page, name: str = "Send this case") -> None:
    """Give one's word, and wait until what is asked has been answered."""
    page.get_by_role("button", name=name, exact=True).click()
    done(page)


def done(page: Page) -> None:
    """Wait until nothing is asked any more, nor judged here: on a busy machine the trained judge alone takes a minute."""
    expect(offer(page)).to_have_count(0)
    expect(page.get_by_role("button", name="Cancel", exact=True)).to_have_count(0, timeout=3 * LONG)
    page.locator(".strip tr.busy").first.wait_for(state="detached", timeout=LONG)
    idle(page)
