"""Audit log of who saw and did what, as a hash chain.

An entry's hash is sha256 of the hash before it and of the entry as canonical JSON; the first follows 64 zeros. A person who
changes, drops or moves an entry has to write all later ones again; then the last hash differs from one that was kept elsewhere.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa

from groundscope.errors import DataError
from groundscope.storage.database import METADATA, NUMBER, Database, shared
from groundscope.storage.sqlite import now
from groundscope.storage.team.acting import acting

AUDIT = sa.Table(
    "audit",
    METADATA,
    sa.Column("number", NUMBER, primary_key=True, autoincrement=False),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
)
FIRST = "0" * 64
"""What the first entry follows."""
SHELL = "shell"
"""Stands for the person where something was done in a shell of the server."""
_WRITING = 7_461_225
"""Key of the lock that a server holds while an entry is added."""


class AuditEntry(NamedTuple):
    """An entry of the log; `about` has keys and numbers as JSON values, no texts of cases. `hash` covers all before it, too."""

    number: int
    time: str
    person: str
    action: str
    about: Mapping[str, Any]
    hash: str


class AuditCheck(NamedTuple):
    """What reading the chain found."""

    entries: int
    last: str
    fault: str


def record(connection: sa.Connection, action: str, by: str = "", **about: Any) -> None:
    """Add an entry within the transaction of what it says; nothing is added where no one is logged in and none is named."""
    person = acting()
    if who := person.email if person else by:
        add(connection, who, action, about)


def note(action: str, **about: Any) -> None:
    """Add an entry on its own, as for what was seen; nothing is added where no login is set up."""
    if acting():
        with shared().writing() as connection:
            record(connection, action, **about)


def add(connection: sa.Connection, person: str, action: str, about: Mapping[str, Any]) -> AuditEntry:
    """Add an entry, whether logins are set up or not."""
    if connection.dialect.name == "postgresql":
        # Held until the transaction ends. On SQLite no other writes meanwhile.
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_WRITING)))
    last = connection.execute(sa.select(AUDIT.c.number, AUDIT.c.hash).order_by(AUDIT.c.number.desc()).limit(1)).first()
    number, before = (last.number + 1, last.hash) if last else (1, FIRST)
    time = now()
    content = _canonical({"number": number, "time": time, "person": person, "action": action, "about": dict(about)})
    connection.execute(AUDIT.insert().values(number=number, content=content, hash=(sealed := _seal(before, content))))
    return _entry(content, sealed)


def entries(database: Database) -> Iterator[AuditEntry]:
    """Read all entries, the oldest first."""
    with database.reading() as connection:
        for row in connection.execute(sa.select(AUDIT).order_by(AUDIT.c.number)):
            yield _entry(row.content, row.hash)


def check(database: Database, noted: str = "") -> AuditCheck:
    """Read the chain from its first entry to its last."""
    with database.reading() as connection:
        rows = connection.execute(sa.select(AUDIT).order_by(AUDIT.c.number)).all()
    return _checked(((row.number, row.content, row.hash) for row in rows), noted)


def check_lines(lines: Iterable[str], noted: str = "") -> AuditCheck:
    """Read the chain of an export, as `exported` wrote it."""
    try:
        lines_read = [json.loads(line) for line in lines if line.strip()]
        rows = [(int(e["number"]), _canonical({k: v for k, v in e.items() if k != "hash"}), str(e["hash"])) for e in lines_read]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DataError("The file is not an export of the log.") from None
    return _checked(rows, noted)


def exported(database: Database) -> Iterator[str]:
    """Write the log as lines of JSON."""
    for entry in entries(database):
        yield _canonical(entry._asdict())


def _checked(rows: Iterable[tuple[int, str, str]], noted: str) -> AuditCheck:
    count, before, seen = 0, FIRST, False
    for number, content, sealed in rows:
        count += 1
        if number != count:
            return AuditCheck(count, before, f"Entry {count:,} is missing or was moved.")
        if _seal(before, content) != sealed or _number(content) != number:
            return AuditCheck(count, before, f"Entry {number:,} was changed, or the one before it was.")
        before = sealed
        seen = seen or sealed == noted
    fault = (
        "The hash that was kept is not in the log: entries were cut off, or all were written again." if noted and not seen else ""
    )
    return AuditCheck(count, before, fault)


def _number(content: str) -> object:
    try:
        return json.loads(content)["number"]
    except (ValueError, KeyError, TypeError):
        return None


def _canonical(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def _seal(before: str, content: str) -> str:
    return hashlib.sha256(f"{before}{content}".encode()).hexdigest()


def _entry(content: str, sealed: str) -> AuditEntry:
    try:
        fields = json.loads(content)
        return AuditEntry(fields["number"], fields["time"], fields["person"], fields["action"], fields["about"], sealed)
    except (ValueError, KeyError, TypeError):
        raise DataError("The log has an entry that cannot be read; check it with: python -m groundscope audit verify") from None
