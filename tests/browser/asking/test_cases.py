"""On the cases page: variants that a chat model writes, and error types that two of them choose."""

import re

from playwright.sync_api import Page, expect

from tests.browser.asking.asking_page import LONG, App, Methods, go
from tests.browser.conftest import idle, steady
from tests.browser.scripted import HOSTILE, MODEL, SECOND

TAB = "Samples and loaded cases"


def test_a_model_writes_variants_that_are_checked_and_can_be_stopped(page: Page, app: App) -> None:
    Methods(page, app).use()
    go(page, "Cases")
    page.get_by_role("tab", name=TAB).click()
    table = page.get_by_test_id("stDataFrame").last
    steady(table)
    table.locator(".dvn-scroller").click(position={"x": 16, "y": 52})
    panel = page.locator("summary", has_text="Make ungrounded variants of this answer")
    expect(panel).to_be_visible(timeout=LONG)
    idle(page)
    panel.click()
    idle(page)
    told = page.locator(".st-key-model_variants .gs-privacy")
    expect(told).to_contain_text(re.compile(r"go to 127\.1: one call, about [\d,]+ tokens, at most about \$0\.\d+"))
    assert app.calls() == 0
    app.script.gate.clear()
    make = page.get_by_role("button", name="Send and make variants")
    steady(make)
    make.click()
    cancel = page.get_by_role("button", name="Cancel", exact=True)
    expect(cancel).to_be_visible()
    cancel.click()
    expect(page.get_by_text("Stopped. A reply that still arrives is saved")).to_be_visible(timeout=LONG)
    app.script.gate.set()
    idle(page)
    steady(make)
    make.click()
    expect(page.get_by_text("1 variant, each labelled ungrounded")).to_be_visible(timeout=LONG)
    expect(page.get_by_text(HOSTILE, exact=True)).to_be_visible()
    expect(page.locator("ins", has_text="Neptune")).to_be_visible()
    expect(page.get_by_text("% as long as the answer, and 80 to 125 % are allowed.")).to_be_visible()
    assert app.calls() <= 2


def test_two_models_choose_error_types_and_the_agreement_is_reported(page: Page, app: App) -> None:
    page.goto(f"{app.address}/cases")
    idle(page)
    page.get_by_role("tab", name=TAB).click()
    page.locator("summary", has_text="Error types by two chat models").click()
    look = page.get_by_role("button", name="Show the cost")
    first, second = (page.get_by_role("textbox", name=f"{n} model") for n in ("First", "Second"))
    told = page.locator(".st-key-typing .gs-notice")
    for pair, words in {
        (f"anthropic:{MODEL}", "<b>x</b>"): "The second model cannot be read. A model is written provider:name",
        (f"anthropic:{MODEL}", f"anthropic:{MODEL}"): "Choose two different models",
        (f"anthropic:{MODEL}", "openai:gpt-4o"): "Set OPENAI_API_KEY in the environment",
    }.items():
        first.fill(pair[0])
        second.fill(pair[1])
        look.click()
        expect(told).to_contain_text(words)
        idle(page)
    second.fill(f"anthropic:{SECOND}")
    page.get_by_role("spinbutton", name="Responses").fill("4")
    look.click()
    expect(page.locator(".gs-privacy")).to_contain_text("4 responses would go to 127.1: 8 calls")
    assert app.server.requests == []
    app.script.gate.clear()
    page.get_by_role("button", name="Send the responses").click()
    cancel = page.get_by_role("button", name="Cancel", exact=True)
    expect(cancel).to_be_visible()
    cancel.click()
    expect(told).to_contain_text("Stopped. Replies that arrived are saved", timeout=LONG)
    app.script.gate.set()
    expect(second).to_have_value(f"anthropic:{SECOND}")
    look.click()
    page.get_by_role("button", name="Send the responses").click()
    agreement = page.get_by_text("Both chose exactly the same types for 0 % of 4 responses")
    expect(agreement).to_be_visible(timeout=LONG)
    expect(agreement).to_contain_text("at least one in common for 100 %")
    assert len({(asked.body["model"], asked.unmarked) for asked in app.server.asked}) == 8
