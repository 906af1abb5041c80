"""Postgres connections with a timeout for every statement: a frozen server neither answers nor disconnects."""

from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.pq import TransactionStatus

SECONDS = 20.0
"""To wait for the whole answer to one statement, a lock that others hold included."""

_Result = TypeVar("_Result")


class BoundedConnection(psycopg.Connection[Any]):
    """Closed when a statement has no whole answer in time, as no one knows what became of it."""

    def wait(self, gen: PQGen[_Result], interval: float = 0.1, timeout: float | None = None) -> _Result:
        """Wait for what the server answers.

        Raises:
            psycopg.OperationalError: the time is over, and the connection is closed; or the server refused.
        """
        try:
            return super().wait(gen, interval, SECONDS if timeout is None else timeout)
        except psycopg.OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                self.pgconn.finish()
            raise


def connect(dialect: object, record: object, arguments: list[Any], options: dict[str, Any]) -> BoundedConnection:
    """Open a connection, as SQLAlchemy's event `do_connect` asks for one."""
    return BoundedConnection.connect(*arguments, **options)
