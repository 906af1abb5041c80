"""Two people's decisions through the real page: nothing before the reveal, agreement, settling, and labels for other pages."""

import json
import re
import zipfile
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pytest
from docx import Document
from playwright.sync_api import Page, WebSocketRoute, expect
from sklearn.metrics import cohen_kappa_score

from components import case_sets
from groundscope.cases.dataset import read
from groundscope.grounding.runs.listing import read as read_run
from groundscope.grounding.runs.listing import samples
from groundscope.review.decisions import ReviewDecision, Ruling, SourcePlace
from groundscope.review.store import ReviewStore
from groundscope.storage.database import FILE, Database
from groundscope.text.sentences import split
from groundscope.types import Case, ErrorType
from tests.browser.conftest import downloaded, idle
from tests.browser.site import Site
from tests.browser.test_review import begin

CASES = case_sets.sets()[case_sets.SAMPLES].cases[:12]
Flags = dict[tuple[str, int], bool]


def decided(store: ReviewStore, who: str, case: Case, rng: np.random.Generator) -> Flags:
    """What somebody said of each sentence of a case: flagged or not."""
    said: Flags = {}
    for i, s in enumerate(split(case.response)):
        if not s.heading:
            wrong = bool(rng.random() < 0.4)
            ruling = Ruling.CONTRADICTED if wrong else Ruling.SUPPORTED
            kind = ErrorType.MISATTRIBUTION if wrong else None
            store.decide(case, who, ReviewDecision(i, ruling, kind, None, SourcePlace(0, 0, 40), f"{who} <b>says</b>"))
            said[case.id, i] = wrong
    return said


@pytest.fixture
def store(the_site: Site) -> Iterator[ReviewStore]:
    """Twelve cases that Ada and Bo have decided."""
    store = ReviewStore(Database.at(the_site.data / FILE))
    yield store
    for key in {d.case for d in store.all()}:
        store.forget(key)
    store.close()


def agreement(page: Page) -> None:
    page.get_by_role("tab", name="Agreement").click()
    idle(page)


