"""Vectors on disk: nothing is embedded twice, an interrupted run goes on where it was, and what is damaged is never believed."""

import logging
import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundscope.errors import Cancelled, DataError
from groundscope.rag.retrieving.vectors import SLICE, checked, embedded, folder, forget, size
from groundscope.runtime.retention import keeping
from groundscope.text.embedding import Hear
from groundscope.types import Matrix
from tests.groundscope.rag.embedders import Hashed, files, heard_by_none, texts_of

ROOT = Path(__file__).resolve().parents[3]


def test_nothing_is_embedded_twice(data: Path) -> None:
    texts, first = texts_of(3 * SLICE + 7), Hashed()
    found = embedded(first, texts, heard_by_none)
    assert np.array_equal(found, first.vectors(texts))
    assert found.dtype == np.float32
    assert first.given == texts
    again = Hashed()
    assert np.array_equal(embedded(again, texts, heard_by_none), found)
    assert again.given == []
    assert folder().is_relative_to(data)


def test_a_corpus_that_changes_costs_its_new_texts_only() -> None:
    texts = texts_of(SLICE + 50)
    embedded(Hashed(), texts, heard_by_none)
    changed = ["a new first passage", *reversed(texts[10:]), "a new last passage"]
    second = Hashed()
    assert np.array_equal(embedded(second, changed, heard_by_none), second.vectors(changed))
    assert second.given == ["a new first passage", "a new last passage"]


@settings(max_examples=40)
@given(st.lists(st.text(st.characters(), max_size=4), max_size=12), st.lists(st.text(st.characters(), max_size=4), max_size=12))
def test_each_text_gets_its_own_vector_whatever_is_kept(first: list[str], second: list[str]) -> None:
    forget()
    embedded(Hashed(), first, heard_by_none)
    again = Hashed()
    found = embedded(again, second, heard_by_none)
    assert np.array_equal(found, again.vectors(second)) or not second
    assert len(found) == len(second)
    assert again.given == [t for t in dict.fromkeys(second) if t not in first]


def test_vectors_of_one_embedder_are_not_those_of_another() -> None:
    texts = texts_of(5)
    embedded(Hashed(), texts, heard_by_none)
    other = Hashed(16, "hashed words, 16")
    assert embedded(other, texts, heard_by_none).shape == (5, 16)
    assert other.given == texts


def test_an_embedder_may_say_how_many_texts_it_takes_at_a_time() -> None:
    class Small(Hashed):
        slice_size = 3

        def passages(self, texts: Sequence[str], hear: Hear) -> Matrix:
            assert len(texts) <= self.slice_size
            return Hashed.passages(self, texts, hear)

    small = Small()
    assert np.array_equal(embedded(small, texts_of(10), heard_by_none), small.vectors(texts_of(10)))
    assert len(files()) == 4


def test_progress_counts_what_is_kept_and_never_goes_back() -> None:
    texts, told = texts_of(2 * SLICE + 10), []
    embedded(Hashed(), texts[:SLICE], heard_by_none)
    embedded(Hashed(), [*texts, *texts[:5]], lambda done, total: told.append((done, total)))
    assert told[0] == (SLICE, len(texts))
    assert told[-1] == (len(texts), len(texts))
    assert [d for d, _ in told] == sorted(d for d, _ in told)
    assert {t for _, t in told} == {len(texts)}


def test_a_cancelled_run_keeps_what_was_embedded_and_goes_on_there() -> None:
    texts = texts_of(4 * SLICE)

    def hear(done: int, total: int) -> None:
        if done > 2 * SLICE + 10:
            raise Cancelled

    with pytest.raises(Cancelled):
        embedded(Hashed(), texts, hear)
    again = Hashed()
    embedded(again, texts, heard_by_none)
    assert again.given == texts[2 * SLICE :]


def test_texts_that_may_leave_no_trace_leave_none_but_kept_vectors_are_read() -> None:
    embedded(Hashed(), texts_of(3), heard_by_none)
    before = files()
    with keeping(False):
        private = Hashed()
        embedded(private, texts_of(5), heard_by_none)
    assert private.given == texts_of(5)[3:]
    assert files() == before


