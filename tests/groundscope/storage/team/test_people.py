"""Who has which role, and who may give it."""

import pytest

from groundscope.errors import DataError
from groundscope.paths import Variable
from groundscope.storage.database import Database
from groundscope.storage.team import audit
from groundscope.storage.team.acting import NotAllowed, Person, Role, acting, acting_as, require, use_logins
from groundscope.storage.team.members import Membership, begin_matter
from groundscope.storage.team.people import People, address
from tests.loops import each

ANA, BEN = Person("ana@example.org", Role.LEAD), Person("ben@example.org", Role.REVIEWER)


@pytest.fixture
def people(database: Database, monkeypatch: pytest.MonkeyPatch) -> People:
    monkeypatch.setenv(Variable.LEADS, " Ana@Example.org ,, ")
    return People(database)


def test_the_first_leads_are_those_of_the_environment(people: People) -> None:
    assert people.find(ANA.email) == ANA
    assert people.find(BEN.email).role is None
    assert people.all() == (ANA,)
    with pytest.raises(DataError, match=Variable.LEADS):
        people.name(ANA.email, Role.READER)
    with pytest.raises(DataError, match=Variable.LEADS):
        people.remove(ANA.email)


@pytest.mark.usefixtures("logins")
def test_a_lead_names_and_removes_people_and_the_log_says_so(people: People, database: Database) -> None:
    with acting_as(ANA):
        people.name("Ben@example.org ", Role.READER)
        assert people.name(BEN.email, Role.REVIEWER) == BEN
        assert people.all() == (ANA, BEN)
        people.remove(BEN.email)
    assert people.find(BEN.email).role is None
    assert [(e.person, e.action, e.about.get("role")) for e in audit.entries(database)] == [
        (ANA.email, "named a person", "reader"),
        (ANA.email, "named a person", "reviewer"),
        (ANA.email, "removed a person", None),
    ]


def test_who_is_removed_is_a_member_of_nothing_when_named_again(people: People, database: Database) -> None:
    with acting_as(ANA):
        people.name(BEN.email, Role.REVIEWER)
    with acting_as(BEN), database.writing() as connection:
        begin_matter(connection, 1)
        begin_matter(connection, 2)
    with acting_as(ANA):
        people.remove(BEN.email)
        people.name(BEN.email, Role.REVIEWER)
    with acting_as(BEN), pytest.raises(NotAllowed):
        Membership(database, 1).all()


def test_a_matter_keeps_one_member(database: Database) -> None:
    with acting_as(BEN):
        with database.writing() as connection:
            begin_matter(connection, 1)
        members = Membership(database, 1)
        with pytest.raises(DataError, match="keeps one member"):
            members.remove(BEN.email)
        members.add("CLEO@example.org")
        members.remove(BEN.email)
        with pytest.raises(NotAllowed):
            members.all()
    with acting_as(Person("cleo@example.org", Role.READER)):
        assert members.all() == ("cleo@example.org",)
        with pytest.raises(NotAllowed, match="needs a reviewer"):
            members.add(BEN.email)


@each("wrong", ["", "ana", "a b@c.org", "a@b@c", "ana@x,ben@y", f"{'a' * 80}@b.org", "a\u200b@b.org"])
def test_what_is_no_address_is_refused(wrong: str) -> None:
    with pytest.raises(DataError, match="Enter an e-mail address"):
        address(wrong)


def test_without_logins_everything_is_allowed() -> None:
    assert acting() is None
    assert require(Role.LEAD, "any name") is None


@pytest.mark.usefixtures("logins")
def test_with_logins_a_thread_without_one_may_do_nothing() -> None:
    for role in Role:
        with pytest.raises(NotAllowed, match="Log in first"):
            require(role)


@each("role", [None, *Role])
@each("needed", list(Role))
def test_a_role_may_what_it_and_lower_ones_may(role: Role | None, needed: Role) -> None:
    with acting_as(Person("ben@example.org", role)):
        if role is not None and role >= needed:
            require(needed)
        else:
            with pytest.raises(NotAllowed):
                require(needed)


def test_the_role_is_looked_up_at_each_write(people: People, database: Database) -> None:
    people.name(BEN.email, Role.LEAD)
    use_logins(lambda: people.find(BEN.email))
    try:
        require(Role.LEAD)
        with acting_as(ANA):
            people.name(BEN.email, Role.READER)
        with pytest.raises(NotAllowed, match="needs a lead, and you are a reader"):
            require(Role.LEAD)
    finally:
        use_logins(None)


def test_no_one_decides_under_another_name() -> None:
    with acting_as(BEN):
        require(Role.REVIEWER, BEN.email)
        with pytest.raises(NotAllowed, match="your own name"):
            require(Role.REVIEWER, ANA.email)
