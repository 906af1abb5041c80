"""All that one database holds, copied into another one that is still empty."""

from collections.abc import Callable

import sqlalchemy as sa

from groundscope.errors import DataError
from groundscope.storage.database import Database

_ROWS = 1_000
"""That are copied at once."""


def copy(source: Database, target: Database, hear: Callable[[str, int], None] = lambda table, rows: None) -> dict[str, int]:
    """Copy every table, all or none, as one moment of the source has it."""
    if source.url == target.url:
        raise DataError("This is the database that is in use already.")
    counts: dict[str, int] = {}
    with source.reading() as old, target.writing() as new:
        tables = _tables(old)
        if taken := [t.name for t in tables if new.execute(sa.select(sa.literal(1)).select_from(t).limit(1)).first()]:
            raise DataError(f"{target.shown} holds something already ({', '.join(taken)}); name an empty database.")
        for table in tables:
            counts[table.name] = 0
            for rows in old.execute(sa.select(table)).mappings().partitions(_ROWS):
                new.execute(sa.insert(table), [dict(row) for row in rows])
                counts[table.name] += len(rows)
                hear(table.name, counts[table.name])
            if new.scalar(sa.select(sa.func.count()).select_from(table)) != counts[table.name]:
                raise DataError(f"Not all rows of {table.name} arrived; nothing was kept. Try again.")
            if not target.path:
                _count_on(new, table)
    return counts


def _tables(connection: sa.Connection) -> list[sa.Table]:
    metadata = sa.MetaData()
    metadata.reflect(connection)
    return [table for name, table in sorted(metadata.tables.items()) if name != "alembic_version"]


def _count_on(connection: sa.Connection, table: sa.Table) -> None:
    """Let a server's numbers go on above those that came along."""
    for column in table.primary_key:
        if isinstance(column.type, sa.Integer) and (highest := connection.scalar(sa.select(sa.func.max(column)))):
            sequence = sa.func.pg_get_serial_sequence(table.name, column.name)
            connection.execute(sa.select(sa.func.setval(sequence, highest)))