def test_no_text_is_in_the_files() -> None:
    embedded(Hashed(), ["The landlord Aurelia Quist kept the deposit."], heard_by_none)
    for path in files():
        assert b"Aurelia" not in path.read_bytes()
        assert "Aurelia" not in str(path)


def test_size_and_forgetting() -> None:
    assert size() == 0
    assert forget()
    embedded(Hashed(), texts_of(9), heard_by_none)
    one = size()
    assert one == sum(p.stat().st_size for p in files()) > 9 * 32 * 4
    embedded(Hashed(signature="another"), texts_of(9), heard_by_none)
    assert size() == 2 * one
    assert forget()
    assert size() == 0
    assert not folder().exists()


@dataclass
class Random(Hashed):
    """Unit vectors that cost nothing."""

    def vectors(self, texts: Sequence[str]) -> Matrix:
        found = np.zeros((len(texts), self.dimension), np.float32)
        found[np.arange(len(texts)), np.arange(len(texts)) % self.dimension] = 1.0
        return found


def test_memory_is_little_more_than_the_vectors() -> None:
    texts = texts_of(8_000)
    whole = 8_000 * 384 * 4
    for _ in range(2):  # made, then read
        tracemalloc.start()
        embedded(Random(384), texts, lambda *_: None)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 1.5 * whole


KILLED = """
import sys, time
from groundscope.runtime.retention import keeping
from groundscope.rag.retrieving.vectors import SLICE, embedded
from tests.groundscope.rag.embedders import Hashed, texts_of
def hear(done, total):
    if done >= 2 * SLICE:
        print("embedded", flush=True)
        time.sleep(60)
with keeping():
    embedded(Hashed(), texts_of(4 * SLICE), hear)
"""


def test_a_killed_run_loses_no_whole_slice() -> None:
    child = subprocess.Popen([sys.executable, "-c", KILLED], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "embedded\n"
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=60)
    again = Hashed()
    embedded(again, texts_of(4 * SLICE), heard_by_none)
    assert again.given == texts_of(4 * SLICE)[2 * SLICE :]


