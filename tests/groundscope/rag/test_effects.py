"""The comparisons of a factorial against statsmodels by hand, the closed form, and what cannot be estimated."""

import numpy as np
import pandas as pd
import pytest

from groundscope.rag.contrasts import compare, factors, interaction, switched_embedder, switched_model
from groundscope.rag.effects import APART, NEVER_RUN, NO_VARIANCE, TOO_FEW, CannotTell, Combination, Effect, Fit, Joint
from tests.loops import each

BASE = ("e0", "m0")


def made(seed: int, questions: int = 30, embedders: int = 3, models: int = 2, lost: float = 0.0) -> pd.DataFrame:
    """Answers of which a share is lost; some questions are harder, some embedders and combinations better."""
    draw = np.random.default_rng(seed)
    rows = [
        (f"q{q}", f"e{e}", f"m{m}", float(draw.random() < 0.3 + 0.4 * (q % 3) / 2 + 0.1 * e - 0.1 * m + 0.1 * (e * m == 1)))
        for q in range(questions)
        for e in range(embedders)
        for m in range(models)
    ]
    found = pd.DataFrame(rows, columns=["q", "e", "m", "y"])
    return found[draw.random(len(found)) >= lost].reset_index(drop=True)


def fitted(data: pd.DataFrame) -> Fit:
    return Fit(list(data.q), list(data.e), list(data.m), data.y.to_numpy())


def by_hand(data: pd.DataFrame) -> "object":
    import statsmodels.formula.api as smf

    codes = pd.factorize(data.q)[0]
    return smf.ols("y ~ C(q) + C(e) * C(m)", data).fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=False)


def combined(result: object, weights: dict[Combination, float]) -> "object":
    """The contrast in statsmodels' treatment coding."""
    names = list(result.params.index)  # type: ignore[attr-defined]
    row = np.zeros(len(names))
    for (e, m), weight in weights.items():
        for name in (f"C(e)[T.{e}]", f"C(m)[T.{m}]", f"C(e)[T.{e}]:C(m)[T.{m}]"):
            if name in names:
                row[names.index(name)] += weight
    return row


@each("lost", [0.0, 0.2])
@each("seed", range(4))
def test_every_comparison_is_that_of_statsmodels(seed: int, lost: float) -> None:
    data = made(seed, lost=lost)
    fit, reference = fitted(data), by_hand(data)
    for weights in (
        switched_model(["e0"], "m1", "m0"), switched_model(["e0", "e1", "e2"], "m1", "m0"),
        switched_embedder(["m0", "m1"], "e2", "e0"), interaction("e1", "m1", "e2", "m0"),
    ):  # fmt: skip
        found, test = fit.effect(weights), reference.t_test(combined(reference, weights))  # type: ignore[attr-defined]
        assert isinstance(found, Effect)
        assert found.value == pytest.approx(float(test.effect[0]), abs=1e-8)
        assert found.error == pytest.approx(float(test.sd.item()), abs=1e-8)
        assert found.z == pytest.approx(float(test.tvalue.item()), rel=1e-7)
        assert found.p == pytest.approx(float(test.pvalue), rel=1e-6)
        assert [found.interval.low, found.interval.high] == pytest.approx(test.conf_int()[0].tolist(), abs=1e-8)


@pytest.mark.parametrize("lost", [0.0, 0.2])
def test_joint_tests_are_statsmodels_chi_square(lost: float) -> None:
    data = made(11, questions=60, embedders=4, models=3, lost=lost)
    found = compare(fitted(data), factors(list(data.e), list(data.m), *BASE))
    reference, es, ms = by_hand(data), ["e1", "e2", "e3"], ["m1", "m2"]
    joint = {
        "interaction": [interaction(e, m, "e0", "m0") for e in es for m in ms],
        "embedder": [switched_embedder(["m0", *ms], e, "e0") for e in es],
        "model": [switched_model(["e0", *es], m, "m0") for m in ms],
    }
    for name, contrasts in joint.items():
        rows = np.array([combined(reference, w) for w in contrasts])
        wald = reference.wald_test(rows, use_f=False, scalar=True)  # type: ignore[attr-defined]
        mine = getattr(found, name)
        assert isinstance(mine, Joint)
        assert mine.degrees == len(rows)
        assert mine.chi_square == pytest.approx(float(wald.statistic), rel=1e-8)
        assert mine.p == pytest.approx(float(wald.pvalue), rel=1e-6)


def test_answers_without_a_verdict_count_in_nothing() -> None:
    data = made(3)
    gone = data.copy()
    gone.loc[::7, "y"] = np.nan
    weights = switched_model(["e1"], "m1", "m0")
    assert fitted(gone).effect(weights) == fitted(data.drop(index=data.index[::7])).effect(weights)


