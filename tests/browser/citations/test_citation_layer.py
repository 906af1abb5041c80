"""The citation layer of the heatmap: states, places, three answers, filter, keyboard, exports, light and dark."""

import csv
import io
import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.citations.conftest import HOSTILE, App
from tests.browser.conftest import WATCHWORD, Heatmap, downloaded, idle
from tests.browser.test_looks import picture, violations

CONTEXT = (
    f"Anderson v. Liberty Lobby, Inc., 477 U.S. 242, 248 (1986), says what is genuine. {WATCHWORD} {HOSTILE} "
    "The landlord shall give written notice to the tenant.\n---\n"
    "28 U.S.C. § 1331 gives jurisdiction. See Roe v. Wade, 410 U.S. 113, 120 (1973)."
)
RESPONSE = (
    "Courts have power under 28 U.S.C. § 1331. What is genuine is settled. "
    "Anderson v. Liberty Lobby, Inc., 477 U.S. 242, 248 (1987). "
    f"Privacy came early. Griswold v. Connecticut, 381 U.S. 479 (1965). {HOSTILE} It was so held, see 12 Zyx. Rep. 34 (1999). "
    "He “shall give oral notice to the tenant”."
)


@pytest.fixture
def cited(page: Page, app: App) -> Heatmap:
    page.goto(f"{app.address}/cases")
    idle(page)
    page.get_by_role("textbox", name="Context: the sources").fill(CONTEXT)
    page.get_by_role("textbox", name="Response: the answer").fill(RESPONSE)
    page.get_by_role("button", name="Show where it stands").click()
    return Heatmap(page).ready()


def _marked(page: Page, marks: str) -> str:
    """What is marked so; what differs in the chosen sentence cuts a mark in pieces."""
    return "".join(page.locator(f".pane {marks}").all_inner_texts())


def test_every_citation_has_its_state_in_the_summary_in_the_strip_and_in_the_text(cited: Heatmap) -> None:
    page = cited.page
    expect(page.locator(".citeline")).to_contain_text(
        "4 citations: 1 in the context; 1 in the context, but different; 1 not in the context; 1 could not be read. "
        "0 of 1 quotation is in the context word for word."
    )
    for state, words in (
        ("here", "28 U.S.C. § 1331"),
        ("different", "Anderson v. Liberty Lobby, Inc., 477 U.S. 242, 248 (1987)"),
        ("absent", "Griswold v. Connecticut, 381 U.S. 479 (1965)"),
    ):
        assert _marked(page, f"mark.cite.{state}") == words
    assert _marked(page, "mark.misquoted") == "shall give oral notice to the tenant"
    expect(page.locator(".strip tr.cites")).to_contain_text("3 of 4 to check")


def test_a_click_on_a_citation_shows_where_it_stands_and_what_differs(cited: Heatmap) -> None:
    page = cited.page
    page.locator(".pane mark.cite.different").first.click()
    expect(page.locator(".c.cited")).to_contain_text("477 U.S. 242, 248 (1986)")
    expect(page.locator(".c.cited")).to_be_in_viewport()
    expect(page.locator(".c.cited mark.citepart")).to_have_text("1986")
    assert _marked(page, "[aria-selected] mark.citepart") == "1987"
    panel = page.locator(".citepanel")
    expect(panel).to_contain_text("in the context, but different: year 1987, in the context 1986")
    expect(panel).to_contain_text("no quotation")
    expect(panel.get_by_role("columnheader")).to_have_text(
        ["Citation", "Is it in the context?", "Is it quoted right?", "Is what it is cited for supported? (Ensemble)"]
    )
    button = panel.get_by_role("button", name="Show Anderson").first
    button.press("Enter")
    expect(button).to_be_focused()


def test_a_wrong_quotation_is_shown_beside_the_nearest_passage(cited: Heatmap) -> None:
    page = cited.page
    cited.sentences.last.click()
    panel = page.locator(".citepanel")
    expect(panel).to_contain_text("not word for word")
    expect(panel.locator("mark.differs")).to_have_text("oral")
    panel.get_by_role("button", name="Show the nearest passage").click()
    expect(page.locator(".c.cited")).to_contain_text("shall give written notice")


def test_the_filter_marks_what_is_asked_for_and_can_hide_the_layer(cited: Heatmap) -> None:
    page = cited.page
    mark = page.get_by_role("combobox", name="Which citations are marked")
    mark.select_option("absent")
    assert _marked(page, "mark.cite") == "Griswold v. Connecticut, 381 U.S. 479 (1965)"
    mark.select_option("none")
    expect(page.locator(".pane mark.cite, .strip tr.cites, .citepanel")).to_have_count(0)
    mark.select_option("all")
    assert _marked(page, "mark.cite.here") == "28 U.S.C. § 1331"


def test_without_a_mouse_doubtful_citations_are_stepped_through(cited: Heatmap) -> None:
    page = cited.page
    button = page.get_by_role("button", name="Next doubtful citation")
    seen = []
    for _ in range(4):
        button.press("Enter")
        seen.append(cited.selected_number())
    assert len(set(seen)) >= 3
    assert seen[0] != seen[1] != seen[2]
    expect(page.locator(".citepanel")).to_be_visible()


def test_the_exports_hold_the_citations(cited: Heatmap) -> None:
    page = cited.page
    got = downloaded(page.get_by_role("button", name="CSV"))
    rows = list(csv.DictReader(io.StringIO(Path(got.path()).read_text(encoding="utf-8"))))
    assert any("not in the context" in r["citations"] for r in rows)
    assert any("oral" in r["quotations_not_verbatim"] for r in rows)
    got = downloaded(page.get_by_role("button", name="JSON"))
    made = json.loads(Path(got.path()).read_text(encoding="utf-8"))["citations"]
    assert sorted(c["state"] for c in made["citations"]) == [
        "could not be read",
        "in the context",
        "in the context, but different",
        "not in the context",
    ]


def test_an_answer_without_citations_says_so(page: Page, app: App) -> None:
    page.goto(f"{app.address}/cases")
    idle(page)
    page.get_by_role("textbox", name="Context: the sources").fill("The notice must be given within 30 days.")
    page.get_by_role("textbox", name="Response: the answer").fill("The notice must be given within 60 days.")
    page.get_by_role("button", name="Show where it stands").click()
    Heatmap(page).ready()
    expect(page.locator(".citeline")).to_have_text("No legal citation and no quotation was found in the response.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 1024])
def test_the_layer_is_accessible_and_fits(cited: Heatmap, scheme: str, width: int) -> None:
    page = cited.page
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 1500})
    page.locator(".pane mark.cite.different").first.click()
    page.wait_for_timeout(300)
    picture(page, f"citation-layer-{scheme}-{width}")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "the page scrolls sideways"
    assert violations(page) == []
