"""A pace keeps to the calls a minute, and finds what a server has room for from its refusals."""

import heapq
import itertools
import random

import pytest

from groundscope.chat.clients.ceilings import Pace


def _worked(calls: int, a_second: float, clients: int, *, says: bool, seed: int = 0) -> tuple[float, int]:
    """Seconds and refusals of many clients at a server that lets so many calls a second in, in a clock of their own."""
    dice, pace, numbers = random.Random(seed), Pace(0), itertools.count()  # noqa: S311 - no secret
    events: list[tuple[float, int, str, float]] = [(1_000.0, 0, "free", 0.0)]
    left, busy, refused, second, inside, now = calls, 0, 0, 0, 0, 1_000.0
    while events:
        now, _, what, after = heapq.heappop(events)
        if what != "free":
            busy -= 1
            if what == "refused":
                left, refused = left + 1, refused + 1
                pace.refused(now, after if says else None)
            else:
                pace.accepted(now)
        while left and busy < clients:
            if (pause := pace.wait(now)) > 0:
                heapq.heappush(events, (now + pause, next(numbers), "free", 0.0))
                break
            left, busy = left - 1, busy + 1
            second, inside = (int(now), 0) if int(now) != second else (second, inside)
            inside += 1
            ends = now + dice.uniform(0.1, 0.4) if inside <= a_second else now + 0.005
            said = (ends, "answered", 0.0) if inside <= a_second else (ends, "refused", second + 1 - now)
            heapq.heappush(events, (said[0], next(numbers), *said[1:]))
    return now - 1_000.0, refused


@pytest.mark.parametrize("a_second", [5, 100])
def test_many_clients_take_little_more_time_than_the_limit_asks_for(a_second: int) -> None:
    calls = 1_000
    seconds, refused = _worked(calls, a_second, 64, says=True)
    assert seconds < 1.1 * calls / a_second
    assert refused < 0.15 * calls
    seconds, refused = _worked(calls, a_second, 64, says=False)
    assert seconds < 1.4 * calls / a_second
    assert refused < 0.15 * calls


def test_all_wait_for_as_long_as_the_server_wants() -> None:
    pace = Pace(0)
    assert pace.wait(10) == 0
    pace.refused(10.5, 4)
    assert pace.wait(11) == 3.5
    assert pace.wait(14.5) == 0


def test_without_a_stated_time_refusals_in_a_row_double_the_pause() -> None:
    pace, now, pauses = Pace(0), 100.0, []
    for _ in range(8):
        assert pace.wait(now) == 0
        pace.refused(now, None)
        pauses.append(round(pace.wait(now), 6))
        now += pauses[-1]
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60]
    assert pace.wait(now) == 0
    pace.accepted(now)
    pace.refused(now, None)
    assert pace.wait(now) == pytest.approx(1)


def test_calls_a_minute_hold_besides() -> None:
    pace = Pace(2)
    assert [pace.wait(0.0), pace.wait(1.0), pace.wait(2.0), pace.wait(60.0)] == [0, 0, 58, 0]
