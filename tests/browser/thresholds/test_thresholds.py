"""The thresholds page on the run that comes with the app: dragging by keyboard, freezing, test, and the way to the heatmap."""

import csv
import json
import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Heatmap, downloaded, idle, open_tab, steady
from tests.browser.looks import violations
from tests.browser.thresholds.conftest import App

LONG = 60_000


def open_page(page: Page, app: App, query: str = "") -> None:
    page.goto(f"{app.address}/thresholds?run=offline-methods{query}")
    expect(page.get_by_role("tab", name="Calibration")).to_be_visible(timeout=LONG)
    idle(page)


def slider(page: Page) -> Locator:
    return page.get_by_role("slider")


def press(page: Page, key: str, times: int) -> None:
    steady(slider(page))
    slider(page).focus()
    for _ in range(times):
        page.keyboard.press(key)
    idle(page)


def test_the_threshold_is_dragged_by_keyboard_and_comes_back_and_figures_give_their_data(page: Page, app: App) -> None:
    open_page(page, app)
    page.set_viewport_size({"width": 1024, "height": 768})
    names = page.get_by_role("tab").all_inner_texts()
    for name in reversed(names):
        open_tab(page, name)
        # Two screens.
        assert page.get_by_test_id("stMainBlockContainer").evaluate("e => e.getBoundingClientRect().height") <= 1_536, name
    live = page.get_by_role("status").filter(has_text="false alarm")
    expect(live).to_contain_text("as at the tuned threshold")
    press(page, "ArrowRight", 24)
    expect(live).to_contain_text("than at the tuned threshold")
    expect(page.get_by_role("heading", name=re.compile(r"\d+ verdicts? changes?: \d+ to right, \d+ to wrong"))).to_be_visible()
    press(page, "ArrowLeft", 24)
    expect(live).to_contain_text("as at the tuned threshold")
    button = page.get_by_role("button", name="Download this figure").first
    steady(button)
    button.click()
    got = downloaded(page.get_by_role("button", name="Data as CSV"))
    rows = list(csv.DictReader(Path(got.path()).read_text(encoding="utf-8").splitlines()))
    assert len(rows) > 10
    assert all(0 <= float(r["errors found (recall)"]) <= 1 for r in rows)


def test_a_frozen_promise_is_there_on_the_next_visit_and_in_the_downloads(page: Page, app: App) -> None:
    open_page(page, app)
    page.get_by_role("tab", name="A promise about misses").click()
    field = page.get_by_label(re.compile("^Miss at most"))
    steady(field)
    field.fill("20")
    field.press("Enter")
    name = page.get_by_label("Freeze these promises as")
    expect(name).to_be_visible(timeout=LONG)
    steady(name)
    name.fill("Careful")
    name.press("Enter")
    use = page.get_by_role("button", name="Use them in the heatmap")
    expect(use).to_be_enabled(timeout=LONG)
    idle(page)
    assert violations(page) == []
    use.click()
    expect(page.get_by_text("They stay for your next visits")).to_be_visible()
    # A page that is loaded again is a session of its own.
    page.goto(f"{app.address}/heatmap?case=overtime-exempt-a&method=overlap")
    Heatmap(page).ready()
    place = "fixed on dev of Offline methods on the sample set"
    expect(page.locator(".verdict .record")).to_contain_text("Promised for answers like those in dev of Offline methods")
    got = downloaded(page.get_by_role("button", name="JSON", exact=True))
    results = json.loads(Path(got.path()).read_text(encoding="utf-8"))["results"]
    (phrase,) = (r["promise"] for r in results if r["method"] == "overlap")
    assert phrase == f"misses at most 20 % of wrong sentences, 90 % confidence, {place}"
    page.locator(".rule summary").click()
    slider(page).focus()
    page.keyboard.press("Home")
    expect(page.locator(".verdict .record")).to_contain_text("its promise about misses does not hold")
    idle(page)
    got = downloaded(page.get_by_role("button", name="Web page", exact=True))
    assert "none: lowered by hand below 0." in Path(got.path()).read_text(encoding="utf-8")
