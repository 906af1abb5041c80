"""Parts of a run: the same method many times, under names of the user's; and sweeps, of which tuning chooses one part on dev."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.experiments.plan import Part
from groundscope.grounding.parts import named, swept_values, titled
from groundscope.grounding.rules.frozen_rules import from_json, to_json
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tuning import Objective, Rule, Tuned, chosen, not_swept, rejected, verdicts, without
from tests.groundscope.grounding.runs import decided, made_cases, made_run
from tests.loops import each

METHODS = ("cos_sim", "cos_sim:minilm", "direct", "quip")


def test_a_method_stands_in_a_run_under_many_names() -> None:
    settings = ("direct:gpt-4.1.model=openai:gpt-4.1", "direct:haiku.model=anthropic:claude-haiku;temperature=0", "quip.n=12")
    names = ("direct:gpt-4.1", "direct:haiku", "cos_sim:minilm", "cos_sim:minilm:fast", "quip", "quip:n=9")
    found = named(names, METHODS, settings)
    assert found == (
        Part("direct:gpt-4.1", method="direct", options={"model": "openai:gpt-4.1"}),
        Part("direct:haiku", method="direct", options={"model": "anthropic:claude-haiku;temperature=0"}),
        Part("cos_sim:minilm"),
        Part("cos_sim:minilm:fast", method="cos_sim:minilm"),
        Part("quip", options={"n": 12}),
        Part("quip:n=9", method="quip", options={"n": 9}),
    )
    assert [titled(part, "T") for part in found] == ["T (gpt-4.1)", "T (haiku)", "T", "T (fast)", "T", "T (n=9)"]


def test_a_sweep_makes_a_part_of_each_value() -> None:
    found = named(("quip",), METHODS, ("quip:n=9.scope=passage",), ("quip.n=9,15, 21",))
    assert found == (
        Part("quip"),
        Part("quip:n=9", method="quip", options={"n": 9, "scope": "passage"}, sweep="quip.n"),
        Part("quip:n=15", method="quip", options={"n": 15}, sweep="quip.n"),
        Part("quip:n=21", method="quip", options={"n": 21}, sweep="quip.n"),
    )


def test_a_cascade_is_swept_with_its_methods() -> None:
    parts = named((), ("quip", "cascade"), (), ("cascade:first=quip,second=x:y.low=0.1,0.2",))
    assert [(p.id, p.options["low"]) for p in parts] == [
        ("cascade:first=quip,second=x:y,low=0.1", 0.1),
        ("cascade:first=quip,second=x:y,low=0.2", 0.2),
    ]
    assert {p.sweep for p in parts} == {"cascade:first=quip,second=x:y.low"}


def test_an_id_of_an_earlier_version_is_the_method_of_today() -> None:
    with pytest.raises(ValueError, match="grounding_classifier is named twice"):
        named(("grounding_classifier:smollm2", "grounding_classifier"), ("grounding_classifier",))


def test_a_range_is_every_whole_number_of_it() -> None:
    assert swept_values("5..40") == [str(n) for n in range(5, 41)]
    assert swept_values(" 3, 5..7,, high") == ["3", "5", "6", "7", "high"]
    found = named((), METHODS, (), ("quip.n=5..40",))
    assert [p.options["n"] for p in found] == list(range(5, 41))
    assert {p.sweep for p in found} == {"quip.n"}


@each("text", ["0..100", "1,1..100", ",".join(["9"] * 101)])
def test_a_sweep_has_a_hundred_values_at_most(text: str) -> None:
    with pytest.raises(ValueError, match="at most 100 values"):
        swept_values(text)


@each(
    ("names", "settings", "sweeps", "words"),
    [
        (("clever",), (), (), "no method 'clever'; there are cos_sim"),
        (("quip:",), (), (), "not a valid name for a part"),
        (("quip:\x1b[31m",), (), (), "not a valid name for a part"),
        (("quip:" + "x" * 116,), (), (), "at most 120 characters"),
        (("quip:n=9",), (), ("quip.n=9,15",), "quip:n=9 is named twice"),
        (("quip",), ("direct.model=x",), (), "with one of quip, got 'direct.model=x'"),
        (("quip",), ("quip.n",), (), "--set takes PART.OPTION=VALUE"),
        ((), (), ("quip.n=9..9",), "at least two values"),
        ((), (), ("quip=9,15",), "--sweep takes PART.OPTION"),
    ],
)  # fmt: skip
def test_what_names_no_part_is_refused(
    names: tuple[str, ...], settings: tuple[str, ...], sweeps: tuple[str, ...], words: str
) -> None:
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        named(names, METHODS, settings, sweeps)


@given(st.text(min_size=1, max_size=40).filter(lambda t: t.isprintable() and t.strip() and "=" not in t))
def test_any_printable_name_is_kept_as_it_is(label: str) -> None:
    (part,) = named((f"direct:{label}",), METHODS)
    assert (part.id, part.method, titled(part, "T"), dict(part.options)) == (f"direct:{label}", "direct", f"T ({label})", {})


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
