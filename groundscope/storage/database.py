"""The database of what several people write: a SQLite file of the data folder, or the server that a URL names.

Tables are SQLAlchemy's; each room adds its own to `METADATA`, and `migrations/versions` creates them, on both kinds alike.
"""

import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

import sqlalchemy as sa
from sqlalchemy import exc
from sqlalchemy.dialects import postgresql, sqlite

from groundscope.errors import DataError, NotSavedYet, StoreError
from groundscope.paths import Variable, data_folder
from groundscope.storage.sqlite import PATIENCE, Layout, refused, use_wal

FILE = "groundscope.sqlite"
METADATA = sa.MetaData()
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
"""Type of a number that rises with every row."""
HEAD = "0003"
"""The newest of `migrations/versions`."""

_LAYOUT = Layout("", 0, Variable.DATA, "decisions and matters", "do it again")
_VERSION = sa.table("alembic_version", sa.column("version_num"))
_MIGRATING = 7_461_224
"""Key of the lock that a server holds while tables are made; any number that no other program takes."""
_SECONDS = 5
"""To wait for a server's first answer, and for a connection where all are taken."""
_WAITING = {"connect_timeout": _SECONDS, "tcp_user_timeout": 1_000 * _SECONDS}
"""A server whose machine is gone closes no connection: what is sent to it and not taken ends the connection, too."""

_ANSWER = 20.0
"""To wait for the whole answer to one statement, a lock that others hold included."""

_Result = TypeVar("_Result")
_opened: dict[str, "Database"] = {}
_opening = threading.Lock()


class Database:
    """Opened at the first use, its tables made or brought up to date then; safe to share between threads."""

    def __init__(self, url: str | sa.URL) -> None:
        try:
            self.url = sa.make_url(url)
            if self.url.drivername not in ("sqlite", "postgresql+psycopg") or not self.url.database:
                raise exc.ArgumentError
            self.path = Path(self.url.database) if self.url.drivername == "sqlite" else None
            waiting = {"timeout": PATIENCE} if self.path else _WAITING
            # Where all connections wait for a server that hangs, the next one must not wait for half a minute.
            self._engine = sa.create_engine(self.url, pool_pre_ping=True, pool_timeout=_SECONDS, connect_args=waiting)
        except (exc.ArgumentError, ValueError):
            raise StoreError(
                f"{Variable.DATABASE} has to be a URL such as postgresql+psycopg://user@host/name or sqlite:////folder/file.sqlite."
            ) from None
        except ImportError:
            raise StoreError("Postgres needs a driver. Install it with: pip install 'groundscope[postgres]'") from None
        self._lock = threading.Lock()
        self._ready = False
        if self.path:
            sa.event.listen(self._engine, "connect", _prepare)
            sa.event.listen(self._engine, "begin", _begin)
        else:
            sa.event.listen(self._engine, "do_connect", _bounded())

    @classmethod
    def at(cls, path: Path) -> Self:
        """Name a SQLite file."""
        return cls(sa.URL.create("sqlite", database=str(path)))

    @property
    def shown(self) -> str:
        """What it is, for people: its file, or the URL without a password."""
        return str(self.path or self.url)

    def is_there(self) -> bool:
        """Check whether there is anything to open; a server is taken to be there."""
        return self.path is None or self.path.exists()

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Read what one moment holds."""
        with self._errors(), self._opened().connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Write all or nothing; on SQLite no other writes meanwhile. Raises NotSavedYet if the server does not answer."""
        with self._errors(), self._opened().connect().execution_options(writes=True) as connection, connection.begin():
            yield connection

    def wipe(self, *tables: sa.Table) -> None:
        """See that rows that were deleted cannot be read from the files any more, as far as the database allows it."""
        apart = {"apart": True} if self.path else {"isolation_level": "AUTOCOMMIT"}
        # The log of SQLite still holds what was written first.
        wiping = "PRAGMA wal_checkpoint(TRUNCATE)" if self.path else "VACUUM " + ", ".join(table.name for table in tables)
        with self._errors(), self._opened().connect().execution_options(**apart) as connection:
            connection.exec_driver_sql(wiping)

    def add_new(self, connection: sa.Connection, table: sa.Table, *rows: Mapping[str, Any]) -> None:
        """Insert rows; those whose key is there stay as they are."""
        if rows:
            dialect = sqlite if self.path else postgresql
            connection.execute(dialect.insert(table).on_conflict_do_nothing(), [dict(row) for row in rows])

    def close(self) -> None:
        """Close all connections; the next use opens it again."""
        with self._lock:
            self._engine.dispose()
            self._ready = False

    def _opened(self) -> sa.Engine:
        with self._lock:
            if not self._ready:
                if self.path:
                    self.path.parent.mkdir(parents=True, exist_ok=True)
                self._bring_up_to_date()
                self._ready = True
        return self._engine

    def _bring_up_to_date(self) -> None:
        with self._engine.connect() as connection:
            if self._version(connection) == HEAD:
                return
        with self._engine.connect().execution_options(writes=True) as connection, connection.begin():
            if not self.path:
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_MIGRATING)))
            # Another process may have made the tables while this one waited for the lock.
            if (version := self._version(connection)) != HEAD:
                if version and version > HEAD:
                    raise StoreError(f"A newer Groundscope wrote {self.shown}; install the newer one to use it.")
                _migrate(connection)

    def _version(self, connection: sa.Connection) -> str | None:
        """Of its tables; None where there are none."""
        there = sa.inspect(connection).get_table_names()
        if "alembic_version" in there:
            return str(connection.scalar(sa.select(_VERSION.c.version_num)))
        if there and (self.path or any(name in METADATA.tables for name in there)):
            raise self._unreadable()
        return None

    def refuses_key(self, error: StoreError) -> bool:
        """Check whether an error of `writing` came from a key that is taken."""
        return isinstance(error.__cause__, exc.IntegrityError)

    def meaning(self, read: Callable[[], _Result]) -> _Result:
        """Make something of what rows hold."""
        try:
            return read()
        except (ValueError, KeyError, TypeError, RecursionError, DataError) as error:
            raise self._unreadable() from error

    def _unreadable(self) -> StoreError:
        return refused(Path(self.shown), ValueError(), _LAYOUT)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (exc.DBAPIError, exc.TimeoutError, OSError) as error:
            raise self._refused(error) from error

    def _refused(self, error: Exception) -> StoreError:
        cause = error.orig if isinstance(error, exc.DBAPIError) else error
        if self.path:
            # After a fault the file may be another one.
            self.close()
            return refused(self.path, cause, _LAYOUT) if isinstance(cause, sqlite3.Error | OSError) else StoreError(str(cause))
        if isinstance(error, exc.OperationalError | exc.TimeoutError | OSError) or getattr(
            error, "connection_invalidated", False
        ):
            return NotSavedYet(f"The database {self.shown} does not answer.")
        return StoreError(f"The database {self.shown} refused it ({type(cause).__name__}); its log says why.")


