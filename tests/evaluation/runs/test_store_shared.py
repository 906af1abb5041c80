"""A store that several processes write at once, that may not be written, or whose disk is full: nothing is lost or doubled."""

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from evaluation import _store_file
from evaluation.errors import StoreError
from evaluation.store import Store
from evaluation.types import Judgement, Status
from tests.evaluation.runs.scripted import cases_of, ended, go, planned, started, two_methods

CASES = cases_of(40)
SCORED = Judgement(Status.SCORED, support=0.5, note="x" * 400)
NOBODY = 65_534


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_store_file, "PATIENCE", 0.2)


WRITER = """
import sys
from pathlib import Path
from evaluation.store import Store
from evaluation.types import Judgement, Status
store, method = Store(Path(sys.argv[1])), int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
for row in range(int(sys.argv[4])):
    store.add(sys.argv[2], method, row, Judgement(Status.SCORED, support=row / 1000), timed=True)
    store.add(sys.argv[2], 2, row, Judgement(Status.SCORED, support=method / 2), timed=True)
"""


def test_two_processes_that_write_at_once_lose_and_double_nothing(store: Store, path: Path) -> None:
    run = planned(store, CASES, two_methods())
    children = [started(WRITER, path, run, method, 200) for method in (0, 1)]
    for child in children:
        go(child)
    for child in children:
        ended(child)
    assert store.done(run) == {(m, row) for m in (0, 1, 2) for row in range(200)}
    for method in (0, 1):
        assert [k.content["support"] for k in store.judgements(run, method)] == [row / 1000 for row in range(200)]
    assert {k.content["support"] for k in store.judgements(run, 2)} <= {0.0, 0.5}


MAKER = """
import sys
from pathlib import Path
from evaluation.store import Store
from tests.evaluation.runs.scripted import cases_of, planned, two_methods
store = Store(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for _ in range(5):
    print(planned(store, cases_of(20), two_methods()), flush=True)
"""


def test_processes_may_make_the_store_at_once(store: Store, path: Path) -> None:
    children = [started(MAKER, path) for _ in range(4)]
    for child in children:
        go(child)
    made = [run for child in children for run in ended(child).split()]
    assert {listed.id for listed in store.runs()} == set(made)
    assert len(set(made)) == 20
    assert all(store.cases(run) == cases_of(20) for run in made)


UNWRITABLE = """
import os, sys
from pathlib import Path
from evaluation.errors import StoreError
from evaluation.store import Store
from evaluation.types import Judgement, Status
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(int(sys.argv[3]))
    os.setuid(int(sys.argv[3]))
store = Store(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for use in (
    lambda: store.add(sys.argv[2], 0, 0, Judgement(Status.INVALID), timed=False),
    lambda: store.delete(sys.argv[2]),
    lambda: store.working(sys.argv[2]).__enter__(),
):
    try:
        use()
        print("done")
    except StoreError as error:
        print(error)
"""


def test_a_read_only_folder_is_told(path: Path) -> None:
    # Not in pytest's own folder, which nobody but its owner may enter.
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        place = Path(name) / "data" / "runs.sqlite"
        store = Store(place)
        run = planned(store, CASES, two_methods())
        store.add(run, 0, 1, SCORED, timed=True)
        store.close()
        place.chmod(0o444)
        place.parent.chmod(0o555)
        try:
            # Root may write everywhere, so the child becomes someone else.
            child = started(UNWRITABLE, place, run, NOBODY)
            go(child)
            said = ended(child).splitlines()
        finally:
            place.parent.chmod(0o755)
            place.chmod(0o644)
        assert said == [f"{place} cannot be written; set GROUNDSCOPE_STORE to a file in a folder that can. Nothing is lost."] * 3
        assert store.done(run) == {(0, 1)}
        store.close()


FULL = """
import os, resource, signal, sys
from pathlib import Path
from evaluation.errors import StoreError
from evaluation.store import Store
from evaluation.types import Judgement, Status
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
store = Store(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for row in range(3000):
    try:
        store.add(sys.argv[2], 0, row, Judgement(Status.SCORED, support=0.5, note=os.urandom(300).hex()), timed=True)
    except StoreError as error:
        print(row)
        print(error)
        break
"""


def test_a_full_disk_keeps_what_was_acknowledged_and_goes_on_with_room(store: Store, path: Path) -> None:
    run = planned(store, CASES, two_methods())
    store.close()
    child = started(FULL, path, run, 300_000)
    go(child)
    row, said = ended(child).splitlines()
    assert int(row) > 20
    assert "What was judged is kept" in said
    assert "resume the run" in said
    assert store.done(run) == {(0, r) for r in range(int(row))}
    store.add(run, 0, 2_999, SCORED, timed=True)
    assert len(list(store.judgements(run, 0))) == int(row) + 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_the_system_s_own_word_for_a_full_disk_is_told() -> None:
    with pytest.raises(OSError, match="No space left") as error, Path("/dev/full").open("wb", buffering=0) as full:
        full.write(b"x")
    assert str(_store_file.refused(Path("s"), error.value)).startswith("The disk of s is full. What was judged is kept")


@pytest.mark.usefixtures("impatient")
def test_a_store_that_another_program_holds_is_told_and_nothing_is_lost(store: Store, path: Path) -> None:
    run = planned(store, CASES, two_methods())
    store.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match=r"Another process holds .*; wait until it is done and resume the run"):
            store.add(run, 0, 0, SCORED, timed=True)
        other.execute("ROLLBACK")
    store.add(run, 0, 0, SCORED, timed=True)
    assert store.done(run) == {(0, 0)}
