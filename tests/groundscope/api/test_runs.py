"""Runs from Python: on disk, resumable, measured and compared as those of the shell."""

from collections.abc import Sequence
from pathlib import Path
from threading import Event

import pytest

import groundscope
from groundscope.errors import DataError, StoreError
from groundscope.grounding.rules.run_with_rules import read_by
from groundscope.grounding.runs import listing
from groundscope.grounding.tables import frame
from tests.groundscope.api.test_inputs import ROWS

LABELLED = [
    {**row, "grounded": i % 2 == 0, "response": f"{row['response']} {i}", "group": str(i)} for i in range(12) for row in ROWS
]


@pytest.fixture(autouse=True)
def _store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_STORE", str(tmp_path / "runs"))
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))


def test_a_paused_run_goes_on_and_is_measured() -> None:
    stop = Event()
    stop.set()
    paused = groundscope.run([*LABELLED, {"query": "none"}], ["overlap"], name="mine", stop=stop)
    assert not paused.finished
    assert paused.why.startswith("Paused.")
    assert [number for number, _ in paused.rejected] == [25]
    done = groundscope.resume(paused.id)
    assert (done.finished, done.why, done.data.name) == (True, "", "mine")
    table = groundscope.report(done)
    found, _ = read_by(listing.find(done.id), None)
    assert table.equals(frame(found.results(None)))
    assert table["method"].tolist() == ["Overlap"]
    with pytest.raises(DataError, match="No labelled response of the run has the split dev"):
        groundscope.report(done.id, split="dev")
    with pytest.raises(StoreError, match="There is no"):
        groundscope.resume("none")


def half(question: str, sources: Sequence[str], sentence: str) -> float:
    return 0.5


def test_a_run_by_a_function_goes_on_with_the_same_function() -> None:
    stop = Event()
    stop.set()
    paused = groundscope.run(LABELLED, [half, "overlap"], stop=stop, timed=False)
    with pytest.raises(StoreError, match="half of this job is no longer available"):
        groundscope.resume(paused.id)
    done = groundscope.resume(paused.id, half)
    assert groundscope.report(done)["method"].tolist() == ["half", "Overlap"]


def test_two_runs_of_the_same_responses_are_compared_method_by_method_or_by_two_names() -> None:
    first, second = (groundscope.run(LABELLED, ["overlap", f"quip:n={n}"], timed=False) for n in (9, 5))
    table = groundscope.compare(first, second)
    assert table[["method", "difference", "responses"]].to_numpy().tolist() == [["Overlap", 0.0, 24]]
    named = groundscope.compare(f"{first.id}:quip:n=9", f"{second.id}:quip:n=5")
    alone = [groundscope.report(run).set_index("method")["macro_f1"] for run in (first, second)]
    assert named["method"].tolist() == ["QUIP (n=9) / QUIP (n=5)"]
    assert named[["f1_first", "f1_second"]].to_numpy().tolist() == [[alone[0]["QUIP (n=9)"], alone[1]["QUIP (n=5)"]]]
    assert named["same_parameters"].tolist() == [False]
    assert groundscope.compare(f"{first.id}:quip:n=9", f"{first.id}:overlap")["responses"].tolist() == [24]
    with pytest.raises(DataError, match=r"no method 'quip:n=7'; there are overlap, quip:n=9\."):
        groundscope.compare(f"{first.id}:quip:n=7", second)
    with pytest.raises(DataError, match=r"From Python has quip:n=9; From Python has overlap, quip:n=5\. .*A:quip B:quip:n=9"):
        groundscope.compare(f"{first.id}:quip:n=9", second)
    with pytest.raises(StoreError, match="no run 'nowhere'"):
        groundscope.compare("nowhere:quip:n=9", second)
    other = groundscope.run(LABELLED[:6], ["overlap"], timed=False)
    with pytest.raises(DataError, match="different responses"):
        groundscope.compare(first, other)


def test_nothing_to_judge_is_refused() -> None:
    refused = pytest.raises(DataError, match="No row can be used")
    with pytest.warns(UserWarning, match="say what its fields are"), refused:
        groundscope.run([{"query": "none"}], ["overlap"])
    with pytest.raises(DataError, match="There are no rows"):
        groundscope.run([], ["overlap"])
