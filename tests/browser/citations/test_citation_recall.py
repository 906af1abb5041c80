"""Citation recall in a real browser: the sample, texts of one's own, hostile ones, and how the page looks."""

import json
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.citations.conftest import HOSTILE, Recall
from tests.browser.conftest import downloaded, idle
from tests.browser.looks import looks, sound


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
    slider.focus()
    page.keyboard.press("Home")
    idle(page)
    expect(recall.lead).not_to_have_text(before)
    expect(recall.lead).to_contain_text("Of the reference's 5 citations, 4 are there and cited for the same")


def test_another_measure_and_fresco_change_the_score(recall: Recall) -> None:
    page = recall.open().page
    recall.choose("Analysis", "personal-jurisdiction")
    # The claim with similarity 0.27 by words says the same by meaning.
    expect(page.get_by_text("B-SIM: ROUGE-L")).to_contain_text("L-FRESCO: recall 0.80, precision 0.80, F1 0.80")
    recall.choose("Compare claims by (B-SIM)", "Embedding cosine (all-MiniLM-L6-v2)")
    figures = page.get_by_text("B-SIM: Embedding cosine")
    expect(figures).to_contain_text("L-FRESCO: recall 1.00, precision 1.00, F1 1.00", timeout=90_000)
    recall.choose("Analysis", "summary-judgment")
    recall.choose("By", "Draft B")
    slider = page.get_by_role("slider", name="Claims match from")
    slider.focus()
    page.keyboard.press("Home")
    idle(page)
    expect(figures).to_contain_text("L-FRESCO: recall 0.80, precision 0.75, F1 0.77")
    # One generated citation stands for two of the reference: FRESCO gives it one partner.
    recall.choose("Score", "FRESCO")
    expect(figures).to_contain_text("FRESCO: recall 0.60, precision 0.75, F1 0.67")
    expect(recall.lead).to_contain_text("1 is in both texts, but matched with nothing")
    recall.choose("Score", "L-FRESCO, literal sum")
    expect(figures).to_contain_text("F1 none")


def test_pasted_texts_are_compared(recall: Recall) -> None:
    page = recall.open().tab("Load texts").page
    page.get_by_role("textbox", name="Reference analysis").fill("Notice is due. Roe v. Wade, 410 U.S. 113 (1973).")
    generated = page.get_by_role("textbox", name="Generated analysis", exact=True)
    generated.fill("Notice is due. Roe v. Wade, 93 S. Ct. 705, 410 U.S. 113 (1973).")
    # A field that loses the focus starts a rerun, in which a click would be lost.
    page.keyboard.press("Tab")
    idle(page)
    page.get_by_role("button", name="Compare").click()
    idle(page)
    recall.tab("Citations")
    expect(recall.lead).to_contain_text("Of the reference's 1 citation, 1 is there and cited for the same")
    recall.tab("Load texts")
    generated.fill("Nothing is cited here.")
    page.get_by_role("textbox", name="System that wrote the generated analysis").fill("Silent")
    page.get_by_role("button", name="Add to the pasted reference").click()
    idle(page)
    recall.tab("Systems")
    expect(page.get_by_role("region", name="Systems")).to_contain_text("Silent")
    expect(recall.lead).to_contain_text("System 1 recalls most")


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


def test_the_page_is_accessible_and_fits(recall: Recall) -> None:
    page = recall.open().page
    for look in looks(page, 1700):
        for tab in ("Citations", "Systems", "Key points", "Load texts"):
            recall.tab(tab)
            sound(page, f"citations-{tab.split()[0].lower()}-{look}")


def test_by_keyboard_systems_and_key_points_are_reached_and_compared(recall: Recall) -> None:
    page = recall.open().page
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
    expect(page.get_by_text("ROUGE-L and Human rating")).to_be_visible(timeout=90_000)
    recall.tab("Key points")
    expect(recall.lead).to_contain_text("Of the reference's 4 key points")
    expect(page.get_by_role("region", name="Generated points").locator("mark.gs-cited.extra")).to_contain_text("Photographs")
