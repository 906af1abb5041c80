"""The record beside a verdict: of the run that comes with the app, of a run with other settings, and what has none."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from components import state
from components.opened import record
from groundscope.drawing.record import data_of
from groundscope.grounding.runs.listing import read, samples
from groundscope.grounding.track_record import track_records
from groundscope.methods import registry, same_method
from groundscope.paths import Variable
from groundscope.statistics.bootstrap import Interval
from groundscope.statistics.chance import AurocEstimate
from groundscope.statistics.risk import MissLimit, MissRate, Promise


@pytest.fixture(scope="module")
def counted() -> record.Records:
    return record._count(samples()[0])


def test_the_samples_have_a_record_of_every_method_of_their_run(counted: record.Records) -> None:
    run = read(samples()[0])
    assert [signature for signature, _ in counted] == [m.signature for m in run.methods]
    for _, data in counted:
        assert data["place"] == "On the samples, test split,"
        assert (data["wrong"], data["sound"]) == (68, 503)
        assert len(data["thresholds"]) == len(data["flagged"]) == len(data["ends"])
        assert data["better"] == (data["auroc"][1] > 0.5)
        assert all(0 <= low <= high <= 100 for ends in data["ends"] for low, high in ends)


def test_a_method_of_this_machine_finds_its_record_whatever_its_precision(counted: record.Records) -> None:
    for method in ("overlap", "quip", "cos_sim:minilm"):
        wanted = registry.load(method).signature
        assert sum(same_method(own, wanted) for own, _ in counted) == 1
    assert not any(same_method(own, registry.load("quip", n=9).signature) for own, _ in counted)
    own = next(own for own, _ in counted if own.startswith("cos_sim"))
    assert same_method(own.replace("bf16", "fp32"), own)


def test_of_a_large_run_some_responses_are_read_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groundscope.drawing.record._MOST", 40)
    (_, data), *_ = record._count(samples()[0])
    assert data["place"] == "On 28 responses of the samples, test split,"
    assert data["wrong"] + data["sound"] < 571


def test_a_run_that_cannot_be_read_has_no_record(tmp_path: Path) -> None:
    assert record._count(replace(samples()[0], folder=tmp_path)) == []


def test_the_run_is_chosen_also_for_later_sessions_and_a_deleted_one_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(Variable.DATA, str(tmp_path))
    choices: dict[str, str] = {}
    shipped = samples()[0]
    runs = {run: replace(shipped, id=run) for run in (shipped.id, "mine", "other")}
    monkeypatch.setattr(record.runs, "run_choices", lambda: choices)
    assert record.chosen({}) is None
    record.choose("mine")
    choices.clear()
    assert record.chosen(runs) == "mine"
    choices[record.CHOICE] = "other"
    assert record.chosen(runs) == "other"
    assert record.chosen({run: runs[run] for run in (shipped.id, "mine")}) == "mine"
    assert record.chosen({shipped.id: shipped}) == shipped.id
    for odd in ("[[]]", '{"record_run": {}}', '{"record_run": 3}'):
        (tmp_path / "settings.json").write_text(odd)
        assert record.chosen({shipped.id: shipped}) == shipped.id


def test_intervals_that_are_not_known_are_drawn_as_none() -> None:
    run = read(samples()[0])
    made = track_records(run, run.rows("test"))[0]
    assert made is not None
    nan = float("nan")
    unsure = replace(made, shares=np.full_like(made.shares, nan), ranking=AurocEstimate(0.6, Interval(nan, nan)))
    data = data_of(unsure, "On the samples")
    assert {end for ends in data["ends"] for pair in ends for end in pair} == {-1}
    assert data["auroc"] == [0.6, -1.0, -1.0]
    assert data["better"] is False


def test_a_threshold_carries_the_promise_of_every_lower_one_and_of_no_higher_one(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Promise(MissLimit(0.1, 0.9), 0.62, MissRate(0.02, 60, 3, 120, 40, 200))
    quip = registry.load("quip").signature
    kept = {
        "quip": state.SetPromise(quip, found, "dev of Ours"),
        "overlap": state.SetPromise("overlap|else", found, "dev of Ours"),
    }
    monkeypatch.setattr(record.state, "promises", lambda: kept)
    drawn = record.promised({name: registry.load(name).signature for name in ("quip", "overlap", "cos_sim:minilm")})
    assert list(drawn) == ["quip"]
    for threshold in (0.62, 0.9):
        words = record.promise_words(drawn["quip"], threshold)
        assert words.startswith("Promised for answers like those in dev of Ours: on average at most 10 % of a question's wrong")
        assert "with 90 % confidence. There the lowest such threshold, 0.6200, missed 3 of 120 wrong sentences" in words
        assert words.endswith("and flagged 40 of 200 sound ones.")
    phrase = "misses at most 10 % of wrong sentences, 90 % confidence, fixed on dev of Ours"
    assert record.promise_phrase(drawn["quip"], 0.62) == phrase
    assert record.promise_phrase(drawn["quip"], 0.9) == f"{phrase}; raised by hand from 0.6200, which keeps it"
    assert record.promise_phrase(drawn["quip"], 0.61) == f"none: lowered by hand below 0.6200, which {phrase}"
    assert record.promise_phrase(drawn["quip"], None) == record.promise_phrase(None, 0.9) == ""
    assert record.promise_words(drawn["quip"], 0.61) == "Below 0.6200 its promise about misses does not hold."
    assert record.promise_words(drawn["quip"], None) == record.promise_words(None, 0.9) == ""
