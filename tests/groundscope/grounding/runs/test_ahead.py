"""Reading ahead in runs: many cases at once, never in timed runs, and a failure of it is no failure of a case."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from groundscope.errors import Cancelled
from groundscope.grounding.runs import ahead
from groundscope.grounding.runs.ahead import ReadAhead
from groundscope.grounding.runs.store import judgements, place
from groundscope.methods import Method
from groundscope.runtime.retention import reused
from groundscope.types import Case, Judgement, Status
from tests.groundscope.grounding.runs.scripted import Steady, cases_of, finished

CASES = cases_of(10)


@dataclass(frozen=True)
class Reader(Method):
    """Notes what it reads ahead, and whether it finds it when it judges."""

    signature: str = "reader"
    fails: type[BaseException] | None = None
    read: list[list[str]] = field(default_factory=list)
    found: list[bool] = field(default_factory=list)

    def read_ahead(self, cases: Sequence[Case]) -> None:
        self.read.append([case.id for case in cases])
        if self.fails:
            raise self.fails("no")
        held = reused()
        assert held is not None
        held.update({case.id: True for case in cases})

    def score(self, case: Case) -> Judgement:
        self.found.append(case.id in (reused() or {}))
        return Judgement(Status.SCORED, support=0.5)


def test_an_untimed_run_reads_ahead_window_by_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "_CASES", 4)
    reader = Reader()
    finished(CASES, {"a": Steady("a"), "b": reader}, timed=False)
    assert reader.read == [[f"case-{i}" for i in rows] for rows in ((0, 1, 2, 3), (4, 5, 6, 7), (8, 9))]
    # The first judgement warms up, before anything is read ahead.
    assert reader.found == [False, *[True] * 10]


def test_a_timed_run_works_case_by_case() -> None:
    reader = Reader()
    finished(CASES, {"b": reader})
    assert reader.read == []
    assert not any(reader.found)


def test_where_it_fails_each_case_is_judged_by_itself() -> None:
    reader = Reader(fails=MemoryError)
    run = finished(CASES, {"b": reader}, timed=False)
    assert len(reader.read) == 1
    assert {k.status for k in judgements(run, 0)} == {"scored"}


def test_a_pause_goes_through() -> None:
    reader = Reader(fails=Cancelled)
    with pytest.raises(Cancelled), ReadAhead(CASES).of(place(0, 0), reader):
        pass


def test_what_a_window_held_is_freed_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "_CHARACTERS", 1)
    reader, made = Reader(), ReadAhead(CASES)
    with made.of(place(0, 3), reader):
        assert list(reused() or ()) == ["case-3"]
    with made.of(place(0, 4), reader):
        assert list(reused() or ()) == ["case-4"]
    assert reused() is None
