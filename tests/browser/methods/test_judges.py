"""Judges worth asking: added by an id, fetched with a click, run on labelled cases; one opens only if it is shown to be right."""

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Heatmap, idle, unfold
from tests.browser.methods.methods_page import LONG, App, Methods


def _add(page: Page, line: str, name: str = "") -> None:
    field = page.get_by_role("textbox", name="Hub id, or folder")
    unfold(page.locator(".st-key-add_entailment_model summary"), field)
    field.fill(line)
    page.get_by_role("textbox", name="Name (optional)").fill(name)
    page.get_by_role("button", name="Add", exact=True).click()
    idle(page)


def test_an_entailment_model_is_added_by_its_id_fetched_and_removed(page: Page, app: App) -> None:
    methods = Methods(page, app)
    _add(page, "someone/entails")
    expect(page.locator(".st-key-method_nli_entails h2")).to_contain_text("NLI someone/entails")
    methods.get("nli:entails")
    expect(methods.told("nli:entails")).to_contain_text("checked")
    expect(methods.state("nli:entails")).to_have_text("Ready")
    methods.go("Heatmap")
    heatmap = Heatmap(page)
    heatmap.ready()
    page.get_by_role("combobox", name="Method").select_option("NLI someone/entails")
    # Of a model with a label for contradiction, a flagged sentence is contradicted or not said.
    expect(page.locator(".why")).to_contain_text(re.compile("reads it so: the sources (say otherwise|do not say it)"))
    methods.go("Methods")
    methods.card("nli:entails").get_by_role("button", name="Remove from the list").click()
    expect(methods.row("nli:entails")).to_have_count(0)


def test_a_model_that_cannot_be_read_is_refused_with_what_to_do(page: Page, app: App) -> None:
    methods = Methods(page, app)
    _add(page, "no model at all")
    expect(page.get_by_role("alert").filter(has_text="Enter a hub id such as")).to_be_visible()
    _add(page, str(app.models / "two-meanings"))
    expect(page.get_by_role("alert").filter(has_text="has 2 labels that mean entailment")).to_be_visible()
    _add(page, "someone/two-meanings", "twice")
    methods.get("nli:twice")
    expect(methods.told("nli:twice")).to_contain_text("has 2 labels that mean entailment among entailment, Entailed, neutral")


def _fetch(page: Page, panel: Locator) -> None:
    panel.get_by_role("button", name="Get weights").click()
    page.get_by_test_id("stPopoverBody").get_by_role("button", name=re.compile("Download")).click()


def test_a_strong_judge_is_set_up_step_by_step(page: Page, app: App) -> None:
    methods = Methods(page, app)
    advice = page.locator(".gs-advice")
    expect(advice).to_contain_text("no chat model is set up")
    expect(advice).to_contain_text("Next: set up LettuceDetect base (600 MB)")
    panel = page.locator(".st-key-strong_judge_panel")
    unfold(panel.locator("summary").first, panel.get_by_role("button", name="Get weights"))
    # What the hub hands out does not mark what its publisher prints.
    _fetch(page, panel)
    expect(panel.get_by_text("do not mark what their publisher prints")).to_be_visible(timeout=LONG)
    panel.get_by_role("radio", name="NLI DeBERTa-v3-base").check(force=True)
    idle(page)
    _fetch(page, panel)
    expect(panel.get_by_text("NLI DeBERTa-v3-base is ready.")).to_be_visible(timeout=LONG)
    expect(panel.get_by_text("There is none yet")).to_be_visible()
    panel.get_by_role("button", name="Start").click()
    expect(page.get_by_role("status").or_(page.get_by_role("alert")).filter(has_text="is running")).to_be_visible()
    for _ in range(60):
        page.wait_for_timeout(4_000)
        methods.go("Cases")
        methods.go("Methods")
        unfold(panel.locator("summary").first, panel.get_by_role("button", name="Start"))
        if panel.get_by_role("button", name="Open the heatmap with it").count():
            break
    # Random weights: it is not shown to be right, and so cannot open the heatmap.
    expect(panel).to_contain_text(re.compile(r"AUROC 0\.\d\d by sentence"))
    expect(panel).to_contain_text("It is not shown to do better than chance.")
    expect(panel.get_by_role("button", name="Open the heatmap with it")).to_be_disabled()
    settings = Path(app.data, "settings.json")
    assert not settings.exists() or "opening_method" not in settings.read_text(encoding="utf-8")
