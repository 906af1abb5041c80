"""Kept vectors that are damaged, of another dimension or of no use are never believed, and a kill costs no more than a slice."""

import logging
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.errors import DataError
from groundscope.rag.retrieving.vectors import SLICE, checked, embedded, folder, forget
from groundscope.runtime.retention import keeping
from groundscope.types import Matrix
from tests.groundscope.rag.embedders import Hashed, files, heard_by_none, texts_of

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    with keeping():
        yield tmp_path


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


def _cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _flipped(data: bytes) -> bytes:
    return data[:-5] + bytes([data[-5] ^ 1]) + data[-4:]


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "truncated": _cut,
    "one bit": _flipped,
    "zeros": lambda data: bytes(len(data)),
    "empty": lambda _: b"",
    "longer": lambda data: data + b"\0",
    "text": lambda _: b"The landlord kept the deposit.",
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


def test_a_file_under_another_name_is_not_believed() -> None:
    texts = texts_of(3)
    embedded(Hashed(), texts, heard_by_none)
    files()[0].rename(files()[0].with_name("0" * 32 + ".npy"))
    again = Hashed()
    embedded(again, texts, heard_by_none)
    assert again.given == texts


def test_what_a_killed_write_left_is_not_read() -> None:
    texts = texts_of(3)
    embedded(Hashed(), texts, heard_by_none)
    files()[0].rename(files()[0].with_suffix(".1.2.new"))
    again = Hashed()
    assert np.array_equal(embedded(again, texts, heard_by_none), again.vectors(texts))
    assert again.given == texts


def test_another_dimension_under_the_same_signature_names_the_fix_and_changes_nothing() -> None:
    embedded(Hashed(32), texts_of(5), heard_by_none)
    before = {p: p.read_bytes() for p in files()}
    with pytest.raises(DataError) as error:
        embedded(Hashed(48), texts_of(9), heard_by_none)
    assert str(error.value) == (
        "The embedder gives vectors of 48 dimensions, and those of the index have 32: choose that dimension again, "
        "or delete all kept vectors on the Methods page, under Kept results."
    )
    assert {p: p.read_bytes() for p in files()} == before
    forget()
    assert embedded(Hashed(48), texts_of(9), heard_by_none).shape == (9, 48)


def test_another_dimension_is_seen_though_no_kept_text_is_wanted() -> None:
    embedded(Hashed(32), texts_of(5), heard_by_none)
    with pytest.raises(DataError, match="48 dimensions"):
        embedded(Hashed(48), texts_of(5, "other"), heard_by_none)


UNIT = np.eye(4, dtype=np.float32)


def _with(value: float) -> Matrix:
    found = UNIT.copy()
    found[2, 2] = value
    return found


WRONG: dict[str, tuple[Any, str]] = {
    "none": (None, "no table of float32"),
    "a list": (UNIT.tolist(), "no table of float32"),
    "float64": (UNIT.astype(np.float64), "no table of float32"),
    "one row": (UNIT[0], "no table of float32"),
    "no columns": (np.zeros((4, 0), np.float32), "no table of float32"),
    "too few": (UNIT[:3], "3 vectors for 4 texts"),
    "too many": (np.vstack([UNIT, UNIT]), "8 vectors for 4 texts"),
    "NaN": (_with(np.nan), "1 of 4 vectors"),
    "infinite": (_with(-np.inf), "1 of 4 vectors"),
    "zero": (_with(0.0), "1 of 4 vectors"),
    "too long": (_with(1.1), "1 of 4 vectors"),
    "huge": (_with(3e38), "1 of 4 vectors"),
    "not normalised": (2 * UNIT, "4 of 4 vectors"),
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
