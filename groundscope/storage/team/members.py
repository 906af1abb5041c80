"""Members of matters: only they see it. Without logins, everyone sees everything."""

from collections.abc import Iterable

import sqlalchemy as sa

from groundscope.errors import DataError
from groundscope.storage.database import METADATA, NUMBER, Database, shared
from groundscope.storage.team import audit
from groundscope.storage.team.acting import NotAllowed, Role, acting, current_person, require
from groundscope.storage.team.people import MEMBERS, address

RESTRICTED = sa.Table(
    "walled",
    METADATA,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("matter", NUMBER, primary_key=True, autoincrement=False),
)
"""Keys of cases, and ids of jobs, by matter; a row outlives its answer, because decisions do."""
_ID = "id "
"""Stands before the id of an answer's case among the keys."""
_NO_MEMBER = "There is no such matter, or you are not a member of it."
_GONE = 0
"""Number of the matter that cases have whose matter was deleted; no one is a member of it."""


def of_mine(matter: sa.ColumnElement[int]) -> tuple[sa.ColumnElement[bool], ...]:
    """Leave out the matters of which the person who acts is no member."""
    person = acting()
    return (matter.in_(_mine(person.email)),) if person else ()


def may_see(key: sa.ColumnElement[str]) -> tuple[sa.ColumnElement[bool], ...]:
    """Leave out what matters hold that the person who acts may not see, deleted answers included."""
    person = acting()
    if person is None:
        return ()
    mine = sa.select(RESTRICTED.c.key).where(RESTRICTED.c.matter.in_(_mine(person.email)))
    return (key.not_in(sa.select(RESTRICTED.c.key).where(RESTRICTED.c.key.not_in(mine))),)


def _mine(email: str) -> "sa.Select[tuple[int]]":
    return sa.select(MEMBERS.c.matter).where(MEMBERS.c.email == email)


def must_see(connection: sa.Connection, matter: int) -> None:
    """See that the person who acts is a member of a matter."""
    person = acting()
    if person and connection.execute(_mine(person.email).where(MEMBERS.c.matter == matter)).first() is None:
        raise NotAllowed(_NO_MEMBER)


def must_see_all(connection: sa.Connection, *keys: str) -> None:
    """See that the person who acts may see cases."""
    if hidden(connection) & set(keys):
        raise NotAllowed(_NO_MEMBER)


def hidden(connection: sa.Connection) -> frozenset[str]:
    """Find what the person who acts may not see."""
    seen = may_see(RESTRICTED.c.key)
    return frozenset(connection.scalars(sa.select(RESTRICTED.c.key).where(~seen[0]))) if seen else frozenset()


def matters_of(connection: sa.Connection) -> tuple[int, ...]:
    """Find the matters of the person who acts."""
    person = acting()
    return tuple(connection.scalars(_mine(person.email).order_by(MEMBERS.c.matter))) if person else ()


def restrict(connection: sa.Connection, matter: int, key: str) -> None:
    """Have something be seen by members of a matter alone, also once its answer is deleted."""
    row = {"key": key, "matter": matter}
    there = sa.select(RESTRICTED.c.matter).where(RESTRICTED.c.key == key, RESTRICTED.c.matter == matter)
    if connection.scalar(there) is None:
        connection.execute(sa.insert(RESTRICTED).values(**row))


def restrict_answer(connection: sa.Connection, matter: int, key: str, case_id: str) -> None:
    """Have an answer be seen by members of its matter alone, and jobs that judge it."""
    restrict(connection, matter, key)
    restrict(connection, matter, answer_key(case_id))


def answer_key(case_id: str) -> str:
    """Name an answer by the id of its case, which no two answers share."""
    return f"{_ID}{case_id}"


def restrict_job(job: str, case_ids: Iterable[str]) -> None:
    """Have a job be seen by members alone of each matter whose answers it judges, or versions of them."""
    if current_person() is None:
        return
    with shared().writing() as connection:
        rows = connection.execute(sa.select(RESTRICTED.c.key, RESTRICTED.c.matter).where(RESTRICTED.c.key.startswith(_ID))).all()
        answers = {key.removeprefix(_ID): matter for key, matter in rows}
        matters = {matter for one in case_ids for answer, matter in answers.items() if _is_version(one, answer)}
        for matter in sorted(matters):
            restrict(connection, matter, job)


def hidden_jobs() -> frozenset[str]:
    """Find the jobs that the person who acts may not see."""
    if current_person() is None:
        return frozenset()
    with shared().reading() as connection:
        return hidden(connection)


def _is_version(case_id: str, answer: str) -> bool:
    return case_id.startswith(answer) and not case_id[len(answer) : len(answer) + 1].isalnum()


def begin_matter(connection: sa.Connection, matter: int) -> None:
    """Make the person who acts the first member of a new matter."""
    if person := acting():
        connection.execute(sa.insert(MEMBERS).values(matter=matter, email=person.email))


def end_matter(connection: sa.Connection, matter: int) -> None:
    """Take the members of a deleted matter; what was decided of its cases is seen by no one from then on."""
    connection.execute(sa.delete(MEMBERS).where(MEMBERS.c.matter == matter))
    # The id of an answer has the matter's name.
    connection.execute(sa.delete(RESTRICTED).where(RESTRICTED.c.matter == matter, RESTRICTED.c.key.startswith(_ID)))
    already_gone = sa.select(RESTRICTED.c.key).where(RESTRICTED.c.matter == _GONE)
    connection.execute(sa.delete(RESTRICTED).where(RESTRICTED.c.matter == matter, RESTRICTED.c.key.in_(already_gone)))
    connection.execute(sa.update(RESTRICTED).where(RESTRICTED.c.matter == matter).values(matter=_GONE))


class Membership:
    """The members of one matter. Every method raises `StoreError` where the database cannot be read or written.

    A person who is no member gets `NotAllowed` from each.
    """

    def __init__(self, database: Database, matter: int) -> None:
        self._database, self._matter = database, matter

    def all(self) -> tuple[str, ...]:
        """Read the members' addresses, in their order."""
        with self._database.reading() as connection:
            return self._emails(connection)

    def _emails(self, connection: sa.Connection) -> tuple[str, ...]:
        must_see(connection, self._matter)
        emails = sa.select(MEMBERS.c.email).where(MEMBERS.c.matter == self._matter).order_by(MEMBERS.c.email)
        return tuple(connection.scalars(emails))

    def add(self, written: str, by: str = "") -> str:
        """Let a person see the matter; one who is a member stays one."""
        require(Role.REVIEWER)
        email = address(written)
        with self._database.writing() as connection:
            if email not in self._emails(connection):
                connection.execute(sa.insert(MEMBERS).values(matter=self._matter, email=email))
                audit.record(connection, "added a member", by, matter=self._matter, email=email)
        return email

    def remove(self, email: str) -> None:
        """Have a person see the matter no longer."""
        require(Role.REVIEWER)
        with self._database.writing() as connection:
            if self._emails(connection) == (email,):
                raise DataError("A matter keeps one member; add another person first, or delete the matter.")
            connection.execute(sa.delete(MEMBERS).where(MEMBERS.c.matter == self._matter, MEMBERS.c.email == email))
            audit.record(connection, "removed a member", matter=self._matter, email=email)
