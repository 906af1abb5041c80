"""The client of a matter, which its reports name."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "0003", "0002"


def upgrade() -> None:
    """Add the column; the matters that are there have no client."""
    op.add_column("matters", sa.Column("client", sa.Text, nullable=False, server_default=""))
