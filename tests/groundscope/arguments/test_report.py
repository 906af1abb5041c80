"""Figures of many arguments: means with intervals, what counts in none, errors by factor, tables, and files of arguments."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from groundscope.arguments.arguers import ABSTAINS, ARGUERS
from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.arguments.extraction import exact, of_sets
from groundscope.arguments.parsing import PLIES, Argument
from groundscope.arguments.records import pasted, read_arguments, to_jsonl, to_row
from groundscope.arguments.report import agreement_words, as_json, cells, column_title, extractor_error, percent, report
from groundscope.arguments.scenarios import make_all
from groundscope.arguments.scoring import ExtractorAgreement, Weights
from groundscope.arguments.summary import Judged, agreements, by_factor, figures
from groundscope.arguments.types import Precedent, Scenario, Side, Test
from groundscope.errors import DataError

SCENARIOS = make_all(TRADE_SECRETS, list(Test), 10, [3, 5], 2)


def all_arguers() -> list[Judged]:
    made = []
    for a in ARGUERS:
        for s in SCENARIOS:
            argument = a.argue(s, TRADE_SECRETS)
            made.append(Judged(s, a.title, "", argument, exact(argument.plies, TRADE_SECRETS)))
    return made


FOUND = all_arguers()


def of_sizes(*wrong: int) -> list[Judged]:
    """Arguments about triples of 4 factors, with so many inventions each."""
    made = []
    for i, n in enumerate(wrong):
        s = Scenario(f"s{i}", Test.ARGUABLE, (1, 4), Precedent((4,), Side.PLAINTIFF), Precedent((1,), Side.DEFENDANT), 2)
        text = f"TSC1 had {', '.join(f'F{100 + k}' for k in range(n))}." if n else "TSC1 had F4."
        made.append(Judged(s, "m", "", Argument((text,)), exact((text,), TRADE_SECRETS)))
    return made


def test_means_are_over_triples_and_intervals_are_the_bootstraps() -> None:
    from scipy import stats

    wrong = [0, 1, 8, 2, 0, 4, 1, 1, 3, 9]
    found = figures(of_sizes(*wrong))
    values = np.array([1 - n / 4 for n in wrong])
    assert found.acc_h.value == pytest.approx(values.mean())
    assert found.acc_h.value < 1
    again = stats.bootstrap((values,), np.mean, n_resamples=20_000, method="percentile", rng=0).confidence_interval
    assert (found.acc_h.interval.low, found.acc_h.interval.high) == pytest.approx((again.low, again.high), abs=0.08)
    assert found.acc_h.of == 10


def test_a_negative_mean_is_shown_so() -> None:
    found = figures(of_sizes(8, 8, 12))
    assert found.acc_h.value == pytest.approx(1 - 28 / 12)
    assert percent(found.acc_h).startswith("−133.3 (−200 to −100)")


def test_triples_of_one_draw_are_resampled_together() -> None:
    one = figures([j for j in FOUND if j.arguer == "Leaves factors out" and j.scenario.test is not Test.NON_ARGUABLE])
    alone = figures([j for j in FOUND if j.arguer == "Leaves factors out" and j.scenario.test is Test.ARGUABLE])
    # The reordered triples tell nothing new of it: the interval may not shrink as if they did.
    width = [f.rec_u.interval.high - f.rec_u.interval.low for f in (one, alone)]
    assert width[0] == pytest.approx(width[1], rel=0.25)


def nine_of_ten_silent(test: Test) -> list[Judged]:
    """Ten triples of 4 factors of which one is argued, with everything that is true and nothing else."""
    keys = (1, 4), (4,), (1,)
    factors = (keys[0], Precedent(keys[1], Side.PLAINTIFF), Precedent(keys[2], Side.DEFENDANT))
    scenarios = [Scenario(f"s{i}", test, *factors, 2) for i in range(10)]
    sets = of_sets([frozenset(f"F{n}" for n in case) for case in keys])
    spoken = Judged(scenarios[0], "m", "", Argument(("All of it.",)), sets, sets)
    nothing = Argument(("",), "The model refused to answer.")
    return [spoken, *(Judged(s, "m", "", nothing, exact(("",), TRADE_SECRETS)) for s in scenarios[1:])]


@pytest.mark.parametrize("extractor", ["exact", "model"])
def test_empty_replies_count_as_the_formulas_have_it(extractor: str) -> None:
    argued = figures(nine_of_ten_silent(Test.ARGUABLE), extractor, Weights(2, 1), TRADE_SECRETS)
    assert argued.rec_u.value == pytest.approx(0.1)
    assert argued.weighted is not None
    assert argued.weighted.value == pytest.approx(0.1)
    assert (argued.acc_h.value, argued.acc_h.of) == (1, 10)
    assert (argued.arguments, argued.silent, argued.unread) == (10, 9, 0)
    assert figures(nine_of_ten_silent(Test.NON_ARGUABLE), extractor).abstained.value == pytest.approx(0.9)


@pytest.mark.parametrize("extractor", ["exact", "model"])
def test_empty_replies_can_be_left_out_of_all_figures(extractor: str) -> None:
    argued = figures(nine_of_ten_silent(Test.ARGUABLE), extractor, without_silent=True)
    assert (argued.rec_u.value, argued.rec_u.of, argued.silent, argued.unread) == (1, 1, 9, 0)
    assert figures(nine_of_ten_silent(Test.NON_ARGUABLE), extractor, without_silent=True).abstained.value == 0
    found = nine_of_ten_silent(Test.ARGUABLE)
    both = [report(found, TRADE_SECRETS, extractor, without_silent=left_out) for left_out in (False, True)]
    assert [sum(f.missed for f in made.factors) for made in both] == [9 * 4, 0]
    assert [made.rows[0].complexities[2].rec_u.of for made in both] == [10, 1]
    assert [sum(made.score(one) is not None for one in found) for made in both] == [10, 1]
    assert [made.silent for made in both] == [9, 9]


def test_where_no_argument_says_anything_there_is_a_figure_only_by_the_formulas() -> None:
    silent = nine_of_ten_silent(Test.ARGUABLE)[1:]
    none = figures(silent, without_silent=True)
    assert (none.arguments, none.silent, none.acc_h.of) == (9, 9, 0)
    assert math.isnan(none.acc_h.value)
    assert percent(none.acc_h) == "–"
    made = report(silent, TRADE_SECRETS, without_silent=True)
    assert json.dumps(as_json(made), allow_nan=False)
    row = to_row(silent[0], TRADE_SECRETS)["extracted"]["exact"]
    assert (row["acc_h"], row["rec_u"], row["abstained"]) == (1, 0, True)


def test_the_table_shows_what_each_flaw_costs() -> None:
    made = report(FOUND, TRADE_SECRETS, weights=Weights(2, 1))
    table = {r.arguer: {(t, n): m.value for t, n, m in cells(r) if m} for r in made.rows}
    false = {(test, "abstained") for test in (Test.ARGUABLE, Test.REORDERED)}
    assert {key for key, value in table["Faithful"].items() if value == 0.0} == false
    assert set(table["Faithful"].values()) == {0.0, 1.0}
    assert table["Never abstains"][Test.NON_ARGUABLE, "abstained"] == 0
    for name, metric, each in (("Invents factors", "acc_h", 2), ("Leaves factors out", "rec_u", 3)):
        for test in (Test.ARGUABLE, Test.REORDERED):
            costs = [1 - each / s.size for s in SCENARIOS if s.test is test]
            assert table[name][test, metric] == pytest.approx(sum(costs) / len(costs))
    assert made.rows[0].tests[Test.ARGUABLE].weighted is not None
    assert list(made.rows[0].complexities) == [3, 5]
    assert made.agreement.share is None


def test_who_always_abstains_is_right_and_falsely_so() -> None:
    argument = Argument((ABSTAINS, "", ""))
    found = [Judged(s, "m", "", argument, exact(argument.plies, TRADE_SECRETS)) for s in SCENARIOS]
    (row,) = report(found, TRADE_SECRETS).rows
    shown = {column_title(name, test): mean.value for test, name, mean in cells(row) if mean}
    abstains = {name: value for name, value in shown.items() if "bstention" in name}
    assert abstains == {"False abstention arguable": 1.0, "False abstention reordered": 1.0, "Abstention non-arguable": 1.0}
    (none,) = report([j for j in FOUND if j.arguer == "Never abstains"], TRADE_SECRETS).rows
    assert [m.value for _, name, m in cells(none) if name == "abstained" and m] == [0.0, 0.0, 0.0]


def test_triples_of_unknown_complexity_are_in_no_level() -> None:
    (unknown,) = of_sizes(1)
    one = replace(unknown, scenario=replace(unknown.scenario, complexity=0))
    assert list(report([one], TRADE_SECRETS).rows[0].complexities) == []
    assert list(report([one, *of_sizes(0, 1)], TRADE_SECRETS).rows[0].complexities) == [2]
    assert report([one], TRADE_SECRETS).rows[0].tests[Test.ARGUABLE].arguments == 1


def test_errors_by_factor_are_a_plain_count() -> None:
    rows = {f.key: f for f in by_factor(FOUND)}
    for key in ("F4", "F16"):
        number = int(key[1:])
        there = sum(number in case for j in FOUND if j.scenario.test is not Test.NON_ARGUABLE for case in j.scenario.cases)
        said = [(j, case, found) for j in FOUND for case, found in zip(j.scenario.keys, j.exact.sets, strict=True)]
        missed = sum(key in case - found for j, case, found in said if j.scenario.test is not Test.NON_ARGUABLE)
        false = sum(key in found - case for _, case, found in said)
        assert (rows[key].there, rows[key].missed, rows[key].invented + rows[key].wrong_case) == (there, missed, false)
    assert [f.errors for f in by_factor(FOUND)] == sorted((f.errors for f in by_factor(FOUND)), reverse=True)
    strange = by_factor(of_sizes(1))
    assert [(f.key, f.there, f.invented) for f in strange if f.key == "F100"] == [("F100", 0, 1)]


def test_another_extraction_can_be_counted_instead() -> None:
    (one,) = of_sizes(0)
    other = Judged(one.scenario, "m", "", one.argument, one.exact, of_sets([frozenset({"F9"}), frozenset({"F4"}), frozenset()]))
    assert figures([other], "exact").acc_h.value == 1
    assert figures([other], "model").acc_h.value == 0.75
    assert agreements([other, one]) == (2, 3, 1, 0, 1)
    assert (figures([one], "model").silent, figures([one], "model").unread) == (0, 1)


def read_by_people(number: int) -> list[Judged]:
    """Ten arguments without an invention by the extractor, of which so many were read: each has one, which it overlooked."""
    human = of_sets([frozenset(), frozenset({"F4", "F99"}), frozenset()])
    return [replace(j, human=human) if i < number else j for i, j in enumerate(of_sizes(*[0] * 10))]


def test_means_are_corrected_by_what_people_read_and_intervals_hold_both_errors() -> None:
    found, none = figures(read_by_people(4)), figures(read_by_people(0))
    assert (none.checked, none.acc_h.value, none.acc_h.interval.low, none.acc_h.interval.high) == (0, 1, 1, 1)
    # One factor of four is invented in each argument that was read, and the sampling error is 0: Agresti and Min's half alone.
    assert (found.checked, found.acc_h.value) == (4, pytest.approx(0.75))
    half = 1.959964 * math.sqrt(4 / 16 + 1 / 16 - 1 / 6) / 6
    assert found.acc_h.interval.low == pytest.approx(1 - 1 / 6 - half)
    assert found.acc_h.interval.high == pytest.approx(1 - 1 / 6 + half)
    assert (found.rec_u.value, found.abstained.value) == (none.rec_u.value, none.abstained.value)
    assert found.abstained.interval.high > none.abstained.interval.high


def test_what_says_nothing_cannot_be_misread() -> None:
    silent = nine_of_ten_silent(Test.ARGUABLE)
    human = of_sets([frozenset({"F1"}), frozenset(), frozenset()])
    checked = figures([replace(j, human=human) for j in silent])
    # The one argument uses 1 of 4 and not all of them; the nine empty replies use nothing, whatever is written beside them.
    assert (checked.checked, checked.rec_u.value) == (1, pytest.approx(1 / 10 - 3 / 4 / 10))


def test_the_report_states_whether_the_error_of_the_extractor_is_in_it() -> None:
    assert "sampling error alone" in extractor_error(report(read_by_people(0), TRADE_SECRETS))
    arguments = [*read_by_people(4), replace(of_sizes(0)[0], arguer="other")]
    words = extractor_error(report(arguments, TRADE_SECRETS))
    assert words.startswith("4 arguments that the extractor read were read by people, too: 100% of its factors are theirs, ")
    assert "it has 50% of theirs." in words
    assert words.endswith("Sampling error alone, as no argument was checked: other, arguable.")
    again = read_arguments("a.jsonl", to_jsonl(arguments, TRADE_SECRETS).encode(), TRADE_SECRETS)
    assert extractor_error(report(again.judged, TRADE_SECRETS)) == words


def test_arguments_come_back_from_their_file_with_the_same_figures() -> None:
    read = read_arguments("a.jsonl", to_jsonl(FOUND, TRADE_SECRETS).encode(), TRADE_SECRETS)
    assert read.rejected == ()
    assert [(j.scenario, j.arguer, j.argument.plies, j.exact) for j in read.judged] == [
        (j.scenario, j.arguer, j.argument.plies, j.exact) for j in FOUND
    ]
    row = to_row(FOUND[0], TRADE_SECRETS)
    assert row["extracted"]["exact"]["acc_h"] == 1.0
    assert set(row["argument"]) == set(PLIES)


def test_rows_that_cannot_be_used_are_named_and_metrics_in_a_file_are_not_believed() -> None:
    good = {"model": "m", "scenario_id": SCENARIOS[0].id, "argument": "TSC1 had F99.", "acc_h": 1}
    rows = [
        good,
        good,
        {**good, "model": ""},
        {**good, "argument": 4},
        {**good, "argument": {"a": "b"}},
        {**good, "scenario_id": "gone", "model": "n"},
        {"model": "m", "argument": "x"},
        {**good, "model": "o", "argument": "<think>F4 in TSC1"},
    ]
    read = read_arguments("a.jsonl", "\n".join(map(json.dumps, rows)).encode(), TRADE_SECRETS, SCENARIOS)
    assert [j.arguer for j in read.judged] == ["m", "o"]
    made = read.judged[0].score()
    assert made is not None
    assert made.acc_h < 1
    assert read.judged[1].argument.empty
    for words, row in zip(
        ("in an earlier row", "'model' is missing", "'argument' is missing", "'argument' must be", "of no scenario that is here",
         "'scenario' is missing"), read.rejected, strict=True,
    ):  # fmt: skip
        assert words in row.reason
    with pytest.raises(DataError, match=r"a.jsonl, row 1: 'model' is missing."):
        read_arguments("a.jsonl", b"{}", TRADE_SECRETS)


def test_a_pasted_argument_keeps_its_places() -> None:
    found = pasted(SCENARIOS[0], " My \n model ", "😀 TSC1 had F4 and F9.", TRADE_SECRETS)
    assert found.arguer == "My model"
    (ply,) = found.argument.plies
    assert [ply[m.start : m.end] for m in found.exact.mentions] == ["F4", "F9"]


def test_how_far_extractors_agree_is_reported_also_where_both_found_nothing() -> None:
    assert agreement_words(ExtractorAgreement()) == ""
    triple = next(s for s in SCENARIOS if s.test is Test.NON_ARGUABLE)
    nothing = replace(pasted(triple, "m", "Nothing is in common.", TRADE_SECRETS), other=of_sets([frozenset()] * 3))
    assert agreement_words(report([nothing], TRADE_SECRETS).agreement) == "neither extractor finds a factor in 3 cases"
    found = agreement_words(ExtractorAgreement(2, 3, 4, 1, 0))
    assert found == "both extractors agree on 80% of what either found, and on all of it in 2 of 3 cases"
