"""Progress reaches the listener of the same thread, and a cancellation travels up."""

import threading

import pytest

from groundscope.errors import Cancelled
from groundscope.runtime.progress import listening, report


def test_the_inner_listener_hears_alone_and_the_outer_one_again_after() -> None:
    outer: list[int] = []
    inner: list[int] = []
    with listening(lambda done, _: outer.append(done)):
        report(1, 3)
        with listening(lambda done, _: inner.append(done)):
            report(2, 3)
        report(3, 3)
    report(4, 3)
    assert (outer, inner) == ([1, 3], [2])


def test_a_cancellation_travels_up_and_ends_the_listening() -> None:
    heard: list[int] = []

    def stop(done: int, total: int) -> None:
        heard.append(done)
        raise Cancelled(f"{done} of {total}")

    with pytest.raises(Cancelled, match="1 of 2"), listening(stop):
        report(1, 2)
    report(2, 2)
    assert heard == [1]


def test_another_thread_is_not_heard() -> None:
    heard: list[int] = []
    with listening(lambda done, _: heard.append(done)):
        thread = threading.Thread(target=report, args=(7, 9))
        thread.start()
        thread.join()
        report(1, 9)
    assert heard == [1]
