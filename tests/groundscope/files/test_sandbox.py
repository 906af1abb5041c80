"""A reader in a child process: what it gives and raises comes back, and nothing else does."""

import io
import os
import pickle
from collections import Counter
from pathlib import Path

import pytest

from groundscope.errors import DataError
from groundscope.files import sandbox as module
from groundscope.files.sandbox import _Answer, sandboxed
from groundscope.types import Case, ErrorSpan, ErrorType, Passage

CASE = Case("a", "q", (Passage("p", "text"),), "response", False, (ErrorSpan(0, 3, ErrorType.PROCEDURAL_ERROR),))


def same(value: object) -> object:
    return value


def process_of(data: bytes) -> int:
    return os.getpid()


def faulty(kind: str) -> None:
    faults = {"data": DataError("The file is empty."), "value": ValueError("No."), "key": KeyError("secret")}
    raise faults[kind]


def hungry() -> int:
    return len(bytearray(3_000_000_000))


def talkative() -> int:
    print("x" * 1_000_000)
    return 1


class Runs:
    """What a child that was taken over would answer."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f"touch {os.environ['GROUNDSCOPE_TOUCHED']}",)


def test_a_value_comes_back_as_it_is() -> None:
    values = [CASE, {"a": [1, 2.5, None, True]}, frozenset({1}), {"é\u2028"}, Counter("aab"), b"\x00", "\ud800"]
    assert sandboxed(0, same, values) == values


@pytest.mark.parametrize("data", [bytes(10_001), b"\x1f\x8b\x08", b"PAR1"])
def test_it_runs_in_a_child_only_if_there_is_much_to_read_or_it_is_packed(data: bytes) -> None:
    assert sandboxed(10_000, process_of, data) != os.getpid()
    assert sandboxed(10_000, process_of, b"plain") == os.getpid()


def test_errors_of_the_reader_come_back_and_a_fault_quotes_nothing() -> None:
    with pytest.raises(DataError, match=r"^The file is empty\.$"):
        sandboxed(0, faulty, "data")
    with pytest.raises(ValueError, match=r"^No\.$"):
        sandboxed(0, faulty, "value")
    with pytest.raises(RuntimeError, match=r"faulty stopped with KeyError$"):
        sandboxed(0, faulty, "key")


def test_memory_is_limited() -> None:
    with pytest.raises(DataError, match="takes more memory than the app may use"):
        sandboxed(0, hungry)


def test_time_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.01)
    with pytest.raises(DataError, match="took longer than 60 seconds"):
        sandboxed(0, process_of, b"")


def test_what_a_library_prints_is_no_answer() -> None:
    assert sandboxed(0, talkative) == 1


def test_an_answer_cannot_run_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    touched = tmp_path / "touched"
    monkeypatch.setenv("GROUNDSCOPE_TOUCHED", str(touched))
    with pytest.raises(pickle.UnpicklingError):
        sandboxed(0, same, _Late())
    assert not touched.exists()


@pytest.mark.parametrize(
    ("module", "name"),
    [("components.worker.process", "Worker"), ("groundscope.experiments.store", "JobFile"), ("builtins", "eval")],
)
def test_an_answer_holds_values_alone_even_of_this_project(module: str, name: str) -> None:
    with pytest.raises(pickle.UnpicklingError, match="is no value"):
        _Answer(io.BytesIO(b"")).find_class(module, name)


class _Late:
    """Becomes `Runs` only in the child, as its answer."""

    def __reduce__(self) -> tuple[object, tuple[()]]:
        return Runs, ()
