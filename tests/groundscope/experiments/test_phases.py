"""The engine: what a start notes of each phase, and what a fault of one phase stops in the next."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from groundscope.errors import ModelUnavailable
from groundscope.experiments.directory import JobDirectory
from groundscope.experiments.listing import seconds_left
from groundscope.experiments.plan import Content, Count, Place, Progress, Result
from groundscope.experiments.steps import Phase, Planned
from groundscope.experiments.store import JobFile
from groundscope.experiments.work import work
from groundscope.runtime.progress import report

FOLDER = JobDirectory("jobs", "job")
Do = Callable[[Place], None]


class Prepared:
    """Prepares two parts, each for all rows, then makes a result of each row; both parts have one title."""

    def __init__(self, do: Do = lambda place: None, rows: int = 8) -> None:
        self.run, self.rows = do, rows

    def planned(self) -> Iterable[Planned]:
        return [Planned("One", "s", "s")]

    def phases(self) -> Iterator[Phase]:
        yield Phase("prepared", [Place(part, -1, -1) for part in range(2)], final="made")
        yield Phase("made", [Place(0, 0, row) for row in range(self.rows)])

    def title(self, place: Place) -> str:
        return f"Part {place.part}"

    def asks(self, place: Place) -> bool:
        return place.row >= 0

    def keeps(self, place: Place) -> bool:
        return True

    def warm(self, place: Place) -> None:
        pass

    def do(self, place: Place, earlier: Mapping[str, Content]) -> Iterator[Result]:
        if place.row < 0:
            report(1, 2)
        self.run(place)
        yield Result("prepared" if place.row < 0 else "made", {})


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> JobFile:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    return FOLDER.open(FOLDER.create({"name": "x"}, {}))


def breaks(wrong: Callable[[Place], bool]) -> Do:
    def do(place: Place) -> None:
        if wrong(place):
            raise ModelUnavailable("It is gone.")

    return do


def test_time_left_is_reported_from_the_phase_that_makes_the_results(file: JobFile) -> None:
    assert not work(file, Prepared(breaks(lambda place: place.row < 0 < place.part))).finished
    assert work(file, Prepared(rows=12)).finished
    starts = file.starts()
    # Preparing is no pace of what comes after it, and results are never counted against what was prepared.
    assert [start.done for start in starts] == [(), (), (8,), (8,)]
    assert seconds_left(file.counts("made"), {0: 20}, starts[2])[0] is not None
    assert starts[2].started <= starts[3].started


def test_what_a_long_step_is_at_is_forgotten_when_it_has_ended(file: JobFile) -> None:
    seen: list[Progress | None] = []
    assert work(file, Prepared(lambda place: seen.append(file.at_work()), rows=1)).finished
    assert seen[0] == Progress("prepared", "Part 0", 1, 2)
    assert seen[-1] is None


def test_a_part_that_could_not_prepare_does_not_stop_another_of_its_title(file: JobFile) -> None:
    ended = work(file, Prepared(breaks(lambda place: place == Place(0, -1, -1))))
    assert ended.why == "Part 0 failed: It is gone. Resume to try it again."
    assert file.counts("made") == {0: Count(8, 0)}