def test_threads_that_embed_the_same_corpus_agree() -> None:
    texts = texts_of(SLICE + 20)

    def work(_: int) -> Matrix:
        with keeping():
            return embedded(Hashed(), texts, heard_by_none)

    with ThreadPoolExecutor(6) as pool:
        assert all(np.array_equal(found, Hashed().vectors(texts)) for found in pool.map(work, range(12)))
    assert [p.suffix for p in files()] == [".npy"] * len(files())


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "truncated": lambda data: data[: len(data) // 2],
    "empty": lambda _: b"",
    "longer": lambda data: data + b"\0",
    "a pickle": lambda _: b"\x80\x04K\x01.",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_replaced_and_the_others_stay(damage: str, caplog: pytest.LogCaptureFixture) -> None:
    texts = texts_of(3 * SLICE)
    embedded(Hashed(), texts, heard_by_none)
    before = files()
    before[1].write_bytes(DAMAGE[damage](before[1].read_bytes()))
    again = Hashed()
    assert np.array_equal(embedded(again, texts, heard_by_none), again.vectors(texts))
    assert len(again.given) == SLICE
    assert "damaged" in caplog.text
    assert files() == before
    caplog.clear()
    last = Hashed()
    embedded(last, texts, heard_by_none)
    assert last.given == []
    assert caplog.text == ""


@given(st.data())
def test_no_flipped_bit_is_ever_believed(data: st.DataObject) -> None:
    forget()
    texts = texts_of(4)
    embedded(Hashed(), texts, heard_by_none)
    path = files()[0]
    content = bytearray(path.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(content)
    again = Hashed()
    assert np.array_equal(embedded(again, texts, heard_by_none), again.vectors(texts))
    assert again.given == texts


@pytest.mark.parametrize("name", ["0" * 32 + ".npy", "killed.1.2.new"])
def test_a_file_under_another_name_or_of_a_killed_write_is_not_believed(name: str) -> None:
    texts = texts_of(3)
    embedded(Hashed(), texts, heard_by_none)
    files()[0].rename(files()[0].with_name(name))
    again = Hashed()
    assert np.array_equal(embedded(again, texts, heard_by_none), again.vectors(texts))
    assert again.given == texts


def test_another_dimension_under_the_same_signature_names_the_fix_and_changes_nothing() -> None:
    embedded(Hashed(32), texts_of(5), heard_by_none)
    before = {p: p.read_bytes() for p in files()}
    # Whether a text that is kept is wanted, or none.
    for texts in (texts_of(9), texts_of(5, "other")):
        with pytest.raises(DataError, match=r"48 dimensions.* 32: choose that dimension again, or delete all kept vectors"):
            embedded(Hashed(48), texts, heard_by_none)
    assert {p: p.read_bytes() for p in files()} == before
    forget()
    assert embedded(Hashed(48), texts_of(9), heard_by_none).shape == (9, 48)


UNIT = np.eye(4, dtype=np.float32)


def _with(value: float) -> Matrix:
    found = UNIT.copy()
    found[2, 2] = value
    return found


WRONG: dict[str, tuple[Any, str]] = {
    "a list": (UNIT.tolist(), "no table of float32"),
    "float64": (UNIT.astype(np.float64), "no table of float32"),
    "one row": (UNIT[0], "no table of float32"),
    "no columns": (np.zeros((4, 0), np.float32), "no table of float32"),
    "too few": (UNIT[:3], "3 vectors for 4 texts"),
    "NaN": (_with(np.nan), "1 of 4 vectors"),
    "infinite": (_with(-np.inf), "1 of 4 vectors"),
    "zero": (_with(0.0), "1 of 4 vectors"),
    "too long": (_with(1.1), "1 of 4 vectors"),
    "other dimension": (np.eye(4, 5, dtype=np.float32), "5 dimensions, and those of the index have 4"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_are_no_unit_vectors_is_refused_and_not_kept(name: str) -> None:
    found, why = WRONG[name]
    with pytest.raises(DataError, match=why) as error:
        checked(found, 4, 4)
    assert str(error.value).count(".") == 1
    assert files() == []


def test_rounded_lengths_are_taken() -> None:
    assert checked(_with(1.0005), 4) is not None
    assert checked(UNIT.astype(np.float16).astype(np.float32), 4, 4).shape == (4, 4)


@dataclass
class Broken(Hashed):
    """Gives NaN in its second slice."""

    def vectors(self, texts: Sequence[str]) -> Matrix:
        found = Hashed.vectors(self, texts)
        return found if len(self.given) == SLICE else found * np.float32(np.nan)


def test_a_bad_slice_is_not_kept_and_the_one_before_is() -> None:
    texts = texts_of(2 * SLICE)
    with pytest.raises(DataError, match="256 of 256"):
        embedded(Broken(), texts, heard_by_none)
    again = Hashed()
    embedded(again, texts, heard_by_none)
    assert again.given == texts[SLICE:]


def test_a_folder_that_cannot_be_written_stops_nothing(data: Path, caplog: pytest.LogCaptureFixture) -> None:
    (data / "vectors").write_text("a file where the folder should be", encoding="utf-8")
    texts, embedder = texts_of(2 * SLICE), Hashed()
    assert np.array_equal(embedded(embedder, texts, heard_by_none), embedder.vectors(texts))
    assert caplog.messages == ["vectors cannot be stored: Not a directory"]


def test_a_file_that_vanishes_while_it_is_read_is_embedded_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    embedded(Hashed(), texts_of(3), heard_by_none)
    files()[0].unlink()
    (next(folder().iterdir()) / ("0" * 32 + ".npy")).symlink_to("nowhere")
    again = Hashed()
    with caplog.at_level(logging.WARNING):
        embedded(again, texts_of(3), heard_by_none)
    assert again.given == texts_of(3)
    assert "stored vectors are not used" in caplog.text
