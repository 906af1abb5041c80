"""Decisions of reviewers, their queues, matters, frozen rules and the list of runs."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "0001", None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _number() -> "sa.Column[int]":
    return sa.Column("number", _NUMBER, primary_key=True)


def upgrade() -> None:
    """Make the tables."""
    op.create_table("cases", _text("key", primary_key=True), _text("content"))
    op.create_table(
        "decisions",
        _number(),
        _text("case_key"),
        sa.Column("sentence", sa.Integer, nullable=False),
        _text("reviewer"),
        _text("time"),
        sa.Column("blind", sa.Boolean, nullable=False),
        sa.Column("undoes", _NUMBER),
        sa.Column("settles", sa.Boolean, nullable=False),
        _text("content"),
        sa.Column("call", sa.Text, unique=True),
    )
    op.create_index("of_case", "decisions", ["case_key", "reviewer", "sentence", "number"])
    op.create_table("queues", _number(), _text("created"), _text("content"))
    op.create_table("reveals", _text("case_key", primary_key=True), _text("reviewer", primary_key=True), _text("time"))
    op.create_table("matters", _number(), _text("created"), _text("name", unique=True))
    op.create_table("sources", _number(), sa.Column("matter", _NUMBER, nullable=False), _text("content"))
    op.create_index("sources_of_matter", "sources", ["matter", "number"])
    op.create_table("answers", _number(), sa.Column("matter", _NUMBER, nullable=False), _text("created"), _text("content"))
    op.create_index("answers_of_matter", "answers", ["matter", "number"])
    op.create_table("frozen_rules", _text("key", primary_key=True), _text("name"), _text("made"), _text("content"))
    op.create_table("runs", _text("folder", primary_key=True), _text("name"), _text("source"), _text("created"), _text("added"))


def _text(name: str, *, primary_key: bool = False, unique: bool = False) -> "sa.Column[str]":
    return sa.Column(name, sa.Text, primary_key=primary_key, unique=unique or None, nullable=False)
