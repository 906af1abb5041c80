"""The methods page by keyboard alone."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import idle
from tests.browser.methods.methods_page import App, Methods
from tests.browser.site import recommended_here

FIRST = recommended_here().about.title
"""The method that the list opens with."""


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
            down = ids.index("hem_v2")
            for key in ("End", "Enter", "Home", *["ArrowDown"] * down, "Enter"):
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
    assert [reached.count(name) for name in (FIRST, "HEM V2", "Get weights", "Use a folder")] == [1, 0, 2, 1]
    expect(methods.row("hem_v2")).to_have_attribute("data-open", "")
    assert app.hub.requests == []
