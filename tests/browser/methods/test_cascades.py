"""A cascade of one's own: chosen on the run of the app, used in the heatmap whose cells say who decided, deleted."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Heatmap, choose, idle, unfold
from tests.browser.looks import looks, sound
from tests.browser.methods.methods_page import LONG, App, Methods

FIRST, SECOND = "Overlap", "Grounding classifier MiniLM"
BAND = re.compile(r"(\d\.\d\d) to (\d\.\d\d), proposed")
BY_FIRST = re.compile(rf"Decided by {FIRST}, which gives it (\d\.\d+): only (\d\.\d+) to (?:below )?(\d\.\d+) is doubtful\.")
BY_SECOND = re.compile(
    rf"Decided by {SECOND}, which gives it \d\.\d\d: {FIRST} gives it (\d\.\d+), which is doubtful \((\d\.\d+) to (\d\.\d+)\)\."
)


def _chosen(page: Page, app: App) -> Locator:
    """Choose a cascade of a quick method and the classifier; gives its form."""
    Methods(page, app)
    form = page.locator(".st-key-cascade_form")
    start = form.get_by_role("button", name="Choose the band on dev")
    unfold(page.locator("summary", has_text="Choose a cascade on a finished run"), start)
    # Other tests of this site may have finished later runs, of which the newest is shown first.
    choose(page, "Run", "Offline methods · comes with the app")
    choose(page, "First method", FIRST)
    choose(page, "Second method, asked in doubt", SECOND)
    start.focus()
    page.keyboard.press("Enter")
    expect(form.get_by_text("Test, which played no part in choosing")).to_be_visible(timeout=LONG)
    idle(page)
    return form


def _cells(page: Page, title: str) -> list[Locator]:
    return page.locator(".strip tbody tr", has=page.get_by_role("button", name=title, exact=True)).locator(".cell").all()


def test_a_cascade_is_chosen_and_says_of_every_sentence_who_decided(page: Page, app: App) -> None:
    form = _chosen(page, app)
    band = BAND.search(form.inner_text())
    assert band
    for look in looks(page, 2000):
        form.scroll_into_view_if_needed()
        sound(page, f"own-cascade-{look}")
    name = form.get_by_role("textbox", name="Name of the cascade")
    name.fill("mine")
    name.press("Enter")
    idle(page)
    form.get_by_role("button", name="Keep the cascade").click()
    card = page.locator(".st-key-cascade_mine")
    expect(card).to_contain_text(f"{FIRST} first · {SECOND} where that gives {band[1]} to {band[2]}")
    expect(card.get_by_role("row", name=re.compile("The cascade"))).to_be_visible()
    card.get_by_role("button", name="Use in the heatmap").click()
    heatmap = Heatmap(page).ready().all_methods()
    expect(page).to_have_url(re.compile(r"method=cascade(:|%3A)mine"))
    _says_who_decided(page, band)
    _says_it_by_keyboard(page)
    # An ensemble says what counted, in the same place.
    expect(_cells(page, "Ensemble")[0]).to_have_accessible_description(re.compile("^(Raised|Lowered) by: "))
    assert heatmap.method() == "Cascade mine"

    Methods(page, app)
    card.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete it").click()
    expect(card).to_have_count(0)
    assert not list((app.data / "models" / "cascades").glob("*"))


def _says_who_decided(page: Page, band: re.Match[str]) -> None:
    """The tooltip of every sentence: the figures that it states lie in the band where the second was asked, else outside."""
    cells = _cells(page, "Cascade mine")
    said = [str(cell.get_attribute("title")) for cell in cells]
    asked = 0
    for reason, own in zip(said, _cells(page, FIRST), strict=True):
        second = BY_SECOND.fullmatch(reason)
        found = second or BY_FIRST.fullmatch(reason)
        assert found, reason
        support, low, high = map(float, found.groups())
        assert (f"{low:.2f}", f"{high:.2f}") == band.groups()
        assert (low <= support < high) is bool(second)
        expect(own).to_have_accessible_name(re.compile(f"support {support:.2f}$"))
        asked += bool(second)
    assert 0 < asked < len(said), "one method decided all"
    expect(page.locator(".verdict")).to_contain_text(f"{SECOND} was asked about {asked} of {len(said)} sentences")


def _says_it_by_keyboard(page: Page) -> None:
    """The sentence that is walked to says who decided it: to who sees it, and to who hears it."""
    cells = _cells(page, "Cascade mine")
    cells[0].click()
    for i in range(len(cells)):
        if i:
            page.keyboard.press("ArrowRight")
        expect(cells[i]).to_be_focused()
        reason = str(cells[i].get_attribute("title"))
        expect(cells[i]).to_have_accessible_description(reason)
        expect(page.get_by_role("status").filter(has_text=f"Sentence {i + 1}, Cascade mine")).to_contain_text(reason)
        expect(page.locator(".why")).to_contain_text(reason)
