"""Documents as sources through the real page: on the form, in a matter, with pages, long ones, and those that cannot be read."""

import io
import re
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from docx import Document
from playwright.sync_api import Locator, Page, expect
from pypdf import PdfReader

from groundscope.review.decisions import case_key
from groundscope.review.matters import MatterStore
from groundscope.review.pack import CheckState, verify
from groundscope.review.store import ReviewStore
from groundscope.storage.database import FILE, Database
from tests.browser.conftest import downloaded, idle
from tests.browser.site import Site
from tests.browser.test_review import begin, press
from tests.groundscope.files.document_files import pdf

TOPICS = ("Rent", "Deposit", "Notice", "Repairs", "Garden", "Pets", "Noise", "Keys")
ANSWER = "The tenant gives notice within 3 days. The keys are returned to the landlord. Pets need consent."
HTML = b"<h1>Statute</h1><p>The landlord repairs the roof.</p><script>document.title = 'taken'</script>"


def lease(pages: int) -> bytes:
    texts = []
    for n in range(pages):
        topic = TOPICS[n % len(TOPICS)]
        about = f"The {topic.lower()} of clause {n + 1} is settled here. The tenant gives notice of it in {n + 1} days.\n"
        texts.append(f"{n + 1}. {topic}\n{about * 8}".rstrip())
    return pdf(*texts)


@pytest.fixture
def matters(the_site: Site) -> Iterator[MatterStore]:
    """The app's own matters, none before and after."""
    found = MatterStore(Database.at(the_site.data / FILE))
    for matter in found.all():
        found.delete(matter.number)
    yield found
    for matter in found.all():
        found.delete(matter.number)
    found.database.close()


def drop(page: Page, tmp_path: Path, **files: bytes) -> None:
    """Put files into the uploader that is shown."""
    paths = [tmp_path / name.replace("_", ".") for name in files]
    for path, data in zip(paths, files.values(), strict=True):
        path.write_bytes(data)
    shown(page, "Files as sources").locator("input[type=file]").set_input_files(paths)
    idle(page)


def shown(page: Page, label: str) -> Locator:
    return page.locator("[data-testid=stFileUploader]:visible").filter(has_text=label)


def test_a_matter_from_documents_to_a_report_with_pin_cites(
    page: Page, server: str, tmp_path: Path, matters: MatterStore, the_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.goto(f"{server}/cases?from=matters")
    page.get_by_role("textbox", name="Name of the matter").fill("Doe v. Roe <b>")
    page.keyboard.press("Enter")
    page.locator("text=Files as sources >> visible=true").wait_for()
    idle(page)
    drop(page, tmp_path, lease_pdf=lease(90), bad_pdf=b"%PDF-1.4 no more")
    expect(page.get_by_text("lease.pdf: pp. 1–90, 90 passages")).to_be_visible(timeout=30_000)
    expect(page.get_by_text(re.compile(r"^bad\.pdf is damaged"))).to_be_visible()
    for answer in (ANSWER, "The tenant gives notice within 4 days. A court decides."):
        page.locator("input[aria-label=Question]:visible").fill("Within what time?")
        page.get_by_role("textbox", name="Answer to check").fill(answer)
        page.keyboard.press("Tab")
        idle(page)
        page.locator("button:visible", has_text="Check the answer").click()
        expect(page.locator(".pane .s").first).to_be_visible(timeout=60_000)
        idle(page)
        expect(page.get_by_text(re.compile(r"^\d\d of 90 passages of the sources were read\."))).to_be_visible()
        page.goto(f"{server}/cases?from=matters")
        expect(page.get_by_text(answer)).to_be_visible()
        idle(page)
    (matter,) = matters.all()
    first, _ = (a.case for a in matters.answers(matter.number))
    assert all(p.pages for p in first.context)
    assert "Not read: lease.pdf (p" in first.note
    store = ReviewStore(Database.at(the_site.data / FILE))
    # A second try would find the decisions of the first.
    reviewer = f"Ada {uuid4().hex[:4]}"
    begin(page, server, reviewer, case_key(first))
    press(page, "3")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("s")
    for key in ("ArrowDown", "Enter", "Escape"):
        page.keyboard.press(key)
    press(page)
    (decision,) = store.current(case_key(first), reviewer).values()
    place = decision.decision.rests_on
    assert place
    number = first.context[place.passage].pages[0][1]
    cite = f"{first.context[place.passage].source}, p. {number}"
    texts = [
        c.text
        for r in Document(downloaded(page.get_by_role("button", name="Report (DOCX)")).path()).tables[0].rows
        for c in r.cells
    ]
    assert any(text.endswith(cite) for text in texts)
    file = downloaded(page.get_by_role("button", name="Report (PDF)")).path().read_bytes()
    text = " ".join(" ".join(p.extract_text().split()) for p in PdfReader(io.BytesIO(file)).pages)
    assert cite in text
    assert "Not read: lease.pdf" in text
    # What the app scored is what another process scores again.
    page.get_by_role("button", name="Reveal what methods").click()
    expect(page.get_by_text(re.compile("^Same as you"))).to_be_visible(timeout=90_000)
    # The pack holds what is scored: each cell of a method says so until it is.
    expect(page.get_by_role("cell", name="…", exact=True)).to_have_count(0, timeout=90_000)
    idle(page)
    page.get_by_role("button", name="Make an evidence pack").click()
    expect(page.get_by_text(re.compile("^Seal: [0-9a-f]{64}$"))).to_be_visible(timeout=30_000)
    # Here as there the methods are those of the site.
    monkeypatch.setenv("GROUNDSCOPE_MODELS", str(the_site.data.parent / "models"))
    found = verify(downloaded(page.get_by_role("button", name="Evidence pack")).path().read_bytes())
    assert page.get_by_text(f"Seal: {found.seal}").is_visible()
    assert len(found.methods) >= 4
    assert [c for c in (*found.files, *found.methods) if c.state is not CheckState.SAME] == []
    page.get_by_role("tab", name="Two answers").click()
    table = page.get_by_role("region", name="Two answers side by side")
    expect(table.get_by_role("row").filter(has_text="1. The tenant gives notice within 4 days.")).to_contain_text(
        "Numbers: 3 days | 4 days", timeout=60_000
    )
    expect(table.get_by_role("row").filter(has_text="A court decides.")).to_contain_text("nothing like it found")
    # The other answer is not revealed: the table says nothing of what is found in it.
    expect(table.get_by_role("columnheader").nth(1)).to_have_text("Second answer")
    # From the heatmap it takes one click and no name, and the browser's way back leads there again.
    page.goto(f"{server}/cases?from=matters")
    page.get_by_role("button", name="Heatmap").first.click()
    page.get_by_role("button", name="Compare with another answer").click()
    expect(table.get_by_role("columnheader").nth(0)).to_contain_text(re.compile("sentence"), timeout=60_000)
    expect(table.get_by_role("columnheader").nth(1)).to_contain_text(re.compile("sentence"))
    idle(page)
    page.go_back()
    expect(page.locator(".pane .s").first).to_be_visible()
    idle(page)
    store.forget(case_key(first))
    store.close()
    page.goto(f"{server}/cases?from=matters")
    page.get_by_role("button", name="Delete matter").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("textbox", name="Name of the matter")).to_be_visible()
    assert matters.all() == ()
