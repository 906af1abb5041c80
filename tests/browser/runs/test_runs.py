"""The Runs page: start, pause, leave, resume, look at, take away, delete; scores of other tools; a broken folder."""

import json
import re
import zipfile
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from groundscope.grounding.runs.folder import check
from tests.browser.conftest import choose, downloaded, idle, steady, unfold, visit
from tests.browser.runs.conftest import App
from tests.browser.site import PAUSED, WATCHWORD

LONG = 180_000
HOSTILE = f"<img src=x onerror=alert(1)> **{WATCHWORD}** $x$ [a](http://192.0.2.1)"


def open_runs(page: Page, app: App) -> None:
    page.goto(f"{app.address}/runs")
    idle(page)


SLOW = "Grounding classifier SmolLM2"


def start(page: Page, name: str, *without: str) -> Locator:
    """Start a run over the samples' dev split, without the slow method and some others of those offered, and give its card."""
    for method in (SLOW, *without):
        page.get_by_role("button", name=f"Remove {method}").click()
        idle(page)
    choose(page, "Split", "dev")
    page.get_by_role("textbox", name="Name of the run").fill(name)
    page.keyboard.press("Enter")
    idle(page)
    page.get_by_role("button", name="Start", exact=True).click()
    return card(page, name)


def card(page: Page, name: str) -> Locator:
    return page.locator("[class*=st-key-runs_open_], [class*=st-key-run_]").filter(has=page.locator("h2, h3", has_text=name))


def test_a_run_is_paused_left_resumed_looked_at_and_deleted(page: Page, app: App) -> None:
    open_runs(page, app)
    expect(page.get_by_text("Estimate for 421 responses")).to_be_visible()
    begun = start(page, "Own words", "COS_SIM MiniLM", "Cascade")
    expect(begun.get_by_role("button", name="Pause")).to_be_visible(timeout=LONG)
    begun.get_by_role("button", name="Pause").click()
    expect(begun.get_by_text(PAUSED)).to_be_visible(timeout=LONG)
    page.goto(f"{app.address}/methods")
    idle(page)
    open_runs(page, app)
    begun.get_by_role("button", name="Resume").click()
    done = card(page, "Own words")
    expect(done.get_by_role("link", name="Compare")).to_be_visible(timeout=LONG)
    # The results are complete a moment before the process that made them has ended.
    expect(page.locator("[class*=st-key-runs_open_]")).to_have_count(0, timeout=LONG)
    idle(page)
    # While the page is drawn again, the card of before may still stand beside its successor.
    expect(done).to_have_count(1, timeout=LONG)
    expect(done.get_by_text("37 responses of Samples · ")).to_be_visible()
    got = downloaded(done.get_by_role("button", name="Download"))
    folder = app.data / "unpacked"
    with zipfile.ZipFile(got.path()) as archive:
        archive.extractall(folder)
    assert check(next(folder.iterdir()))["name"] == "Own words"
    done.get_by_role("link", name="Compare").click()
    expect(page).to_have_url(re.compile(r"/compare\?run=\d{8}-"))
    idle(page)
    expect(page.get_by_role("heading", name="Compare")).to_be_visible()
    visit(page, "Runs")
    idle(page)
    steady(done)
    yes = page.get_by_role("button", name="Delete it")
    unfold(done.get_by_role("button", name="Delete"), yes)
    yes.click()
    expect(done).to_have_count(0, timeout=LONG)


def test_a_folder_is_opened_and_a_broken_one_says_what_is_wrong(page: Page, app: App, tmp_path: Path) -> None:
    open_runs(page, app)
    unfold(page.get_by_text("Open a run from a folder"), page.get_by_role("textbox", name="Folder"))
    page.get_by_role("textbox", name="Folder").fill(str(tmp_path))
    page.get_by_role("button", name="Open it").click()
    expect(page.get_by_text("There is no manifest.json in this folder")).to_be_visible()
    sample = next((Path(__file__).parents[3] / "sample_data" / "runs").iterdir())
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in sample.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    (copy / "effort.parquet").write_bytes(b"changed")
    page.get_by_role("textbox", name="Folder").fill(str(copy))
    page.get_by_role("button", name="Open it").click()
    expect(page.get_by_text("is not what was written (its hash differs)")).to_be_visible()
    (copy / "effort.parquet").write_bytes((sample / "effort.parquet").read_bytes())
    page.get_by_role("button", name="Open it").click()
    expect(page.get_by_role("button", name="Close")).to_be_visible()
    page.get_by_role("button", name="List it for everyone").click()
    other = page.context.new_page()
    open_runs(other, app)
    other.get_by_role("button", name="Take it off the list").click()
    expect(other.get_by_role("button", name="Take it off the list")).to_have_count(0)
    assert copy.is_dir()


def test_scores_of_another_tool_become_a_method_beside_ours(page: Page, app: App, tmp_path: Path) -> None:
    text = (Path(__file__).parents[3] / "sample_data" / "legal_qa.jsonl").read_text(encoding="utf-8")
    cases = [json.loads(line) for line in text.splitlines()]
    rows = [
        {"user_input": c["query"], "response": c["response"], "retrieved_contexts": [], "faithfulness": 0.5 + 0.4 * c["grounded"]}
        for c in cases
        if c["split"] == "dev"
    ]
    rows.append({"user_input": HOSTILE, "response": HOSTILE, "retrieved_contexts": [], "faithfulness": 1.0})
    path = tmp_path / "ragas.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    open_runs(page, app)
    panel = page.get_by_test_id("stExpander").filter(has_text="Add scores of Ragas")
    unfold(page.get_by_text("Add scores of Ragas"), panel.get_by_test_id("stFileUploaderDropzone"))
    panel.locator("input[type=file]").set_input_files(path)
    expect(page.get_by_text(re.compile(r"Ragas: faithfulness\. 37 of 38 rows match one of 421 cases"))).to_be_visible(
        timeout=LONG
    )
    idle(page)
    begun = start(page, "Theirs", "COS_SIM MiniLM", "Grounding classifier")
    expect(begun.get_by_role("link", name="Compare")).to_be_visible(timeout=LONG)
    expect(begun.get_by_text(re.compile("Ragas: faithfulness"))).to_be_visible()
