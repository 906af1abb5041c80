"""What the server sends to whom: nothing before a login, and nothing of a matter to others. No browser is needed to hear that."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import NamedTuple
from urllib.parse import quote

import pytest

from components import case_sets, shell
from groundscope.experiments.plan import Part
from groundscope.experiments.store import JobFile
from groundscope.grounding.parts import described
from groundscope.grounding.runs import planning
from groundscope.grounding.runs.store import FOLDER
from groundscope.methods import registry
from groundscope.paths import Variable
from groundscope.review.decisions import ReviewDecision, Ruling, case_key
from groundscope.review.matters import MatterStore
from groundscope.review.sources import SourceFile
from groundscope.review.store import ReviewStore
from groundscope.storage.database import FILE, Database
from groundscope.storage.team.acting import Person, Role, acting_as, use_logins
from groundscope.types import Case, Passage
from tests.app_session import AppSession
from tests.browser.team.conftest import ANA, BEN, CLEO, EVE, Team

NAME, SOURCE, QUESTION, ANSWER, NOTE, RUN = CANARIES = tuple(f"Heron-44{n}0" for n in range(6))
"""One in each place where a matter has words."""
PAGES = ["/", *(f"/{path[6:-3]}" for pages in shell.PLACES.values() for path in pages.values() if path != "app.py"), "/methods"]
OF_MATTERS = ["/cases", "/review", "/runs"]
"""Where a member is shown every canary."""
Visitor = Callable[[str], AppSession]
_COOKIE = "_streamlit_user"


class Walled(NamedTuple):
    """Ben's matter.

    Attributes:
        number: of the matter.
        case: its one answer.
        run: the id of a run over it.
    """

    number: int
    case: Case
    run: str


@pytest.fixture(scope="module")
def database(team: Team) -> Iterator[Database]:
    """The server's own, for writes in this process under a person's name."""
    with pytest.MonkeyPatch.context() as patch, closing(Database.at(team.data / FILE)) as found:
        patch.setenv("GROUNDSCOPE_DATA", str(team.data))
        patch.setenv(Variable.DATABASE, found.url.render_as_string())
        use_logins(lambda: None)
        try:
            yield found
        finally:
            use_logins(None)


@pytest.fixture(scope="module")
def matter(database: Database) -> Walled:
    """A matter of Ben with a source, an answer, a decision, a queue that Ana assigned while she was a member, and a run."""
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
        part = Part("overlap")
        run = planning.begin(RUN, f"Matter {made.name}", [answer.case], [described(part, registry.load("overlap"))])
    with acting_as(Person(ANA, Role.LEAD)):
        reviews.queues.assign(f"{NAME} queue", [BEN, CLEO], [answer.case])
        store.members(made.number).remove(ANA)
    return Walled(made.number, answer.case, run)


def heard(sent: bytes) -> set[str]:
    """The canaries in what was sent."""
    return {word for word in CANARIES if word.encode() in sent or word.replace("-", "").encode() in sent}


def walk(session: AppSession, matter: Walled, pages: Sequence[str] = OF_MATTERS) -> bytes:
    """Pages, with every tab of Cases and Review, and the links that a member may have sent."""
    links = (f"/review?reviewed={case_key(matter.case)}", f"/runs?run={matter.run}", f"/compare?run={matter.run}")
    return b"".join(session.whole(path, tabs=path in ("/cases", "/review")) for path in (*pages, *links))


def test_no_page_draws_before_a_login(visitor: Visitor) -> None:
    for path in PAGES:
        answer = visitor("").open(path)
        assert answer.buttons() == {"Log in": True}
        assert {e.WhichOneof("type") for e in answer.elements()} == {"html", "button"}
        assert b'<span class="gs-brand">' not in answer.raw()
        assert answer.words().split("Groundscope")[-1].strip() == "Log in to read and review answers beside their sources."


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("eve", f"You are logged in as {EVE}. No lead has given you a role here yet"),
        ("mallory", "Your login has no e-mail address that its provider has checked"),
    ],
)
def test_a_person_without_a_role_or_a_checked_address_sees_nothing_but_that(visitor: Visitor, name: str, why: str) -> None:
    answer = visitor(name).open("/review")
    assert why in answer.words()
    assert answer.buttons() == {"Log out": True}


def test_a_cookie_that_was_tampered_with_opens_nothing(team: Team, visitor: Visitor) -> None:
    reader, lead = (visitor(name) for name in ("dan", "ana"))
    cookie, other = (next(c for c in s.http.cookies if c.name == _COOKIE) for s in (reader, lead))
    real = str(cookie.value)
    quoted, theirs = real.strip('"'), str(other.value).strip('"')
    # The lead's content under the reader's signature; a cut one; plain JSON.
    plain = f'{{"email":"{ANA}","is_logged_in":true,"origin":"{team.address}"}}'
    for forged in (theirs.rpartition("|")[0] + quoted[quoted.rfind("|") :], quoted[:-4], quote(plain)):
        assert forged != quoted
        cookie.value = forged
        reader.close()
        assert reader.open("/review").buttons() == {"Log in": True}
    # And the cookie as it was still opens the page: the forgery alone is what was refused.
    cookie.value = real
    reader.close()
    assert "you are a reader" in reader.open("/review").words()


def test_a_reader_reads_why_work_cannot_be_started_and_decides_nothing(visitor: Visitor) -> None:
    reader, reviewer = (visitor(name) for name in ("dan", "ben"))
    runs = reader.open("/runs")
    assert not runs.buttons()["Start"]
    assert "This needs a reviewer, and you are a reader. Ask a lead for that role." in runs.words()
    assert reviewer.open("/runs").buttons()["Start"]
    assert not reader.open("/methods?method=hem_v2").buttons()["Check and use"]
    link = f"/review?reviewed={case_key(case_sets.sets()[case_sets.SAMPLES].cases[0])}"
    review = reader.open(link)
    assert "This needs a reviewer, and you are a reader." in review.words()
    assert b"groundscope_review" not in review.raw()
    assert b"groundscope_review" in reviewer.open(link).raw()


def test_a_member_is_sent_the_words_of_a_matter(visitor: Visitor, matter: Walled) -> None:
    """What shows that the next test listens where the words would be."""
    assert heard(walk(visitor("ben"), matter)) == set(CANARIES)


@pytest.mark.parametrize(
    ("name", "pages"), [("ana", PAGES), ("cleo", OF_MATTERS), pytest.param("cleo", PAGES, marks=pytest.mark.release)]
)
def test_others_are_sent_nothing_of_it_on_any_page_or_in_any_file(
    visitor: Visitor, matter: Walled, name: str, pages: Sequence[str]
) -> None:
    session = visitor(name)
    assert heard(walk(session, matter, pages)) == set()
    # Who asks for an answer by its number names it in the link; what is sent beside that is what may not be.
    assert heard(session.whole(f"/heatmap?case={quote(matter.case.id)}")) <= {NAME}


def test_a_session_of_a_member_who_is_removed_lets_go_at_its_next_page(
    team: Team, visitor: Visitor, matter: Walled, database: Database
) -> None:
    members = MatterStore(database).members(matter.number)
    session = visitor("cleo")
    link = "/cases?from=matters"
    assert heard(session.whole(link)) == set()
    with acting_as(Person(BEN, Role.REVIEWER)):
        members.add(CLEO)
    assert {ANSWER, NAME} <= heard(session.whole(link))
    with acting_as(Person(BEN, Role.REVIEWER)):
        members.remove(CLEO)
    for path in ("/review", "/heatmap", link):
        assert heard(session.whole(path)) == set(), path
    exported = team.shell("audit", "export")
    assert '"action":"added a member"' in exported
    assert '"action":"opened a matter"' in exported
    assert not any(word in exported for word in CANARIES)
    assert team.shell("audit", "verify").strip()


def test_a_run_of_a_matter_is_no_ones_but_its_members(matter: Walled) -> None:
    ids: Callable[[list[JobFile]], list[str]] = lambda files: [f.id for f in files]  # noqa: E731
    with acting_as(Person(BEN, Role.REVIEWER)):
        assert matter.run in ids(FOLDER.files())
    with acting_as(Person(ANA, Role.LEAD)):
        assert matter.run not in ids(FOLDER.files())
