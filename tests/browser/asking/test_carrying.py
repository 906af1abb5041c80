"""What carries a sentence by a chat model: it waits for no other method."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.asking.asking_page import LONG, App, Methods, heatmap, row
from tests.browser.conftest import idle, unfold


def panel(page: Page) -> Locator:
    """Open it on what the chosen method says."""
    found = page.locator(".st-key-carrying")
    unfold(page.get_by_text("What carries this sentence"), found.locator(".gs-notice, .gs-text").first)
    return found


def choose(page: Page, title: str) -> None:
    row(page, title).locator(".m").click()
    idle(page)


def test_it_can_be_used_as_soon_as_the_chosen_method_has_scored(page: Page, app: App) -> None:
    app.script.gate.clear()
    Methods(page, app).use("scripted-1", app.here)
    heatmap(page)
    choose(page, "Direct prompting")
    carrying = panel(page)
    expect(carrying.get_by_text("has no score of this answer")).to_be_visible()
    # RefChecker's reply does not come.
    app.script.held = '"triplets"'
    app.script.gate.set()
    expect(carrying.get_by_role("button", name="Ask and find out")).to_be_visible(timeout=LONG)
    expect(row(page, "RefChecker")).to_have_class(re.compile("busy"))
