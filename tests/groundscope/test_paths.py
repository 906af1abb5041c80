"""The data folder and the user's settings, and whether results may be kept."""

import json
import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.paths import ROOT, Variable, data_folder, set_setting, settings
from groundscope.runtime.retention import keeping, may_keep


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(Variable.DATA, str(tmp_path / "data"))
    return tmp_path / "data"


def test_every_variable_stands_in_the_how_to_and_nothing_else_reads_one() -> None:
    rows = re.findall(r"^\| `(GROUNDSCOPE_\w+)` \| \S", (ROOT / "docs" / "how-to" / "start.md").read_text("utf-8"), re.M)
    assert sorted(rows) == sorted(Variable)
    for path in (p for top in ("groundscope", "components", "scorers", "pages") for p in (ROOT / top).rglob("*.py")):
        if path.name != "paths.py":
            assert '"GROUNDSCOPE_' not in path.read_text("utf-8"), path


def test_the_data_folder_is_the_one_that_the_variable_names_else_the_systems_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert data_folder() == folder
    assert not folder.exists(), "asking must not make it"
    monkeypatch.setenv(Variable.DATA, "")
    empty = data_folder()
    monkeypatch.delenv(Variable.DATA)
    assert data_folder() == empty
    assert empty.name == "groundscope"
    assert empty.is_absolute()


def test_settings_survive_and_leave_each_other_alone(folder: Path) -> None:
    assert settings() == {}
    set_setting("folders", {"a/b@c": "/somewhere"})
    set_setting("keep", False)
    set_setting("keep", True)
    assert settings() == {"folders": {"a/b@c": "/somewhere"}, "keep": True}
    assert [path.name for path in folder.iterdir()] == ["settings.json"]
    # None forgets one setting alone.
    set_setting("keep", None)
    set_setting("never set", None)
    assert settings() == {"folders": {"a/b@c": "/somewhere"}}


json_values = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(kept=st.dictionaries(st.text(st.characters(), max_size=8), json_values, max_size=4))
def test_whatever_json_can_hold_comes_back(kept: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(Variable.DATA, str(tmp_path_factory.mktemp("settings")))
        for name, value in kept.items():
            set_setting(name, value)
        assert settings() == kept


@pytest.mark.parametrize(
    "damaged",
    [b"", b'{"keep": true', b"[1]", b"null", b"\xff\xfe{}", b'{"a":' * 200_000],
    ids=["empty", "cut", "list", "null", "not utf-8", "deep object"],
)
def test_damaged_settings_are_none_and_can_be_set_again(folder: Path, damaged: bytes) -> None:
    folder.mkdir()
    (folder / "settings.json").write_bytes(damaged)
    assert settings() == {}
    set_setting("keep", True)
    assert settings() == {"keep": True}


@pytest.mark.parametrize("in_place_of", ["settings", "folder"])
def test_what_stands_in_place_of_the_settings_or_their_folder_is_an_os_error(folder: Path, in_place_of: str) -> None:
    if in_place_of == "folder":
        folder.touch()
    else:
        (folder / "settings.json").mkdir(parents=True)
    assert settings() == {}
    with pytest.raises(OSError, match=r"exists|irectory"):
        set_setting("keep", True)


def test_what_json_cannot_hold_changes_nothing(folder: Path) -> None:
    set_setting("keep", True)
    with pytest.raises(TypeError):
        set_setting("keep", object())
    assert settings() == {"keep": True}
    assert [path.name for path in folder.iterdir()] == ["settings.json"]


def test_a_reader_never_sees_half_of_what_two_processes_write(folder: Path) -> None:
    set_setting("shared", ["first"])
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        writers = [pool.submit(_write, name) for name in ("one", "two")]
        seen = _read_while(folder, lambda: not all(writer.done() for writer in writers))
        assert [writer.result() for writer in writers] == [299, 299]
    assert {names for names, _ in seen} <= {"first", "one", "two"}
    assert len(seen) > 1
    assert len(settings()["shared"]) in {size for _, size in seen}


def _write(name: str) -> Any:
    for i in range(300):
        set_setting("shared", [name] * (1 + i % 7 * 400))
        set_setting(name, i)
    return i


def _read_while(folder: Path, busy: Callable[[], bool]) -> set[tuple[str, int]]:
    """Who wrote the shared setting and how long it was, of all that was read; half a file would be no JSON."""
    seen = set()
    until = time.monotonic() + 60
    while busy() and time.monotonic() < until:
        shared = json.loads((folder / "settings.json").read_bytes())["shared"]
        seen.add(("+".join(sorted(set(shared))), len(shared)))
    return seen


def test_threads_that_set_at_once_lose_nothing_and_write_no_half_files(folder: Path) -> None:
    set_setting("shared", ["first"])
    names = [f"setting {i}" for i in range(8)]
    done = threading.Event()

    def write(name: str) -> None:
        for i in range(25):
            set_setting(name, [i] * (1 + i * 50))

    with ThreadPoolExecutor(len(names) + 1) as pool:
        reader = pool.submit(_read_while, folder, lambda: not done.is_set())
        try:
            list(pool.map(write, names))
        finally:
            done.set()
        assert reader.result() == {("first", 1)}
    assert settings() == {"shared": ["first"]} | dict.fromkeys(names, [24] * 1201)


def test_nothing_may_be_kept_unless_someone_says_so() -> None:
    assert not may_keep()
    with keeping():
        assert may_keep()
        with keeping(False):
            assert not may_keep()
            with keeping(True):
                assert may_keep()
            assert not may_keep()
        assert may_keep()
    assert not may_keep()


def test_keeping_ends_with_its_block_also_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), keeping():
        raise ZeroDivisionError
    assert not may_keep()


def test_keeping_holds_in_its_own_thread_alone() -> None:
    with ThreadPoolExecutor(1) as pool:
        with keeping():
            assert not pool.submit(may_keep).result()
        ready, go = threading.Event(), threading.Event()

        def keep() -> bool:
            with keeping():
                ready.set()
                go.wait(10)
                return may_keep()

        other = pool.submit(keep)
        assert ready.wait(10)
        assert not may_keep()
        go.set()
        assert other.result()
