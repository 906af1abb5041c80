"""Legal RAG in a real browser: an experiment from its corpus to its answers, results made elsewhere, and how the page looks."""

import json
from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Heatmap, downloaded, idle, open_tab, steady
from tests.browser.rag.conftest import HOSTILE, Rag

PATIENCE = 90_000


def test_an_experiment_from_its_corpus_to_the_heatmap(rag: Rag) -> None:
    page = rag.page
    rag.open().load_corpus()
    rag.unchoose("all-MiniLM-L6-v2")
    rag.click("Start")
    # The page turns to the results and stays there, whatever comes and goes above them.
    expect(page.get_by_text("Not finished")).to_be_visible(timeout=PATIENCE)
    shown = page.get_by_role("tab", name="Results", exact=True)
    expect(shown).to_have_attribute("aria-selected", "true")
    expect(page.get_by_text("Not finished")).to_have_count(0, timeout=PATIENCE)
    idle(page)
    expect(shown).to_have_attribute("aria-selected", "true")
    # Methods judged: what they say of errors is not what the page opens with.
    expect(rag.lead).to_contain_text("was found by words (BM25) for 8 of 8", timeout=PATIENCE)
    expect(rag.lead).not_to_contain_text("correct")
    open_tab(page, "Errors by this judge")
    expect(rag.lead.page.locator(".gs-lead").nth(1)).to_contain_text("of 8 answers")
    open_tab(page, "Questions")
    expect(page.get_by_text("Judged offline: grounded by").first).to_be_visible()
    passages = page.get_by_role("region", name="Retrieved passages")
    expect(passages).to_contain_text("relevant: it holds the answer")
    expect(passages).to_contain_text(HOSTILE)
    rag.click("Open in the heatmap")
    Heatmap(page).ready()
    expect(page.locator(".pane").first).to_contain_text("The rule on")


def test_results_made_elsewhere_are_read_and_every_bar_opens_its_questions(rag: Rag, tmp_path: Path) -> None:
    page = rag.page
    rag.open().load_results()
    expect(rag.lead).to_contain_text("438 of 600 answers (73%) are correct and grounded.")
    bars = page.locator(".st-key-chart_rag_errors .trace.bars").first.locator(".point path")
    expect(bars).to_have_count(6)
    press(rag, bars.nth(4))
    expect(page.get_by_text("13 of 600 answers. Tick one to open it, or step through them.")).to_be_visible()
    rag.tab("What the differences mean")
    expect(page.get_by_role("row", name="Does the embedder matter?")).to_contain_text("p < 0.001***")
    # The rest without a mouse.
    rag.tab("Questions")
    page.get_by_role("tab", name="Questions", exact=True).focus()
    page.keyboard.press("ArrowRight")
    table = page.get_by_role("tab", name="Results table")
    expect(table).to_be_focused()
    page.keyboard.press("Enter")
    idle(page)
    expect(table).to_have_attribute("aria-selected", "true")
    region = page.get_by_role("region", name="Combinations")
    steady(region)
    region.focus()
    expect(region).to_be_focused()
    got = downloaded(page.get_by_role("button", name="Everything as JSON"))
    got.save_as(tmp_path / "r.json")
    made = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert [c["correct"]["count"] for c in made["combinations"]] == [95, 77, 75, 93, 76, 73]


def press(rag: Rag, mark: Locator) -> None:
    """Click on a mark of a figure: plotly's own layer lies above its marks and takes the clicks."""
    mark.scroll_into_view_if_needed()
    box = steady(mark)
    rag.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    idle(rag.page)