def _prepare(connection: Any, _: object) -> None:
    connection.isolation_level = None
    use_wal(connection, PATIENCE)
    # In WAL mode what was committed outlives the process.
    connection.execute("PRAGMA synchronous = NORMAL")
    # What is deleted is gone from the file.
    connection.execute("PRAGMA secure_delete = ON")


def _begin(connection: sa.Connection) -> None:
    options = connection.get_execution_options()
    if not options.get("apart"):
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("writes") else "BEGIN")


def _migrate(connection: sa.Connection) -> None:
    # Half a second to import, needed once a database.
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    command.upgrade(config, "head")


def shared() -> Database:
    """Open the database that this process uses."""
    named = Variable.DATABASE.read() or str(data_folder() / FILE)
    with _opening:
        if named not in _opened:
            _opened[named] = Database(named) if "://" in named else Database.at(Path(named))
        return _opened[named]


_ROWS = 1_000
"""That are copied at once."""


def copy_all(source: Database, target: Database, hear: Callable[[str, int], None] = lambda table, rows: None) -> dict[str, int]:
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


def _bounded() -> Callable[[object, object, list[Any], dict[str, Any]], Any]:
    """What SQLAlchemy's event `do_connect` calls: connections on which no statement waits for a frozen server without end."""
    # The driver is not there without the extra.
    import psycopg
    from psycopg.pq import TransactionStatus

    class BoundedConnection(psycopg.Connection[Any]):
        """Closed when a statement has no whole answer in time, as no one knows what became of it."""

        def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
            try:
                return super().wait(gen, interval, _ANSWER if timeout is None else timeout)
            except psycopg.OperationalError:
                if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                    self.pgconn.finish()
                raise

    return lambda dialect, record, arguments, options: BoundedConnection.connect(*arguments, **options)


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
