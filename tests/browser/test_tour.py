"""The tour of the documentation, as someone takes it over the samples; its pictures are those of docs/tour (`make tour`)."""

import re
from collections.abc import Iterator
from typing import Literal

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.conftest import Heatmap, idle, open_tab
from tests.browser.looks import PICTURES, picture
from tests.browser.site import Site, site
from tests.browser.test_entry import paste
from tests.browser.test_review import begin, press, store
from tests.browser.test_sets import tick_first_row

__all__ = ["store"]

pytestmark = pytest.mark.release

LONG = 60_000
CASE = "overtime-exempt-a"
_COLOURS = 96
"""Enough for text, lines and five tints; a page of the tour loads in a moment."""


@pytest.fixture(scope="session")
def the_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """With the classifier that ships: its figures stand in the documentation."""
    with site(tmp_path_factory.mktemp("tour"), quick=False) as started:
        yield started


@pytest.fixture(scope="session")
def server(the_site: Site) -> str:
    return the_site.address


@pytest.fixture
def tour(page: Page, server: str) -> Page:
    """The page as the pictures show it."""
    page.set_viewport_size({"width": 1440, "height": 900})
    page.emulate_media(color_scheme="light")
    page.goto(server)
    return page


def keep(page: Page, name: str) -> None:
    """Take a picture of the tour; the documentation has it."""
    idle(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    picture(page, f"tour-{name}")
    file = PICTURES / f"tour-{name}.png"
    with Image.open(file) as taken:
        small = taken.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE)
    small.save(file, optimize=True)
    assert file.stat().st_size < 150_000


def top(page: Page) -> None:
    """Scroll to the beginning of the page."""
    page.get_by_test_id("stMain").evaluate("node => node.scrollTo(0, 0)")


def test_cases_of_the_samples_lead_to_the_heatmap_and_its_flagged_sentences(tour: Page, server: str) -> None:
    tour.goto(f"{server}/cases")
    idle(tour)
    open_tab(tour, "Samples and loaded cases")
    expect(tour.get_by_text("421 cases")).to_be_visible()
    tick_first_row(tour)
    top(tour)
    keep(tour, "cases")
    tour.get_by_role("button", name="Open in the heatmap").first.click()
    tour.wait_for_url("**/heatmap**")
    Heatmap(tour).ready()
    tour.goto(f"{server}/heatmap?case={CASE}&method=cos_sim:minilm")
    heatmap = Heatmap(tour).ready()
    tour.keyboard.press("n")
    expect(heatmap.selected).to_have_class(re.compile(r"\bexact\b"))
    expect(heatmap.best).to_be_visible()
    tour.get_by_role("button", name="Matrix").click()
    expect(tour.get_by_role("button", name="Matrix")).to_have_attribute("aria-pressed", "true")
    keep(tour, "heatmap")


RULE = (
    "Source: Fed. R. Civ. P. 41\nThe plaintiff may dismiss an action without a court order by filing a notice of dismissal "
    "before the opposing party serves either an answer or a motion for summary judgment, or a stipulation of dismissal signed by "
    "all parties who have appeared. Unless the notice or stipulation states otherwise, the dismissal is without prejudice."
)
DISMISSAL = (
    "A plaintiff may dismiss an action without a court order by filing a notice of dismissal before the opposing party files a "
    "motion to dismiss. Unless the notice states otherwise, the dismissal is without prejudice."
)


def on_screen(page: Page, scheme: Literal["light", "dark"], width: int, height: int, words: str) -> None:
    """The headline names these words on a screen."""
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=scheme)
    expect(page.locator(".verdict b")).to_contain_text(words)


def test_the_headline_names_the_errors_of_the_sample_and_of_the_papers_example(tour: Page, server: str) -> None:
    """Figure 1 of the paper has a procedural error of this kind: a motion to dismiss for the motion that the rule names."""
    tour.goto(f"{server}/heatmap?case={CASE}")
    Heatmap(tour).ready()
    words = "do not match the sources: $913, Third Circuit."
    on_screen(tour, "light", 1440, 900, words)
    keep(tour, "findings-sample-light-1440")
    on_screen(tour, "dark", 1024, 768, words)
    keep(tour, "findings-sample-dark-1024")
    paste(tour, server, "When may a plaintiff dismiss an action without a court order?", RULE, DISMISSAL)
    Heatmap(tour).ready()
    words = "motion to dismiss (there: motion for summary"
    on_screen(tour, "light", 1440, 900, words)
    keep(tour, "findings-rule-light-1440")
    on_screen(tour, "dark", 1024, 768, words)
    keep(tour, "findings-rule-dark-1024")


def test_a_review_is_decided_by_keys(tour: Page, server: str, store: object) -> None:
    begin(tour, server)
    press(tour, "1", "3")
    expect(tour.locator(".progress")).to_have_text(re.compile(r"^2 of \d+ read$"))
    keep(tour, "review")


def test_methods_stand_side_by_side_and_their_errors_by_type(tour: Page, server: str) -> None:
    tour.goto(f"{server}/compare?run=offline-methods&rules=starting&split=test")
    tour.locator(".st-key-plot_tradeoff .scatterlayer .point").first.wait_for(timeout=LONG)
    keep(tour, "compare")
    tour.goto(f"{server}/errors?run=offline-methods&rules=starting&split=all")
    tour.locator(".matrix").wait_for(timeout=LONG)
    idle(tour)
    tour.get_by_role("button", name=re.compile("^QUIP, Reasoning error: ")).click()
    expect(tour).to_have_url(re.compile("type=reasoning_error&method=quip"))
    expect(tour.locator(".list tbody tr").first).to_be_visible()
    tour.set_viewport_size({"width": 1440, "height": 1500})
    idle(tour)
    top(tour)
    keep(tour, "errors")


def test_a_threshold_is_chosen_by_what_it_misses(tour: Page, server: str) -> None:
    tour.goto(f"{server}/thresholds?run=offline-methods")
    expect(tour.get_by_role("tab", name="Calibration")).to_be_visible(timeout=LONG)
    idle(tour)
    keep(tour, "thresholds")
