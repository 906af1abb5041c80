"""Training a classifier of one's own: from the form to the heatmap, stop and go on, discard, hostile names."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from groundscope.training import jobs
from groundscope.training.options import Options
from groundscope.training.pairs import parts
from tests.browser.conftest import Heatmap, downloaded, idle, visit
from tests.browser.looks import violations
from tests.browser.methods.finetuning_page import LONG, Panel
from tests.browser.methods.methods_page import App, cells
from tests.browser.site import ROOT, WATCHWORD
from tests.components.labelled_set import cases, rows

HOSTILE = f"<img src=x onerror=alert(1)> **{WATCHWORD}** $x$ ![a](http://192.0.2.1/x.png)"
HOSTILE_FILE = "<img src=x onerror=alert(1)> **b** `c`.jsonl"


@pytest.fixture(scope="module")
def made(started: App, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model that the command has trained."""
    from groundscope.cases.dataset import to_jsonl

    root = tmp_path_factory.mktemp("made")
    (root / "cases.jsonl").write_text(to_jsonl(cases()), encoding="utf-8")
    given = ["--name", "ready", "--base", str(started.models / "fine-tuned"), "--longest", "64", "--epochs", "2", "--quiet"]
    subprocess.run(
        [sys.executable, "-m", "groundscope", "finetune", "--cases", str(root / "cases.jsonl"), *given],
        cwd=ROOT,
        check=True,
        capture_output=True,
        env={**os.environ, "GROUNDSCOPE_DATA": str(root / "data")},
    )
    return root / "data" / "models" / "finetuned" / "ready-folder"


def _put(app: App, folder: Path, name: str = "ready") -> Path:
    place = app.data / "models" / "finetuned" / f"{name}-folder"
    shutil.copytree(folder, place)
    return place


def _anywhere(folder: Path, words: bytes) -> list[str]:
    return [str(p) for p in folder.rglob("*") if p.is_file() and words in p.read_bytes()]


def test_from_an_upload_to_a_method_in_the_heatmap(panel: Panel, page: Page, app: App, tmp_path: Path) -> None:
    panel.load(tmp_path, {HOSTILE_FILE: rows(f" {HOSTILE}")})
    panel.open()
    expect(page.get_by_text("There is none yet. Open the form below")).to_be_visible()
    panel.fill_in(HOSTILE_FILE)
    expect(panel.form).to_contain_text(f"{HOSTILE_FILE}: 10 responses to learn from (train), 6 to steer by (dev). 2 are not used")
    expect(panel.form).to_contain_text("a copy of these cases is in the data folder")
    card = panel.begin("own")
    expect(card).to_contain_text(f"{HOSTILE_FILE} · paper recipe")
    assert list((app.data / "trainings").glob("*.sqlite"))
    # The form is out of the way, and the training outlives the page.
    expect(panel.start).to_have_count(0)
    visit(page, "Cases")
    idle(page)
    panel.open()
    model = panel.model("own")
    expect(model).to_be_visible(timeout=LONG)
    expect(panel.training("own")).to_have_count(0)
    expect(model.locator("h3")).to_have_text("own New")
    expect(model).to_contain_text(re.compile(r"On the 6 pairs of dev macro-F1 (rose|fell|stayed at)"))
    card = model.locator(".gs-card")
    expect(card).to_contain_text("After it")
    expect(card).to_contain_text("cos_sim:minilm")
    # With the job its copy of the cases is gone.
    assert list((app.data / "trainings").iterdir()) == []
    assert _anywhere(app.data / "models", WATCHWORD.encode()) == []
    assert violations(page) == []

    model.get_by_role("button", name="Use in the heatmap").click()
    expect(page).to_have_url(re.compile(r"/heatmap\?.*method=grounding_classifier"))
    found = Heatmap(page).ready()
    assert found.method() == "Grounding classifier own"
    shown = cells(page, "Grounding classifier own")
    assert len(shown) == 8
    assert all(re.fullmatch(r"1\.00|\.\d\d", cell) for cell in shown)
    panel.open()
    expect(model.get_by_role("button", name="Use in the heatmap", exact=True)).to_be_visible()
    row = page.locator(".methods tbody tr", has_text="Grounding classifier own")
    expect(row.locator("td").first).to_have_text("Ready")


