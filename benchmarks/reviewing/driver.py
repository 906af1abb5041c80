"""A reviewer at the keyboard of the app: every key is counted, and nothing is clicked."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from playwright.sync_api import Page, expect, sync_playwright

from tests import chromium
from tests.browser.conftest import idle

_FOCUS = """() => { let at = document.activeElement;
  while (at && at.shadowRoot && at.shadowRoot.activeElement) at = at.shadowRoot.activeElement;
  return at ? (at.getAttribute('aria-label') || at.textContent || at.placeholder || '').trim() : ''; }"""
_SAVED = """() => { const roots = [...document.querySelectorAll('*')].map((n) => n.shadowRoot).filter(Boolean);
  const saved = [document, ...roots].map((r) => r.querySelector('.saved')).find(Boolean);
  return saved && saved.textContent.startsWith('Saved '); }"""
_MOST_TABS = 120


@contextmanager
def chromium_page() -> Iterator[Page]:
    """A page of a browser of its own."""
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium.find(), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(120_000)
        yield page
        browser.close()


class Reviewer:
    """Works on one page by keys alone; `keys` counts them, a letter as one."""

    def __init__(self, page: Page) -> None:
        self.page, self.keys = page, 0

    def press(self, *keys: str) -> None:
        """Press keys by their names."""
        for key in keys:
            self.page.keyboard.press(key)
            self.keys += 1

    def type(self, text: str) -> None:
        """Type a text."""
        self.page.keyboard.type(text)
        self.keys += len(text)

    def tab_to(self, name: str) -> None:
        """Go on with Tab to what has a name."""
        for _ in range(_MOST_TABS):
            self.press("Tab")
            if self.page.evaluate(_FOCUS).startswith(name):
                return
        raise RuntimeError(f"the keyboard does not reach {name!r}")

    def saved(self) -> None:
        """Wait until the page says that all is saved."""
        self.page.wait_for_function(_SAVED, polling=20)

    def name_matter(self, address: str, name: str) -> None:
        """Enter the name of a first matter."""
        self.page.goto(f"{address}/cases?from=matters")
        self.page.get_by_role("textbox", name="Name of the matter").wait_for()
        idle(self.page)
        self.tab_to("Name of the matter")
        self.type(name)

    def begin_matter(self, documents: Sequence[tuple[str, bytes]]) -> None:
        """Begin the matter that is named, with its documents."""
        page = self.page
        self.press("Enter")
        page.locator("text=Files as sources >> visible=true").wait_for()
        idle(page)
        with page.expect_file_chooser() as chooser:
            self.tab_to("upload")
            self.press("Enter")
        chooser.value.set_files([{"name": n, "mimeType": "application/pdf", "buffer": pdf} for n, pdf in documents])
        for name, _ in documents:
            page.get_by_text(f"{name}: p").first.wait_for()
        idle(page)

    def write_answer(self, question: str, answer: str) -> None:
        """Fill in the form of an answer."""
        self.tab_to("Question")
        self.type(question)
        self.tab_to("Answer to check")
        self.type(answer)

    def review_answer(self, name: str) -> None:
        """Check the answer that is written, and go from its heatmap to its review, without the findings."""
        page = self.page
        self.tab_to("Check the answer")
        self.press("Enter")
        page.locator(".pane .s").first.wait_for(timeout=60_000)
        idle(page)
        self.tab_to("Review")
        self.press("Enter")
        self.enter_name(name)
        self.tab_to("Decide without them")
        self.press("Enter")
        idle(page)

    def enter_name(self, name: str) -> None:
        """Enter the reviewer's name where the page asks for it."""
        expect(self.page.get_by_role("textbox", name="Your name")).to_be_visible(timeout=120_000)
        idle(self.page)
        self.tab_to("Your name")
        self.type(name)
        self.press("Enter")
        self.page.locator(".reviewhead").wait_for()
