"""The session's budget and the table of prices."""

import re

from playwright.sync_api import Page, expect

from groundscope.chat import prices
from tests.browser.asking.asking_page import LONG, App, Methods, done, go, heatmap, offer, reading, row, send
from tests.browser.conftest import idle


def test_a_budget_stops_before_the_call_and_goes_on_when_it_is_raised(page: Page, app: App) -> None:
    methods = Methods(page, app).use()
    expect(methods.budget("0")).to_have_text("This session's budget: $0.00 of $0.00 left.")
    heatmap(page)
    expect(offer(page)).to_contain_text("$0.00 of $0.00 left")
    send(page)
    row(page, "Direct prompting").get_by_role("button").click()
    expect(page.locator(".verdict")).to_contain_text("the next call may cost")
    assert app.calls() == 0
    go(page, "Methods")
    expect(methods.budget("", "1")).to_have_text("This session's budget: 1 of 1 call left.")
    heatmap(page)
    done(page)
    assert app.calls() == 1
    row(page, "RefChecker").get_by_role("button").click()
    go(page, "Methods")
    expect(methods.budget("")).to_have_text("This session has no budget.")
    expect(methods.fact("Spent in this session")).to_contain_text(re.compile(r"^1 call, [\d,]+ tokens, \$0\.0"))
    heatmap(page)
    done(page)
    expect(reading(page, "Direct prompting")).to_have_text("1 flagged")
    assert len({asked.unmarked for asked in app.server.asked}) == app.calls(), "a reply was paid for twice"


def _prices(page: Page) -> None:
    page.locator(".st-key-model_prices summary").click()
    expect(page.get_by_role("button", name="Save prices")).to_be_visible()
    # The table draws itself late and pushes the buttons down.
    page.locator(".st-key-price_table .dvn-scroller").wait_for()
    idle(page)


def test_prices_are_kept_only_where_every_row_can_be_read(page: Page, app: App) -> None:
    own = app.data / "prices.csv"
    Methods(page, app)
    _prices(page)
    table, told = page.locator(".st-key-price_table"), page.locator(".st-key-model_prices .gs-notice")
    table.hover()
    table.get_by_test_id("stElementToolbar").get_by_role("button", name="Add row").click()
    idle(page)
    page.get_by_role("button", name="Save prices").click()
    expect(told).to_have_text(f"The table, row {len(prices.shipped()) + 1}: “Read” is not a number.")
    assert not own.exists()
    page.reload()
    idle(page)
    _prices(page)
    page.get_by_role("button", name="Save prices").click()
    expect(told).to_have_text("Prices saved.", timeout=LONG)
    assert prices.read(own.read_text(encoding="utf-8"), "own") == prices.shipped()
    page.get_by_role("button", name="Restore default prices").click()
    expect(told).to_have_text("Default prices restored.")
    assert not own.exists()


def test_a_table_that_is_empty_or_broken_sends_nothing_and_leads_back(page: Page, app: App) -> None:
    own = app.data / "prices.csv"
    own.write_text(prices.written([]), encoding="utf-8")
    Methods(page, app).use()
    heatmap(page)
    expect(offer(page)).to_contain_text("at an unknown cost: enter the model's price on the Methods page")
    own.write_text("model,above\nx,y\n", encoding="utf-8")
    page.get_by_role("button", name="Next", exact=True).click()
    expect(reading(page, "Direct prompting")).to_have_text(re.compile("^No verdict"))
    expect(offer(page)).to_have_count(0)
    go(page, "Methods")
    _prices(page)
    expect(page.locator(".st-key-model_prices .gs-notice")).to_contain_text("the first line must be model,above,input")
    page.get_by_role("button", name="Restore default prices").click()
    expect(page.locator(".st-key-model_prices .gs-notice")).to_have_text("Default prices restored.")
    heatmap(page)
    expect(offer(page)).to_contain_text("tokens, at most $")
    assert app.calls() == 0
