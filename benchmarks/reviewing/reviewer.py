"""`python -m benchmarks.reviewing.reviewer`: the pictures of docs/review.md, an answer from its PDF to the DOCX by keys alone."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import fill

from playwright.sync_api import Page, sync_playwright

from groundscope.commands.terminal import say
from groundscope.paths import ROOT
from groundscope.storage.database import FILE, Database
from tests import chromium
from tests.browser.conftest import idle
from tests.browser.site import Site, site
from tests.groundscope.files.document_files import pdf

_PICTURES = ROOT / "docs" / "review"
_FOCUS = """() => { let at = document.activeElement;
  while (at && at.shadowRoot && at.shadowRoot.activeElement) at = at.shadowRoot.activeElement;
  return at ? (at.getAttribute('aria-label') || at.textContent || at.placeholder || '').trim() : ''; }"""
_SAVED = """() => { const roots = [...document.querySelectorAll('*')].map((n) => n.shadowRoot).filter(Boolean);
  const saved = [document, ...roots].map((r) => r.querySelector('.saved')).find(Boolean);
  return saved && saved.textContent.startsWith('Saved '); }"""
_LEASE = (
    (
        "1. Rent",
        "The tenant pays a rent of $1,450 on the first day of each month. Rent that is five days late bears a fee of $50.",
    ),
    ("2. Deposit", "The deposit is one month's rent. The landlord returns it within thirty days after the tenant has moved out."),
    ("3. Notice", "Either party may end the lease by notice in writing, given at least sixty days before the end of a month."),
    ("4. Pets", "The tenant keeps no dog. Other pets need the landlord's consent, which may not be withheld without a reason."),
)
_ANSWER = (
    "The tenant may end the lease by written notice, given at least thirty days before the end of a month. "
    "The deposit comes back within thirty days after the tenant has moved out. A cat needs the landlord's consent."
)


@contextmanager
def _page() -> Iterator[tuple[Page, Site]]:
    with tempfile.TemporaryDirectory() as folder, site(Path(folder)) as app, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium.find(), args=["--no-sandbox", "--disable-gpu"])
        yield browser.new_page(viewport={"width": 1440, "height": 900}), app
        browser.close()


def _tab_to(page: Page, name: str) -> None:
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate(_FOCUS).startswith(name):
            return
    raise RuntimeError(f"the keyboard does not reach {name!r}")


def _saved(page: Page) -> None:
    page.wait_for_function(_SAVED)
    idle(page)


def pictures() -> None:
    """One answer, from the document to the DOCX, by keys alone; a picture of each step."""
    _PICTURES.mkdir(exist_ok=True)
    for old in _PICTURES.glob("*.png"):
        old.unlink()
    with _page() as (page, app):
        steps = iter(range(1, 20))

        def picture(name: str) -> None:
            idle(page)
            page.screenshot(path=_PICTURES / f"{next(steps)}-{name}.png")

        page.goto(f"{app.address}/cases?from=matters")
        page.get_by_role("textbox", name="Name of the matter").wait_for()
        idle(page)
        _tab_to(page, "Name of the matter")
        page.keyboard.type("Lease of Mill Street 4")
        picture("matter")
        page.keyboard.press("Enter")
        page.locator("text=Files as sources >> visible=true").wait_for()
        idle(page)
        with page.expect_file_chooser() as chooser:
            _tab_to(page, "upload")
            page.keyboard.press("Enter")
        chooser.value.set_files({"name": "lease.pdf", "mimeType": "application/pdf", "buffer": _lease()})
        page.get_by_text("lease.pdf: pp.").wait_for()
        idle(page)
        _tab_to(page, "Question")
        page.keyboard.type("How does the tenant end the lease, and what comes back?")
        _tab_to(page, "Answer to check")
        page.keyboard.type(_ANSWER)
        picture("document-and-answer")
        _tab_to(page, "Check the answer")
        page.keyboard.press("Enter")
        page.locator(".pane .s").first.wait_for(timeout=60_000)
        idle(page)
        _tab_to(page, "Review")
        page.keyboard.press("Enter")
        page.get_by_role("textbox", name="Your name").wait_for()
        idle(page)
        _tab_to(page, "Your name")
        page.keyboard.type("Ada Lovelace")
        page.keyboard.press("Enter")
        page.locator(".reviewhead").wait_for()
        _tab_to(page, "Decide without them")
        page.keyboard.press("Enter")
        idle(page)
        picture("blind")
        _keys(page, "4", "t", "f", "Tab", "thirty days", "Tab", "The lease says sixty days.", "Escape")
        _saved(page)
        picture("contradicted")
        _keys(page, "s", *["ArrowDown"] * _unit(app), "Enter")
        _saved(page)
        picture("passage")
        _keys(page, "Enter", "1", "1")
        _saved(page)
        picture("decided")
        _tab_to(page, "Reveal what methods")
        page.keyboard.press("Enter")
        page.get_by_role("region", name="What others say").wait_for(timeout=90_000)
        idle(page)
        page.mouse.wheel(0, 2_000)
        picture("revealed")
        _tab_to(page, "Report (DOCX)")
        with page.expect_download() as got:
            page.keyboard.press("Enter")
        say(f"{got.value.suggested_filename}: {got.value.path().stat().st_size:,} bytes, without a click")


def _keys(page: Page, *keys: str) -> None:
    for key in keys:
        if len(key) == 1 or key in {"Enter", "Escape", "Tab"} or key.startswith("Arrow"):
            page.keyboard.press(key)
        else:
            page.keyboard.type(key)


def _unit(app: Site) -> int:
    """How far down the sentence about notice stands among those of the sources."""
    from groundscope.review.matters import MatterStore
    from groundscope.text.sentences import context_sentences

    store = MatterStore(Database.at(app.data / FILE))
    (matter,) = store.all()
    case = store.answers(matter.number)[0].case
    store.database.close()
    units = context_sentences(case.context)
    return next(j for j, u in enumerate(units) if "sixty" in case.context[u.passage].text[u.start : u.end])


def _lease() -> bytes:
    return pdf(*(f"{heading}\n{fill(text, 90)}" for heading, text in _LEASE))


if __name__ == "__main__":
    pictures()
