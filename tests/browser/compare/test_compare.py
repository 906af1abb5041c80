"""The compare page as a user sees it: the trade-off, one method, the tables, two runs."""

import csv
import io
import re
from pathlib import Path
from urllib.parse import urlencode

import openpyxl
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.compare.conftest import App
from tests.browser.conftest import downloaded, idle

LONG = 60_000


def open_compare(page: Page, app: App, **more: str) -> None:
    page.goto(f"{app.address}/compare?{urlencode({'run': app.run, 'rules': 'starting', 'split': 'test', **more})}")
    page.locator(".st-key-plot_tradeoff .scatterlayer .point").first.wait_for(timeout=LONG)
    idle(page)


def chosen(page: Page) -> Locator:
    return page.locator(".st-key-compare_method input")


def lead(page: Page) -> Locator:
    return page.locator(".gs-lead")


def points(page: Page, color: str) -> list[tuple[float, float]]:
    """Where the filled points of a colour stand on the screen."""
    found = page.locator(".st-key-plot_tradeoff .scatterlayer .point").evaluate_all(
        """(nodes, color) => nodes.filter(n => getComputedStyle(n).fill === color)
             .map(n => n.getBoundingClientRect()).map(b => [b.x + b.width / 2, b.y + b.height / 2])""",
        color,
    )
    return [(x, y) for x, y in found]


FRONT = "rgb(59, 125, 196)"


def test_the_trade_off_reads_in_ten_seconds_and_its_points_open_methods_by_mouse_and_keyboard(page: Page, app: App) -> None:
    open_compare(page, app)
    expect(lead(page)).to_contain_text("Thorough")
    expect(lead(page)).to_contain_text("has the best F1: 0.9")
    expect(page.get_by_text("is the fastest, at 0.0040 s per response, 50 times as fast as Careful")).to_be_visible()
    # The fastest stands left and low, the best right and high.
    front = sorted(points(page, FRONT))
    assert len(front) == 3
    assert [y for _, y in front] == sorted((y for _, y in front), reverse=True)
    expect(page.locator(".st-key-plot_tradeoff").get_by_text("Latency not printed")).to_be_visible()
    expect(page.locator(".st-key-plot_tradeoff").get_by_text("GPT-4o")).to_be_visible()
    page.get_by_text("The paper's figures", exact=True).click()
    expect(page.locator(".st-key-plot_tradeoff").get_by_text("Latency not printed")).to_have_count(0)
    idle(page)
    expect(chosen(page)).to_have_value(re.compile("^Thorough"))
    page.mouse.click(*min(points(page, FRONT)))
    expect(chosen(page)).to_have_value(re.compile("^Hasty"))
    idle(page)
    expect(page.get_by_text("erring_3|every=3")).to_be_visible()
    chosen(page).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(chosen(page)).not_to_have_value(re.compile("^Hasty"))
    page.get_by_role("radio", name="Characters").click()
    expect(page.get_by_text("the overlap of RAGTruth")).to_be_visible(timeout=LONG)
    expect(page).to_have_url(re.compile("level=Characters"))
    idle(page)
    expect(page.locator(".st-key-plot_tradeoff").get_by_text("F1 of wrong characters")).to_be_visible()


def test_the_table_comes_as_files_without_formulas_and_leads_to_errors(page: Page, app: App, tmp_path: Path) -> None:
    open_compare(page, app)
    found = {}
    for label, ending in (("CSV", "csv"), ("Excel (XLSX)", "xlsx"), ("Markdown", "md"), ("LaTeX", "tex"), ("HTML", "html")):
        got = downloaded(page.get_by_test_id("stDownloadButton").filter(has_text=re.compile(f"^{re.escape(label)}$")))
        found[ending] = tmp_path / got.suggested_filename
        got.save_as(found[ending])
        assert found[ending].suffix == f".{ending}"
    rows = {row["method_id"]: row for row in csv.DictReader(io.StringIO(found["csv"].read_text(encoding="utf-8")))}
    assert float(rows["erring_3"]["accuracy"]) == pytest.approx(54 / 80)
    assert float(rows["erring_9"]["seconds_mean"]) == pytest.approx(0.2, abs=0.05)
    sheet = openpyxl.load_workbook(found["xlsx"])["Results"]
    assert sheet.max_row == 4
    assert "<img" not in found["html"].read_text(encoding="utf-8")
    assert r"\toprule" in found["tex"].read_text(encoding="utf-8")
    assert "| Method |" in found["md"].read_text(encoding="utf-8")
    page.get_by_role("link", name="Its misclassified responses").click()
    expect(page).to_have_url(re.compile(r"/errors\?.*method=erring_45"))
    idle(page)
    page.locator(".list tbody tr").first.wait_for(timeout=LONG)
    # One in 45 of the test responses 40 to 119: 45, 90.
    expect(page.locator(".list tbody tr")).to_have_count(2)
