"""The same tests with SQLite and with Postgres."""

from tests.postgres import database, postgres, shared_database

__all__ = ["database", "postgres", "shared_database"]
