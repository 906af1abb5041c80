"""The tables of the file of decisions."""

from datetime import UTC, datetime

from groundscope.paths import DATA_VARIABLE
from groundscope.storage.store_file import Layout

_TABLES = """
CREATE TABLE cases (key TEXT PRIMARY KEY, content TEXT) WITHOUT ROWID;
CREATE TABLE decisions (number INTEGER PRIMARY KEY, case_key TEXT, sentence INTEGER, reviewer TEXT, time TEXT, blind INTEGER,
    undoes INTEGER, settles INTEGER, content TEXT);
CREATE INDEX of_case ON decisions (case_key, reviewer, sentence, number);
CREATE TABLE queues (number INTEGER PRIMARY KEY, created TEXT, content TEXT);
CREATE TABLE reveals (case_key TEXT, reviewer TEXT, time TEXT, PRIMARY KEY (case_key, reviewer)) WITHOUT ROWID;
"""
LAYOUT = Layout(_TABLES, 2, DATA_VARIABLE, "decisions", "decide again")
FILE = "reviews.sqlite"


def now() -> str:
    """Give the time, ISO, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
