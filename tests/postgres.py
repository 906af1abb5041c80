"""A real Postgres server for tests: its own folder, its own user, on loopback; gone with the tests."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from groundscope.paths import Variable
from groundscope.storage.database import FILE, Database


def programs() -> Path | None:
    """Where `initdb` and `pg_ctl` are; None where Postgres is not installed."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    if versions:
        return versions[-1].parent
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found else None


class PostgresServer:
    """A server that runs; `stop` and `start` keep its data."""

    def __init__(self, bin_folder: Path, home: Path) -> None:
        """Make its data and start it."""
        self._bin, self.data = bin_folder, home / "data"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        # Postgres refuses to run as root.
        self._user: dict[str, str] = {}
        if os.geteuid() == 0:
            name = next(n for n in ("postgres", "nobody") if n in {p.pw_name for p in pwd.getpwall()})
            os.chown(home, pwd.getpwnam(name).pw_uid, -1)
            self._user = {"user": name}
        self._run("initdb", "-D", str(self.data), "-U", "tests", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C")
        # Off loopback it answers no one; there is no need to survive a cut of power.
        options = f"port={self.port}\nlisten_addresses='127.0.0.1'\nunix_socket_directories=''\nfsync=off\nmax_connections=200\n"
        with (self.data / "postgresql.conf").open("a") as file:
            file.write(options)
        self.start()

    def _run(self, program: str, *words: str) -> None:
        subprocess.run(
            [str(self._bin / program), *words],
            check=True,
            cwd=self.data.parent,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=60,
            **self._user,  # type: ignore[call-overload]
        )

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._run("pg_ctl", "-D", str(self.data), "-l", str(self.data / "log"), "-w", "start")

    def stop(self, how: str = "immediate") -> None:
        """Stop it; `immediate` is what a crash is."""
        self._run("pg_ctl", "-D", str(self.data), "-m", how, "-w", "stop")

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Let it and its helpers take no step while the block runs; what is sent to it is still taken by the system."""
        first = int((self.data / "postmaster.pid").read_text().split()[0])
        os.kill(first, signal.SIGSTOP)
        processes = [first, *map(int, Path(f"/proc/{first}/task/{first}/children").read_text().split())]
        try:
            for process in processes:
                os.kill(process, signal.SIGSTOP)
            yield
        finally:
            for process in processes:
                os.kill(process, signal.SIGCONT)

    def make(self) -> str:
        """Make an empty database; its URL."""
        name = f"t{uuid4().hex}"
        with psycopg.connect(f"postgresql://tests@127.0.0.1:{self.port}/postgres", autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')  # type: ignore[arg-type]
        return f"postgresql+psycopg://tests@127.0.0.1:{self.port}/{name}"


@contextmanager
def running() -> Iterator[PostgresServer]:
    """Run a server while the block runs; the test is skipped where Postgres is not installed."""
    if (found := programs()) is None:
        pytest.skip("Postgres is not installed here (Debian: apt install postgresql).")
    home = Path(tempfile.mkdtemp(prefix="groundscope-postgres-"))
    try:
        server = PostgresServer(found, home)
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """One server for all tests of a process."""
    with running() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """An empty database of each kind; the test runs with both."""
    there = Database.at(tmp_path / FILE) if request.param == "sqlite" else Database(request.getfixturevalue("postgres").make())
    yield there
    there.close()


@pytest.fixture
def shared_database(database: Database, monkeypatch: pytest.MonkeyPatch) -> Database:
    """The same, as the one that the process uses."""
    monkeypatch.setenv(Variable.DATABASE, database.url.render_as_string(hide_password=False))
    return database
