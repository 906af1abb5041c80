"""What the fine-tuning panel says, without a page."""

import pytest

from components.training import forecast
from components.training import messages as words
from groundscope.errors import DataError
from groundscope.training.data import parts
from groundscope.training.options import Options, TrainingProgress
from groundscope.training.pairs import RECIPES, Recipe, pairs
from tests.components.labelled_set import cases

BEFORE = {"macro_f1": 0.5, "threshold": 0.4, "auroc": 0.51, "brier": 0.3}
AFTER = {"macro_f1": 0.7, "threshold": 0.6, "auroc": 0.75, "brier": 0.2}
BESIDE = [{"method": "grounding_classifier:own", **AFTER, "seconds": 0.2}, {"method": "cos_sim:minilm", **BEFORE, "seconds": 0.1}]
RECORD = {
    "dev_before": BEFORE,
    "dev_after": AFTER,
    "pairs": {"train": 400, "dev": 58},
    "losses": [[10, 0.7], [20, 0.6]],
    "evaluations": [[13, 0.6, 0.65], [26, 0.7, 0.75]],
    "responses": {"responses": 37, "beside": BESIDE},
}


def report(step: int, seconds: float, **more: float) -> TrainingProgress:
    return TrainingProgress(step, 100, seconds, **more)


def test_the_time_left_goes_by_the_speed_of_late() -> None:
    assert words.seconds_left([]) is None
    assert words.seconds_left([report(1, 5.0)]) is None
    slow = [report(1, 100.0), *(report(i, 100.0 + 2 * i) for i in range(10, 61))]
    assert words.seconds_left(slow) == pytest.approx(80.0)
    # Steps that were done before a stop say nothing about the speed after it.
    assert words.seconds_left([report(50, 10.0), report(40, 300.0), report(45, 310.0)]) == pytest.approx(110.0)


def test_what_was_done_again_after_a_stop_counts_once() -> None:
    found = [report(10, 1, loss=0.9), report(20, 2, loss=0.8), report(20, 2, dev_f1=0.5, dev_auroc=0.6)]
    found += [report(15, 3), report(20, 4, loss=0.7), report(20, 5, dev_f1=0.55, dev_auroc=0.65)]
    assert words.points(found) == ([(10, 0.9), (20, 0.7)], [(20, 0.55, 0.65)])
    assert words.points([]) == ([], [])
    assert words.curve_words(*words.points(found)).startswith("Loss 0.700 at step 20, 0.900 at first; on dev macro-F1 0.550")
    assert words.curve_words([], []) == ""


@pytest.mark.parametrize(
    ("stage", "reports", "stopping", "said"),
    [
        ("preparing", [report(40, 9)], False, "Preparing"),
        ("training", [report(10, 1)], False, "Step 10 of 100, just started"),
        ("training", [report(10, 1), report(20, 2)], False, "Step 20 of 100, about 8.0 s left"),
        ("training", [report(99, 1), report(100, 2)], False, "Step 100 of 100, measuring and saving"),
        ("training", [report(10, 1), report(20, 2)], True, "Pausing after the current step"),
        ("judging", [], True, "Trained. Scoring whole responses of dev"),
    ],
)
def test_every_stage_has_its_words(stage: words.Stage, reports: list[TrainingProgress], stopping: bool, said: str) -> None:
    assert words.stage_words(stage, reports, stopping=stopping).startswith(said)


def test_the_verdict_says_whether_dev_got_better_and_that_few_pairs_say_little() -> None:
    said = words.verdict(RECORD)
    assert "On the 58 pairs of dev macro-F1 rose, from 0.500 to 0.700." in said
    assert "On whole responses it is better than cosine, 0.700 against 0.500." in said
    # 37 responses: 1 / sqrt(37).
    assert said.endswith("With so few, a difference below about 0.16 may be chance.")
    assert "fell, from 0.700 to 0.500" in words.verdict({**RECORD, "dev_before": AFTER, "dev_after": BEFORE})
    many = {**RECORD, "pairs": {"dev": 3_000}, "responses": None, "dev_after": BEFORE}
    assert words.verdict(many) == "On the 3,000 pairs of dev macro-F1 stayed at 0.500."
    assert words.verdict({}) == ""


