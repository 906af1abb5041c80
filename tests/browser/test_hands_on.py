"""A sentence typed over with the keyboard alone, its old and new values, undo, and the variant among the user's own cases."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Heatmap, unfold, visit
from tests.browser.looks import violations

TYPED = "A salary of $684 a week is __never__ enough <script>alert(1)</script> אין."
DRAWN = TYPED.replace("_", "")


def test_a_sentence_is_typed_over_scored_undone_and_kept_by_keyboard(page: Page, server: str) -> None:
    page.goto(f"{server}/heatmap?case=disability-accommodation-d&method=overlap")
    heatmap = Heatmap(page).ready()
    heatmap.sentences.nth(1).click()
    original = heatmap.sentences.nth(1).inner_text()
    page.keyboard.press("e")
    box = page.get_by_role("textbox", name="Sentence 2 of the answer")
    expect(box).to_be_focused()
    box.fill("word " * 5_000)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".editor [role=alert]")).to_contain_text("25,000 characters; type at most 20,000")
    box.fill(TYPED)
    assert violations(page) == []
    page.keyboard.press("Control+Enter")
    values = page.get_by_role("region", name="Old and new values")
    expect(values.get_by_role("row").nth(1)).to_contain_text(re.compile(r"1\.00\s→\s0\.\d\d"))
    expect(heatmap.selected).to_contain_text(DRAWN)
    expect(heatmap.selected).to_be_focused()
    assert "case=disability-accommodation-d&" in page.url
    assert "script" not in page.url
    page.get_by_role("button", name="Undo").press("Enter")
    expect(heatmap.sentences.nth(1)).to_have_text(original)
    expect(values).to_have_count(0)
    page.get_by_role("button", name="Redo").press("Enter")
    expect(values).to_be_visible()
    unfold(page.get_by_role("button", name="Keep as a variant"), page.get_by_role("textbox", name="Name"))
    page.get_by_role("textbox", name="Name").fill("salary")
    kind = page.get_by_role("combobox", name="Error that the edit introduces")
    kind.fill("Factual")
    kind.press("Enter")
    page.get_by_role("button", name="Keep", exact=True).press("Enter")
    expect(page.get_by_role("status").filter(has_text="Kept as disability-accommodation-d-salary")).to_contain_text(
        "ungrounded with 1 marked place"
    )
    assert "case=disability-accommodation-d-salary" in page.url
    visit(page, "Cases")
    expect(page.get_by_text("Variant of disability-accommodation-d:")).to_be_visible()
    page.get_by_role("button", name="Open").last.click()
    expect(heatmap.sentences.nth(1)).to_contain_text(DRAWN)
