"""A matter's words reach the browsers of its members alone: its name, sources, answers, decisions, runs, links and files."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import NamedTuple
from urllib.parse import quote

import pytest
from playwright.sync_api import BrowserContext, Page, Response, expect

from components import shell
from groundscope.experiments.store import JobFile
from groundscope.grounding.parts import NamedPart
from groundscope.grounding.runs import planning
from groundscope.grounding.runs.store import FOLDER
from groundscope.methods import registry
from groundscope.review.decisions import ReviewDecision, Ruling, case_key
from groundscope.review.matters import MatterStore
from groundscope.review.sources import SourceFile
from groundscope.review.store import ReviewStore
from groundscope.storage.database import FILE, VARIABLE, Database
from groundscope.storage.team.acting import acting_as, use_logins
from groundscope.storage.team.roles import Person, Role
from groundscope.types import Case, Passage
from tests.browser.conftest import downloaded, idle, open_tab, visit
from tests.browser.team.conftest import ANA, BEN, Team, log_in

NAME, SOURCE, QUESTION, ANSWER, NOTE, RUN = (f"Heron-44{n}0" for n in range(6))
"""Canaries: one in each place where a matter has words."""
CANARIES = (NAME, SOURCE, QUESTION, ANSWER, NOTE, RUN)
_PAGES = ["/", *(f"/{path[6:-3]}" for pages in shell.PLACES.values() for path in pages.values() if path != "app.py"), "/methods"]


class Walled(NamedTuple):
    """Ben's matter.

    Attributes:
        case: its one answer.
        run: the id of a run over it.
    """

    case: Case
    run: str


@pytest.fixture(scope="module")
def matter(team: Team) -> Iterator[Walled]:
    """A matter of Ben with a source, an answer, a decision, a queue that Ana assigned while she was a member, and a run."""
    with pytest.MonkeyPatch.context() as patch, closing(Database.at(team.data / FILE)) as database:
        patch.setenv("GROUNDSCOPE_DATA", str(team.data))
        patch.setenv(VARIABLE, database.url.render_as_string())
        use_logins(lambda: None)
        try:
            yield _fill(database)
        finally:
            use_logins(None)


def _fill(database: Database) -> Walled:
    passage = Passage("p", f"Notice is due within one month. {SOURCE} holds the lease.", f"{SOURCE} lease")
    case = Case("c", f"When is notice due, {QUESTION}?", (passage,), f"Notice is due within one month. {ANSWER} pays.")
    store, reviews = MatterStore(database), ReviewStore(database)
    with acting_as(Person(BEN, Role.REVIEWER)):
        made = store.create(f"{NAME} v. Roe")
        store.add_source(made.number, SourceFile(f"{SOURCE}.txt", (passage,), ()))
        answer = store.add_answer(made, case)
        reviews.decide(answer.case, BEN, ReviewDecision(0, Ruling.SUPPORTED, note=NOTE))
        reviews.reveal(BEN, answer.case)
        store.members(made.number).add(ANA)
        part = NamedPart("overlap", "overlap", {})
        run = planning.begin(RUN, f"Matter {made.name}", [answer.case], [planning.method_run(part, registry.load("overlap"))])
    with acting_as(Person(ANA, Role.LEAD)):
        reviews.queues.assign(f"{NAME} queue", [BEN, "cleo@example.org"], [answer.case])
        store.members(made.number).remove(ANA)
    return Walled(answer.case, run)


def traffic(page: Page) -> list[bytes]:
    """All that the server sends to a page from here on: frames of its WebSocket, and bodies and headers of its answers."""
    found: list[bytes] = []

    def heard(response: Response) -> None:
        found.append(repr(response.headers).encode())
        if response.request.resource_type not in ("script", "stylesheet", "font", "image"):
            try:
                found.append(response.body())
            except Exception:
                return

    def keep(frame: bytes | str) -> None:
        found.append(frame if isinstance(frame, bytes) else frame.encode())

    page.on("websocket", lambda socket: socket.on("framereceived", keep))
    page.on("response", heard)
    return found


def heard(found: list[bytes]) -> set[str]:
    """The canaries in what was sent."""
    everything = b"".join(found)
    return {word for word in CANARIES if word.encode() in everything or word.replace("-", "").encode() in everything}


def walk(page: Page, team: Team) -> None:
    """Open every page, every tab of Cases and Review among them."""
    for path in _PAGES:
        page.goto(f"{team.address}{path}")
        expect(page.locator(".st-key-navigation")).to_be_visible()
        idle(page)
        for tab in page.get_by_role("tab").all_inner_texts() if path in ("/cases", "/review") else ():
            open_tab(page, tab)


def test_a_member_is_sent_the_words_of_a_matter(team: Team, matter: Walled, people: Callable[[], BrowserContext]) -> None:
    """What shows that the next test listens where the words would be."""
    page = log_in(people(), team, "ben")
    found = traffic(page)
    walk(page, team)
    page.goto(f"{team.address}/review?reviewed={case_key(matter.case)}")
    idle(page)
    assert heard(found) == set(CANARIES)


@pytest.mark.parametrize("sub", ["cleo", "ana"])
def test_others_are_sent_nothing_of_it_on_any_page(
    team: Team, matter: Walled, people: Callable[[], BrowserContext], sub: str
) -> None:
    page = log_in(people(), team, sub)
    found = traffic(page)
    walk(page, team)
    # A link that a member sent: of the review, of the heatmap by the answer's number alone, and of its run.
    for link in (f"/review?reviewed={case_key(matter.case)}", f"/runs?run={matter.run}", f"/compare?run={matter.run}"):
        page.goto(f"{team.address}{link}")
        idle(page)
    assert heard(found) == set()


def test_a_link_to_an_answer_opens_nothing_for_others(team: Team, matter: Walled, people: Callable[[], BrowserContext]) -> None:
    page = log_in(people(), team, "cleo")
    page.goto(f"{team.address}/heatmap?case={quote(matter.case.id)}")
    idle(page)
    # She wrote the name into her address bar herself; what the server sends beside it is what she may not see.
    expect(page.get_by_test_id("stMain")).not_to_contain_text(ANSWER)
    expect(page.get_by_test_id("stMain")).not_to_contain_text(SOURCE)


def test_others_cannot_search_or_export_it(team: Team, matter: Walled, people: Callable[[], BrowserContext]) -> None:
    assert matter.run
    page = log_in(people(), team, "cleo", "/review")
    found = traffic(page)
    labels = downloaded(page.get_by_role("button", name="Download my decisions as labelled cases"))
    assert labels.path().read_bytes().count(b"Heron") == 0
    visit(page, "Cases")
    open_tab(page, "Samples and loaded cases")
    sets = page.get_by_role("combobox", name="Set")
    sets.fill("Matter")
    expect(page.get_by_text("No results")).to_be_visible()
    assert heard(found) == set()


def test_a_member_who_is_added_opens_it_and_one_who_is_removed_does_not(
    team: Team, matter: Walled, people: Callable[[], BrowserContext]
) -> None:
    assert matter.run
    ben, cleo = log_in(people(), team, "ben", "/cases"), log_in(people(), team, "cleo", "/cases")
    for page in (ben, cleo):
        open_tab(page, "Matters")
    expect(cleo.get_by_test_id("stMain")).not_to_contain_text(ANSWER)
    ben.get_by_role("button", name="Members").click()
    ben.get_by_role("combobox", name="Add a person").click()
    ben.get_by_role("option", name="cleo@example.org").click()
    ben.get_by_role("button", name="Add", exact=True).click()
    panel = ben.get_by_test_id("stPopoverBody")
    expect(panel.get_by_text("cleo@example.org", exact=True)).to_be_visible()
    cleo.reload()
    open_tab(cleo, "Matters")
    expect(cleo.get_by_text(ANSWER).first).to_be_visible()
    # From here on her session holds the matter's answers as a set.
    cleo.get_by_role("button", name="Heatmap").click()
    expect(cleo.get_by_test_id("stMain")).to_contain_text(ANSWER)
    panel.get_by_role("button", name="Remove").last.click()
    expect(panel.get_by_text("cleo@example.org", exact=True)).to_have_count(0)
    # Without a reload: the same session lets go of them at its next page.
    for title in ("Review", "Heatmap"):
        visit(cleo, title)
        idle(cleo)
        expect(cleo.get_by_test_id("stMain")).not_to_contain_text(ANSWER)
    visit(cleo, "Cases")
    open_tab(cleo, "Matters")
    idle(cleo)
    expect(cleo.get_by_test_id("stMain")).not_to_contain_text(ANSWER)
    said = team.shell("audit", "export")
    assert '"action":"added a member"' in said
    assert '"action":"opened a matter"' in said
    assert not any(word in said for word in CANARIES)
    assert team.shell("audit", "verify").strip()


def test_a_reader_decides_nothing(team: Team, people: Callable[[], BrowserContext]) -> None:
    page = log_in(people(), team, "dan", "/review")
    expect(page.get_by_text("This needs a reviewer, and you are a reader.")).to_be_visible()
    expect(page.locator(".st-key-review")).to_have_count(0)


# With a browser, as the tests before it: pytest would else fill the matter a second time for this one.
@pytest.mark.usefixtures("browser")
def test_a_run_of_a_matter_is_no_ones_but_its_members(team: Team, matter: Walled) -> None:
    assert team.address
    ids: Callable[[list[JobFile]], list[str]] = lambda files: [f.id for f in files]  # noqa: E731
    with acting_as(Person(BEN, Role.REVIEWER)):
        assert matter.run in ids(FOLDER.files())
    with acting_as(Person(ANA, Role.LEAD)):
        assert matter.run not in ids(FOLDER.files())
