"""`python -m benchmarks.reviewing.reviewer`: the pictures of docs/review.md, an answer from its PDF to the DOCX by keys alone."""

import tempfile
from pathlib import Path

from benchmarks.reviewing.driver import Reviewer, chromium_page
from benchmarks.reviewing.matter import pdf_of
from groundscope.commands.terminal import say
from groundscope.paths import ROOT
from groundscope.storage.database import FILE, Database
from tests.browser.conftest import idle
from tests.browser.site import Site, site

_PICTURES = ROOT / "docs" / "review"
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


def pictures() -> None:
    """One answer, from the document to the DOCX, by keys alone; a picture of each step."""
    _PICTURES.mkdir(exist_ok=True)
    for old in _PICTURES.glob("*.png"):
        old.unlink()
    with tempfile.TemporaryDirectory() as folder, site(Path(folder)) as app, chromium_page() as page:
        steps, ada = iter(range(1, 20)), Reviewer(page)

        def picture(name: str) -> None:
            idle(page)
            page.screenshot(path=_PICTURES / f"{next(steps)}-{name}.png")

        ada.name_matter(app.address, "Lease of Mill Street 4")
        picture("matter")
        ada.begin_matter([("lease.pdf", pdf_of(_LEASE))])
        ada.write_answer("How does the tenant end the lease, and what comes back?", _ANSWER)
        picture("document-and-answer")
        ada.review_answer("Ada Lovelace")
        picture("blind")
        ada.press("4", "t", "f", "Tab")
        ada.type("thirty days")
        ada.press("Tab")
        ada.type("The lease says sixty days.")
        ada.press("Escape")
        ada.saved()
        picture("contradicted")
        ada.press("s", *["ArrowDown"] * _unit(app), "Enter")
        ada.saved()
        picture("passage")
        ada.press("Enter", "1", "1")
        ada.saved()
        picture("decided")
        ada.tab_to("Reveal what methods")
        ada.press("Enter")
        page.get_by_role("region", name="What others say").wait_for(timeout=90_000)
        idle(page)
        page.mouse.wheel(0, 2_000)
        picture("revealed")
        ada.tab_to("Report (DOCX)")
        with page.expect_download() as got:
            ada.press("Enter")
        say(f"{got.value.suggested_filename}: {got.value.path().stat().st_size:,} bytes, without a click")


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


if __name__ == "__main__":
    pictures()
