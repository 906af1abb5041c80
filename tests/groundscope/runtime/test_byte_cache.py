"""Caches that are limited by bytes."""

import sys
import threading
from dataclasses import dataclass

import numpy as np
import pytest

from groundscope.runtime.byte_cache import MEGABYTE, ByteLRU, keep, size


@dataclass(frozen=True, slots=True)
class _Held:
    text: str
    more: tuple[str, ...] = ()


def test_size_counts_everything_inside_once() -> None:
    text = "x" * 5_000
    assert size(text) == sys.getsizeof(text)
    assert size((text, text, [text])) < 2 * 5_000
    assert size(_Held(text, ("y" * 7_000,))) > 12_000
    assert size({"k": {"z" * 3_000}}) > 3_000
    assert size(np.zeros(10_000)[1:]) > 79_000


def test_what_was_used_last_stays() -> None:
    kept = ByteLRU(35_000)
    for name in "abc":
        kept.put(name, name * 10_000)
    assert kept.get("a") == "a" * 10_000
    kept.put("d", "d" * 10_000)
    assert [name for name in "abcd" if kept.get(name)] == ["a", "c", "d"]
    assert kept.bytes <= 35_000


def test_one_value_may_be_larger_and_goes_with_the_next() -> None:
    kept = ByteLRU(1_000)
    kept.put("large", "x" * 50_000)
    assert kept.get("large")
    kept.put("small", "x")
    assert kept.get("large") is None
    assert kept.bytes < 1_000


def test_replacing_and_clearing_leave_no_bytes_behind() -> None:
    kept = ByteLRU(100_000)
    for length in (40_000, 10, 20_000):
        kept.put("k", "x" * length)
    assert 20_000 < kept.bytes < 21_000
    kept.clear()
    assert (kept.bytes, kept.get("k")) == (0, None)


def test_a_decorated_function_is_called_once_for_equal_arguments_and_not_at_all_after_an_error() -> None:
    calls: list[str] = []

    @keep(megabytes=1)
    def doubled(text: str, *, times: int = 2) -> str:
        calls.append(text)
        if not text:
            raise ValueError("empty")
        return text * times

    assert [doubled("a"), doubled("a"), doubled("a", times=3), doubled("a", times=3)] == ["aa", "aa", "aaa", "aaa"]
    assert calls == ["a", "a"]
    for _ in range(2):
        with pytest.raises(ValueError, match="empty"):
            doubled("")
    assert calls == ["a", "a", "", ""]


def test_threads_share_it() -> None:
    kept = ByteLRU(MEGABYTE)

    def fill(start: int) -> None:
        for i in range(500):
            kept.put((start, i % 50), "x" * (i * 37 % 4_000))
            kept.get((start + 1, i % 50))

    threads = [threading.Thread(target=fill, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    left = [value for i in range(6) for k in range(50) if (value := kept.get((i, k))) is not None]
    assert 0 < sum(map(len, left)) <= kept.bytes <= MEGABYTE
