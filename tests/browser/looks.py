"""How a page looks: light on a wide window, dark on a narrow one, each accessible and no wider than the window."""

from collections.abc import Iterator

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import idle
from tests.browser.site import ROOT

# Streamlit's own, of its toolbar and its tables.
THEIRS = {"empty-table-header", "presentation-role-conflict"}
PICTURES = ROOT / "test-pictures"


def looks(page: Page, height: int = 1000) -> Iterator[str]:
    """Show a page as each kind of user sees it, in one visit; gives what the look is called."""
    for scheme, width in (("light", 1440), ("dark", 760)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": height})
        idle(page)
        yield f"{scheme}-{width}"


def sound(page: Page, name: str) -> None:
    """Take a picture; the page scrolls one way only and breaks no rule of accessibility."""
    picture(page, name)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), f"{name} scrolls sideways"
    assert violations(page) == [], name


def violations(page: Page) -> list[str]:
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [f"{v['id']}: {n['target']} {n['failureSummary'][:300]}" for v in found if v["id"] not in THEIRS for n in v["nodes"]]


def picture(page: Page, name: str) -> None:
    PICTURES.mkdir(exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png")
