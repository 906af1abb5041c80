"""The Sensitivity page: from a number to its pairs, and from a pair to the heatmap, by mouse and by keyboard."""

import re
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from groundscope.cases.dataset import read
from groundscope.experiments.plan import Part
from groundscope.grounding.parts import described
from groundscope.grounding.runs import planning
from groundscope.grounding.runs.store import FOLDER
from groundscope.grounding.sensitivity.pairs import SOURCE, make
from groundscope.methods import registry
from tests.browser.conftest import Heatmap, idle
from tests.browser.runs.conftest import App
from tests.groundscope.grounding.runs.scripted import judge

METHODS = ("overlap", "quip")
SAMPLES = Path(__file__).parents[3] / "sample_data" / "legal_qa.jsonl"


@pytest.fixture
def pairs_run(app: App, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(app.data))
    loaded = {m: registry.load(m) for m in METHODS}
    parts = [described(Part(m), method) for m, method in loaded.items()]
    pairs = make(read(SAMPLES.name, SAMPLES.read_bytes()).cases[:40], 120)
    made = planning.begin("Edits of samples", f"{SOURCE}Samples", pairs.cases, parts, timed=False)
    with closing(FOLDER.open(made)) as file:
        assert judge(file, loaded).finished
    return made


def test_a_number_leads_to_its_pairs_and_a_pair_to_the_heatmap(page: Page, app: App, pairs_run: str) -> None:
    page.goto(f"{app.address}/sensitivity?run={pairs_run}")
    idle(page)
    matrix = page.get_by_role("region", name="Errors noticed, by what was changed and method")
    expect(matrix.get_by_role("columnheader", name=re.compile("Overlap"))).to_be_visible()
    cell = matrix.get_by_role("button").first
    cell.focus()
    page.keyboard.press("Enter")
    pairs = page.locator(".st-key-sensitivity_list")
    expect(pairs.get_by_text("Sentence", exact=True).first).to_be_visible()
    idle(page)
    # What was asked for is what the window shows, and where the keyboard goes on.
    expect(pairs).to_be_in_viewport()
    expect(pairs).to_be_focused()
    expect(cell).to_have_attribute("aria-pressed", "true")
    pairs.get_by_role("button", name="Open the copy").first.click()
    expect(page).to_have_url(re.compile("/heatmap"))
    Heatmap(page).ready()
