"""Tuning chooses one part of a sweep on dev, and the others are read nowhere else."""

from dataclasses import replace

import numpy as np
import pytest

from groundscope.grounding.rules.frozen_rules import from_json, to_json
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.sweeps import chosen, not_swept, rejected, without
from groundscope.grounding.tuning import Objective, Rule, Tuned, verdicts
from tests.groundscope.grounding.runs import decided, made_cases, made_run


@pytest.fixture(scope="module")
def run() -> RunData:
    made = made_run(made_cases(60), 4)
    ids, sweeps = ("quip", "quip:n=9", "quip:n=15", "direct"), ("", "quip.n", "quip.n", "")
    methods = tuple(
        replace(m, id=i, method=i.partition(":")[0], sweep=s) for m, i, s in zip(made.methods, ids, sweeps, strict=True)
    )
    return replace(made, methods=methods)


def tuned(**values: float) -> dict[str, Tuned]:
    return {name.replace("n", "quip:n="): Tuned(Rule("own", 0.5), "dev", value, 9) for name, value in values.items()}


def test_the_part_with_the_best_value_is_chosen_and_of_equal_ones_the_first(run: RunData) -> None:
    assert rejected(run.methods, tuned(n9=0.6, n15=0.7), Objective()) == ("quip:n=9",)
    assert rejected(run.methods, tuned(n9=0.7, n15=0.7), Objective()) == ("quip:n=15",)
    assert rejected(run.methods, tuned(n9=0.6, n15=0.7), Objective(missed=5.0)) == ("quip:n=15",)


def test_what_could_not_be_tuned_is_not_chosen_and_a_sweep_without_any_rule_stays_whole(run: RunData) -> None:
    assert rejected(run.methods, tuned(n15=0.1), Objective()) == ("quip:n=9",)
    assert rejected(run.methods, {}, Objective()) == ()


def test_a_parameter_that_the_paper_tunes_is_named_where_it_is_not_swept(run: RunData) -> None:
    assert not_swept(run.methods) == {}
    alone = without(run, {"quip:n=9", "quip:n=15"}).methods
    assert list(not_swept(alone)) == ["quip"]
    assert "quip.n=5..40" in not_swept(alone)["quip"]
    # Who chose a value needs no advice.
    assert not_swept([replace(m, options={"n": 7}) for m in alone]) == {}
    assert not_swept([replace(alone[0], id="other", method="")]) == {}


def test_a_run_without_some_parts_is_the_same_run_of_the_others(run: RunData) -> None:
    fewer = without(run, {"quip:n=9"})
    assert [m.id for m in fewer.methods] == ["quip", "quip:n=15", "direct"]
    for name in ("status", "support", "lowest", "mean", "seconds", "timed", "cost", "calls", "tokens", "context_seen"):
        np.testing.assert_array_equal(getattr(fewer, name), getattr(run, name)[[0, 2, 3]], name)
    for name in ("ids", "gold", "types"):
        assert getattr(fewer, name) is getattr(run, name)
    for place, method in enumerate(("quip", "quip:n=15", "direct")):
        for ours, theirs in zip(fewer.read_sentences(place), run.read_sentences(run.method(method)), strict=True):
            np.testing.assert_array_equal(ours, theirs)
        assert fewer.read_notes(place, range(5)) == run.read_notes(run.method(method), range(5))
    assert without(run, {"clever"}) is run


def test_frozen_rules_of_a_sweep_are_those_of_the_chosen_part_alone(run: RunData) -> None:
    decision = decided(run)
    left_out, rules = decision.rejected, decision.rules(run)
    assert from_json(to_json(decision)) == decision
    assert len(left_out) == 1
    assert set(rules) == {m.id for m in run.methods} - set(left_out)
    assert (verdicts(run, rules)[run.method(left_out[0])] == -1).all()
    titles = {m.id: m.title for m in run.methods}
    (part,) = {"quip:n=9", "quip:n=15"} - {*left_out}
    assert chosen(run.methods, left_out) == {"quip.n": titles[part]}
    assert chosen(run.methods, ()) == {}
