"""Two runs: joined by method and by case, compared only where both judged the same."""

from dataclasses import replace

import numpy as np
import pytest

from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tuning import starting_rules, verdicts
from groundscope.grounding.two_runs import RunSide, TwoRuns, two_runs
from groundscope.statistics.bootstrap import resamples
from groundscope.statistics.metrics import cells, confusion, scores
from groundscope.statistics.significance import holm, mcnemar
from tests.groundscope.grounding.runs import made_cases, made_run, pending
from tests.groundscope.statistics.paired import paired


def side(run: RunData, split: str | None = "test") -> RunSide:
    rules = starting_rules(run)
    return RunSide(run, verdicts(run, rules), rules, run.rows(split))


@pytest.fixture(scope="module")
def first() -> RunData:
    return made_run(made_cases(300), 3, seed=1)


@pytest.fixture(scope="module")
def second() -> RunData:
    return made_run(made_cases(300), 3, seed=2)


def test_differences_are_the_paired_bootstraps_and_mcnemars(first: RunData, second: RunData) -> None:
    a, b = side(first), side(second)
    found = two_runs(a, b)
    assert (found.note, found.only_first, found.only_second) == ("", (), ())
    rows, gold = a.rows, first.gold[a.rows]
    p = [mcnemar(gold, b.verdicts[m, rows], a.verdicts[m, rows]) for m in range(3)]
    for m, both in enumerate(found.methods):
        tables = cells(gold, b.verdicts[m, rows]), cells(gold, a.verdicts[m, rows])
        wanted = paired(*tables, first.groups[rows], resamples(first.groups[rows]))
        assert both.difference == pytest.approx(wanted.difference)
        assert (both.interval.low, both.interval.high) == pytest.approx((wanted.interval.low, wanted.interval.high))
        assert both.adjusted_p == pytest.approx(holm(p)[m])
        assert both.f1[0] == pytest.approx(scores(confusion(gold, a.verdicts[m, rows])).macro_f1)
        assert both.f1[1] - both.f1[0] == pytest.approx(both.difference)
        assert both.shared == len(rows)
        assert both.same_signature


def test_another_model_under_the_same_id_is_another_method_and_an_earlier_id_the_same(first: RunData, second: RunData) -> None:
    plain, earlier = "grounding_classifier", "grounding_classifier:smollm2"

    def run(data: RunData, *parts: tuple[str, str]) -> RunData:
        named = [
            replace(m, id=name, title=model, signature=f"{plain}|{model}@1(0)|bf16", threshold=0.5)
            for m, (name, model) in zip(data.methods, parts, strict=True)
        ]
        return replace(data, methods=tuple(named))

    before = run(first, (plain, "small"), (earlier, "smollm2"), ("other", "other"))
    after = run(second, (plain, "smollm2"), ("other", "other"), ("new", "new"))
    pair = two_runs(side(before), side(after))
    assert [(b.id, b.title) for b in pair.methods] == [(earlier, "smollm2"), ("other", "other")]
    assert (pair.only_first, pair.only_second) == (("small",), ("new",))
    # A model that the user chose by an option is a comparison that was asked for.
    chosen = replace(after, methods=(replace(after.methods[0], options={"model": "smollm2"}), *after.methods[1:]))
    assert plain in {b.id for b in two_runs(side(before), side(chosen)).methods}


def test_cases_are_joined_by_id_whatever_their_order(first: RunData) -> None:
    order = np.random.default_rng(0).permutation(len(first.ids))
    by_case = ("ids", "groups", "splits", "areas", "gold", "types", "words", "context_words")
    by_method = ("status", "support", "lowest", "mean", "seconds", "timed", "context_seen", "cost", "calls", "tokens")
    changed = {n: getattr(first, n)[order] for n in by_case} | {n: getattr(first, n)[:, order] for n in by_method}
    for other in (first, replace(first, **changed)):
        for both in two_runs(side(first), side(other)).methods:
            assert (both.difference, both.interval.low, both.interval.high, both.adjusted_p) == (0, 0, 0, 1)


def test_different_responses_are_never_subtracted(first: RunData, second: RunData) -> None:
    found = two_runs(side(first), side(replace(second, data_hash="f" * 16)))
    assert "same set of cases" in found.note
    assert all(np.isnan([b.difference, b.interval.low, b.adjusted_p]).all() and b.shared == 0 for b in found.methods)
    assert not np.isnan(found.methods[0].f1).any()


def test_methods_are_joined_by_id_and_the_others_named(first: RunData, second: RunData) -> None:
    turned = replace(
        second,
        methods=(second.methods[2], replace(second.methods[1], id="other"), replace(second.methods[0], signature="x")),
        support=second.support[[2, 1, 0]],
        status=second.status[[2, 1, 0]],
    )
    found = two_runs(side(first), side(turned))
    assert [b.id for b in found.methods] == ["method_0", "method_2"]
    assert [b.same_signature for b in found.methods] == [False, True]
    assert (found.only_first, found.only_second) == (("Method 1",), ("Method 1",))
    straight = two_runs(side(first), side(second)).methods
    assert [b.f1 for b in found.methods] == [straight[0].f1, straight[2].f1]


def test_no_common_method_or_response_says_what_to_do(first: RunData, second: RunData) -> None:
    def note(found: TwoRuns) -> str:
        assert all(np.isnan(b.difference) for b in found.methods)
        return found.note

    strangers = replace(second, methods=tuple(replace(m, id=f"other {m.id}") for m in second.methods))
    assert "no method in common" in note(two_runs(side(first), side(strangers)))
    assert "Choose another split" in note(two_runs(side(first, "test"), side(second, "dev")))


def test_only_what_both_have_judged_is_compared(first: RunData, second: RunData) -> None:
    rows = first.rows("test")
    a, b = side(pending(first, 0, rows[:30])), side(pending(second, 0, rows[20:50]))
    found = two_runs(a, b).methods
    left = rows[50:]
    wanted = [scores(confusion(first.gold[left], s.verdicts[0, left])).macro_f1 for s in (a, b)]
    assert found[0].shared == len(left)
    assert found[0].difference == pytest.approx(wanted[1] - wanted[0])
    assert found[0].responses == (len(rows) - 30, len(rows) - 30)
    assert found[1].shared == len(rows)


def test_a_method_without_a_threshold_in_one_run_has_no_difference(first: RunData, second: RunData) -> None:
    bare = replace(second, methods=(replace(second.methods[0], threshold=None), *second.methods[1:]))
    found = two_runs(side(first), side(bare)).methods
    assert np.isnan([found[0].difference, found[0].adjusted_p, found[0].f1[1]]).all()
    assert not np.isnan(found[1].adjusted_p)
