"""Tuning chooses one part of a sweep on dev, and the others are read nowhere else."""

from dataclasses import replace

import numpy as np
import pytest

from groundscope.grounding.rules.frozen_rules import Decision, from_json, to_json
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.sweeps import chosen, not_swept, rejected, without
from groundscope.grounding.tuning import Objective, Rule, Tuned, tune_all, verdicts
from tests.groundscope.grounding.runs import made_cases, made_run


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
    words = "Its n is not tuned here. A run with the sweep quip.n=5..40 tunes it with the threshold."
    assert not_swept(alone) == {"quip": words}
    # Who chose a value needs no advice.
    assert not_swept([replace(m, options={"n": 7}) for m in alone]) == {}
    assert not_swept([replace(alone[0], id="other", method="")]) == {}


def test_a_run_without_some_parts_is_the_same_run_of_the_others(run: RunData) -> None:
    fewer = without(run, {"quip:n=9"})
    assert [m.id for m in fewer.methods] == ["quip", "quip:n=15", "direct"]
    for name in ("status", "support", "lowest", "mean", "seconds", "timed", "cost", "calls", "tokens", "context_seen"):
        assert np.array_equal(getattr(fewer, name), getattr(run, name)[[0, 2, 3]], equal_nan=name not in ("status", "timed")), (
            name
        )
    for name in ("ids", "gold", "types"):
        assert getattr(fewer, name) is getattr(run, name)
    for place, method in enumerate(("quip", "quip:n=15", "direct")):
        for ours, theirs in zip(fewer.read_sentences(place), run.read_sentences(run.method(method)), strict=True):
            assert np.array_equal(ours, theirs, equal_nan=True)
        assert fewer.read_notes(place, range(5)) == run.read_notes(run.method(method), range(5))
    assert without(run, {"clever"}) is run


def test_frozen_rules_of_a_sweep_are_those_of_the_chosen_part_alone(run: RunData) -> None:
    found, _ = tune_all(run)
    left_out = rejected(run.methods, found, Objective())
    signatures = {m.id: m.signature for m in run.methods}
    decision = Decision("a", "2026-01-01", run.name, run.data_hash, Objective(), found, signatures, left_out)
    assert from_json(to_json(decision)) == decision
    rules = decision.rules(run)
    assert len(left_out) == 1
    assert set(rules) == {m.id for m in run.methods} - set(left_out)
    assert (verdicts(run, rules)[run.method(left_out[0])] == -1).all()


def test_what_was_chosen_is_named_by_its_title(run: RunData) -> None:
    assert chosen(run.methods, ("quip:n=9",)) == {"quip.n": run.methods[2].title}
    assert chosen(run.methods, ()) == {}
