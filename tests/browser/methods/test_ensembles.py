"""An ensemble of the user's own: fitted from the page, compared with its best method, used, and deleted."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Heatmap, idle
from tests.browser.looks import looks, sound
from tests.browser.methods.finetuning_page import LONG, Panel
from tests.browser.methods.methods_page import App, Methods


def _name(page: Page, form: Locator, name: str) -> None:
    box = form.get_by_role("textbox", name="Name of the ensemble")
    box.fill(name)
    box.press("Enter")
    idle(page)


def test_an_ensemble_is_fitted_compared_used_and_deleted(page: Page, app: App) -> None:
    app.fresh()
    panel = Panel(page, app).open()
    form = page.locator(".st-key-ensemble_form")
    start = form.get_by_role("button", name="Fit the ensemble")
    panel.expand("Fit an ensemble on labelled cases", start)
    expect(form).to_contain_text("responses to learn from (train)")
    for method in ("Grounding classifier", "COS_SIM"):
        form.get_by_role("button", name=re.compile(f"Remove {method}", re.I)).click()
        idle(page)
    _name(page, form, "Mine!")
    start.click()
    expect(form.locator(".gs-notice.bad")).to_contain_text("small letters, figures and hyphens")
    _name(page, form, "mine")
    start.click()
    card = page.locator(".st-key-ensemble_mine")
    expect(card).to_contain_text("By nested cross-validation over", timeout=LONG)
    expect(card).to_contain_text("its best method")
    # On the samples' sentences it is shown to be better: figures and names that differ are no part of these two.
    expect(card).to_contain_text("It is shown to be better than that and than chance.")
    card.get_by_role("button", name="Open the heatmap with it").click()
    expect(page.get_by_text("The heatmap opens with the ensemble mine now.")).to_be_visible()
    expect(card.get_by_role("button", name="Open with the app's own choice again")).to_be_visible()
    panel.expand("What it weighs", card.get_by_role("table"), card)
    expect(card.get_by_role("row", name=re.compile("support by quip"))).to_be_visible()
    for look in looks(page):
        card.scroll_into_view_if_needed()
        sound(page, f"own-ensemble-{look}")
    card.get_by_role("button", name="Use in the heatmap").click()
    Heatmap(page).ready()
    expect(page).to_have_url(re.compile(r"method=ensemble(:|%3A)mine"))
    Methods(page, app)
    card.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete it").click()
    expect(card).to_have_count(0)
    expect(page.get_by_text("The heatmap opens with the app’s own choice now.")).to_be_visible()
    assert not list((app.data / "models" / "ensembles").glob("*"))
