"""The log: whatever is changed, dropped or moved is found; several writers keep one chain."""

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
import sqlalchemy as sa

from groundscope.errors import DataError
from groundscope.storage.database import Database
from groundscope.storage.team import audit
from groundscope.storage.team.acting import Person, Role, acting_as
from groundscope.storage.team.audit import AUDIT


@pytest.fixture
def log(database: Database) -> Database:
    for number in range(5):
        with database.writing() as connection:
            audit.add(connection, "ana@example.org", "decided", {"case": f"k{number}"})
    return database


def change(database: Database, statement: sa.Executable) -> None:
    with database.writing() as connection:
        connection.execute(statement)


def test_a_log_as_it_was_written_is_sound(log: Database) -> None:
    found = audit.check(log)
    entries = list(audit.entries(log))
    assert (found.entries, found.fault) == (5, "")
    assert [e.number for e in entries] == [1, 2, 3, 4, 5]
    assert found.last == entries[-1].hash
    # By hand: sha256 of the hash before and of the sorted, dense JSON.
    first = {k: v for k, v in entries[0]._asdict().items() if k != "hash"}
    dense = json.dumps(first, sort_keys=True, separators=(",", ":"))
    assert entries[0].hash == hashlib.sha256(("0" * 64 + dense).encode()).hexdigest()


def test_an_empty_log_is_sound(database: Database) -> None:
    assert audit.check(database) == audit.AuditCheck(0, "0" * 64, "")


@pytest.mark.parametrize("number", [1, 3, 5])
def test_a_changed_entry_is_found(log: Database, number: int) -> None:
    content = audit._canonical({**next(e for e in audit.entries(log) if e.number == number)._asdict(), "person": "ben"})
    change(log, sa.update(AUDIT).where(AUDIT.c.number == number).values(content=content))
    assert audit.check(log).fault == f"Entry {number} was changed, or the one before it was."


@pytest.mark.parametrize("number", [1, 3])
def test_a_dropped_entry_is_found(log: Database, number: int) -> None:
    change(log, sa.delete(AUDIT).where(AUDIT.c.number == number))
    assert audit.check(log).fault == f"Entry {number} is missing or was moved."
    # Numbers that close the gap do not hide it.
    for later in range(number + 1, 6):
        change(log, sa.update(AUDIT).where(AUDIT.c.number == later).values(number=later - 1))
    assert audit.check(log).fault == f"Entry {number} was changed, or the one before it was."


def test_entries_in_another_order_are_found(log: Database) -> None:
    for now, then in ((2, 90), (3, 2), (90, 3)):
        change(log, sa.update(AUDIT).where(AUDIT.c.number == now).values(number=then))
    assert audit.check(log).fault == "Entry 2 was changed, or the one before it was."


def test_a_log_that_lost_its_end_is_found_by_a_hash_that_was_kept(log: Database) -> None:
    kept = audit.check(log).last
    assert audit.check(log, kept).fault == ""
    change(log, sa.delete(AUDIT).where(AUDIT.c.number == 5))
    assert audit.check(log).fault == ""
    assert "entries were cut off, or all were written again" in audit.check(log, kept).fault


def test_a_log_that_was_written_again_as_a_whole_is_found_by_a_hash_that_was_kept(log: Database) -> None:
    kept = audit.check(log).last
    change(log, sa.delete(AUDIT))
    for number in range(5):
        with log.writing() as connection:
            audit.add(connection, "ben@example.org", "decided", {"case": f"k{number}"})
    assert audit.check(log).fault == ""
    assert audit.check(log, kept).fault


def test_an_export_is_checked_without_the_database(log: Database) -> None:
    lines = list(audit.exported(log))
    assert audit.check_lines(lines) == audit.check(log)
    assert audit.check_lines(lines, json.loads(lines[2])["hash"]).fault == ""
    assert audit.check_lines([lines[0], lines[2]]).fault == "Entry 2 is missing or was moved."
    assert audit.check_lines([lines[0].replace("ana@", "ben@")]).fault == "Entry 1 was changed, or the one before it was."
    with pytest.raises(DataError, match="not an export"):
        audit.check_lines(["[]"])


def test_threads_that_write_at_once_keep_one_chain(database: Database) -> None:
    def write(_: int) -> None:
        for number in range(5):
            with database.writing() as connection:
                audit.add(connection, "writer", "wrote", {"n": number})

    with ThreadPoolExecutor(4) as writers:
        list(writers.map(write, range(4)))
    found = audit.check(database)
    assert (found.entries, found.fault) == (20, "")


@pytest.mark.usefixtures("logins")
def test_what_is_noted_bears_the_name_of_who_acts(shared_database: Database) -> None:
    with acting_as(Person("ben@example.org", Role.READER)):
        audit.note("opened a matter", matter=3)
    (entry,) = audit.entries(shared_database)
    assert (entry.person, entry.action, entry.about) == ("ben@example.org", "opened a matter", {"matter": 3})


def test_nothing_is_noted_where_no_login_is_set_up(shared_database: Database) -> None:
    audit.note("opened a matter", matter=3)
    assert list(audit.entries(shared_database)) == []


def test_an_entry_that_is_rolled_back_leaves_no_gap(log: Database) -> None:
    with suppress(RuntimeError), log.writing() as connection:
        audit.add(connection, "ben", "did", {})
        raise RuntimeError
    with log.writing() as connection:
        assert audit.add(connection, "ben", "did", {}).number == 6
    assert audit.check(log).fault == ""
