"""Light and dark, two widths, accessibility, and the picture for the README."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import ROOT, Heatmap, idle

# Streamlit's own, of its toolbar and its tables.
THEIRS = {"empty-table-header", "presentation-role-conflict"}
PICTURES = ROOT / "test-pictures"


def violations(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{v['id']}: {n['target']} {n['failureSummary'][:300]}" for v in found if v["id"] not in THEIRS for n in v["nodes"]]


def picture(page: Page, name: str) -> None:
    PICTURES.mkdir(exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 1024])
@pytest.mark.parametrize("name", ["overview", "cases", "heatmap", "matrix"])
def test_every_page_is_accessible_and_fits(page: Page, server: str, scheme: str, width: int, name: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 1350 if name in {"heatmap", "matrix"} else 950})
    page.goto(server + {"overview": "/", "cases": "/cases"}.get(name, "/heatmap?case=overtime-exempt-variant-1&sentence=8"))
    idle(page)
    if name in {"heatmap", "matrix"}:
        Heatmap(page).ready()
    if name == "matrix":
        page.get_by_role("button", name="Matrix").click()
    if name == "cases":
        page.get_by_role("tab", name="Samples and loaded cases").click()
        idle(page)
    picture(page, f"{name}-{scheme}-{width}")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "the page scrolls sideways"
    assert violations(page) == []


def test_dark_and_light_differ_and_keep_the_second_cue(browser: Browser, server: str) -> None:
    seen = []
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme)  # type: ignore[arg-type]
        page.goto(f"{server}/heatmap?case=overtime-exempt-variant-1&method=cos_sim:minilm")
        Heatmap(page).ready()
        low = page.locator(".pane .s.low").first
        seen.append(low.evaluate("n => getComputedStyle(n).backgroundColor"))
        assert low.evaluate("n => getComputedStyle(n).borderBottomStyle") == "dashed"
        expect(page.locator(".pane .s.near").first).to_have_css("border-bottom-style", "dotted")
        page.close()
    assert seen[0] != seen[1]


def test_the_picture_for_the_readme(page: Page, server: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 1120})
    page.goto(f"{server}/heatmap?case=overtime-exempt-variant-1&sentence=8")
    Heatmap(page).ready()
    picture(page, "readme")
    assert Path(PICTURES / "readme.png").stat().st_size > 50_000