@pytest.mark.release
def test_a_training_is_stopped_goes_on_and_is_discarded(panel: Panel, page: Page, app: App, tmp_path: Path) -> None:
    panel.load(tmp_path, {"mine.jsonl": rows()})
    # Its patience is an option of the command alone: from the form, dev would end it before it could be paused.
    options = Options(epochs=900, patience=9000, longest=64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDSCOPE_DATA", str(app.data))
        plan = jobs.planned("long", "mine.jsonl", str(app.models / "fine-tuned"), "paper", options)
        jobs.create(plan, parts(cases()))
    panel.open()
    expect(panel.training("long")).to_contain_text("Not started, 1 model")
    panel.training("long").get_by_role("button", name="Resume").click()
    panel.learning("long")
    assert violations(page) == []
    panel.fill_in("mine.jsonl")
    expect(panel.form.get_by_text("One training at a time")).to_be_visible()
    expect(panel.start).to_be_disabled()
    panel.stop("long")
    stopped = panel.training("long")
    expect(stopped).to_contain_text(re.compile(r"Paused at Training, [\d,]+ of 900"))
    at = int(re.search(r"Paused at Training, ([\d,]+) of", stopped.inner_text()).group(1).replace(",", ""))  # type: ignore[union-attr]
    # Another session sees it too, and the name is taken.
    other = Panel(page.context.new_page(), app).open()
    expect(other.training("long").get_by_role("button", name="Resume")).to_be_visible()
    other.page.close()
    panel.write("Name of the model", "long")
    expect(panel.refusals).to_have_text(
        "There is an unfinished training long. Resume it above, choose another name, or delete it."
    )
    stopped.get_by_role("button", name="Resume").click()
    panel.learning("long")
    step = re.compile(r"Training, ([\d,]+) of 900")
    expect(stopped).to_contain_text(step, timeout=LONG)
    now = int(step.search(stopped.inner_text()).group(1).replace(",", ""))  # type: ignore[union-attr]
    assert now >= at - 2, "it began again from the start"
    panel.stop("long")
    panel.discard(stopped)
    assert list((app.data / "trainings").iterdir()) == []
    assert list((app.data / "models" / "finetuned").iterdir()) == []
    expect(page.get_by_text("There is none yet.")).to_be_visible()


@pytest.mark.release
def test_a_model_can_be_read_taken_along_and_discarded(panel: Panel, page: Page, app: App, made: Path, tmp_path: Path) -> None:
    folder = _put(app, made)
    with (folder / "README.md").open("a", encoding="utf-8") as out:
        out.write(f"\n- {HOSTILE}\n")
    panel.open()
    model = panel.model("ready")
    panel.expand("Model card and files", model.locator(".gs-card"), model)
    card = model.locator(".gs-card")
    expect(card).to_contain_text("On dev")
    # Markdown draws its own marks, and nothing else of the text.
    expect(card).to_contain_text(HOSTILE.replace("**", ""))
    expect(card.locator("img, a")).to_have_count(0)
    assert violations(page) == []
    got = downloaded(model.get_by_role("button", name="Card as Markdown"))
    assert got.suggested_filename == "ready.md"
    assert HOSTILE in got.path().read_text(encoding="utf-8")
    got = downloaded(model.get_by_role("button", name="Folder as ZIP"))
    with zipfile.ZipFile(got.path()) as archive:
        archive.extractall(tmp_path)
    assert (tmp_path / "ready" / "model.safetensors").read_bytes() == (folder / "model.safetensors").read_bytes()

    # A session that shows the model in its heatmap goes on without it.
    other = page.context.new_page()
    reading = Panel(other, app).open()
    reading.model("ready").get_by_role("button", name="Use in the heatmap").click()
    Heatmap(other).ready()
    assert cells(other, "Grounding classifier ready")
    panel.discard(model)
    assert not folder.exists()
    expect(page.locator(".gs-catalogue", has_text="Grounding classifier ready")).to_have_count(0)
    other.locator(".rule summary").click()
    slider = other.get_by_role("slider", name="Threshold of Grounding classifier ready")
    slider.focus()
    other.keyboard.press("End")
    expect(other.locator(".strip", has_text="Grounding classifier ready")).to_have_count(0)
    expect(other.get_by_test_id("stException")).to_have_count(0)
    Heatmap(other).ready()
    other.get_by_role("button", name=re.compile(r"^All \d+ methods")).click()
    assert cells(other, "COS_SIM MiniLM")
    assert cells(other, "Grounding classifier ready") == []


def test_the_form_is_reached_by_keyboard(panel: Panel, page: Page) -> None:
    panel.open()
    panel.form.locator("summary").first.focus()
    page.keyboard.press("Enter")
    expect(panel.start).to_be_visible()
    idle(page)
    focused = "() => { const n = document.activeElement; return n.ariaLabel || n.innerText || n.type || ''; }"
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(str(page.evaluate(focused)).strip())
        if reached[-1] == "Start training":
            break
    assert reached[-1] == "Start training"
    assert any("Name of the model" in name for name in reached)
    assert any("Passes over the pairs" in name for name in reached)
