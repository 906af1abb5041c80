"""What the engine does with a job whose part asks a server that is down: some rows are under way when it is left alone."""

import threading
from collections.abc import Iterator

from groundscope.errors import ModelUnavailable
from groundscope.experiments.plan import Content, Count, Place, Result
from groundscope.experiments.steps import Phase, Planned
from groundscope.experiments.work import LANES, PATIENCE, work
from tests.groundscope.experiments.jobs import STAGE, begun, place, result


class Asking:
    """Steps of one part that asks a server; while it is down, so many rows fail at once as are under way."""

    def __init__(self, rows: int, *, down: bool) -> None:
        self.rows, self.down, self.together = rows, down, threading.Barrier(LANES)

    def planned(self) -> list[Planned]:
        return [Planned("Server", "s", "s")]

    def phases(self) -> Iterator[Phase]:
        yield Phase(STAGE, [place(row) for row in range(self.rows)])

    def title(self, at: Place) -> str:
        return "Server"

    def asks(self, at: Place) -> bool:
        return True

    def keeps(self, at: Place) -> bool:
        return False

    def warm(self, at: Place) -> None:
        raise AssertionError

    def do(self, at: Place, earlier: dict[str, Content]) -> Iterator[Result]:
        if self.down:
            self.together.wait(30)
            raise ModelUnavailable("The server is down.")
        yield result()


def test_rows_that_were_under_way_when_a_part_was_left_alone_are_as_if_never_tried() -> None:
    file = begun(3 * LANES)
    assert LANES > PATIENCE
    ended = work(file, Asking(LANES, down=True))
    assert (ended.finished, ended.why.count("\n")) == (False, 0)
    assert ended.why.startswith(f"Server failed {PATIENCE} times in a row and was skipped: The server is down.")
    assert file.counts(STAGE) == {}
    assert work(file, Asking(LANES, down=False)).finished
    assert file.counts(STAGE) == {0: Count(LANES, 0)}
