"""Light and dark, two widths, accessibility, and the picture for the README, of the pages that need no data."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from components import shell
from tests.browser.conftest import Heatmap, idle
from tests.browser.looks import as_tall_as_its_content, looks, picture, sound

CASE = "/heatmap?case=overtime-exempt-variant-1"


def test_the_overview_is_accessible_and_fits(page: Page, server: str) -> None:
    page.goto(server)
    for look in looks(page):
        sound(page, f"overview-{look}")


def test_the_heatmap_is_accessible_fits_and_keeps_the_second_cue_in_light_and_dark(page: Page, server: str) -> None:
    page.goto(f"{server}{CASE}&method=cos_sim:minilm&sentence=8")
    Heatmap(page).ready()
    matrix, low = page.get_by_role("button", name="Matrix"), page.locator(".pane .s.low:not([aria-selected=true])").first
    # This method is drawn in lines, since it is no better than a coin; one that is better fills its cells.
    filled = page.locator(".strip .cell:not(.unproven, .fact, .wrong, .sound)[data-band]").first
    lines, fills = set(), set()
    for look in looks(page, 1350):
        lines.add(low.evaluate("n => getComputedStyle(n).borderBottomColor"))
        fills.add(filled.evaluate("n => getComputedStyle(n).backgroundColor"))
        assert low.evaluate("n => getComputedStyle(n).backgroundColor") == "rgba(0, 0, 0, 0)"
        expect(low).to_have_css("border-bottom-style", "dashed")
        expect(page.locator(".pane .s.near").first).to_have_css("border-bottom-style", "dotted")
        sound(page, f"heatmap-{look}")
        matrix.click()
        sound(page, f"matrix-{look}")
        matrix.click()
    assert (len(lines), len(fills)) == (2, 2)


@pytest.mark.parametrize(
    "path", ["", "methods", *(Path(p).stem for place in shell.PLACES.values() for p in place.values() if p != "app.py")]
)
def test_no_page_is_taller_than_its_content_or_scrolls_sideways(page: Page, server: str, path: str) -> None:
    for width in (1024, 760):
        page.set_viewport_size({"width": width, "height": 768})
        page.goto(f"{server}/{path}")
        idle(page)
        if path == "heatmap":
            Heatmap(page).ready()
        expect(page.get_by_test_id("stException")).to_have_count(0)
        expect(page.locator("h1")).to_be_visible()
        picture(page, f"size-{path or 'overview'}-{width}")
        as_tall_as_its_content(page, f"{path or 'overview'} at {width}")


@pytest.mark.parametrize(("width", "height", "top"), [(1440, 900, 330), (1024, 768, 420)])
def test_the_first_screen_has_the_verdict_the_checks_and_both_texts(
    page: Page, server: str, width: int, height: int, top: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{server}{CASE}")
    heatmap = Heatmap(page).ready()
    expect(page.locator(".verdict .record")).to_contain_text("it flagged 7 of 68 wrong sentences")
    # The method's name neither runs into the first cell nor is cut.
    assert page.locator(".strip .m").first.evaluate("n => n.scrollWidth <= n.clientWidth")
    assert page.locator(".strip .m").first.evaluate(
        "n => n.getBoundingClientRect().right <= n.closest('th, td').getBoundingClientRect().right"
    )
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        idle(page)
        for pane in page.locator(".pane").all():
            box = pane.bounding_box()
            assert box is not None
            assert box["y"] <= top
        for part in (page.locator(".strip .fact").first, heatmap.selected, heatmap.best, page.locator(".why h2")):
            expect(part).to_be_in_viewport()
        navigation = page.locator(".st-key-navigation").bounding_box()
        assert navigation is not None
        assert navigation["height"] < 60, "the links take two lines"
        picture(page, f"first-screen-{scheme}-{width}")