def test_two_people_agree_differ_settle_and_make_labels(page: Page, server: str, store: ReviewStore) -> None:
    holds: list[bool] = []
    held: list[Callable[[], None]] = []

    def between(near: WebSocketRoute) -> None:
        far = near.connect_to_server()
        near.on_message(lambda m: held.append(partial(far.send, m)) if holds else far.send(m))

    page.route_web_socket(re.compile("_stcore/stream"), between)
    rng = np.random.default_rng(5)
    people = {who: {p: f for c in CASES for p, f in decided(store, who, c, rng).items()} for who in ("Ada", "Bo")}
    begin(page, server, "Cy")
    agreement(page)
    expect(page.get_by_text("12 reviewed cases are not revealed to you and not counted here.")).to_be_visible()
    assert page.get_by_text("contradicted").count() == 0
    page.get_by_role("button", name="Reveal 12 cases").click()
    table = page.get_by_role("region", name="Agreement of reviewers")
    places = list(people["Ada"])
    first, second = ([people[who][p] for p in places] for who in ("Ada", "Bo"))
    row = table.get_by_role("row").filter(has_text="Sentence flagged, or not")
    expect(row.get_by_role("cell").nth(0)).to_have_text(str(len(places)))
    expect(row.get_by_role("cell").nth(2)).to_have_text(re.compile(rf"^{cohen_kappa_score(first, second):.3f} \["))
    # The methods of the run, the labels, and the names of the columns.
    count = len(read_run(samples()[0]).methods) + 2
    expect(page.get_by_role("region", name="Methods and judges against people").get_by_role("row")).to_have_count(count)
    different = sum(a != b for a, b in zip(first, second, strict=True))
    page.get_by_role("tab", name="Settle").click()
    expect(page.get_by_text(f"{different} differences, {different} not settled.")).to_be_visible()
    detail = page.get_by_role("group", name="What each decided")
    expect(detail).to_contain_text("Ada <b>says</b>")
    expect(detail).to_contain_text("Bo <b>says</b>")
    # The sentence in its answer, the passage that both named, and the way to settle stand on one screen.
    for size in ((1440, 900), (1024, 768)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        for place in (".s[aria-selected=true]", ".c.rests", ".settle", ".decided >> nth=1"):
            expect(page.locator(place)).to_be_in_viewport(ratio=1)
    expect(page.locator(".c.rests")).to_contain_text("Ada, Bo")
    # By keys alone: the next difference and back, as Ada decided, a note, settle.
    for key, at in (("d", 2), ("Shift+D", 1)):
        page.keyboard.press(key)
        expect(page.get_by_text(re.compile(rf"^Difference {at} of {different}\."))).not_to_have_count(0)
    for key in ("1", "n"):
        page.keyboard.press(key)
    page.keyboard.type("Settled by the contract")
    # From the note to the button, and the button; a third one comes late and settles nothing.
    for _ in range(3):
        page.keyboard.press("Enter")
    expect(page.get_by_text(f"{different} differences, {different - 1} not settled.")).to_be_visible()
    idle(page)
    ((key, by_sentence),) = store.settled().items()
    (settled,) = by_sentence.values()
    assert settled.reviewer == "Cy"
    assert settled.decision.note == "Settled by the contract"
    assert settled.decision.ruling == store.current(key, "Ada")[settled.decision.sentence].decision.ruling
    # From the list of another decision, n writes a note, and no letter chooses; Enter settles it.
    note, other = page.get_by_role("textbox", name="Note"), page.get_by_role("combobox", name="Decision, if another one")
    for stroke in ("0", "s", "n"):
        page.keyboard.press(stroke)
    expect(note).to_be_focused()
    page.keyboard.type("not so")
    expect(note).to_have_value("not so")
    expect(other).to_have_value("supported")
    # Keys before the next difference is drawn are refused, and the page says so.
    holds.append(True)
    for stroke in ("1", "Enter"):
        note.press("Escape")
        page.keyboard.press(stroke)
    for stroke in ("2", "Enter"):
        page.keyboard.press(stroke)
    expect(page.locator(".reviewhead .progress")).to_contain_text("Not taken: 2 Enter, pressed before this difference was drawn.")
    holds.clear()
    for send in held:
        send()
    expect(page.get_by_text(f"{different} differences, {different - 2} not settled.")).to_be_visible()
    expect(page.locator(".reviewhead .progress")).to_contain_text("Not taken: 2 Enter")
    idle(page)
    # What was settled is in the files of who has seen it, and in no other person's before that.
    for who, seen in (("Cy", True), ("Dee", False)):
        begin(page, server, who, key)
        if seen:
            page.get_by_role("region", name="What others say").wait_for(timeout=60_000)
            idle(page)
        page.locator(f".pane .s[data-i='{settled.decision.sentence}']").click()
        says = f"Settled by Cy: {settled.decision.ruling}."
        expect(page.locator(".reviewfields .passage").filter(has_text=says)).to_have_count(int(seen))
        got = Document(downloaded(page.get_by_role("button", name="Report (DOCX)")).path())
        words = " ".join([*(p.text for p in got.paragraphs), *(c.text for r in got.tables[0].rows for c in r.cells)])
        assert ("by Cy, " in words, "Bo: " in words and "Ada: " in words) == (seen, seen)
        page.get_by_role("button", name="Make an evidence pack").click()
        with zipfile.ZipFile(downloaded(page.get_by_role("button", name="Evidence pack", exact=True)).path()) as packed:
            lines = packed.read("decisions.jsonl").decode().splitlines()
        assert any(json.loads(line)["settles"] for line in lines) == seen
    # The rest is settled by Bo's word, as an import would do it.
    for case_key, own in store.decided("Bo").items():
        (case,) = store.cases([case_key]).values()
        rest = [d.decision for i, d in own.items() if i not in store.settled().get(case_key, {})]
        store.settle(case, "Cy", *rest)
    page.reload()
    begin(page, server, "Cy")
    agreement(page)
    expect(page.get_by_text("12 cases with a label for every sentence")).to_be_visible()
    got = downloaded(page.get_by_role("button", name="Download the labelled cases"))
    labelled = read("a.jsonl", got.path().read_bytes()).cases
    assert {c.id for c in labelled} == {c.id for c in CASES}
    assert all(c.grounded is not None and c.evidence for c in labelled)
    page.get_by_role("button", name=re.compile("^Use as the set")).click()
    expect(page.get_by_text("“Reviewed labels” is loaded")).to_be_visible()
    page.get_by_role("link", name="Judge “Reviewed labels” on the Runs page").click()
    page.get_by_role("heading", name="Runs").first.wait_for()
    idle(page)
    expect(page.get_by_role("combobox", name="Cases")).to_have_value("Reviewed labels")
