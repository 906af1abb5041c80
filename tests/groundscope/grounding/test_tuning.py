"""Rules tuned on one split: against brute force, by cost, over sentences, and where there is little to tune on."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.experiments.plan import Part
from groundscope.grounding.results import rule_words
from groundscope.grounding.runs.arrays import STATUSES, RunData, SentenceTable
from groundscope.grounding.tuning import (
    How,
    Objective,
    Rule,
    starting_rules,
    supports,
    tune_all,
    tune_method,
    tunes,
    verdicts,
)
from groundscope.methods import registry
from groundscope.types import Status
from tests.groundscope.grounding.runs import made_cases, made_run
from tests.groundscope.statistics.test_curves import counted, macro_f1
from tests.loops import each

NAN = math.nan


def run_of(supports_: Sequence[float], gold: Sequence[int], splits: Sequence[str] | None = None) -> RunData:
    """One method, its own supports alone, all on dev."""
    run = made_run(made_cases(len(gold)), 1)
    values = np.array(supports_, dtype=float)[None]
    nothing = np.full_like(values, NAN)
    empty = SentenceTable(*(np.empty(0, dtype=np.int32) for _ in range(3)), np.empty(0), np.empty(0))
    return replace(
        run,
        gold=np.array(gold, dtype=np.int8),
        splits=np.array(splits or ["dev"] * len(gold), dtype=object),
        status=np.where(np.isnan(values), STATUSES.index(Status.INVALID), STATUSES.index(Status.SCORED)).astype(np.int8),
        support=values,
        lowest=nothing,
        mean=nothing,
        read_sentences=lambda method: empty,
    )


EIGHTHS = st.one_of(st.integers(0, 8).map(lambda n: n / 8), st.just(NAN))
PAIRS = st.lists(st.tuples(EIGHTHS, st.booleans()), min_size=1, max_size=25).filter(
    lambda pairs: not all(math.isnan(s) for s, _ in pairs)
)


@given(PAIRS)
def test_the_tuned_rule_reaches_the_best_macro_f1_there_is(pairs: list[tuple[float, bool]]) -> None:
    found = tune_method(run_of([s for s, _ in pairs], [int(g) for _, g in pairs]), 0, "dev")
    assert found.value == pytest.approx(max(macro_f1(counted(pairs, t / 16)) for t in range(-1, 18)))
    assert macro_f1(counted(pairs, found.rule.threshold)) == pytest.approx(found.value)
    assert found.responses == len(pairs)


@given(PAIRS, st.floats(0.05, 50))
def test_by_cost_no_threshold_is_cheaper(pairs: list[tuple[float, bool]], missed: float) -> None:
    run = run_of([s for s, _ in pairs], [int(g) for _, g in pairs])
    found = tune_method(run, 0, "dev", Objective(missed))

    def cost(threshold: float) -> float:
        _, alarm, no_grounded, _, miss, no_ungrounded = counted(pairs, threshold)
        return (alarm + no_grounded + missed * (miss + no_ungrounded)) / len(pairs)

    assert found.value == pytest.approx(min(cost(t / 16) for t in range(-1, 18)))
    assert cost(found.rule.threshold) == pytest.approx(found.value)


def test_only_the_split_counts_and_only_what_is_labelled() -> None:
    # On dev 0.5 divides the two; what test and the unlabelled say would move it.
    gold = [1, 1, 0, 0, 1, 0, -1, -1]
    splits = ["dev"] * 4 + ["test"] * 2 + ["dev"] * 2
    found = tune_method(run_of([0.75, 0.625, 0.375, 0.25, 0.0, 1.0, 0.0, 1.0], gold, splits), 0, "dev")
    assert found.rule == Rule("own", 0.5)
    assert (found.value, found.responses, found.split, found.warning) == (1.0, 4, "dev", "")


def test_the_share_of_sentences_that_are_not_flagged_is_the_scorers_own_rule() -> None:
    run = made_run(made_cases(60), 2, invalid=0.1)
    table = run.read_sentences(1)
    values = supports(run, 1, Rule("share_below", 0.0, 0.6))
    for row in range(60):
        flags = table.support[table.case == row] < 0.6
        assert values[row] == pytest.approx(1 - flags.mean() if flags.size else NAN, nan_ok=True)
    assert np.isnan(values).any()
    # Sentences that were not assessed are left out of it.
    run = run_of([0.5, 0.5], [1, 0])
    table = SentenceTable(
        np.array([0, 0, 0, 1], np.int32),
        np.zeros(4, np.int32),
        np.ones(4, np.int32),
        np.array([0.1, 0.9, NAN, NAN]),
        np.full(4, NAN),
    )
    run = replace(run, read_sentences=lambda method: table)
    assert supports(run, 0, Rule("share_below", 0.0, 0.5)).tolist() == [0.5, pytest.approx(NAN, nan_ok=True)]


def test_a_share_is_chosen_where_it_says_best() -> None:
    # Every response has a sentence at 0; the ungrounded have two. Neither the lowest nor their own support tells them apart.
    run = run_of([0.5] * 6, [1, 1, 1, 0, 0, 0])
    low = [[0.0, 1.0, 1.0]] * 3 + [[0.0, 0.0, 1.0]] * 3
    case = np.repeat(np.arange(6), 3).astype(np.int32)
    table = SentenceTable(case, case, case, np.array(low).ravel(), np.full(18, NAN))
    run = replace(run, read_sentences=lambda method: table, lowest=np.zeros((1, 6)), mean=np.full((1, 6), NAN))
    ways: tuple[How, ...] = ("own", "min", "mean", "share_below")
    found = tune_method(run, 0, "dev", allowed=ways)
    assert found.rule.how == "share_below"
    assert found.value == 1.0
    assert tune_method(run, 0, "dev", allowed=ways[:3]).value < 1.0


def test_of_equally_good_ways_the_first_allowed_one_is_taken() -> None:
    run = run_of([0.75, 0.25], [1, 0])
    run = replace(run, lowest=run.support, mean=run.support)
    assert tune_method(run, 0, "dev").rule.how == "own"
    assert tune_method(run, 0, "dev", allowed=("mean", "own")).rule.how == "mean"


def test_a_response_has_the_support_that_its_rule_makes() -> None:
    run = made_run(made_cases(30), 2)
    for how, values in (("own", run.support), ("min", run.lowest), ("mean", run.mean)):
        assert np.array_equal(supports(run, 1, Rule(how, 0.5)), values[1], equal_nan=True)  # type: ignore[arg-type]
    said = verdicts(run, {"method_1": Rule("mean", 0.6)})
    assert (said[0] == -1).all()
    assert np.array_equal(said[1] == -1, np.isnan(run.mean[1]))
    assert np.array_equal(said[1] == 1, run.mean[1] >= 0.6)


def test_a_method_without_a_threshold_starts_without_a_rule() -> None:
    run = made_run(made_cases(6), 2)
    run = replace(run, methods=(replace(run.methods[0], threshold=None), run.methods[1]))
    assert starting_rules(run) == {"method_1": Rule("own", 0.5)}


def test_one_class_and_ties_everywhere_are_tuned_with_a_warning() -> None:
    for label in (0, 1):
        assert "same label" in tune_method(run_of([0.25, 0.75], [label, label]), 0, "dev").warning
    assert "the same support" in tune_method(run_of([0.5] * 4 + [NAN], [1, 0, 1, 0, 1]), 0, "dev").warning


def test_each_method_is_tuned_on_the_split_that_it_asks_for_else_on_dev() -> None:
    run = made_run(made_cases(90), 3)
    methods = (replace(run.methods[0], tuned_on="train"), *run.methods[1:])
    tuned, failed = tune_all(replace(run, methods=methods))
    assert {m: t.split for m, t in tuned.items()} == {"method_0": "dev", "method_1": "dev", "method_2": "dev"}
    assert failed == {}
    splits = np.where(run.splits == "test", "train", run.splits)
    tuned, _ = tune_all(replace(run, methods=methods, splits=splits))
    assert [t.split for t in tuned.values()] == ["train", "dev", "dev"]
    tuned, _ = tune_all(replace(run, methods=methods, splits=splits), split="train")
    assert {t.split for t in tuned.values()} == {"train"}


def test_what_a_paper_fixes_is_tuned_only_beyond_it() -> None:
    """FAIL to everything: half of the answers right, an F1 of 2/3 and of 0; its quotations would tell all apart."""
    run = run_of([0.0] * 4, [1, 0, 1, 0])
    run = replace(run, mean=np.array([[0.75, 0.25, 0.75, 0.25]]), methods=(replace(run.methods[0], tunes="nothing"),))
    tuned = tune_method(run, 0, "dev")
    assert (tuned.rule, tuned.value) == (Rule("own", 0.5), pytest.approx(1 / 3))
    further = tune_method(run, 0, "dev", beyond=True)
    assert (further.rule, further.value) == (Rule("mean", 0.5), 1.0)
    assert not rule_words(tuned.rule, run.methods[0]).endswith("beyond the paper")
    assert rule_words(further.rule, run.methods[0]).endswith("beyond the paper")
    assert rule_words(Rule("own", 0.4), run.methods[0]).endswith("beyond the paper"), "a threshold set by hand, too"
    selfcheck = replace(run, methods=(replace(run.methods[0], tunes="threshold"),))
    assert tune_method(selfcheck, 0, "dev").rule.how == "own"


def test_methods_say_what_their_papers_leave_to_tuning() -> None:
    """Section 5.3: verdicts of models, and the highest score of SelfCheckGPT; how sentences are joined, no section says."""
    by_tunes: dict[str, set[str]] = {}
    for name in registry.names():
        method = registry.find(name)
        by_tunes.setdefault(tunes(made_method(name, method.about.tunes)), set()).add(name.partition(":")[0])
    assert by_tunes["nothing"] == {"direct", "lynx", "refchecker", "claims_verify", "majority"}
    assert by_tunes["threshold"] == {"context_nli", "multi_gen"}
    assert tunes(made_method("direct", "")) == "nothing", "a run of before says so, too"
    assert registry.load("refchecker", aggregation="soft").about.tunes == "threshold"


def made_method(name: str, left: str) -> Part:
    return Part(name, name, name, tunes=left)


def test_what_cannot_be_tuned_is_said_and_stops_no_other_method() -> None:
    run = made_run(made_cases(90), 2)
    nothing = run.support.copy()
    nothing[0] = NAN
    run = replace(run, support=nothing, lowest=nothing, mean=nothing)
    tuned, failed = tune_all(run)
    assert list(tuned) == ["method_1"]
    assert list(failed) == ["method_0"]
    assert "no score for any labelled response of dev" in failed["method_0"]


def test_a_missing_split_is_named_beside_those_that_are_there_and_a_set_without_any_is_tuned_on_as_a_whole() -> None:
    run = made_run(made_cases(30), 1)
    only_test, whole = (replace(run, splits=np.array([name] * 30, dtype=object)) for name in ("test", ""))
    tuned, failed = tune_all(whole, split="")
    assert (tuned["method_0"].split, tuned["method_0"].responses, failed) == ("", 30, {})
    unlabelled = replace(run, gold=np.full(30, -1, dtype=np.int8))
    for odd, split, words in (
        (only_test, None, "no labelled response in dev; the run has test"),
        (unlabelled, None, "no labelled response at all"),
        (whole, None, "the run has no split"),
        (run, "", "in no split; the run has dev, test"),
    ):
        assert words in tune_all(odd, split=split)[1]["method_0"]


@each(
    ("arguments", "words"),
    [
        (("median", 0.5), "how must be one of"),
        (("own", 0.5, 0.5), "goes with share_below alone"),
        (("share_below", 0.5), "goes with share_below alone"),
        (("share_below", 0.5, math.inf), "must be a number, got 0.5 and inf"),
    ],
)
def test_a_rule_that_means_nothing_is_refused(arguments: tuple[How, float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Rule(*arguments)


@each("missed", [0, -1, NAN, math.inf])
def test_a_cost_that_is_none_is_refused(missed: float) -> None:
    with pytest.raises(ValueError, match="a finite number of false alarms above 0"):
        Objective(missed)
    assert "as 5 false alarms" in Objective(5).words
