"""Vectors on disk: nothing is embedded twice, and an interrupted run goes on where it was."""

import tempfile
import tracemalloc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundscope.errors import Cancelled, ScorerUnavailable
from groundscope.rag.retrieving import vectors
from groundscope.rag.retrieving.vectors import SLICE, embedded, folder, forget, size
from groundscope.runtime.retention import keeping
from groundscope.text.embedding import Hear
from groundscope.types import Matrix
from tests.groundscope.rag.embedders import Hashed, files, heard_by_none, texts_of


@dataclass
class Failing(Hashed):
    """Gives up once it has embedded so many texts."""

    limit: int = 2 * SLICE

    def passages(self, texts: Sequence[str], hear: Hear) -> Matrix:
        if len(self.given) >= self.limit:
            raise ScorerUnavailable("The service does not answer; run again later.")
        return Hashed.passages(self, texts, hear)


@dataclass
class Small(Hashed):
    """Takes few texts at a time."""

    slice_size: int = 3

    def passages(self, texts: Sequence[str], hear: Hear) -> Matrix:
        assert len(texts) <= self.slice_size
        return Hashed.passages(self, texts, hear)


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    with keeping():
        yield tmp_path


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


def test_a_service_that_fails_midway_loses_nothing() -> None:
    texts = texts_of(4 * SLICE)
    with pytest.raises(ScorerUnavailable, match="does not answer"):
        embedded(Failing(), texts, heard_by_none)
    again = Hashed()
    assert np.array_equal(embedded(again, texts, heard_by_none), again.vectors(texts))
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


def test_size_and_forgetting_one_embedder_or_all() -> None:
    assert size() == 0
    assert forget()
    embedded(Hashed(), texts_of(9), heard_by_none)
    one = size()
    assert one == sum(p.stat().st_size for p in files()) > 9 * 32 * 4
    embedded(Hashed(signature="another"), texts_of(9), heard_by_none)
    assert size() == 2 * one
    assert forget("another")
    assert size() == one
    assert forget()
    assert size() == 0
    assert not folder().exists()


def test_hostile_texts_have_keys_of_their_own() -> None:
    texts = ["", " ", "\0", "\ud800", "\udc00", "<script>alert(1)</script>", "\u202eesael", "a" * 1_000_000, "a" * 999_999]
    first = Hashed()
    found = embedded(first, texts, heard_by_none)
    assert first.given == texts
    again = Hashed()
    assert np.array_equal(embedded(again, texts[::-1], heard_by_none), found[::-1])
    assert again.given == []


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


def test_the_place_follows_the_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    embedded(Hashed(), texts_of(3), heard_by_none)
    with tempfile.TemporaryDirectory() as other:
        monkeypatch.setenv("GROUNDSCOPE_DATA", other)
        assert vectors.size() == 0
        again = Hashed()
        embedded(again, texts_of(3), heard_by_none)
        assert again.given == texts_of(3)
