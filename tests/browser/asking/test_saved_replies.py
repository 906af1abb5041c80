"""Saved replies: used alone with nobody asked, and deleted."""

from playwright.sync_api import Page, expect

from tests.browser.asking.asking_page import App, Methods, go, heatmap, offer, reading, send
from tests.browser.conftest import idle
from tests.browser.scripted import MODEL


def test_saved_replies_are_used_where_no_one_is_asked_and_can_be_deleted(page: Page, app: App) -> None:
    methods = Methods(page, app).use()
    heatmap(page)
    send(page)
    sent = app.calls()
    go(page, "Methods")
    expect(page.get_by_text(f"anthropic:{MODEL}, sampling=the provider's: {sent} replies")).to_be_visible()
    page.reload()
    idle(page)

    methods.fill(MODEL)
    page.get_by_text("Use saved replies only; send nothing").click()
    methods.press("Use this model")
    expect(methods.fact("Texts go to")).to_have_text("nowhere: saved replies are used")
    app.server.requests.clear()
    heatmap(page)
    expect(reading(page, "Direct prompting")).to_have_text("1 doubtful")
    expect(offer(page)).to_have_count(0)
    page.locator(".strip").get_by_role("button", name="Direct prompting", exact=True).click()
    expect(page.locator(".verdict .note")).to_contain_text("Recorded: the replies were replayed, nothing was sent.")
    assert app.server.requests == []

    go(page, "Methods")
    page.get_by_role("button", name="Delete all saved replies").click()
    page.get_by_role("button", name="Delete replies").click()
    expect(page.get_by_text("All saved replies are deleted.")).to_be_visible()
