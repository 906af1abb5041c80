"""The errors page as a user sees it: from a number to its cases, through them by keyboard, to the heatmap and back."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.compare.conftest import DRAWN, HOSTILE, App
from tests.browser.conftest import Heatmap, idle, steady, visit

SAMPLE = "run=offline-methods&rules=starting&split=all"
LONG = 60_000


def open_errors(page: Page, app: App, query: str = SAMPLE) -> None:
    page.goto(f"{app.address}/errors?{query}")
    page.locator(".matrix").wait_for(timeout=LONG)
    idle(page)


def cell(page: Page, method: str, error_type: str) -> Locator:
    return page.get_by_role("button", name=re.compile(f"^{re.escape(method)}, {error_type}: "))


def found(page: Page) -> int:
    text = page.get_by_text(re.compile(r"^[\d,]+ (of [\d,]+ )?labelled responses$")).inner_text()
    return int(text.split()[0].replace(",", ""))


def finds(page: Page, count: int) -> None:
    """Wait until as many responses are listed."""
    expect(page.get_by_text(re.compile(rf"^{count:,} (of [\d,]+ )?labelled responses$"))).to_be_visible()


def open_rows(page: Page) -> Locator:
    return page.locator(".list tr[data-opened]")


def test_a_number_leads_to_its_cases_and_the_keyboard_through_them(page: Page, app: App) -> None:
    open_errors(page, app)
    number = cell(page, "QUIP", "Reasoning error")
    wanted = int(re.search(r"(\d+) of \d+", number.inner_text())[1])  # type: ignore[index]
    number.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("type=reasoning_error&method=quip&outcome=missed&outcome=none"))
    idle(page)
    assert found(page) == wanted
    expect(cell(page, "QUIP", "Reasoning error")).to_have_attribute("aria-pressed", "true")
    # The list has the focus: arrow keys and Enter open its third case.
    expect(page.locator(".list tbody button").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(open_rows(page).locator("td").first).to_have_text("3")
    idle(page)
    expect(open_rows(page).locator("button")).to_be_focused()
    expect(page.get_by_role("region", name="Response").locator(".gs-mark").first).to_be_visible()
    page.keyboard.press("Alt+ArrowDown")
    expect(open_rows(page).locator("td").first).to_have_text("4")
    idle(page)
    page.keyboard.press("Alt+ArrowUp")
    expect(open_rows(page).locator("td").first).to_have_text("3")
    # On a narrow screen all columns stand side by side, those of the whole first.
    page.set_viewport_size({"width": 1024, "height": 768})
    assert page.locator(".scroll:has(.matrix)").first.evaluate("e => e.scrollWidth - e.clientWidth") <= 0
    heads = page.locator(".matrix thead th abbr")
    assert heads.all_inner_texts()[:2] == ["All ungrounded", "False alarms"]


def test_the_case_opens_at_method_and_sentence_and_back_keeps_filters_and_place(page: Page, app: App) -> None:
    open_errors(page, app, f"{SAMPLE}&type=procedural_error&method=overlap&outcome=missed&order=case")
    before = found(page)
    assert before > 25
    box = page.get_by_role("spinbutton", name="Page of")
    box.fill("2")
    box.press("Enter")
    expect(page.locator(".list tbody td").first).to_have_text("26")
    idle(page)
    page.locator(".list tbody tr").nth(1).click()
    expect(open_rows(page).locator("td").first).to_have_text("27")
    idle(page)
    question = open_rows(page).locator("button").inner_text()
    wrong = page.get_by_role("region", name="Response").locator(".gs-mark").first.inner_text()
    page.get_by_role("button", name="Open in the heatmap").click()
    heatmap = Heatmap(page).ready()
    expect(page.locator(".strip .m[aria-pressed=true]")).to_have_text("Word overlap")
    assert wrong in heatmap.selected.inner_text()
    visit(page, "Errors")
    expect(open_rows(page).locator("button")).to_have_text(question, timeout=LONG)
    idle(page)
    assert found(page) == before
    expect(page).to_have_url(
        re.compile("type=procedural_error.*method=overlap.*outcome=missed.*order=case|case=.*type=procedural")
    )
    expect(page.get_by_role("spinbutton", name="Page of")).to_have_value("2")
    expect(page.get_by_role("button", name="Open in the heatmap")).to_be_visible()


def test_filters_that_leave_nothing_are_cleared_and_the_browsers_back_takes_one_step_back(page: Page, app: App) -> None:
    page.goto(f"{app.address}/errors?{SAMPLE}&type=misattribution&outcome=alarm")
    expect(page.get_by_text("No response matches all filters.")).to_be_visible(timeout=LONG)
    idle(page)
    steady(page.get_by_role("button", name="Clear filters"))
    page.get_by_role("button", name="Clear filters").click()
    expect(page.get_by_text("421 labelled responses")).to_be_visible()
    idle(page)
    everything = found(page)
    cell(page, "QUIP", "Misattribution").click()
    expect(page).to_have_url(re.compile("type=misattribution"))
    idle(page)
    few = found(page)
    cell(page, "Overlap", "Misattribution").click()
    expect(page).to_have_url(re.compile("method=overlap"))
    idle(page)
    page.go_back()
    expect(page).to_have_url(re.compile("method=quip"))
    idle(page)
    finds(page, few)
    page.go_back()
    expect(page).not_to_have_url(re.compile("type="))
    idle(page)
    finds(page, everything)


def test_hostile_text_stays_text(page: Page, app: App) -> None:
    open_errors(page, app, f"run={app.run}&rules=starting&split=test&outcome=all&order=case")
    assert found(page) == 80
    page.locator(".list tbody tr").nth(1).click()
    expect(open_rows(page)).to_have_count(1)
    idle(page)
    expect(open_rows(page).locator("button")).to_have_text(f"{HOSTILE} 41?")
    expect(page.get_by_role("region", name="Response").first).to_contain_text(DRAWN)
    page.get_by_role("tab", name="How often each type occurs").click()
    idle(page)
    assert page.locator("img[src=x]").count() == 0
    assert page.locator("a[href*='192.0.2.1']").count() == 0
    page.get_by_role("button", name="Open in the heatmap").click()
    expect(page.locator("h1")).to_have_text(f"{HOSTILE} 41?", timeout=LONG)
    assert page.locator("img[src=x]").count() == 0
