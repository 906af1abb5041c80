"""Every write of what a team shares asks for a role; what is of a matter is kept from those who are no members of it."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
import sqlalchemy as sa

from groundscope.experiments.directory import JobDirectory
from groundscope.review.decisions import ReviewDecision, Ruling, case_key
from groundscope.review.matters import Matter, MatterStore
from groundscope.review.sources import SourceFile
from groundscope.review.store import Assignments, ReviewStore
from groundscope.storage.database import Database
from groundscope.storage.team import audit
from groundscope.storage.team.acting import NotAllowed, Person, Role, acting_as, use_logins
from groundscope.storage.team.members import Membership
from groundscope.storage.team.people import People
from groundscope.types import Case, Passage

CANARY = "Heron-4410"
PASSAGE = Passage("p", f"Notice is due. {CANARY}.", "Lease")
CASE = Case("c", f"When? {CANARY}", (PASSAGE,), "It is due in May. He pays.")
OPEN = Case("o", "When?", (Passage("p", "Notice.", "Lease"),), "It is due.")
YES = ReviewDecision(0, Ruling.SUPPORTED)
ANA, BEN, CLEO, DAN = (
    Person(f"{name}@example.org", role)
    for name, role in (("ana", Role.LEAD), ("ben", Role.REVIEWER), ("cleo", Role.REVIEWER), ("dan", Role.READER))
)
MATTER = Matter(1, "", "M")
FILE = SourceFile("lease.txt", (PASSAGE,), ())

STORES: tuple[tuple[type, Callable[[Database], Any]], ...] = (
    (ReviewStore, ReviewStore),
    (Assignments, Assignments),
    (MatterStore, MatterStore),
    (Membership, lambda database: Membership(database, 1)),
    (People, People),
    (JobDirectory, lambda _: JobDirectory("runs", "run")),
)
READS: Mapping[type, Mapping[str, tuple[Any, ...]]] = {
    ReviewStore: {
        "current": ("k", "dan@example.org"), "decided": ("dan@example.org",), "settled": (), "reviewers": (), "history": ("k",),
        "everything": ("k",), "all": (), "revealed": ("dan@example.org",), "stamp": (), "cases": (["k"],), "close": (),
    },
    Assignments: {"all": ()},
    MatterStore: {"all": (), "of": (CASE,), "sources": (1,), "answers": (1,), "members": (1,)},
    Membership: {},
    People: {"find": ("dan@example.org",), "all": ()},
    JobDirectory: {"problems": (), "file": ("j",), "files": (), "listing": ()},
}  # fmt: skip
"""What only reads, with what it is asked."""
WRITES: Mapping[type, Mapping[str, tuple[tuple[Any, ...], Role]]] = {
    ReviewStore: {
        "decide": ((OPEN, DAN.email, YES), Role.REVIEWER),
        "undo": ((OPEN, DAN.email), Role.REVIEWER),
        "reveal": ((DAN.email, OPEN), Role.REVIEWER),
        "settle": ((OPEN, DAN.email, YES), Role.LEAD),
        "forget": (("k",), Role.LEAD),
    },
    Assignments: {"assign": (("t", ["Bo"], [OPEN]), Role.LEAD), "withdraw": ((1,), Role.LEAD)},
    MatterStore: {
        "create": (("M",), Role.REVIEWER),
        "name_client": ((1, "Jane Doe"), Role.REVIEWER),
        "add_source": ((1, FILE), Role.REVIEWER),
        "add_answer": ((MATTER, CASE), Role.REVIEWER),
        "drop_source": ((1,), Role.LEAD),
        "drop_answer": ((1,), Role.LEAD),
        "delete": ((1,), Role.LEAD),
    },
    Membership: {"add": (("dan@example.org",), Role.REVIEWER), "remove": (("dan@example.org",), Role.REVIEWER)},
    People: {"name": (("dan@example.org", Role.LEAD), Role.LEAD), "remove": (("ben@example.org",), Role.LEAD)},
    JobDirectory: {"create": (({}, {}), Role.REVIEWER), "delete": (("j",), Role.LEAD)},
}
"""What writes, with what it is given and the least role."""
UNGUARDED = {JobDirectory: {"open", "path"}, Membership: {"all"}}
"""`open` and `all` raise where there is nothing, so they are read elsewhere."""
EACH = [(store, name) for store, methods in WRITES.items() for name in methods]


@pytest.fixture(autouse=True)
def _logins() -> Iterator[None]:
    use_logins(lambda: None)
    yield
    use_logins(None)


def public(store: type) -> set[str]:
    return {n for n, _ in inspect.getmembers(store, inspect.isfunction) if not n.startswith("_")} - {"with_traceback"}


@pytest.mark.parametrize("store", [store for store, _ in STORES])
def test_every_public_method_is_a_read_or_asks_for_a_role(store: type) -> None:
    assert public(store) == {*READS[store], *WRITES[store], *UNGUARDED.get(store, set()) & public(store)}


@pytest.mark.parametrize(("store", "name"), EACH, ids=lambda v: getattr(v, "__name__", v))
def test_a_lower_role_and_no_login_are_refused_by_every_write(shared_database: Database, store: type, name: str) -> None:
    given, least = WRITES[store][name]
    method = getattr(dict(STORES)[store](shared_database), name)
    for person in (p for p in (Person(DAN.email), *(Person(DAN.email, role) for role in Role)) if (p.role or 0) < least):
        with acting_as(person), pytest.raises(NotAllowed):
            method(*given)
    with pytest.raises(NotAllowed, match="Log in first"):
        method(*given)
    assert list(audit.entries(shared_database)) == []


@pytest.mark.parametrize(
    ("store", "name"),
    [(store, name) for store, methods in READS.items() for name in methods],
    ids=lambda v: getattr(v, "__name__", v),
)
def test_a_read_writes_nothing(shared_database: Database, store: type, name: str) -> None:
    written = []

    def watch(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
        written.append(statement) if statement.lstrip().upper().startswith(("INSERT", "UPDATE", "DELETE")) else None

    with shared_database.reading():
        pass
    sa.event.listen(sa.Engine, "before_cursor_execute", watch)
    try:
        with acting_as(DAN):
            getattr(dict(STORES)[store](shared_database), name)(*READS[store][name])
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", watch)
    assert written == []


@pytest.fixture
def matter(database: Database) -> Matter:
    """Ben's matter, with a source, an answer, decisions and a reveal of his."""
    store, reviews = MatterStore(database), ReviewStore(database)
    with acting_as(BEN):
        made = store.create(f"Matter {CANARY}")
        store.add_source(made.number, SourceFile(f"{CANARY}.txt", (PASSAGE,), ()))
        store.add_answer(made, CASE)
        reviews.decide(CASE, BEN.email, ReviewDecision(0, Ruling.SUPPORTED, note=CANARY))
        reviews.reveal(BEN.email, CASE)
    return made


