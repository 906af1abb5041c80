"""Two people's decisions through the real page: nothing before the reveal, agreement, settling, and labels for other pages."""

import re
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from sklearn.metrics import cohen_kappa_score

from components import case_sets
from groundscope.cases.dataset import read
from groundscope.grounding.runs.listing import read as read_run
from groundscope.grounding.runs.listing import samples
from groundscope.rag.outcomes import answer_case
from groundscope.rag.shipped import shipped
from groundscope.review.decisions import WHOLE, ReviewDecision, Ruling, SourcePlace
from groundscope.review.store import ReviewStore
from groundscope.storage.database import FILE, Database
from groundscope.text.sentences import split
from groundscope.types import Case, ErrorType
from tests.browser.conftest import downloaded, idle
from tests.browser.looks import looks, sound
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
    expect(page.get_by_text(f"{different} differences, {different} not settled.")).to_be_visible()
    detail = page.get_by_role("region", name="What each decided")
    expect(detail).to_contain_text("Ada <b>says</b>")
    page.get_by_role("textbox", name="Note").fill("Settled by the contract")
    page.get_by_role("button", name="Settle", exact=True).click()
    expect(page.get_by_text(f"{different} differences, {different - 1} not settled.")).to_be_visible()
    ((key, by_sentence),) = store.settled().items()
    (settled,) = by_sentence.values()
    assert settled.reviewer == "Cy"
    assert settled.decision.note == "Settled by the contract"
    assert settled.decision.ruling == store.current(key, "Ada")[settled.decision.sentence].decision.ruling
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


def test_agreement_says_what_to_do_where_nothing_is_decided(page: Page, server: str, store: ReviewStore) -> None:
    begin(page, server, "Cy")
    agreement(page)
    expect(page.get_by_text("No case that anyone reviewed is revealed to you yet.")).to_be_visible()
    decided(store, "Ada <i>", CASES[0], np.random.default_rng(1))
    page.reload()
    begin(page, server, "Ada <i>")
    agreement(page)
    page.get_by_role("button", name="Reveal 1 case").click()
    expect(page.get_by_text("Choose two people or more who have decided the same cases.")).to_be_visible()
    expect(page.locator("main i")).to_have_count(0)


def test_agreement_is_accessible_and_fits(page: Page, server: str, store: ReviewStore) -> None:
    rng = np.random.default_rng(6)
    for who in ("Ada", "Bo"):
        for case in CASES:
            decided(store, who, case, rng)
            store.reveal("Ada", case)
    begin(page, server, "Ada")
    agreement(page)
    page.get_by_role("region", name="What each decided").wait_for()
    for look in looks(page):
        sound(page, f"review-agreement-{look}")


def test_the_judge_of_legal_rag_is_compared_with_people(page: Page, server: str, store: ReviewStore) -> None:
    page.goto(f"{server}/legal_rag")
    page.get_by_role("button", name="Review these answers").click()
    page.get_by_role("textbox", name="Your name").fill("Ada")
    page.keyboard.press("Enter")
    page.locator(".reviewhead").wait_for()
    idle(page)
    answers = [a for a in shipped().answers if a.grounded is not None][:5]
    for a, ruling in zip(answers, (Ruling.SUPPORTED, Ruling.NOT_SUPPORTED) * 3, strict=False):
        store.decide(answer_case(a), "Ada", ReviewDecision(WHOLE, ruling))
    agreement(page)
    page.get_by_role("button", name="Reveal 5 cases").click()
    page.get_by_role("combobox", name="What judged").click()
    page.get_by_role("option", name="Legal RAG: Offline pipelines").click()
    page.get_by_role("combobox", name="Against").click()
    page.get_by_role("option", name="Ada").click()
    table = page.get_by_role("region", name="Methods and judges against people")
    same = sum(a.grounded is (i % 2 == 0) for i, a in enumerate(answers))
    expect(table.get_by_role("row").nth(1).get_by_role("cell").nth(3)).to_have_text("5")
    expect(table.get_by_role("row").nth(1).get_by_role("cell").nth(4)).to_have_text(f"{same / 5:.3f}")
