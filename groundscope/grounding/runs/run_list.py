"""Folders of runs that someone put on the list for everyone who shares the database."""

from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa

from groundscope.experiments.store import now
from groundscope.storage.database import METADATA, shared
from groundscope.storage.team import audit
from groundscope.storage.team.acting import require
from groundscope.storage.team.roles import Role

RUNS = sa.Table(
    "runs",
    METADATA,
    sa.Column("folder", sa.Text, primary_key=True),
    *(sa.Column(name, sa.Text, nullable=False) for name in ("name", "source", "created", "added")),
)


class ListedFolder(NamedTuple):
    """A folder on the list, with what its run said of itself when it was put there; times are ISO, UTC."""

    folder: Path
    name: str
    source: str
    created: str


def add(one: ListedFolder) -> None:
    """Put a folder on the list; one that is on it is described again."""
    require(Role.REVIEWER)
    database = shared()
    with database.writing() as connection:
        connection.execute(sa.delete(RUNS).where(RUNS.c.folder == str(one.folder)))
        row = {"folder": str(one.folder), "name": one.name, "source": one.source, "created": one.created, "added": now()}
        database.add_new(connection, RUNS, row)
        audit.record(connection, "put a run on the list", folder=one.folder.name)


def drop(folder: Path) -> bool:
    """Take a folder off the list; nothing in it is touched."""
    require(Role.LEAD)
    with shared().writing() as connection:
        was_there = bool(connection.execute(sa.delete(RUNS).where(RUNS.c.folder == str(folder))).rowcount)
        audit.record(connection, "took a run off the list", folder=folder.name)
        return was_there


def all_listed() -> tuple[ListedFolder, ...]:
    """Read the list."""
    database = shared()
    if not database.is_there():
        return ()
    query = sa.select(RUNS).order_by(RUNS.c.added.desc(), RUNS.c.folder)
    with database.reading() as connection:
        return tuple(ListedFolder(Path(r.folder), r.name, r.source, r.created) for r in connection.execute(query))