def test_both_tables_carry_their_figures_and_no_markup_of_a_record() -> None:
    drawn = words.figures_html(RECORD)
    assert drawn.count("<table") == 2
    for part in ("58 pairs of dev", "37 whole responses", "The base, before", "<td>0.750</td>", "Cosine of embeddings, MiniLM"):
        assert part in drawn
    half = {"precision": 0.61, "recall": 0.62, "f1": 0.63, "accuracy": 0.64}
    table_2 = words.figures_html({**RECORD, "dev_after": {**AFTER, **half}})
    assert table_2.count("<table") == 3
    assert "<td>0.610</td><td>0.620</td><td>0.630</td><td>0.640</td>" in table_2
    assert "The paper: deberta-v3-large</th><td>0.736</td><td>0.739</td><td>0.733</td><td>0.733</td>" in table_2
    hostile = {"dev_before": {"macro_f1": "<img src=x>"}, "pairs": {"dev": 3}}
    assert "<img" not in words.figures_html(hostile)
    assert words.figures_html({}) == ""


def test_a_record_gives_the_curve_with_the_base_at_step_0() -> None:
    losses, evaluations = words.recorded_points(RECORD)
    assert losses == [(10, 0.7), (20, 0.6)]
    assert evaluations == [(0, 0.5, 0.51), (13, 0.6, 0.65), (26, 0.7, 0.75)]
    assert words.recorded_points({}) == ([], [])


def test_the_parts_of_a_set_are_reported() -> None:
    assert words.parts_words(parts(cases()), "Mine") == (
        "Mine: 10 responses to learn from (train), 6 to steer by (dev). 2 are not used: those in test, and those without a label."
    )


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (5, 80, "about a minute"),
        (40, 120, "about 1 to 2 minutes"),
        (280, 300, "about 5 minutes"),
        (600, 1_800, "about 10 to 30 minutes"),
        (3_000, 36_000, "about 1 to 10 hours"),
    ],
)
def test_times_are_reported_roughly(low: float, high: float, said: str) -> None:
    assert words.roughly(low, high) == said


def test_pairs_are_counted_as_they_will_be_made() -> None:
    found = parts(cases())
    assert forecast.count(found, Recipe()) == len(pairs(found.train, Recipe(), forecast._alike)) == 10
    edits = RECIPES["evidence"]
    assert forecast.count(found, edits) == forecast.count(found, Recipe(scope="all")) + edits.edits * 5


def test_a_set_that_gives_no_pairs_is_refused() -> None:
    # Sound answers of some queries, wrong ones of others: nothing to compare.
    train = [c for i, c in enumerate(cases()[:10]) if c.grounded == (i < 6)]
    alone = parts([*train, *(c for c in cases() if c.split == "dev")])
    with pytest.raises(DataError, match="No pairs can be made"):
        forecast.count(alone, Recipe())


def test_the_forecast_says_how_its_time_is_known() -> None:
    bundled = forecast.words(400, Options(), None, bundled=True)
    assert bundled.startswith(
        "About 400 pairs of a sentence and its evidence, each read up to 3 times. Training takes about 1 to 2"
    )
    assert "10 to 30 pairs per second on two processor cores" in bundled
    assert "is unknown before it runs" in forecast.words(400, Options(), None, bundled=False)
    assert "each read once" in forecast.words(400, Options(epochs=1), None, bundled=True)
    records = [
        ("other", {"options": {"batch": 16, "longest": 64}, "about": {"Base": "minilm"}, "steps": 10, "seconds": 1}),
        ("mine", {"options": {"batch": 16, "longest": 256}, "about": {"Base": "minilm"}, "steps": 100, "seconds": 100}),
        ("broken", {}),
    ]
    known = forecast.speed("minilm", 256, records)
    assert known == forecast.Speed("mine", 16.0)
    assert "estimated from mine (16 pairs per second)" in forecast.words(400, Options(), known, bundled=True)
    assert forecast.speed("minilm", 512, records) is None