def everything(database: Database, matter: int) -> str:
    """All that the stores give of a matter to who acts."""
    store, reviews, key = MatterStore(database), ReviewStore(database), case_key(CASE)
    found = [
        store.all(), store.sources(matter), store.answers(matter), reviews.all(), reviews.history(key), reviews.settled(),
        reviews.current(key, BEN.email), reviews.decided(BEN.email), reviews.reviewers(), reviews.revealed(BEN.email),
        reviews.cases([key]), reviews.queues.all(),
    ]  # fmt: skip
    return repr([one for one in found if one])


@pytest.mark.parametrize("other", [CLEO, DAN, ANA], ids=lambda p: p.email)
def test_who_is_no_member_gets_nothing_of_a_matter(database: Database, matter: Matter, other: Person) -> None:
    with acting_as(BEN):
        assert CANARY in everything(database, matter.number)
    with acting_as(other):
        assert everything(database, matter.number) == "[]"


def test_who_becomes_a_member_gets_all_and_who_was_one_nothing(database: Database, matter: Matter) -> None:
    store, reviews = MatterStore(database), ReviewStore(database)
    with acting_as(CLEO):
        before = reviews.stamp()
    with acting_as(BEN):
        mine = everything(database, matter.number)
        store.members(matter.number).add(CLEO.email)
    with acting_as(CLEO):
        assert everything(database, matter.number) == mine
        # What pages keep by the stamp is read again.
        assert reviews.stamp() != before
        store.members(matter.number).remove(BEN.email)
    with acting_as(BEN):
        assert everything(database, matter.number) == "[]"


def test_who_is_no_member_writes_nothing_into_a_matter(database: Database, matter: Matter) -> None:
    store, reviews = MatterStore(database), ReviewStore(database)
    attempts: tuple[Callable[[], object], ...] = (
        lambda: store.add_source(matter.number, FILE),
        lambda: store.add_answer(matter, CASE),
        lambda: store.drop_source(1),
        lambda: store.drop_answer(1),
        lambda: store.delete(matter.number),
        lambda: store.members(matter.number).add(ANA.email),
        lambda: reviews.decide(CASE, ANA.email, YES),
        lambda: reviews.undo(CASE, ANA.email),
        lambda: reviews.settle(CASE, ANA.email, YES),
        lambda: reviews.reveal(ANA.email, CASE),
        lambda: reviews.forget(case_key(CASE)),
        lambda: reviews.queues.assign("t", ["Bo"], [CASE]),
    )
    with acting_as(BEN):
        before = everything(database, matter.number)
    for attempt in attempts:
        with acting_as(ANA), pytest.raises(NotAllowed, match="not a member of it"):
            attempt()
    with acting_as(BEN):
        assert everything(database, matter.number) == before


@pytest.mark.parametrize("whole", [False, True], ids=["answer", "matter"])
def test_decisions_stay_hidden_after_their_answer_or_their_matter_is_deleted(
    database: Database, matter: Matter, *, whole: bool
) -> None:
    store, number = MatterStore(database), matter.number
    with acting_as(BEN):
        store.members(number).add(ANA.email)
    with acting_as(ANA):
        if whole:
            store.delete(number)
            # SQLite gives the number again.
            number = store.create("Another matter").number
            assert CANARY not in everything(database, number)
        else:
            store.drop_answer(store.answers(number)[0].number)
    with acting_as(CLEO):
        assert everything(database, number) == "[]"


def test_the_log_says_who_decided_and_holds_no_text(database: Database, matter: Matter) -> None:
    entries = list(audit.entries(database))
    assert [(e.person, e.action) for e in entries] == [
        (BEN.email, action) for action in ("began a matter", "added a source", "added an answer", "decided", "revealed")
    ]
    assert CANARY not in "".join(audit.exported(database))
    assert audit.check(database).fault == ""
    assert matter.number == 1


def test_without_logins_everyone_sees_all_and_nothing_is_logged(database: Database, matter: Matter) -> None:
    use_logins(None)
    logged = len(list(audit.entries(database)))
    assert CANARY in everything(database, matter.number)
    ReviewStore(database).decide(CASE, "Bo", YES)
    assert len(list(audit.entries(database))) == logged
