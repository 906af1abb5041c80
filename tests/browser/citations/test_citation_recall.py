"""Citation recall in a real browser: the sample, texts of one's own, hostile ones, and how the page looks."""

import json
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.citations.conftest import HOSTILE, Recall
from tests.browser.conftest import downloaded, idle, unfold


def test_the_sample_shows_what_is_matched_missing_extra_and_cited_for_something_else(recall: Recall, tmp_path: Path) -> None:
    page = recall.open().page
    expect(recall.lead).to_contain_text("Of the reference's 5 citations, 3 are there and cited for the same")
    reference = page.get_by_role("region", name="Reference analysis")
    expect(reference.locator("mark.gs-cited.missing")).to_contain_text("Matsushita")
    expect(page.get_by_role("region", name="Generated analysis").locator("mark.gs-cited.extra")).to_contain_text(
        "Ashcroft v. Iqbal"
    )
    table = page.get_by_role("region", name="Authorities")
    expect(table.locator("tr", has_text="477 U.S. 242, 248")).to_contain_text("cited, but for something else")
    expect(table.locator("tbody tr")).to_have_count(6)
    got = downloaded(page.get_by_role("button", name="Table as JSON"))
    got.save_as(tmp_path / "c.json")
    made = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    assert [a["result"] for a in made["authorities"]].count("missing") == 1
    before = recall.lead.inner_text()
    slider = page.get_by_role("slider", name="Claims match from")
    unfold(page.get_by_text("How citations and claims are compared"), slider)
    slider.focus()
    page.keyboard.press("Home")
    idle(page)
    expect(recall.lead).not_to_have_text(before)
    expect(recall.lead).to_contain_text("Of the reference's 5 citations, 4 are there and cited for the same")
    region = page.get_by_role("region", name="Generated analysis")
    region.focus()
    expect(region).to_be_focused()
    tab = page.get_by_role("tab", name="Citations", exact=True)
    tab.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    idle(page)
    expect(page.get_by_role("tab", name="Systems")).to_have_attribute("aria-selected", "true")
    expect(recall.lead).to_contain_text("Draft A recalls most", timeout=90_000)
    expect(page.get_by_role("region", name="Systems").locator("tbody tr")).to_have_count(2)


def test_hostile_long_empty_and_right_to_left_texts_are_shown_as_text_and_the_rest_goes_on(recall: Recall) -> None:
    page = recall.open().load().page
    expect(page.get_by_text("Row 4 was left out: 'generated' is missing.")).to_be_visible()
    expect(page.get_by_role("region", name="Reference analysis")).to_contain_text(HOSTILE)
    expect(recall.lead).to_contain_text("Of the reference's 2 citations, 2 are there")
    recall.tab("Key points")
    expect(page.get_by_role("region", name="Reference points")).to_contain_text(HOSTILE)
    recall.tab("Citations")
    recall.choose("Analysis", "b")
    expect(recall.lead).to_contain_text("Of the reference's 2 citations")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    recall.choose("Analysis", "c")
    expect(page.get_by_text("The reference text is empty.")).to_be_visible()
    expect(recall.lead).to_contain_text("there is no score")
    recall.tab("Systems")
    expect(page.get_by_role("region", name="Systems")).to_contain_text(HOSTILE)
