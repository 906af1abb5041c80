"""3-ply arguments in a real browser: what is there at once, triples, a run, what is pasted, and how the page looks."""

import json
import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.arguments.conftest import HOSTILE, Arguments
from tests.browser.conftest import choose, idle, unfold
from tests.browser.looks import violations
from tests.browser.scripted import MODEL
from tests.browser.site import WATCHWORD, Site
from tests.llm_server import Fault

PATIENCE = 120_000


def test_without_any_model_the_page_shows_how_flawed_arguers_argue_to_keyboards_too(arguments: Arguments) -> None:
    page = arguments.open().page
    expect(page.locator(".gs-lead").first).to_contain_text("Argues most where nothing can be argued: “Never abstains”")
    argument, triple = (page.get_by_role("region", name=name, exact=True) for name in ("Argument", "Triple"))
    expect(argument).to_contain_text("Plaintiff's argument")
    expect(argument).to_contain_text("Defendant's counterargument")
    expect(argument).to_contain_text("Plaintiff's rebuttal")
    expect(argument.locator("mark").first).to_be_visible()
    assert argument.locator("mark.gs-right").count() > 0
    expect(triple.locator("thead")).to_contain_text("TSC1")
    for region in (argument, triple):
        region.focus()
        expect(region).to_be_focused()
    figures = page.get_by_role("region", name="Models by tests")
    for width in (1440, 1024):
        page.set_viewport_size({"width": width, "height": 900})
        assert figures.evaluate("node => node.scrollWidth <= node.clientWidth")
    choose(page, "Model", "Never abstains")
    choose(page, "Test", "non-arguable")
    expect(page.get_by_text("12 of 180 arguments")).to_be_visible()
    idle(page)
    expect(page.get_by_text("It argues where it should abstain.")).to_be_visible()
    tab = page.get_by_role("tab", name="Arguments", exact=True)
    tab.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    idle(page)
    expect(page.get_by_role("tab", name="Accuracy and recall")).to_have_attribute("aria-selected", "true")


def bars(arguments: Arguments) -> Locator:
    return arguments.page.locator(".st-key-chart_arguments_factors .trace.bars").nth(1).locator(".point path")


def test_a_click_on_a_bar_lists_as_many_arguments_as_the_bar_counts_whatever_was_filtered(arguments: Arguments) -> None:
    page = arguments.open().tab("Factors").page
    expect(bars(arguments).first).to_be_attached()
    wide = next(i for i in range(bars(arguments).count()) if (bars(arguments).nth(i).bounding_box() or {"width": 0})["width"] > 4)
    arguments.press(bars(arguments).nth(wide))
    expect(page.get_by_text(re.compile(r"^\d+ of 180 arguments"))).not_to_have_text(re.compile("^180 of"))
    expect(page.get_by_role("region", name="Argument", exact=True).locator("mark.gs-invented").first).to_be_visible()
    expect(page.get_by_text("What goes wrong")).to_be_visible()

    arguments.tab("Complexity").point("levels_acc_h", 3)
    expect(page.get_by_text("8 of 180 arguments")).to_be_visible()
    expect(arguments.chosen("Test")).to_have_value("arguable and reordered")
    expect(arguments.chosen("Model")).to_have_value("Invents factors")
    arguments.tab("Factors")
    expect(page.get_by_text("Of Invents factors.")).to_be_visible()
    arguments.press(bars(arguments).first)
    expect(arguments.chosen("How")).to_have_value("Invented")
    expect(arguments.chosen("Test")).to_have_value("All")
    expect(arguments.chosen("Model")).to_have_value("Invents factors")
    expect(page.get_by_text(re.compile(r"^[1-9]\d* of 180 arguments"))).to_be_visible()


@pytest.mark.release
def test_a_run_that_asks_a_model_is_paused_and_resumed_by_keyboard_and_says_why_it_stopped(
    arguments: Arguments, the_site: Site
) -> None:
    page = arguments.open().tab("Write arguments").page
    body = page.get_by_test_id("stPopoverBody")
    unfold(page.get_by_role("button", name="Another chat model"), body)
    body.get_by_role("textbox").first.fill(f"anthropic:{MODEL}")
    page.keyboard.press("Enter")
    idle(page)
    page.keyboard.press("Escape")
    expect(page.get_by_text("36 arguments. Everything is saved")).to_be_visible()
    page.get_by_role("spinbutton", name="US dollars at most").fill("0.5")
    page.keyboard.press("Tab")
    idle(page)
    card = page.locator("[class*=st-key-arguments_open]")
    pause, resume = (card.get_by_role("button", name=name, exact=True) for name in ("Pause", "Resume"))
    the_site.script.gate.clear()
    try:
        arguments.click("Send to 127.1 and start")
        expect(card.get_by_text("0 of 36 arguments")).to_be_visible(timeout=PATIENCE)
        expect(card).to_contain_text("without an answer yet may add", timeout=PATIENCE)
        expect(card).to_contain_text("It may spend $0.50 in all.")
        pause.press("Enter")
        expect(card).to_contain_text("Paused at 0 of 36 arguments", timeout=PATIENCE)
    finally:
        the_site.script.gate.set()
    # What stops by a fault says so; the budget can be changed before it goes on.
    the_site.model.faults[:] = [Fault("status", status=401)]
    resume.press("Enter")
    expect(card).to_contain_text("answered 401: the key is not valid", timeout=PATIENCE)
    expect(card).to_contain_text("Stopped at 0 of 36 arguments")
    the_site.model.faults.clear()
    unfold(card.get_by_role("button", name="Budget"), body)
    body.get_by_role("spinbutton", name="Calls at most").fill("900")
    body.get_by_role("button", name="Set the budget").click()
    expect(card).to_contain_text("It may spend $0.50 and 900 calls in all.")
    page.keyboard.press("Escape")
    assert violations(page) == []
    resume.press("Enter")
    expect(page.get_by_text("Not finished")).to_have_count(0, timeout=PATIENCE)
    page.goto(f"{arguments.address}/arguments")
    idle(page)
    expect(page.get_by_text("36 arguments about 36 triples")).to_be_visible(timeout=PATIENCE)
    arguments.tab("Options and export").click("Delete this run")
    arguments.click("Delete it")
    expect(page.get_by_text("180 arguments about 36 triples")).to_be_visible()


def test_hostile_long_and_empty_pasted_arguments_are_coloured_and_nothing_of_them_runs(arguments: Arguments) -> None:
    text = json.dumps({"argument": f"TSC1 had F99 and F9. {HOSTILE} {WATCHWORD}", "counterargument": "", "rebuttal": "x"})
    page = arguments.open().paste(f"<think>F1 in TSC1 {WATCHWORD}</think>{text}", HOSTILE).page
    argument = page.get_by_role("region", name="Argument", exact=True)
    expect(argument.locator("mark.gs-invented")).to_have_count(2)
    expect(argument).to_contain_text(HOSTILE)
    expect(page.get_by_text("The model's thinking was left out.")).to_be_visible()
    assert WATCHWORD not in page.url
    for tab in ("Accuracy and recall", "Factors", "Complexity", "Options and export"):
        arguments.tab(tab)
    assert page.locator("img[src='x']").count() == 0
    arguments.paste("TSC1 had F4. " * 8_000 + "x" * 20_000)
    expect(argument.locator("mark").first).to_be_visible(timeout=PATIENCE)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    arguments.paste("   ")
    expect(page.get_by_text("Paste an argument first.")).to_be_visible()
    arguments.paste("<think>only thinking", "Silent")
    expect(page.get_by_text("There is no argument. By the paper’s formulas that is an abstention")).to_be_visible()
