"""Browsing a set: counts, checks, filters, one case with its gold labels, and variants made of it."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Heatmap, choose, downloaded, idle, open_tab, steady, unfold
from tests.browser.looks import violations
from tests.browser.site import WATCHWORD
from tests.browser.test_entry import HOSTILE, upload


def open_sets(page: Page, server: str) -> None:
    page.goto(f"{server}/cases")
    idle(page)
    open_tab(page, "Samples and loaded cases")


def make_variants(page: Page) -> None:
    """Of the answer that is read."""
    make = page.get_by_role("button", name="Make variants")
    unfold(page.get_by_text("Make ungrounded variants of this answer"), make)
    make.click()
    expect(page.get_by_text(re.compile(r"\d+ variants, each labelled ungrounded"))).to_be_visible()
    idle(page)


def tick_first_row(page: Page) -> None:
    table = page.get_by_test_id("stDataFrame").last
    box = steady(table)
    page.mouse.click(box["x"] + 20, box["y"] + 36 + 17)
    expect(page.get_by_role("button", name="Open in the heatmap").first).to_be_visible()
    idle(page)


def test_the_sample_set_is_counted_checked_filtered_and_read(page: Page, server: str) -> None:
    open_sets(page, server)
    sizes, types = page.locator(".gs-counts").nth(0), page.locator(".gs-counts").nth(1)
    expect(sizes.locator("tr", has_text="all")).to_have_text(re.compile(r"all\s*124\s*421\s*178\s*243\s*2,851\s*299"))
    expect(types.locator("tbody tr")).to_have_count(6)
    expect(types.locator("abbr", has_text="Misattribution")).to_have_attribute("title", re.compile("wrong source"))
    expect(page.get_by_text("421 cases")).to_be_visible()
    check = page.get_by_role("button", name="Check this set")
    unfold(page.get_by_text("About this set"), check)
    check.click()
    expect(page.get_by_text("Checks of this set: No check failed")).to_be_visible(timeout=60_000)
    expect(page.locator(".gs-counts", has_text="Outcome").locator("tbody tr")).to_have_count(9)
    idle(page)
    page.get_by_role("button", name="Find near-copies").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("button", name="Find near-copies")).to_be_visible(timeout=60_000)
    expect(page.get_by_text("Not measured yet: it needs a model, and a little time.")).to_be_visible()
    choose(page, "Split", "test")
    expect(page.get_by_text("84 of 421 cases")).to_be_visible()
    choose(page, "Label", "ungrounded")
    choose(page, "Error type", "Misattribution")
    expect(page.get_by_text(re.compile(r"^\d+ of 421 cases$"))).to_be_visible()
    got = downloaded(page.get_by_role("button", name="Download these cases"))
    rows = [json.loads(line) for line in Path(got.path()).read_text(encoding="utf-8").splitlines()]
    assert 0 < len(rows) < 84
    assert all(r["split"] == "test" and "misattribution" in {e["type"] for e in r["errors"]} for r in rows)
    tick_first_row(page)
    expect(page.locator(".gs-errors")).to_contain_text("Misattribution")
    expect(page.locator(".gs-errors del").first).not_to_be_empty()
    expect(page.locator(".gs-gold").first).to_be_visible()
    expect(page.get_by_text("Make ungrounded variants")).to_have_count(0)


def test_variants_are_made_kept_and_opened_and_the_case_is_found_again(page: Page, server: str) -> None:
    open_sets(page, server)
    choose(page, "Label", "grounded")
    tick_first_row(page)
    read = page.get_by_role("region", name="Response").inner_text()
    make_variants(page)
    assert violations(page) == []
    made = page.locator(".gs-pair").count()
    assert made >= 5
    assert page.locator(".gs-pair ins").count() == page.locator(".gs-pair del").count() == made
    got = downloaded(page.get_by_role("button", name="Download JSONL"))
    rows = [json.loads(line) for line in Path(got.path()).read_text(encoding="utf-8").splitlines()]
    assert len(rows) == made + 1
    assert all(r["parent"] == rows[0]["id"] and len(r["errors"]) == 1 for r in rows[1:])
    page.get_by_role("button", name="Open in the heatmap").nth(1).click()
    heatmap = Heatmap(page).ready()
    page.get_by_role("checkbox", name="Show gold labels").check()
    expect(page.locator(".pane mark.gold-error")).to_have_count(1)
    assert heatmap.sentences.count() >= 4
    assert rows[1]["id"] in page.url
    page.get_by_role("link", name="Cases").click()
    idle(page)
    expect(page.get_by_role("tab", name="Samples and loaded cases")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("region", name="Response")).to_have_text(read)


def test_hostile_text_stays_text_in_the_reader_and_in_variants(page: Page, server: str, tmp_path: Path) -> None:
    response = f"The buyer must pay within 30 days. {HOSTILE}"
    case = {
        "id": f"<b>{WATCHWORD}</b>",
        "query": HOSTILE,
        "context": [{"id": "<i>", "source": HOSTILE, "text": HOSTILE}],
        "response": response,
        "grounded": True,
        "evidence": [{"response_start": 0, "response_end": 34, "passage": 0, "start": 0, "end": 12}],
    }
    wrong = {
        **case,
        "id": "w",
        "grounded": False,
        "errors": [{"start": 0, "end": 9, "type": "misattribution", "why": HOSTILE}],
        "parent": case["id"],
    }
    path = tmp_path / "hostile <script>.jsonl"
    path.write_text("\n".join(map(json.dumps, (case, wrong))), encoding="utf-8")
    upload(page, server, path)
    expect(page.get_by_text("2 usable cases")).to_be_visible()
    open_tab(page, "Samples and loaded cases")
    tick_first_row(page)
    make_variants(page)
    assert page.locator(".gs-text script, .gs-pair script, .gs-text img, .gs-pair img").count() == 0
    choose(page, "Label", "ungrounded")
    tick_first_row(page)
    expect(page.locator(".gs-errors[dir=auto]")).to_contain_text("<script>alert(1)</script>")
    check = page.get_by_role("button", name="Check this set")
    unfold(page.get_by_text("About this set"), check)
    check.click()
    expect(page.get_by_text(re.compile("Checks of this set"))).to_be_visible(timeout=60_000)


CASE = {"query": "When?", "context": ["Rule 1 says 30 days.", "Rule 2 says more."], "response": "It is 30 days. It is more."}


def load(page: Page, server: str, path: Path, *cases: dict[str, object]) -> None:
    path.write_text("\n".join(json.dumps({**CASE, "id": f"c{i}", **c}) for i, c in enumerate(cases)), encoding="utf-8")
    upload(page, server, path)
    page.get_by_role("button", name="Browse this set").click()
    expect(page.get_by_role("tab", name="Samples and loaded cases")).to_have_attribute("aria-selected", "true")
    idle(page)


@pytest.mark.release
def test_a_search_for_copies_keeps_to_the_set_it_was_started_on(page: Page, server: str, tmp_path: Path) -> None:
    load(page, server, tmp_path / "two.jsonl", {"group": "a"}, {"group": "b", "query": "When else?"})
    unfold(page.get_by_text("About this set"), page.get_by_role("button", name="Check this set"))
    page.get_by_role("button", name="Check this set").click()
    expect(page.get_by_text("Checks of this set")).to_be_visible(timeout=60_000)
    idle(page)
    choose(page, "Set", "Samples")
    page.get_by_role("button", name="Check this set").click()
    expect(page.get_by_text("Checks of this set")).to_be_visible(timeout=60_000)
    idle(page)
    page.get_by_role("button", name="Find near-copies").click()
    expect(page.get_by_text(re.compile("Comparing 936 texts:"))).to_be_visible()
    choose(page, "Set", "two.jsonl")
    expect(page.get_by_text(re.compile("Comparing 936 texts of another set"))).to_be_visible()
    expect(page.get_by_role("button", name="Find near-copies")).to_be_visible(timeout=120_000)
    expect(page.locator("tr", has_text="near-copy")).to_contain_text("not measured")
    choose(page, "Set", "Samples")
    expect(page.locator("tr", has_text="near-copy")).to_contain_text("highest cosine 0.85; at most 0.9")
