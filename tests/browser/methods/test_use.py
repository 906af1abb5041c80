"""The methods page: options, kept results, the queue, accessibility and the keyboard."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Heatmap, idle, visit
from tests.browser.looks import looks, sound
from tests.browser.methods.methods_page import CASE, LONG, App, Methods, cells, heatmap
from tests.browser.site import WATCHWORD
from tests.browser.test_entry import paste

FIRST = "Overlap"
"""The method that the list opens with."""


def test_options_hold_for_a_session_lead_back_and_refuse_what_means_nothing(page: Page, app: App) -> None:
    app.use(grounding_classifier="fine-tuned")
    methods, gc = Methods(page, app), "grounding_classifier"
    options = methods.options(gc)
    signature, prune = options.locator(".gs-signature"), options.get_by_role("spinbutton", name="Read only the nearest")
    unit = options.get_by_role("combobox", name="Context unit")
    expect(signature).to_contain_text("|unit=sentence|window=3|aggregation=min|prune=0")
    for box, value in ((prune, "2"), (unit, "passage")):
        box.fill(value)
        box.press("Enter")
        idle(page)
    expect(signature).to_contain_text("|unit=passage|")
    expect(signature).to_contain_text("prune=2 nearest by sentence-transformers/all-MiniLM-L6-v2")
    expect(options.locator("summary")).to_have_text(re.compile("Options, 2 changed$"))
    methods.go("Heatmap")
    Heatmap(page).ready()
    changed = cells(page, "Grounding classifier")
    reading = Heatmap(page).all_methods().page.locator(".strip tbody tr", has_text="Grounding classifier").locator("td").last
    expect(reading).to_have_attribute("title", re.compile("only the 2 nearest context units were read"))
    other = page.context.new_page()
    heatmap(other, app)
    usual = cells(other, "Grounding classifier")
    assert len(usual) == len(changed) == 8
    assert usual != changed

    methods.go("Methods")
    methods.options(gc)
    expect(prune).to_have_value("2")
    options.get_by_role("button", name="Restore defaults").click()
    expect(signature).to_contain_text("|unit=sentence|window=3|aggregation=min|prune=0")
    expect(prune).to_have_value("0")
    expect(unit).to_have_value("sentence")
    idle(page)
    methods.go("Heatmap")
    Heatmap(page).ready()
    assert cells(page, "Grounding classifier") == usual

    methods.go("Methods")
    options = methods.options("quip")
    box = options.get_by_role("spinbutton", name="Characters")
    for value, kept in (("30", "30"), ("0", "30")):
        box.fill(value)
        box.press("Enter")
        expect(options.locator(".gs-signature")).to_contain_text(f"quip|n={kept}|")
        idle(page)
    expect(options.get_by_role("alert")).to_have_text(
        "Characters must be a whole number of at least 1, such as 21, got 0. The previous value stays."
    )
    expect(box).to_have_value("30")


def _paste_here(page: Page, response: str) -> None:
    """Paste a case in the session that is open, and have it scored."""
    visit(page, "Cases")
    page.get_by_role("textbox", name="Text of source 1").fill(f"The {WATCHWORD} notice must be given within 30 days.")
    page.get_by_role("textbox", name="Response: the answer").fill(response)
    page.get_by_role("button", name="Check the answer").click()
    page.locator(".pane .s", has_text=response).wait_for()
    Heatmap(page).ready()


def test_results_of_cross_encoders_are_kept_but_not_those_of_pasted_text(page: Page, app: App) -> None:
    app.use(grounding_classifier="fine-tuned")
    app.forget()
    heatmap(page, app)
    pairs = app.pairs()
    assert pairs >= 8 * 24
    other = page.context.new_page()
    heatmap(other, app)
    Heatmap(other).all_methods()
    other.locator(".strip").get_by_role("button", name="Grounding classifier", exact=True).click()
    expect(other.locator(".rule")).to_contain_text("all from saved results")
    other.close()

    _paste_here(page, "The notice must be given within 60 days.")
    assert app.pairs() == pairs
    page.get_by_role("link", name="⚙ Methods").click()
    expect(page.get_by_text(re.compile(r"Now: \d+ kB of at most 256 MB"))).to_be_visible()
    page.get_by_text("Also save results of pasted text").click()
    idle(page)
    _paste_here(page, "The notice must be given within 90 days.")
    assert app.pairs() == pairs + 1
    page.get_by_role("link", name="⚙ Methods").click()
    page.get_by_role("button", name="Delete all saved results").click()
    expect(page.get_by_text("All saved results are deleted.")).to_be_visible()
    assert app.pairs() == 0


def test_a_long_case_of_one_session_keeps_no_other_session_waiting(page: Page, app: App) -> None:
    app.use(grounding_classifier="fine-tuned")
    context, response = (
        " ".join(f"{who} {i} was awarded costs." for i in range(n)) for who, n in (("Tenant", 1500), ("He", 100))
    )
    paste(page, app.address, "Who paid?", context, response)
    scoring = page.get_by_text(re.compile(r"Grounding classifier: Scoring, \d+ %|Waiting for its turn"))
    expect(scoring.first).to_be_visible(timeout=LONG)
    other = page.context.new_page()
    other.goto(f"{app.address}{CASE}")
    Heatmap(other).ready()
    assert len(cells(other, "Grounding classifier")) == 8
    expect(scoring.first).to_be_visible(timeout=LONG)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled. Finished methods are shown.")).to_be_visible(timeout=LONG)


def test_the_page_is_accessible_and_fits(page: Page, app: App) -> None:
    app.use(grounding_classifier="fine-tuned")
    methods = Methods(page, app)
    methods.use("hem_v2", "/no/such/folder", "Folder of google/flan-t5-base")
    methods.told("hem_v2")
    methods.options("grounding_classifier")
    for look, name, links in zip(looks(page), ("Get weights", "Use a folder"), (2, 0), strict=True):
        expect(methods.open("hem_v2", name).get_by_role("link")).to_have_count(links)
        sound(page, f"methods-{look}")
        page.keyboard.press("Escape")


def test_the_whole_page_is_reached_by_keyboard(page: Page, app: App) -> None:
    methods = Methods(page, app)
    focused = (
        "() => { const f = (n) => n.shadowRoot?.activeElement ? f(n.shadowRoot.activeElement) : n, n = f(document.activeElement);"
        " return n === document.body ? '' : n.innerText || n.ariaLabel || n.type; }"
    )
    reached: list[str] = []
    while len(reached) < 150:
        page.keyboard.press("Tab")
        name = str(page.evaluate(focused))
        if not name and reached:
            break
        reached.append(name.strip().splitlines()[0] if name.strip() else "")
        if reached[-1] == FIRST:
            # The list is one stop; arrow keys move in it and Enter opens a card, without losing the place.
            ids = [b.get_attribute("data-key") for b in page.locator(".methods tbody button").all()]
            for key in ("End", "Home", *["ArrowDown"] * ids.index("hem_v2"), "Enter"):
                page.keyboard.press(key)
            expect(page.locator(".st-key-method_hem_v2")).to_be_visible()
            idle(page)
            assert page.evaluate(focused) == "HEM V2", "the focus went elsewhere"
        if reached[-1] == "Get weights":
            page.keyboard.press("Enter")
            expect(page.get_by_test_id("stPopoverBody")).to_contain_text("Licence")
            page.keyboard.press("Escape")
            expect(page.get_by_test_id("stPopoverBody")).to_be_hidden()
            assert str(page.evaluate(focused)).startswith("Get weights"), "the focus went elsewhere"
    assert {"⚙ Methods", "Also save results of pasted text and variants in this session"} <= set(reached)
    assert [reached.count(name) for name in (FIRST, "HEM V2", "Get weights", "Use a folder")] == [1, 0, 1, 1]
    expect(methods.row("hem_v2")).to_have_attribute("data-open", "")
    assert app.hub.requests == []
