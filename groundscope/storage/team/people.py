"""People and their roles. The first leads come from the environment; they name everyone else."""

import re

import sqlalchemy as sa

from groundscope.errors import DataError
from groundscope.paths import Variable
from groundscope.storage.database import METADATA, NUMBER, Database, shared
from groundscope.storage.team import audit
from groundscope.storage.team.acting import Person, Role, require

PEOPLE = sa.Table(
    "people",
    METADATA,
    sa.Column("email", sa.Text, primary_key=True),
    sa.Column("role", sa.Text, nullable=False),
)
MEMBERS = sa.Table(
    "members",
    METADATA,
    sa.Column("matter", NUMBER, primary_key=True, autoincrement=False),
    sa.Column("email", sa.Text, primary_key=True),
)
_EMAIL = re.compile(r"[^@\s,;<>\"]+@[^@\s,;<>\"]+")
_LONGEST = 80
"""Characters of an address: decisions are kept under it, as under a reviewer's name."""


def address(written: str) -> str:
    """Read an e-mail address."""
    email = written.strip().casefold()
    if not _EMAIL.fullmatch(email) or not email.isprintable() or len(email) > _LONGEST:
        raise DataError(f"Enter an e-mail address of at most {_LONGEST} characters, such as ana@example.org.")
    return email


class People:
    """The people of a team, in a database. Every method raises `StoreError` where that cannot be read or written."""

    def __init__(self, database: Database | None = None) -> None:
        self._database = database or shared()

    def find(self, email: str) -> Person:
        """Look a person up."""
        if email in Variable.LEADS.names():
            return Person(email, Role.LEAD)
        with self._database.reading() as connection:
            role = connection.scalar(sa.select(PEOPLE.c.role).where(PEOPLE.c.email == email))
        return Person(email, Role.__members__.get(role or ""))

    def all(self) -> tuple[Person, ...]:
        """Read everyone who has a role, the first leads first, then by address."""
        first = Variable.LEADS.names()
        with self._database.reading() as connection:
            rows = connection.execute(sa.select(PEOPLE.c.email, PEOPLE.c.role).order_by(PEOPLE.c.email)).all()
        others = (Person(email, Role.__members__.get(role)) for email, role in rows if email not in first)
        return (*(Person(email, Role.LEAD) for email in first), *others)

    def name(self, written: str, role: Role, by: str = "") -> Person:
        """Give a person a role, in place of the one they had."""
        require(Role.LEAD)
        email = self._changeable(written)
        values = {"role": role.name}
        with self._database.writing() as connection:
            if not connection.execute(sa.update(PEOPLE).where(PEOPLE.c.email == email).values(**values)).rowcount:
                connection.execute(sa.insert(PEOPLE).values(email=email, **values))
            audit.record(connection, "named a person", by, email=email, role=role.words)
        return Person(email, role)

    def remove(self, written: str, by: str = "") -> None:
        """Take a person's role, and their membership in every matter; one who has none is no error."""
        require(Role.LEAD)
        email = self._changeable(written)
        with self._database.writing() as connection:
            connection.execute(sa.delete(PEOPLE).where(PEOPLE.c.email == email))
            connection.execute(sa.delete(MEMBERS).where(MEMBERS.c.email == email))
            audit.record(connection, "removed a person", by, email=email)

    def _changeable(self, written: str) -> str:
        email = address(written)
        if email in Variable.LEADS.names():
            raise DataError(f"{email} is a lead by {Variable.LEADS}; change it where the server is started.")
        return email