def test_a_combination_that_was_never_run_takes_away_only_what_needs_it() -> None:
    data = made(4)
    data = data[~((data.e == "e1") & (data.m == "m1"))]
    found = compare(fitted(data), factors(list(data.e), list(data.m), *BASE))
    assert found.interaction == CannotTell(f"{NEVER_RUN}e1 with m1.")
    told = {(c.what, c.within): c.found for c in found.within_embedder}
    assert isinstance(told["m1", "e0"], Effect)
    assert isinstance(told["m1", "e2"], Effect)
    assert told["m1", "e1"] == CannotTell(f"{NEVER_RUN}e1 with m1.")
    assert isinstance(found.within_model[0].found, Effect)


def test_combinations_that_were_asked_other_questions_are_not_compared() -> None:
    data = made(4)
    asked = data.q.str[1:].astype(int)
    data = data[(asked < 15) == (data.e == "e0")]
    fit = fitted(data)
    assert fit.effect(switched_embedder(["m0"], "e1", "e0")) == CannotTell(APART)
    assert isinstance(fit.effect(switched_model(["e0"], "m1", "m0")), Effect)
    assert isinstance(fit.effect(switched_embedder(["m0"], "e1", "e2")), Effect)


def test_where_nothing_varies_there_is_a_sentence_and_no_z() -> None:
    data = made(6)
    always = data.assign(y=(data.e == "e1").astype(float))
    found = compare(fitted(always), factors(list(data.e), list(data.m), *BASE))
    assert found.embedder == found.interaction == found.model == CannotTell(NO_VARIANCE)
    assert {c.found for c in found.embedders} == {CannotTell(NO_VARIANCE)}


def test_one_embedder_or_one_model_leaves_the_other_factor() -> None:
    one = made(7, embedders=1)
    found = compare(fitted(one), factors(list(one.e), list(one.m), *BASE))
    assert isinstance(found.embedder, CannotTell)
    assert isinstance(found.interaction, CannotTell)
    assert isinstance(found.model, Joint)
    assert found.differences == ()
    alone = one[one.m == "m0"]
    nothing = compare(fitted(alone), factors(list(alone.e), list(alone.m), *BASE))
    assert "only one was run" in str(nothing.model)


@pytest.mark.parametrize("questions", [0, 1])
def test_too_few_questions_are_said(questions: int) -> None:
    data = made(8, questions=questions)
    assert fitted(data).effect(switched_model(["e0"], "m1", "m0")) == CannotTell(TOO_FEW)


@pytest.mark.parametrize(("cells", "told"), [(["e0"] * 2 + ["e1"] * 2, True), (["e0", "e0", "e1", "e2"], False)])
def test_the_fewest_answers_are_those_that_the_sentence_names(cells: list[str], told: bool) -> None:
    # Two questions, four answers: with two combinations as many as both together, with three one less.
    fit = Fit(["p", "q", "p", "q"], cells, ["m"] * 4, [1.0, 1.0, 1.0, 0.0])
    found = fit.effect(switched_embedder(["m"], "e1", "e0"))
    assert (fit.answers >= fit.questions + len(fit.cells)) is told
    assert isinstance(found, Effect) is told
    assert told or found == CannotTell(TOO_FEW)


def test_a_combination_without_verdicts_is_the_reason_where_it_is_not_the_number_of_answers() -> None:
    fit = Fit(["p", "q", "p", "q"], ["e0", "e0", "e1", "e1"], ["m"] * 4, [1.0, 0.0, np.nan, np.nan])
    assert fit.effect(switched_embedder(["m"], "e1", "e0")) == CannotTell(f"{NEVER_RUN}e1 with m.")


def test_a_baseline_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match="The baseline model m7 is not in these results; choose m0, m1"):
        factors(["e0"], ["m0", "m1"], "e0", "m7")


def test_lengths_that_differ_are_named() -> None:
    with pytest.raises(ValueError, match="need as many of each, got 1, 2, 1, 1"):
        Fit(["q"], ["e", "e"], ["m"], [1.0])


def test_the_sign_says_which_is_better_and_the_order_of_rows_does_not_matter() -> None:
    data = made(9, questions=80)
    better = data.assign(y=np.where(data.e == "e2", 1.0, data.y))
    weights = switched_embedder(["m0", "m1"], "e2", "e0")
    found, shuffled = fitted(better).effect(weights), fitted(better.sample(frac=1, random_state=1)).effect(weights)
    assert isinstance(found, Effect)
    assert isinstance(shuffled, Effect)
    assert found.value > 0
    assert found.p < 0.001
    assert shuffled.z == pytest.approx(found.z, rel=1e-9)


def test_no_difference_is_zero_and_not_what_rounding_leaves() -> None:
    """Each embedder is right on the questions on which the other is wrong, as often; on a seventh question both are right."""
    for count in (6, 10, 14, 22):
        questions = [f"q{i}" for i in range(count + 1)] * 2
        right = [*(float(i % 2) for i in range(count)), 1.0, *(float((i + 1) % 2) for i in range(count)), 1.0]
        fit = Fit(questions, ["a"] * (count + 1) + ["b"] * (count + 1), ["m"] * (2 * count + 2), right)
        effect = fit.effect({Combination("a", "m"): 1.0, Combination("b", "m"): -1.0})
        assert isinstance(effect, Effect)
        assert (effect.value, effect.z, effect.p) == (0.0, 0.0, 1.0)
