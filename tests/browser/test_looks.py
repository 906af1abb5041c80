"""Light and dark, wide and narrow: every tab of every page is accessible and fits; the heatmap's colours; the first screen."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from components import shell
from groundscope.review.matters import MatterStore
from groundscope.review.sources import SourceFile
from groundscope.review.store import ReviewStore
from groundscope.types import Passage
from tests.browser.conftest import Heatmap, idle
from tests.browser.looks import as_tall_as_its_content, looks, sound, tabs
from tests.browser.test_review import KEY, press, store
from tests.browser.test_review_agreement import CASES, decided
from tests.browser.test_sources import matters

__all__ = ["matters", "store"]

CASE = "case=overtime-exempt-a"
PAGES = ("", "methods", *(Path(p).stem for place in shell.PLACES.values() for p in place.values() if p != "app.py"))
LINKS: Mapping[str, str] = {
    "arguments": "arguments=example",
    "compare": "run=offline-methods&rules=starting&split=test",
    "errors": "run=offline-methods&rules=starting&split=all&method=quip&outcome=missed&order=case",
    "heatmap": f"{CASE}&method=cos_sim:minilm&sentence=8",
    "methods": "method=direct",
    "review": f"reviewed={KEY}",
    "thresholds": "run=offline-methods",
}
"""What a page has to be asked for, so that it shows most of what it can."""
HEIGHT = 2600
"""Pixels of a window in which a rule of accessibility sees what lies far down."""


def _case(page: Page) -> None:
    page.locator(".list tbody tr").nth(2).click()
    expect(page.locator(".list tr[data-opened]")).to_have_count(1)


def _revealed(page: Page) -> None:
    page.get_by_role("textbox", name="Your name").fill("Ada")
    page.keyboard.press("Enter")
    page.locator(".reviewhead").wait_for()
    idle(page)
    press(page, "1", "3")
    page.get_by_role("button", name="Reveal what methods").click()
    expect(page.get_by_text(re.compile("^Same as you"))).to_be_visible(timeout=60_000)


STEPS: Mapping[str, Callable[[Page], object]] = {
    "": lambda page: Heatmap(page).ready(),
    "errors": _case,
    "heatmap": lambda page: Heatmap(page).ready(),
    "review": _revealed,
}
"""What a user does first on a page."""


@pytest.mark.parametrize("path", PAGES)
def test_every_tab_of_a_page_is_accessible_fits_and_ends_with_its_content(
    page: Page, server: str, store: ReviewStore, matters: MatterStore, path: str
) -> None:
    if path == "cases":
        matters.add_source(matters.create("Lease").number, SourceFile("lease.pdf", (Passage("p", "Rent is due.", "Lease"),), ()))
    if path == "review":
        rng = np.random.default_rng(6)
        for who in ("Ada", "Bo"):
            for case in CASES[:3]:
                decided(store, who, case, rng)
                store.reveal("Ada", case)
    name = path or "overview"
    for width in (760, 1024):
        page.set_viewport_size({"width": width, "height": 768})
        if page.url == "about:blank":
            page.goto(f"{server}/{path}?{LINKS.get(path, '')}")
        idle(page)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        expect(page.locator("h1")).to_be_visible()
        as_tall_as_its_content(page, f"{name} at {width}")
    STEPS.get(path, idle)(page)
    for tab in tabs(page):
        for look in looks(page, HEIGHT):
            sound(page, f"{name}, {tab}, {look}")


_FILL = """n => {
  n.classList.remove('unproven');
  const fill = getComputedStyle(n).backgroundColor;
  n.classList.add('unproven');
  return fill;
}"""
"""The colour that a cell has where its method is better than a coin."""


def test_the_heatmap_keeps_the_second_cue_in_light_and_dark(page: Page, server: str) -> None:
    page.goto(f"{server}/heatmap?{CASE}&method=cos_sim:minilm&sentence=8")
    Heatmap(page).ready().at_threshold("COS_SIM MiniLM", 0.6)
    matrix, low = page.get_by_role("button", name="Matrix"), page.locator(".pane .s.low:not([aria-selected=true])").first
    # This method is drawn in lines, since it is no better than a coin; one that is better fills its cells.
    filled = page.locator(".strip .cell.unproven[data-band=low]").last
    lines, fills = set(), set()
    for look in looks(page, 1350):
        lines.add(low.evaluate("n => getComputedStyle(n).borderBottomColor"))
        fills.add(filled.evaluate(_FILL))
        assert low.evaluate("n => getComputedStyle(n).backgroundColor") == "rgba(0, 0, 0, 0)"
        expect(low).to_have_css("border-bottom-style", "dashed")
        expect(page.locator(".pane .s.near").first).to_have_css("border-bottom-style", "dotted")
        matrix.click()
        sound(page, f"matrix-{look}")
        matrix.click()
    assert (len(lines), len(fills)) == (2, 2)


def test_the_first_screen_has_the_verdict_the_checks_and_both_texts(page: Page, server: str) -> None:
    page.goto(f"{server}/heatmap?{CASE}")
    Heatmap(page).ready()
    expect(page.locator(".verdict .record")).to_contain_text(re.compile(r"flagged \d+ of 68 wrong sentences"))
    for width, height, top in ((1440, 900, 330), (1024, 768, 420)):
        page.set_viewport_size({"width": width, "height": height})
        page.reload()
        heatmap = Heatmap(page).ready()
        # The method's name neither runs into the first cell nor is cut.
        name = page.locator(".strip .m").first
        assert name.evaluate("n => n.scrollWidth <= n.clientWidth")
        assert name.evaluate("n => n.getBoundingClientRect().right <= n.closest('th, td').getBoundingClientRect().right")
        for pane in page.locator(".pane").all():
            box = pane.bounding_box()
            assert box is not None
            assert box["y"] <= top
        for part in (page.locator(".strip .fact").first, heatmap.selected, heatmap.best, page.locator(".why h2")):
            expect(part).to_be_in_viewport()
        navigation = page.locator(".st-key-navigation").bounding_box()
        assert navigation is not None
        assert navigation["height"] < 60, "the links take two lines"
