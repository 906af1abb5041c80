"""A job's file that cannot be read or written, or whose disk is full, says so in a sentence with the mend, and loses nothing."""

import os
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from groundscope.errors import StoreError
from groundscope.experiments.store import JobFile
from groundscope.storage.sqlite import RecordFile, refused
from tests.groundscope.experiments.jobs import STAGE, begun, ended, go, place, result, started

NOBODY = 65_534


def _refusals(path: Path) -> list[str]:
    """What every use of a file that is of no use says."""
    file = JobFile(path)
    uses: list[Callable[[], object]] = [
        lambda: file.about("plan"),
        file.created,
        lambda: file.inputs("rows"),
        lambda: file.keep(place(0), result()),
        lambda: file.done(STAGE),
        lambda: list(file.results(STAGE)),
        file.starts,
        file.finish,
        file.faults,
    ]
    said = []
    for use in uses:
        with pytest.raises(StoreError) as error:
            use()
        said.append(str(error.value))
    return said


@pytest.fixture
def path() -> Path:
    file = begun()
    for row in range(3):
        file.keep(place(row), result())
    file.close()
    return file.path


@pytest.mark.parametrize(
    ("version", "words"), [(9, "A newer Groundscope wrote {} (layout 9;"), (1, "An older Groundscope wrote {};")]
)
def test_a_file_of_another_version_is_left_alone(path: Path, version: int, words: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    assert all(refusal.startswith(words.format(path)) for refusal in _refusals(path))
    assert path.read_bytes() == before


def _overwritten(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(100)
        file.write(os.urandom(path.stat().st_size - 100))


def _other_program(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE notes (text)")


def _same_version(path: Path) -> None:
    _other_program(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 2")


DAMAGE: dict[str, Callable[[Path], object]] = {
    "garbage": lambda path: path.write_bytes(os.urandom(50_000)),
    "overwritten": _overwritten,
    "another program's": _other_program,
    "another program's of this version": _same_version,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_and_one_of_another_program_are_left_alone(path: Path, damage: str) -> None:
    DAMAGE[damage](path)
    before = path.read_bytes()
    for said in _refusals(path):
        assert said == f"{path} is damaged or not a file of a job; move it away, or set GROUNDSCOPE_DATA to another folder."
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE inputs SET content = x'00ff'",
        "UPDATE results SET content = x'789c0300000000'",
        "UPDATE about SET value = '{'",
        "UPDATE starts SET machine = 'x'",
    ],
)
def test_damaged_content_is_named(path: Path, statement: str) -> None:
    from groundscope.experiments.plan import Start

    file = JobFile(path)
    file.start(Start("2026-01-02T00:00:00+00:00"))
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(statement)
    with pytest.raises(StoreError, match="is damaged or not a file of a job; move it away"):
        _ = file.about("plan"), file.inputs("rows"), list(file.results(STAGE)), file.starts()


UNWRITABLE = """
import os, sys
from pathlib import Path
from groundscope.errors import StoreError
from groundscope.experiments.store import JobFile
from tests.groundscope.experiments.jobs import place, result
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(int(sys.argv[2]))
    os.setuid(int(sys.argv[2]))
file = JobFile(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for use in (lambda: file.keep(place(0), result()), file.finish, file.retry, lambda: file.working().__enter__()):
    try:
        use()
        print("done")
    except StoreError as error:
        print(error)
"""


def test_a_read_only_folder_is_named() -> None:
    # Not in pytest's own folder, which only its owner may enter.
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDSCOPE_DATA", name)
        Path(name).chmod(0o755)
        file = begun()
        file.keep(place(1), result())
        file.close()
        file.path.chmod(0o444)
        file.path.parent.chmod(0o555)
        try:
            # Root may write everywhere, so the child becomes someone else.
            child = started(UNWRITABLE, file.path, NOBODY)
            go(child)
            said = ended(child).splitlines()
        finally:
            file.path.parent.chmod(0o755)
        assert said == [f"{file.path} cannot be written; set GROUNDSCOPE_DATA to a folder that is writable. Nothing is lost."] * 4
        assert file.done(STAGE) == {place(1)}
        file.close()


FULL = """
import os, resource, signal, sys
from pathlib import Path
from groundscope.errors import StoreError
from groundscope.experiments.store import JobFile
from tests.groundscope.experiments.jobs import place, result
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
file = JobFile(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for row in range(3000):
    try:
        file.keep(place(row), result(os.urandom(300).hex()))
    except StoreError as error:
        print(row)
        print(error)
        break
"""


def test_a_full_disk_keeps_what_was_acknowledged_and_goes_on_with_room() -> None:
    file = begun()
    file.close()
    child = started(FULL, file.path, 300_000)
    go(child)
    row, said = ended(child).splitlines()
    assert int(row) > 20
    assert "Every result so far is saved" in said
    assert "resume the job" in said
    assert file.done(STAGE) == {place(r) for r in range(int(row))}
    file.keep(place(2_999), result())
    assert len(list(file.results(STAGE))) == int(row) + 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_the_system_s_own_word_for_a_full_disk_is_understood() -> None:
    with pytest.raises(OSError, match="No space left") as error, Path("/dev/full").open("wb", buffering=0) as full:
        full.write(b"x")
    said = str(refused(Path("s"), error.value, JobFile(Path("s")).layout))
    assert said.startswith("The disk of s is full. Every result so far is saved")


def test_a_file_that_another_program_holds_is_named_and_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RecordFile, "patience", 0.2)
    file = begun()
    file.close()
    with closing(sqlite3.connect(file.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match=r"Another process holds .*; wait until it is done and resume the job"):
            file.keep(place(0), result())
        other.execute("ROLLBACK")
    file.keep(place(0), result())
    assert file.done(STAGE) == {place(0)}
