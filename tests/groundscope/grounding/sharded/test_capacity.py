"""The model of a larger cluster: what grows with its processes, and what they share."""

import pytest

from benchmarks.cluster.capacity import capacity


def test_what_each_process_does_for_itself_grows_with_their_number() -> None:
    one = capacity(1, judging=10, reading=1_000, writing=1_000)
    assert one.rows == pytest.approx(1 / (0.1 + 0.002))
    assert (one.step, capacity(64, judging=10, reading=1_000, writing=1_000).rows) == ("model", pytest.approx(64 * one.rows))
    assert capacity(1, judging=10_000, reading=100, writing=1_000).step == "reading"
    assert capacity(1, judging=10_000, reading=1_000, writing=100).step == "writing"


def test_what_they_share_does_not_grow() -> None:
    found = [capacity(n, judging=5, reading=1_000, writing=1_000, calls=50, granting=400) for n in (1, 8, 64, 512)]
    assert [one.step for one in found] == ["model", "model", "chat rate limit", "chat rate limit"]
    assert found[-1].rows == 50
    assert capacity(512, judging=5, reading=1_000, writing=1_000, calls=5_000, granting=400).step == "ledger"
    found = [capacity(n, judging=500, reading=1_000, writing=1_000, disk=10_000) for n in (8, 512)]
    assert [one.step for one in found] == ["model", "shared disk"]
    assert found[1].rows == 10_000
