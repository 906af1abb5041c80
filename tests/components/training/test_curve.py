"""The curve of a training, without a page."""

import math

import numpy as np

from components.training.progress import AUROC, F1, LOSS, STEP, training, training_data

LOSSES = [(10, 0.7), (20, 0.6), (30, 0.5)]
EVALUATIONS = [(0, 0.9, 0.5), (13, 0.6, 0.65), (26, 0.7, 0.75), (30, 0.7, 0.7)]


def test_a_row_a_step_and_nan_where_there_is_no_figure() -> None:
    data = training_data(LOSSES, EVALUATIONS)
    assert data[STEP].tolist() == [0, 10, 13, 20, 26, 30]
    assert data[data[STEP] == 30][[LOSS, F1, AUROC]].to_numpy().tolist() == [[0.5, 0.7, 0.7]]
    assert np.isnan(data[data[STEP] == 13][LOSS].item())


def test_the_lines_leave_out_what_is_not_there_and_differ_without_colour() -> None:
    figure = training(training_data(LOSSES, EVALUATIONS), 60)
    lines = {t.name: t for t in figure.data if t.mode == "lines+markers"}
    assert list(lines[LOSS].x) == [10, 20, 30]
    assert list(lines[F1].x) == [0, 13, 26, 30]
    assert len({t.line.dash for t in lines.values()}) == len({t.marker.symbol for t in lines.values()}) == 3
    assert figure.layout.xaxis.range[0] < 0 < 60 < figure.layout.xaxis.range[1]


def test_the_ring_is_at_the_first_best_evaluation_of_the_training() -> None:
    (ring,) = [t for t in training(training_data(LOSSES, EVALUATIONS), 60).data if t.mode == "markers"]
    assert (list(ring.x), list(ring.y)) == ([26], [0.7])


def test_the_scale_of_dev_is_steady_and_grows_where_it_must() -> None:
    usual = training(training_data([], [(1, 0.5, 0.6)]), 10).layout.yaxis2.range
    assert tuple(usual) == (0.4, 0.8)
    low, high = training(training_data([], [(1, 0.1, 0.99)]), 10).layout.yaxis2.range
    assert low < 0.1
    assert high > 0.99


def test_nothing_yet_is_an_empty_figure() -> None:
    data = training_data([], [])
    assert data.empty
    figure = training(data, 0)
    assert all(len(t.x) == 0 for t in figure.data)
    assert not any(math.isnan(v) for v in figure.layout.yaxis2.range)
    assert figure.layout.paper_bgcolor == "rgba(0,0,0,0)"
