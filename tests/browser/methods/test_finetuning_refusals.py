"""What the fine-tuning panel refuses, and that it says so in a sentence in its place."""

import shutil
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import choose
from tests.browser.methods.finetuning_page import LONG, Panel
from tests.browser.methods.methods_page import App
from tests.components.labelled_set import rows

CANNOT_TEACH: dict[str, tuple[dict[str, object], str]] = {
    "bare.jsonl": ({"grounded": None}, "These cases have no labels, so there is nothing to learn from"),
    "one-class.jsonl": ({"grounded": True}, "needs grounded and ungrounded responses"),
    "two-splits.jsonl": ({"group": "same"}, "has responses in two splits, train and dev"),
    "only-test.jsonl": ({"split": "test"}, "No labelled case is in the split train; there are test."),
}


def test_a_set_that_cannot_teach_is_refused_in_place(panel: Panel, page: Page, tmp_path: Path) -> None:
    panel.load(tmp_path, {name: rows(**changes) for name, (changes, _) in CANNOT_TEACH.items()})
    panel.open()
    panel.fill_in(None, base=None)
    for name, (_, words) in CANNOT_TEACH.items():
        choose(page, "Labelled cases", name)
        expect(panel.refusals).to_contain_text(words)
        expect(panel.refusals).to_have_role("alert")
        expect(panel.start).to_have_count(0)


def test_names_bases_and_settings_that_mean_nothing_are_refused_in_place(panel: Panel, app: App) -> None:
    decoder = app.models / "decoder"
    decoder.mkdir(exist_ok=True)
    (decoder / "config.json").write_text('{"model_type": "<b>gpt2</b>"}', encoding="utf-8")
    panel.open()
    panel.fill_in(None)
    for label, value, words in (
        ("Name of the model", "<img src=x>", "A model's name has 1 to 40 small letters"),
        ("Name of the model", "../up", "A model's name has 1 to 40 small letters"),
        ("Folder, or id on the hub", "", "Name the folder of the base"),
        ("Folder, or id on the hub", "/no/<b>such</b>", "/no/<b>such</b>"),
        ("Folder, or id on the hub", str(decoder), "is of type bgpt2b, not an encoder"),
        ("Folder, or id on the hub", str(app.models / "asks-for-code"), "auto_map"),
        ("Folder, or id on the hub", "microsoft/deberta-v3-large", "microsoft/deberta-v3-large"),
    ):
        panel.write(label, value)
        expect(panel.refusals).to_contain_text(words)
        expect(panel.start).to_be_disabled()
        panel.write(label, "fine" if label.startswith("Name") else str(app.models / "fine-tuned"))
        expect(panel.refusals).to_have_count(0)
    for label, value, words in (
        ("Longest input, tokens", "400", "The base reads 128 tokens at most, not 400"),
        ("Longest input, tokens", "3", "longest at least 16 tokens"),
        ("Passes over the pairs", "0", "Epochs must lie above 0"),
        ("Pairs per step", "-1", "must be at least 1"),
    ):
        panel.write(label, value, "spinbutton")
        expect(panel.refusals).to_contain_text(words)
        panel.write(label, "64" if label.startswith("Longest") else "1", "spinbutton")
        expect(panel.refusals).to_have_count(0)
    expect(panel.start).to_be_enabled()


def test_what_the_process_refuses_is_said_in_its_sentence(panel: Panel, page: Page, app: App) -> None:
    hollow = shutil.copytree(app.models / "fine-tuned", app.models / "hollow", dirs_exist_ok=True)
    (hollow / "model.safetensors").write_bytes(b"no weights")
    panel.open()
    panel.fill_in(None, base="hollow")
    panel.write("Name of the model", "hollow")
    panel.start.click()
    said = page.locator(".gs-notice.bad", has_text="hollow was not trained: ")
    expect(said).to_be_visible(timeout=LONG)
    assert "Traceback" not in said.inner_text()
    assert said.inner_text().endswith(".")
    expect(panel.training("hollow")).to_have_count(0)
    assert not (app.data / "trainings" / "hollow").exists()
