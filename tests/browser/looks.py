"""How a page looks: light on a wide window, dark on a narrow one, each accessible and no wider than the window."""

from collections.abc import Iterator

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import idle, open_tab
from tests.browser.site import ROOT

# Streamlit's own, of its toolbar and its tables.
THEIRS = {"empty-table-header", "presentation-role-conflict"}
_MARGIN = 120
"""Pixels that may lie under the last thing on a page."""
_SIZES = """() => {
  const main = document.querySelector('[data-testid="stMain"]'), top = main.getBoundingClientRect().top - main.scrollTop;
  let content = 0;
  // What lies in a box that scrolls or clips is seen no further than the box.
  const walk = (node, floor) => {
    const style = getComputedStyle(node), rect = node.getBoundingClientRect();
    if (style.display === 'none' || style.visibility === 'hidden') return;
    const clips = node !== main && style.display !== 'contents' && style.overflowY !== 'visible';
    const limit = clips ? Math.min(floor, rect.bottom) : floor;
    const children = [...(node.shadowRoot || node).children];
    if (!children.length && rect.width > 1 && rect.height > 1) content = Math.max(content, Math.min(limit, rect.bottom) - top);
    children.forEach((child) => walk(child, limit));
  };
  walk(main, Infinity);
  const roots = [document.scrollingElement, main];
  return {
    content: Math.round(content), window: window.innerHeight, across: window.innerWidth,
    tall: Math.max(...roots.map((r) => r.scrollHeight)), wide: Math.max(...roots.map((r) => r.scrollWidth)),
  };
}"""
_UNFOLD = """() => [...document.querySelectorAll('[data-testid="stExpander"] details:not([open]) > summary')]
  .filter((head) => head.checkVisibility()).map((head) => head.click()).length"""
PICTURES = ROOT / "test-pictures"


def looks(page: Page, height: int = 1000) -> Iterator[str]:
    """Show a page as each kind of user sees it, in one visit; gives what the look is called."""
    for scheme, width in (("light", 1440), ("dark", 760)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": height})
        idle(page)
        yield f"{scheme}-{width}"


def tabs(page: Page) -> Iterator[str]:
    """Turn to every tab of a page, tabs within tabs too, and open all that is folded there; a page without tabs is one."""
    seen: list[str] = []
    while fresh := [name for name in page.get_by_role("tab").all_inner_texts() if name not in seen]:
        # The last first: those within a tab stand behind it, and are hidden once another tab is open.
        seen.append(fresh[-1])
        open_tab(page, seen[-1])
        unfold_all(page)
        yield seen[-1]
    if not seen:
        unfold_all(page)
        yield "page"


def unfold_all(page: Page) -> None:
    """Open every expander, those within others too."""
    for _ in range(3):
        if not page.evaluate(_UNFOLD):
            return
        idle(page)


def sound(page: Page, name: str) -> None:
    """The page scrolls one way only and breaks no rule of accessibility."""
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), f"{name} scrolls sideways"
    faults = violations(page)
    assert faults == [], f"{name}: {faults}"


def as_tall_as_its_content(page: Page, name: str) -> None:
    """The page ends where what it shows ends, and scrolls neither past that nor sideways."""
    found = page.evaluate(_SIZES)
    assert found["tall"] <= max(found["content"] + _MARGIN, found["window"]), f"{name} scrolls into a blank screen: {found}"
    assert found["wide"] <= found["across"], f"{name} scrolls sideways: {found}"


def violations(page: Page) -> list[str]:
    rules = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    nodes = [(rule["id"], node) for rule in rules if rule["id"] not in THEIRS for node in rule["nodes"]]
    return [
        f"{rule}: {n['target']} {n['failureSummary'][:300]}" for rule, n in nodes if not _inactive(page, rule, n["target"][0])
    ]


def _inactive(page: Page, rule: str, target: str) -> bool:
    """Whether it is the contrast of the label of a control that is disabled, which WCAG 1.4.3 leaves out."""
    script = """s => { const e = document.querySelector(s)?.closest('[data-testid="stElementContainer"]');
        return Boolean(e?.querySelector(':disabled, [aria-disabled="true"]')); }"""
    return rule == "color-contrast" and bool(page.evaluate(script, target))


def picture(page: Page, name: str) -> None:
    PICTURES.mkdir(exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png")
