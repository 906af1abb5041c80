"""Track records: flags among labelled sentences, counted again by hand, at every threshold; what has no record."""

from dataclasses import replace

import numpy as np
import pytest

from groundscope.cases.gold import gold_sentences
from groundscope.grounding.runs.arrays import PENDING, RunData
from groundscope.grounding.runs.listing import read, samples
from groundscope.grounding.track_record import STEPS, track_records
from groundscope.text.sentences import split
from groundscope.types import Case
from tests.groundscope.grounding.runs import made_cases, made_run


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return made_cases(150)


@pytest.fixture(scope="module")
def run(cases: list[Case]) -> RunData:
    return made_run(cases, 3)


def _by_hand(run: RunData, cases: list[Case], method: int, threshold: float) -> list[int]:
    table = run.read_sentences(method)
    supports = {(c, s): x for c, s, x in zip(table.case, table.start, table.support, strict=True)}
    flagged = [0, 0]
    for row in run.rows("test"):
        case = cases[row]
        wrong = {s.start: s.wrong for s in gold_sentences(case)}
        for s in split(case.response):
            if not s.heading and (wrong or case.grounded):
                flagged[int(not wrong.get(s.start, False))] += bool(supports.get((row, s.start), 1.0) < threshold)
    return flagged


def test_flags_are_counted_at_every_step_of_a_slider(run: RunData, cases: list[Case]) -> None:
    for method, record in enumerate(track_records(run, run.rows("test"))):
        assert record is not None
        assert set(STEPS) <= set(record.thresholds.tolist())
        assert record.flagged[0].tolist() == [0, 0]
        assert (np.diff(record.flagged, axis=0) >= 0).all()
        for step in (25, 50, 100):
            at = record.thresholds.tolist().index(STEPS[step])
            assert record.flagged[at].tolist() == _by_hand(run, cases, method, STEPS[step])


def test_the_samples_say_what_the_heatmap_opens_with() -> None:
    run = read(samples()[0])
    records = dict(zip((m.id for m in run.methods), track_records(run, run.rows("test")), strict=True))
    for method in run.methods:
        record = records[method.id]
        assert record is not None
        assert (record.wrong, record.sound) == (68, 503)
        assert method.threshold in record.thresholds
        share = record.flagged / [68, 503]
        known = record.flagged.sum(axis=1) > 0
        assert (record.shares[known, :, 0] <= share[known] + 1e-9).all()
        assert (record.shares[known, :, 1] >= share[known] - 1e-9).all()
    # Reading the weakest sentence first finds more wrong answers than a sentence drawn at random.
    weakest = records["grounding_classifier"].weakest  # type: ignore[union-attr]
    assert weakest.answers == 47
    assert weakest.hits > weakest.by_chance == pytest.approx(10.07, abs=0.01)
    assert not records["overlap"].ranking.better_than_chance  # type: ignore[union-attr]


def test_the_worth_of_the_weakest_sentence_is_counted_by_answer(run: RunData, cases: list[Case]) -> None:
    for method, record in enumerate(track_records(run, run.rows("test"))):
        table = run.read_sentences(method)
        supports = {(c, s): x for c, s, x in zip(table.case, table.start, table.support, strict=True)}
        found, answers, by_chance = 0, 0, 0.0
        for row in run.rows("test"):
            wrong = {s.start: s.wrong for s in gold_sentences(cases[row])}
            own = [
                (supports.get((row, s.start), np.nan), wrong.get(s.start, False))
                for s in split(cases[row].response)
                if not s.heading
            ]
            if any(w for _, w in own) and not any(np.isnan(x) for x, _ in own):
                found, answers = found + min(own, key=lambda one: one[0])[1], answers + 1
                by_chance += sum(w for _, w in own) / len(own)
        assert record is not None
        assert answers > 5
        assert record.weakest[:2] == (found, answers)
        assert record.weakest.by_chance == pytest.approx(by_chance)


def test_without_both_kinds_of_sentences_or_any_support_there_is_no_record(run: RunData, cases: list[Case]) -> None:
    grounded = [i for i in run.rows("test").tolist() if cases[i].grounded]
    for rows in (grounded, []):
        assert track_records(run, np.array(rows, dtype=np.int32))[0] is None
    waiting = replace(run, status=np.full_like(run.status, PENDING))
    assert track_records(waiting, run.rows("test")) == (None, None, None)
