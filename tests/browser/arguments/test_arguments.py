"""3-ply arguments in a real browser: what is there at once, triples, a run, what is pasted, and how the page looks."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.arguments.conftest import HOSTILE, Arguments
from tests.browser.conftest import WATCHWORD, downloaded, idle, steady
from tests.browser.test_looks import picture, violations

PATIENCE = 90_000


def test_without_any_model_the_page_shows_how_flawed_arguers_argue(arguments: Arguments) -> None:
    page = arguments.open().page
    expect(page.locator(".gs-lead").first).to_contain_text("Argues most where nothing can be argued: Never abstains")
    argument = page.get_by_role("region", name="Argument", exact=True)
    expect(argument).to_contain_text("Plaintiff's argument")
    expect(argument).to_contain_text("Defendant's counterargument")
    expect(argument).to_contain_text("Plaintiff's rebuttal")
    expect(argument.locator("mark").first).to_be_visible()
    assert argument.locator("mark.gs-right").count() > 0
    expect(page.get_by_role("region", name="Triple", exact=True).locator("thead")).to_contain_text("TSC1")


def test_a_click_on_a_figure_lists_its_arguments(arguments: Arguments) -> None:
    page = arguments.open().tab("Factors").page
    bars = page.locator(".st-key-chart_arguments_factors .trace.bars").nth(1).locator(".point path")
    expect(bars.first).to_be_attached()
    wide = next(i for i in range(bars.count()) if (bars.nth(i).bounding_box() or {"width": 0})["width"] > 4)
    # Plotly's own layer lies above its bars and takes the clicks.
    box = steady(bars.nth(wide))
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.get_by_text(re.compile(r"^\d+ of 180 arguments"))).not_to_have_text(re.compile("^180 of"))
    idle(page)
    expect(page.get_by_role("region", name="Argument", exact=True).locator("mark.gs-invented").first).to_be_visible()
    expect(page.get_by_text("What goes wrong")).to_be_visible()


@pytest.mark.parametrize(
    ("tab", "figure", "listed", "test"),
    [
        ("Accuracy and recall", "against", "12 of 180 arguments", re.compile("arguable|reordered")),
        ("Complexity", "levels_acc_h", "8 of 180 arguments", "arguable and reordered"),
        ("Abstention wording", "abstention", "12 of 180 arguments", "non-arguable"),
    ],
)
def test_a_click_on_a_point_lists_what_the_point_is_of(
    arguments: Arguments, tab: str, figure: str, listed: str, test: str | re.Pattern[str]
) -> None:
    page = arguments.open().tab(tab).page
    arguments.point(figure)
    expect(page.get_by_text(listed)).to_be_visible()
    expect(arguments.chosen("Test")).to_have_value(test)
    expect(arguments.chosen("Model")).not_to_have_value("All")


def test_a_click_on_a_bar_lists_as_many_arguments_as_the_bar_counts_whatever_was_filtered(arguments: Arguments) -> None:
    page = arguments.open().tab("Abstention wording").page
    arguments.point("abstention", 1)
    expect(arguments.chosen("Test")).to_have_value("non-arguable")
    expect(arguments.chosen("Model")).to_have_value("Invents factors")
    arguments.tab("Factors")
    expect(page.get_by_text("Of Invents factors.")).to_be_visible()
    bars = page.locator(".st-key-chart_arguments_factors .trace.bars").nth(1).locator(".point path")
    box = steady(bars.first)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    idle(page)
    expect(arguments.chosen("How")).to_have_value("Invented")
    expect(arguments.chosen("Test")).to_have_value("All")
    expect(arguments.chosen("Model")).to_have_value("Invents factors")
    expect(page.get_by_text(re.compile(r"^[1-9]\d* of 180 arguments"))).to_be_visible()


def test_a_click_on_a_cell_of_the_table_lists_its_arguments(arguments: Arguments) -> None:
    page = arguments.open().page
    box = steady(page.locator(".st-key-arguments_table canvas").first)
    # Rows are 35 pixels high under a head of as many; the last column is abstention, the last row never abstains.
    page.mouse.click(box["x"] + box["width"] - 60, box["y"] + 5.5 * 35)
    expect(page.get_by_text("12 of 180 arguments")).to_be_visible()
    idle(page)
    expect(page.get_by_text("It argues where it should abstain.")).to_be_visible()


def test_triples_are_made_looked_at_exported_and_argued(arguments: Arguments, tmp_path: Path) -> None:
    page = arguments.open().tab("Triples").page
    page.get_by_label("Triples a test and complexity").fill("4")
    arguments.click("Make triples")
    region = page.get_by_role("region", name="Triple", exact=True)
    expect(region).to_contain_text("shared with TSC1")
    got = downloaded(page.get_by_role("button", name="Export as JSONL"))
    got.save_as(tmp_path / "t.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text("utf-8").splitlines()]
    assert [r["test"] for r in rows] == ["arguable"] * 4 + ["reordered"] * 4 + ["non-arguable"] * 4
    arguments.tab("Write arguments")
    expect(page.get_by_text("60 arguments. Everything is kept")).to_be_visible()
    arguments.click("Start")
    arguments.tab("Results")
    expect(page.get_by_text("Not finished")).to_have_count(0, timeout=PATIENCE)
    page.goto(f"{arguments.app.address}/arguments")
    idle(page)
    expect(page.get_by_text("60 arguments about 12 triples")).to_be_visible(timeout=PATIENCE)
    arguments.tab("Options and export").click("Delete this run")
    arguments.click("Delete it")
    expect(page.get_by_text("180 arguments about 36 triples")).to_be_visible()


def test_a_pasted_argument_is_coloured_and_nothing_of_it_runs(arguments: Arguments) -> None:
    text = json.dumps({"argument": f"TSC1 had F99 and F9. {HOSTILE} {WATCHWORD}", "counterargument": "", "rebuttal": "x"})
    page = arguments.open().paste(f"<think>F1 in TSC1 {WATCHWORD}</think>{text}", HOSTILE).page
    argument = page.get_by_role("region", name="Argument", exact=True)
    expect(argument.locator("mark.gs-invented")).to_have_count(2)
    expect(argument).to_contain_text(HOSTILE)
    expect(page.get_by_text("The model's thinking was left out.")).to_be_visible()
    assert WATCHWORD not in page.url
    for tab in ("Accuracy and recall", "Factors", "Complexity", "Abstention wording", "Options and export"):
        arguments.tab(tab)
    assert page.locator("img[src='x']").count() == 0


def test_a_very_long_argument_and_an_empty_one_are_taken_as_they_are(arguments: Arguments) -> None:
    page = arguments.open().paste("TSC1 had F4. " * 8_000 + "x" * 20_000).page
    argument = page.get_by_role("region", name="Argument", exact=True)
    expect(argument.locator("mark").first).to_be_visible(timeout=PATIENCE)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    arguments.paste("   ")
    expect(page.get_by_text("There is no argument yet; paste one.")).to_be_visible()
    arguments.paste("<think>only thinking", "Silent")
    expect(page.get_by_text("It says nothing, so there is nothing to measure.")).to_be_visible()


def test_another_domain_is_loaded_and_a_bad_one_named(arguments: Arguments) -> None:
    page = arguments.open().tab("Triples").page
    arguments.click("Factors of another domain")
    upload = page.locator(".st-key-arguments_catalogue input[type=file]")
    upload.set_input_files(arguments.app.files / "bad.csv")
    idle(page)
    expect(page.get_by_role("alert").filter(has_text="row 1: 'side' must be P or D")).to_be_visible()
    upload.set_input_files(arguments.app.files / "leases.csv")
    idle(page)
    page.keyboard.press("Escape")
    expect(page.get_by_text("The 12 factors")).to_be_visible()
    arguments.click("Make triples")
    expect(page.get_by_role("region", name="Triple", exact=True)).to_contain_text("Lease-term-")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 1024])
def test_the_page_is_accessible_and_fits(arguments: Arguments, scheme: str, width: int) -> None:
    page = arguments.page
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 1500})
    arguments.open()
    inside = ("Arguments", "Accuracy and recall", "Factors", "Complexity", "Abstention wording", "Options and export")
    for tab in (*inside, "Triples", "Write arguments", "Paste or load"):
        arguments.tab(tab)
        picture(page, f"arguments-{tab.split()[0].lower()}-{scheme}-{width}")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), f"{tab} scrolls sideways"
        assert violations(page) == [], tab


def test_without_a_mouse_an_argument_is_reached_and_read(arguments: Arguments) -> None:
    page = arguments.open().page
    tab = page.get_by_role("tab", name="Arguments", exact=True)
    tab.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    idle(page)
    expect(page.get_by_role("tab", name="Accuracy and recall")).to_have_attribute("aria-selected", "true")
    for name in ("Argument", "Triple"):
        region = page.get_by_role("region", name=name, exact=True)
        region.focus()
        expect(region).to_be_focused()
