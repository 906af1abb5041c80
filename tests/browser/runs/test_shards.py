"""A folder of shards, as `run --on ray` writes it, on Runs, Compare and Errors; its texts are hostile."""

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from groundscope.cases.dataset import read
from tests.browser.conftest import idle, visit
from tests.browser.runs.conftest import App
from tests.groundscope.grounding.sharded.made_shards import made_shards

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    found = read("legal_qa.jsonl", (ROOT / "sample_data" / "legal_qa.jsonl").read_bytes()).cases[:60]
    hostile = [replace(c, query=f"<img src=x onerror=alert(1)> {c.query}", area="<b>Torts</b>") for c in found]
    return made_shards(tmp_path / "shards", hostile, ["overlap", "quip"])


def test_shards_open_by_their_folder_and_show_on_compare_and_errors(app: App, context: BrowserContext, out: Path) -> None:
    page = context.new_page()
    page.goto(f"{app.address}/runs")
    idle(page)
    page.get_by_text("Open a run from a folder").click()
    page.get_by_label("Folder", exact=True).fill(str(out))
    page.get_by_role("button", name="Open it").click()
    expect(page.get_by_role("heading", name="shards")).to_be_visible()
    visit(page, "Compare")
    expect(page.get_by_text("has the best F1").first).to_be_visible()
    visit(page, "Errors")
    expect(page.get_by_role("button", name="Clear filters").first).to_be_visible()
    page.get_by_role("button", name="Clear filters").first.click()
    idle(page)
    expect(page.get_by_text("<img src=x onerror=alert(1)>").first).to_be_visible()
    assert page.locator("img[src=x]").count() == 0
