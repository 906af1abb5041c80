"""An ensemble of the user's own: fitted from the page, compared with its best method, used, and deleted."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Heatmap, idle, unfold
from tests.browser.looks import looks, sound
from tests.browser.methods.methods_page import LONG, App, Methods


def test_an_ensemble_is_fitted_compared_and_opens_nothing_unless_it_is_better(page: Page, app: App) -> None:
    app.fresh()
    Methods(page, app)
    form = unfold(page, "Fit an ensemble on labelled cases")
    expect(form).to_contain_text("responses to learn from (train)")
    start = form.get_by_role("button", name="Fit the ensemble")
    box = form.get_by_role("combobox", name="Methods to weigh together")
    for _ in range(8):
        box.press("Backspace")
        idle(page)
        if start.is_disabled():
            break
    expect(form.get_by_role("alert")).to_contain_text("Choose two methods or more.")
    form.get_by_role("textbox", name="Name of the ensemble").fill("Mine!")
    form.get_by_role("textbox", name="Name of the ensemble").press("Enter")
    idle(page)
    chosen = form.locator("[data-baseweb='tag']")
    for name in ("QUIP", "Overlap"):
        if not chosen.filter(has_text=name).count():
            box.fill(name)
            box.press("Enter")
            idle(page)
    for tag in chosen.all()[::-1]:
        if not re.search("QUIP|Overlap", tag.inner_text()):
            tag.get_by_role("button").click()
            idle(page)
    start.click()
    expect(form.get_by_role("alert")).to_contain_text("small letters, figures and hyphens")
    form.get_by_role("textbox", name="Name of the ensemble").fill("mine")
    form.get_by_role("textbox", name="Name of the ensemble").press("Enter")
    idle(page)
    start.click()
    card = page.locator(".st-key-ensemble_mine")
    expect(card).to_contain_text("By nested cross-validation over", timeout=LONG)
    expect(card).to_contain_text("its best method")
    expect(card.get_by_role("button", name="Open the heatmap with it")).to_be_disabled()
    unfold(page, "What it weighs")
    expect(card.get_by_role("row", name=re.compile("support by quip"))).to_be_visible()
    sound(page)
    looks(page, "own-ensemble")
    card.get_by_role("button", name="Use in the heatmap").click()
    Heatmap(page).ready()
    expect(page).to_have_url(re.compile(r"method=ensemble(:|%3A)mine"))
    Methods(page, app)
    card.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete it").click()
    expect(card).to_have_count(0)
    assert not list((app.data / "models" / "ensembles").glob("*"))
