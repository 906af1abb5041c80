"""The citation layer of the heatmap: states, places, three answers, filter, keyboard, exports, light and dark."""

import csv
import io
import json
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.citations.conftest import HOSTILE, App
from tests.browser.conftest import Heatmap, downloaded
from tests.browser.looks import looks, sound
from tests.browser.site import WATCHWORD, recommended_here
from tests.browser.test_entry import paste

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


def cite(page: Page, app: App, context: str, response: str) -> Heatmap:
    paste(page, app.address, "", context, response)
    return Heatmap(page).ready()


def _marked(page: Page, marks: str) -> str:
    """What is marked so; what differs in the chosen sentence cuts a mark in pieces."""
    return "".join(page.locator(f".pane {marks}").all_inner_texts())


def test_every_citation_has_its_state_and_a_click_shows_where_it_stands_and_what_differs(page: Page, app: App) -> None:
    cited = cite(page, app, CONTEXT, RESPONSE)
    expect(page.locator(".citeline")).to_contain_text(
        "4 citations: 1 in the sources; 1 in the sources, but different; 1 not in the sources; 1 could not be read. "
        "0 of 1 quotation is in the sources word for word."
    )
    for state, words in (
        ("here", "28 U.S.C. § 1331"),
        ("different", "Anderson v. Liberty Lobby, Inc., 477 U.S. 242, 248 (1987)"),
        ("absent", "Griswold v. Connecticut, 381 U.S. 479 (1965)"),
    ):
        assert _marked(page, f"mark.cite.{state}") == words
    assert _marked(page, "mark.misquoted") == "shall give oral notice to the tenant"
    expect(cited.all_methods().page.locator(".strip tr.cites")).to_contain_text("3 of 4 to check")
    page.locator(".pane mark.cite.different").first.click()
    expect(page.locator(".c.cited")).to_contain_text("477 U.S. 242, 248 (1986)")
    expect(page.locator(".c.cited")).to_be_in_viewport()
    expect(page.locator(".c.cited mark.citepart")).to_have_text("1986")
    assert _marked(page, "[aria-selected] mark.citepart") == "1987"
    panel = page.locator(".citepanel")
    expect(panel).to_contain_text("in the sources, but different: year 1987, in the sources 1986")
    expect(panel).to_contain_text("no quotation")
    flagged = f"Is what it is cited for flagged? ({recommended_here().about.title})"
    expect(panel.get_by_role("columnheader")).to_have_text(["Citation", "Is it in the sources?", "Is it quoted right?", flagged])
    button = panel.get_by_role("button", name="Show Anderson").first
    button.press("Enter")
    expect(button).to_be_focused()
    # A wrong quotation is shown beside the nearest passage.
    cited.sentences.last.click()
    expect(panel).to_contain_text("not word for word")
    expect(panel.locator("mark.differs")).to_have_text("oral")
    panel.get_by_role("button", name="Show the nearest passage").click()
    expect(page.locator(".c.cited")).to_contain_text("shall give written notice")
    page.locator(".citeline summary").click()
    before = cited.selected_number()
    page.get_by_role("button", name="Next doubtful citation").press("Enter")
    assert cited.selected_number() != before
    expect(page.locator(".citepanel")).to_be_visible()
    got = downloaded(page.get_by_role("button", name="CSV"))
    rows = list(csv.DictReader(io.StringIO(Path(got.path()).read_text(encoding="utf-8"))))
    assert any("not in the sources" in r["citations"] for r in rows)
    assert any("oral" in r["quotations_not_verbatim"] for r in rows)
    got = downloaded(page.get_by_role("button", name="JSON"))
    made = json.loads(Path(got.path()).read_text(encoding="utf-8"))["citations"]
    assert sorted(c["state"] for c in made["citations"]) == [
        "could not be read",
        "in the sources",
        "in the sources, but different",
        "not in the sources",
    ]
    page.locator(".pane mark.cite.different").first.click()
    for look in looks(page, 1500):
        sound(page, f"citation-layer-{look}")
