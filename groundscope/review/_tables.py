"""The tables of decisions and matters."""

from datetime import UTC, datetime

import sqlalchemy as sa

from groundscope.storage.database import METADATA, NUMBER


def _text(name: str) -> "sa.Column[str]":
    return sa.Column(name, sa.Text, nullable=False)


def _key(name: str) -> "sa.Column[str]":
    return sa.Column(name, sa.Text, primary_key=True)


def _number() -> "sa.Column[int]":
    return sa.Column("number", NUMBER, primary_key=True)


def _matter() -> "sa.Column[int]":
    return sa.Column("matter", NUMBER, nullable=False)


CASES = sa.Table("cases", METADATA, _key("key"), _text("content"))
DECISIONS = sa.Table(
    "decisions",
    METADATA,
    _number(),
    _text("case_key"),
    sa.Column("sentence", sa.Integer, nullable=False),
    _text("reviewer"),
    _text("time"),
    sa.Column("blind", sa.Boolean, nullable=False),
    sa.Column("undoes", NUMBER),
    sa.Column("settles", sa.Boolean, nullable=False),
    _text("content"),
    sa.Column("call", sa.Text, unique=True),
    sa.Index("of_case", "case_key", "reviewer", "sentence", "number"),
)
QUEUES = sa.Table("queues", METADATA, _number(), _text("created"), _text("content"))
REVEALS = sa.Table("reveals", METADATA, _key("case_key"), _key("reviewer"), _text("time"))
MATTERS = sa.Table(
    "matters",
    METADATA,
    _number(),
    _text("created"),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("client", sa.Text, nullable=False, server_default=""),
)
SOURCES = sa.Table("sources", METADATA, _number(), _matter(), _text("content"), sa.Index("sources_of_matter", "matter", "number"))
ANSWERS = sa.Table(
    "answers",
    METADATA,
    _number(),
    _matter(),
    _text("created"),
    _text("content"),
    sa.Index("answers_of_matter", "matter", "number"),
)


def now() -> str:
    """Give the time, ISO, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
