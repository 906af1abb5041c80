"""The tables of a team, in the database of what several people write."""

import sqlalchemy as sa

from groundscope.storage.database import METADATA, NUMBER

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
WALLED = sa.Table(
    "walled",
    METADATA,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("matter", NUMBER, primary_key=True, autoincrement=False),
)
"""Keys of cases, and ids of jobs, by matter; a row outlives its answer, because decisions do."""
AUDIT = sa.Table(
    "audit",
    METADATA,
    sa.Column("number", NUMBER, primary_key=True, autoincrement=False),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
)
