"""The methods page as its user sees it, and the app behind it."""

import shutil
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Locator, Page

from tests.browser.conftest import Heatmap, idle, unfold, visit
from tests.hub import Hub

CASE = "/heatmap?case=overtime-exempt-a"
LONG = 60_000
"""Milliseconds in which models are loaded, also where others use the processor."""


class App(NamedTuple):
    """The app, the hub that it asks, and folders of models."""

    address: str
    hub: Hub
    data: Path
    models: Path

    def fresh(self) -> None:
        """Forget every folder, download and training."""
        self.hub.faults.clear()
        self.hub.requests.clear()
        for folder in ("models", "trainings", "downloads"):
            shutil.rmtree(self.data / folder, ignore_errors=True)
        (self.data / "settings.json").unlink(missing_ok=True)


class Methods:
    """The methods page of a session as its user sees it."""

    def __init__(self, page: Page, app: App) -> None:
        self.page, self.app = page, app
        page.goto(f"{app.address}/methods")
        idle(page)

    def row(self, method: str) -> Locator:
        """The method's row of the list, which is unfolded for it."""
        fold = self.page.locator(".methods .fold[aria-expanded=false]")
        if method not in self.page.locator(".methods tbody:not([hidden]) button").evaluate_all("n => n.map(b => b.dataset.key)"):
            fold.click()
        return self.page.locator(".methods tbody tr", has=self.page.locator(f'button[data-key="{method}"]'))

    def card(self, method: str) -> Locator:
        """The method's card, opened by a click in the list where another one is open."""
        card = self.page.locator(f".st-key-method_{method.replace(':', '_')}")
        if not card.is_visible():
            self.row(method).click()
            card.wait_for()
            idle(self.page)
        return card

    def state(self, method: str) -> Locator:
        """What the list says of the method, whichever card is open."""
        return self.row(method).locator(".state")

    def notice(self, method: str) -> Locator:
        return self.card(method).locator(".gs-notice")

    def button(self, method: str, name: str) -> Locator:
        return self.card(method).get_by_role("button", name=name)

    def cancel(self, method: str) -> Locator:
        return self.button(method, "Cancel")

    def fact(self, method: str, name: str) -> Locator:
        return self.card(method).locator(f"dt:text-is('{name}') + dd")

    def open(self, method: str, name: str) -> Locator:
        """Open one of the card's lists."""
        body = self.page.get_by_test_id("stPopoverBody")
        unfold(self.card(method).get_by_role("button", name=name), body)
        return body

    def use(self, method: str, path: str, field: str = "Folder", *, by_key: bool = False) -> None:
        """Name a folder, as somebody who does not leave the field before the click."""
        box = self.open(method, "Use a folder").get_by_role("textbox", name=field)
        box.fill(path)
        form = box.locator("xpath=ancestor::*[@data-testid='stForm']")
        before = self.notice(method).all_inner_texts()
        box.press("Enter") if by_key else form.get_by_role("button", name="Check and use").click()
        self._begun(method, before)

    def _begun(self, method: str, before: list[str]) -> None:
        """Wait until work is under way; what is quickly refused may have ended before the page shows that it began."""
        for _ in range(200):
            if self.cancel(method).count() or self.notice(method).all_inner_texts() not in (before, []):
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"nothing began for {method}")

    def told(self, method: str) -> Locator:
        """The notice at the end of a download or a check."""
        self.cancel(method).wait_for(state="detached", timeout=LONG)
        self.notice(method).wait_for(timeout=LONG)
        return self.notice(method)

    def go(self, name: str) -> None:
        visit(self.page, name)


def heatmap(page: Page, app: App) -> Heatmap:
    page.goto(f"{app.address}{CASE}")
    return Heatmap(page).ready()


def cells(page: Page, title: str) -> list[str]:
    row = page.locator(".strip tbody tr", has_text=title)
    return [str(text) for text in row.locator(".cell").all_inner_texts()]
