"""What carries a sentence by a chat model: nothing is sent before the user's word, and it waits for no other method."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.asking.asking_page import LONG, App, Methods, heatmap, row, send
from tests.browser.conftest import idle, unfold
from tests.browser.looks import looks, sound


def panel(page: Page) -> Locator:
    """Open it on what the chosen method says."""
    found = page.locator(".st-key-carrying")
    unfold(page.get_by_text("What carries this sentence"), found.locator(".gs-notice, .gs-text").first)
    return found


def choose(page: Page, title: str) -> None:
    row(page, title).locator(".m").click()
    idle(page)


def test_nothing_is_sent_before_the_users_word_and_then_bars_appear(page: Page, app: App) -> None:
    Methods(page, app).use()
    heatmap(page)
    send(page)
    choose(page, "Direct prompting")
    carrying = panel(page)
    expect(carrying.get_by_text("Not sent yet.")).to_be_visible(timeout=LONG)
    sent = app.calls()
    few, many = carrying.locator("li", has_text="Each source").all()
    counts = [int(re.findall(r"(\d+) calls", one.inner_text())[0]) for one in (few, many)]
    assert counts[0] < counts[1]
    for one in (few, many):
        expect(one).to_contain_text(re.compile(r"about [\d,]+ tokens, at most \$0\.\d+"))
    expect(carrying.locator(".gs-privacy")).to_contain_text(f"{counts[0]} calls")
    carrying.get_by_role("radio", name="Each source and each of its sentences").click()
    expect(carrying.locator(".gs-privacy")).to_contain_text(f"{counts[1]} calls")
    for look in looks(page, 1600):
        sound(page, f"carrying-{look}")
    carrying.get_by_role("radio", name="Each source", exact=True).click()
    expect(carrying.locator(".gs-privacy")).to_contain_text(f"{counts[0]} calls")
    idle(page)
    assert app.calls() == sent
    carrying.get_by_role("button", name="Send to 127.1 and find out").click()
    expect(carrying.locator(".gs-bar").first).to_be_visible(timeout=LONG)
    idle(page)
    assert sent < app.calls() <= sent + 2 * counts[0], "a reply that cannot be read is asked for once more"
    # The sentences are offered still, and cost again.
    expect(carrying.locator("li", has_text="Each source and each of its sentences")).to_be_visible()


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
