"""People of a team, members of matters, and the log of who did what."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "0002", "0001"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables."""
    op.create_table("people", _text("email", primary_key=True), _text("role"))
    op.create_table("members", _number("matter"), _text("email", primary_key=True))
    op.create_table("walled", _text("key", primary_key=True), _number("matter"))
    op.create_table("audit", _number("number"), _text("content"), _text("hash"))


def _text(name: str, *, primary_key: bool = False) -> "sa.Column[str]":
    return sa.Column(name, sa.Text, primary_key=primary_key, nullable=False)


def _number(name: str) -> "sa.Column[int]":
    return sa.Column(name, _NUMBER, primary_key=True, autoincrement=False)
