"""Before a case goes to a model elsewhere: where it goes, and that nothing is sent without the user's word."""

import re

from playwright.sync_api import Page, expect

from tests.browser.asking.asking_page import LONG, App, Methods, done, heatmap, offer, reading, send
from tests.browser.conftest import idle
from tests.browser.looks import looks, sound
from tests.browser.scripted import KEY, MODEL

WAITS = "Not sent yet: confirm below"
STANDING = "Cases that you open go to 127.1."


def _next(page: Page) -> None:
    before = page.url
    page.get_by_role("button", name="Next", exact=True).click()
    page.wait_for_url(lambda url: url != before)
    idle(page)


def test_nothing_is_sent_before_the_users_word_for_this_case_by_keyboard_or_for_every_case(page: Page, app: App) -> None:
    methods = Methods(page, app)
    expect(page.get_by_text("No model is chosen. Choose one to use the methods that ask a chat model.")).to_be_visible()
    methods.use()
    facts = {"Texts go to": "127.1", "Key": "ANTHROPIC_API_KEY is set", "Spent in this session": "0 calls, 0 tokens, $0.00"}
    for name, words in facts.items():
        expect(methods.fact(name)).to_have_text(words)
    assert app.server.requests == []
    heatmap(page)
    for look in looks(page):
        sound(page, f"consent-{look}")
    page.set_viewport_size({"width": 1440, "height": 1000})
    expect(offer(page)).to_contain_text(
        re.compile(
            "Not sent yet. Claims Verify, Direct prompting and RefChecker send this case's question, sources and answer "
            r"to 127\.1: at most \d+ calls, about [\d,]+ tokens, at most \$0\.\d+\. .* budget: \$1\.00 of \$1\.00 left"
        )
    )
    for title in ("Direct prompting", "RefChecker", "Claims Verify"):
        expect(reading(page, title)).to_have_text(WAITS)
    assert app.calls() == 0
    button = page.get_by_role("button", name="Send this case", exact=True)
    page.get_by_role("link", name="Check").focus()
    for _ in range(30):
        if button.evaluate("n => n === document.activeElement"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    done(page)
    expect(reading(page, "Direct prompting")).to_have_text("1 doubtful")
    cost = page.locator(".gs-cost")
    expect(cost).to_contain_text(re.compile(rf"For this case: {app.calls()} calls, [\d,]+ tokens, \$0\.\d{{4}}\. This session"))
    assert {asked.body["model"] for asked in app.server.asked} == {MODEL}
    assert KEY not in page.content()
    # Its word was for this case only.
    sent = app.calls()
    _next(page)
    expect(offer(page)).to_be_visible()
    expect(page.get_by_text(STANDING)).to_have_count(0)
    assert app.calls() == sent
    # A word for every case stands above the case and can be taken back.
    send(page, "Send every case I open in this session")
    expect(page.get_by_text(STANDING)).to_be_visible()
    sent = app.calls()
    _next(page)
    done(page)
    assert app.calls() > sent
    page.get_by_role("button", name="Ask before each case").click()
    expect(page.get_by_text(STANDING)).to_have_count(0)
    sent = app.calls()
    _next(page)
    expect(offer(page)).to_be_visible()
    expect(reading(page, "Direct prompting")).to_have_text(WAITS)
    assert app.calls() == sent
    # A model of this machine is asked at once and costs nothing; another provider's key does not go to a typed address.
    app.server.asked.clear()
    Methods(page, app).use("scripted-1", app.here)
    heatmap(page)
    expect(page.locator(".gs-cost")).to_contain_text("$0.00. This session", timeout=LONG)
    expect(offer(page)).to_have_count(0)
    assert {asked.api for asked in app.server.asked} == {"chat"}
    assert all(KEY not in str(asked.headers) for asked in app.server.asked)
