"""On the cases page: variants that a chat model writes."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.asking.asking_page import LONG, App, Methods, go
from tests.browser.conftest import choose, downloaded, idle, open_tab, steady, unfold
from tests.browser.looks import violations
from tests.browser.scripted import HOSTILE, MODEL, SECOND
from tests.browser.site import ROOT
from tests.browser.test_entry import CASE_FILES

TAB = "Samples and loaded cases"


def test_a_model_writes_variants_that_are_checked_and_can_be_stopped(page: Page, app: App) -> None:
    Methods(page, app).use()
    go(page, "Cases")
    page.get_by_role("tab", name=TAB).click()
    table = page.get_by_test_id("stDataFrame").last
    steady(table)
    table.locator(".dvn-scroller").click(position={"x": 16, "y": 52})
    panel = page.locator("summary", has_text="Make ungrounded variants of this answer")
    expect(panel).to_be_visible(timeout=LONG)
    idle(page)
    panel.click()
    idle(page)
    told = page.locator(".st-key-model_variants .gs-privacy")
    expect(told).to_contain_text("This case's question, sources and answer go to 127.1.")
    expect(page.locator(".st-key-model_variants tr", has_text=MODEL)).to_contain_text(
        re.compile(r"1 to 2 calls.*at most \$0\.\d+")
    )
    assert app.calls() == 0
    app.script.gate.clear()
    make = page.locator(".st-key-model_variants").get_by_role("button", name="Send to 127.1 and start for this answer")
    steady(make)
    make.click()
    page.get_by_role("button", name="Pause", exact=True).click(timeout=LONG)
    resume = page.get_by_role("button", name="Resume", exact=True)
    expect(resume).to_be_visible(timeout=LONG)
    app.script.gate.set()
    idle(page)
    resume.click()
    expect(page.get_by_text("1 variant, each labelled ungrounded")).to_be_visible(timeout=LONG)
    expect(page.get_by_text(HOSTILE, exact=True)).to_be_visible()
    expect(page.locator("ins", has_text="Neptune")).to_be_visible()
    expect(page.get_by_text("% as long as the answer, and 80 to 125 % are allowed.")).to_be_visible()
    assert app.calls() <= 2


def pick(page: Page, *lines: str) -> None:
    """Choose the chat models that write."""
    box = page.get_by_role("combobox", name="Chat models as writers")
    for line in lines:
        option = page.get_by_role("option", name=line, exact=True)
        unfold(box, option)
        option.click()
        page.keyboard.press("Escape")
        idle(page)


@pytest.mark.release
def test_chat_models_write_variants_of_a_whole_set_which_can_be_stopped_and_has_a_card(
    page: Page, app: App, tmp_path: Path
) -> None:
    name = "<b>set</b> $x$ ![i](x).jsonl".replace("/", "\u2215")
    samples = (ROOT / "sample_data" / "legal_qa.jsonl").read_text("utf-8").splitlines()
    sound = [line for line in samples if json.loads(line)["grounded"]][:6]
    (tmp_path / name).write_text("\n".join(sound), encoding="utf-8")
    Methods(page, app).use()
    go(page, "Cases")
    open_tab(page, "Upload")
    page.locator(CASE_FILES).set_input_files(tmp_path / name)
    page.get_by_role("button", name="Browse this set").click()
    idle(page)
    folded, make = page.get_by_text("Create a new set from this one"), page.get_by_role("button", name="Make a set of variants")
    unfold(folded, make)
    pick(page, f"anthropic:{MODEL}")
    expect(page.get_by_text("Question, sources and text of 6 grounded answers go to each model")).to_be_visible()
    row = page.locator("tr", has_text=f"anthropic:{MODEL}").filter(has_text="6 to 12 calls")
    expect(row).to_have_text(re.compile(r"6 to 12 calls\s*go to 127\.1\s*at most \$0\.\d+"))
    assert app.calls() == 0
    app.script.stock = 4
    send = page.locator(".st-key-vary_start").get_by_role("button", name="Send to 127.1 and start", exact=True)
    send.click()
    expect(page.get_by_text("4 of 6 answers")).to_be_visible(timeout=LONG)
    # It is there whichever set is browsed.
    choose(page, "Set", "Samples")
    expect(page.get_by_text("4 of 6 answers")).to_be_visible()
    page.get_by_role("button", name="Pause", exact=True).click()
    early = page.get_by_role("button", name="Create the set of what is there")
    expect(early).to_be_visible(timeout=LONG)
    early.click()
    stopped = page.get_by_text("It was stopped by hand. 2 grounded answers were not reached.")
    expect(stopped).to_be_visible(timeout=LONG)
    app.script.stock = None
    made = page.get_by_text(f"Created: the set “Variants of {name} by 1 chat model, seed 0” with 12 cases")
    expect(made).to_be_visible()
    idle(page)
    page.get_by_role("button", name="Resume", exact=True).click()
    whole = page.get_by_text(f"Created: the set “Variants of {name} by 1 chat model, seed 0” with 18 cases")
    expect(whole).to_be_visible(timeout=LONG)
    idle(page)
    # Replies that came are not asked for again, and another model writes beside the first.
    choose(page, "Set", name)
    another = page.get_by_role("button", name="Another chat model")
    unfold(folded, another)
    typed = page.get_by_role("textbox", name="Another chat model")
    unfold(another, typed)
    typed.fill(f"anthropic:{SECOND}")
    typed.press("Enter")
    idle(page)
    page.keyboard.press("Escape")
    pick(page, f"anthropic:{SECOND}")
    page.get_by_text("Also edit by rules").click()
    idle(page)
    send.click()
    expect(page.get_by_text(f"Created: the set “Variants of {name} by 2 chat models, seed 0” with 18 cases")).to_be_visible(
        timeout=LONG
    )
    idle(page)
    assert len({(asked.body["model"], asked.unmarked) for asked in app.server.asked}) == 12
    # A call that was under way when it was paused may be asked again.
    assert app.calls() <= 14
    expect(page.locator("tr", has_text="near-copy")).to_contain_text("highest cosine", timeout=120_000)
    idle(page)
    card = page.get_by_role("region", name="Card of Variants of")
    unfold(page.get_by_text("Card of this set"), card)
    for line in (MODEL, SECOND):
        expect(card.get_by_role("row", name=f"anthropic:{line} 6", exact=True)).to_be_visible()
    expect(card.locator("tr", has_text="Legal edits")).to_have_text(re.compile("none"))
    expect(card.locator("tr", has_text="near-copy")).to_contain_text("highest cosine")
    assert card.locator("b, img").count() == 0
    assert violations(page) == []
    text = Path(downloaded(page.get_by_role("button", name="Download its card")).path()).read_text("utf-8")
    assert text.startswith("# Variants of &lt;b>set")
    assert f"| anthropic:{SECOND} | 6 |" in text
