"""What the Compare page says in words."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from components.compare import messages as words
from groundscope.drawing.figure_2 import standing_of
from groundscope.drawing.spots import Spot
from groundscope.grounding.comparing.comparisons import Pairs, pairs
from groundscope.grounding.level_results import LevelResult, gold_of, level_results
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tuning import starting_rules
from groundscope.statistics.bootstrap import Interval
from groundscope.statistics.chance import UNKNOWN, AurocEstimate
from tests.groundscope.grounding.runs import made_cases, made_run
from tests.loops import each

NAN = float("nan")


@pytest.fixture(scope="module")
def run() -> RunData:
    return made_run(made_cases(150), 3)


def spot(title: str, f1: float, seconds: float, **more: Any) -> Spot:
    made = Spot(title.lower(), title, f1, f1 - 0.05, f1 + 0.05, seconds, seconds, seconds, 0.0, False)
    return replace(made, **more)


def lead(*points: Spot, guess: float = 0.5, compared: Pairs | None = None) -> list[str]:
    return words.headline(points, standing_of(points, compared, guess))


def test_best_and_fastest_are_named_where_no_interval_meets_the_next() -> None:
    assert lead(spot("Slow", 0.9, 26.0), spot("Fast", 0.6, 0.01), spot("Mid", 0.75, 2.0)) == [
        "Slow has the best F1: 0.90 (95 % 0.85 to 0.95), at 26.0 s per response.",
        "It is clearly above the next, Mid (0.75), and above what chance reaches (0.50).",
        "Fast is the fastest, at 0.0100 s per response, 200 times as fast as Mid, with an F1 of 0.60 (95 % 0.55 to 0.65).",
    ]


NOTHING = "No method is shown to judge better than chance, which reaches an F1 of 0.50."


@each(
    ("points", "lines"),
    [
        # 0.80 to 0.90 meets 0.75 to 0.85; the third one is apart from the first.
        (
            [spot("A", 0.85, NAN), spot("B", 0.8, NAN), spot("C", 0.6, NAN)],
            ["No method can be called the best.", "By F1 A (0.85) cannot be distinguished from B (0.80)."],
        ),
        # The highest is above the others, and its interval holds 0.5.
        ([spot("A", 0.54, NAN), spot("B", 0.3, NAN)], [NOTHING]),
        ([spot("A", 0.5, NAN), spot("B", 0.49, NAN)], [NOTHING, "By F1 A (0.50) cannot be distinguished from B (0.49)."]),
        # The highest is least certain: the second one alone is above chance.
        (
            [spot("A", 0.7, NAN, low=0.4), spot("B", 0.6, NAN)],
            [
                "No method can be called the best.",
                "By F1 A (0.70) cannot be distinguished from B (0.60).",
                "A (95 % 0.40 to 0.75) is not shown to do better than chance, which reaches 0.50.",
            ],
        ),
        ([spot("A", 0.8, NAN)], ["A has an F1 of 0.80 (95 % 0.75 to 0.85), its speed not measured."]),
        (
            [spot("A", 0.8, NAN, low=NAN, high=NAN), spot("B", 0.1, NAN)],
            [NOTHING, "By F1 A (0.80) cannot be distinguished from B (0.10)."],
        ),
    ],
)
def test_no_one_is_called_the_best_whose_interval_holds_the_next_or_chance(points: list[Spot], lines: list[str]) -> None:
    assert lead(*points) == [*lines, "No method was timed in this run."]
    assert lead(spot("A", NAN, 1.0)) == []


def test_the_fastest_is_named_where_its_seconds_do_not_meet_the_next_ones() -> None:
    best = spot("A", 0.9, 1.0, fast=0.9, slow=1.1)
    assert lead(best, spot("B", 0.7, 2.0))[-1] == "It is also the fastest."
    assert "fastest" not in " ".join(lead(best, spot("B", 0.7, 1.2, fast=1.1)))
    assert "fastest" not in " ".join(lead(spot("A", 0.9, 0.0), spot("B", 0.7, 0.0)))
    assert lead(spot("A", 0.9, 26.0), spot("Now", 0.6, 0.0))[-1] == (
        "Now is the fastest, faster than its clock can measure, with an F1 of 0.60 (95 % 0.55 to 0.65)."
    )


def twenty(run: RunData, wrong: dict[str, int]) -> tuple[list[Spot], Pairs]:
    """Methods that are wrong about the first so many of 40 responses, half of them grounded; each is a query of its own."""
    gold = np.arange(40) % 2
    judged = np.array([np.where(np.arange(40) < n, 1 - gold, gold) for n in wrong.values()], dtype=np.int8)
    methods = tuple(replace(run.methods[0], id=t, title=t, threshold=0.5) for t in wrong)
    shape, zeros = (len(wrong), 40), np.zeros((len(wrong), 40))
    part = replace(
        run, gold=gold.astype(np.int8), groups=np.arange(40), methods=methods, status=np.zeros(shape, np.int8), support=zeros
    )
    found = pairs(part, judged, starting_rules(part), np.arange(40))
    # Half of the errors of either label: macro-F1 is the share of right responses.
    return [spot(t, 1 - n / 40, NAN) for t, n in wrong.items()], found


def test_of_responses_the_difference_decides_and_not_whether_intervals_meet(run: RunData) -> None:
    # 12 against 2 wrong of 40 is a difference of 10 responses, 3.6 standard errors; 4 against 2 is one of 1.4.
    points, found = twenty(run, {"A": 2, "B": 12})
    assert lead(*points, compared=found)[0].startswith("A has the best F1: 0.95")
    wide = [replace(p, low=0.6, high=1.0) for p in points]
    assert lead(*wide, compared=found)[0].startswith("A has the best F1: 0.95")
    assert words.figures(points, found)[0].startswith("A is better than B by 0.250 (0.1")
    points, found = twenty(run, {"A": 2, "B": 4, "C": 12})
    assert lead(*points, compared=found)[:2] == [
        "No method can be called the best.",
        "By F1 A (0.95) cannot be distinguished from B (0.90).",
    ]
    assert "A and B do not differ measurably: 0.050" in words.figures(points, found)[0]


def test_the_front_has_who_is_above_chance_and_better_than_every_faster_one() -> None:
    points = [
        spot("Slow", 0.9, 26.0),
        spot("Coin", 0.5, 0.01),
        spot("Mid", 0.75, 2.0),
        spot("Like", 0.78, 3.0),
        spot("No", 0.9, NAN),
    ]
    assert standing_of(points, None).front == (2, 0)
    assert standing_of(points, None, guess=0.8).front == (0,)
    assert standing_of([spot("A", 0.7, 1.0), spot("B", 0.9, 1.0)], None).front == (1,)


def _ranked(run: RunData, *lows: float) -> list[LevelResult]:
    found = level_results(run, gold_of(run, run.rows("test")), starting_rules(run), run.rows("test"), "sentence")
    return [replace(f, ranking=AurocEstimate(low + 0.1, Interval(low, low + 0.2))) for f, low in zip(found, lows, strict=True)]


def test_who_finds_wrong_sentences_better_than_a_coin_leads_unless_a_method_is_best(run: RunData) -> None:
    titles = ["Method 0", "Method 1", "Method 2"]
    lines = ["Method 0 has the best F1: 0.90.", "B is fast."]
    none = "No method here is shown to find wrong sentences better than chance."
    assert words.with_chance(lines, titles, _ranked(run, 0.4, 0.5, 0.49), None) == [none, *lines]
    some = "Shown to find wrong sentences better than chance: Method 0 and Method 2."
    assert words.with_chance(lines, titles, _ranked(run, 0.51, 0.5, 0.6), 0) == [lines[0], some, lines[1]]
    unknown = [replace(f, ranking=UNKNOWN) for f in _ranked(run, 0.6, 0.6, 0.6)]
    assert words.with_chance(lines, titles, unknown, 0) == words.with_chance(lines, titles, (), 0) == lines


def test_how_many_times_as_fast() -> None:
    assert [words.times_words(r) for r in (1.04, 2.44, 12.3, 1_234.0)] == ["1.0 times", "2.4 times", "12 times", "1,200 times"]


def test_the_plot_is_reported_to_those_who_do_not_see_it() -> None:
    text = words.alt([spot("A", 0.8, 1.0), spot("B", NAN, 1.0)], "Macro-F1", ["A is best.", "B is not."])
    assert text == "Macro-F1 of 1 method against seconds per response. A is best. B is not."
