"""Matrix and supports are those of the published models, for every context unit and where only the nearest are read."""

import numpy as np
import pytest

from tests.scorers.conftest import Check, MakeCase
from tests.scorers.pair_methods.published import CONTEXT, METHODS, PASSAGES, RESPONSE, Reference, load, matrix_of


@pytest.mark.parametrize("method", METHODS)
def test_matrix_and_supports_are_those_of_the_published_model(
    method: str, references: dict[str, Reference], case: MakeCase, check: Check
) -> None:
    example = case("# The decision\n\n" + " ".join(RESPONSE), *PASSAGES)
    judgement = load(method).score(example)
    check(judgement, example)
    matrix, expected = matrix_of(judgement), references[method].grid(RESPONSE, CONTEXT)
    assert np.isnan(matrix[0]).all()
    assert np.abs(matrix[1:] - expected).max() < 1e-5
    supports = [s.support for s in judgement.sentences]
    assert supports[0] is None
    assert supports[1:] == pytest.approx(expected.max(axis=1).tolist(), abs=1e-5)
    assert judgement.support == pytest.approx(expected.max(axis=1).min(), abs=1e-5)
    mean = load(method, aggregation="mean").score(example)
    assert mean.support == pytest.approx(expected.max(axis=1).mean(), abs=1e-5)
    assert judgement.context_seen == 1.0
    assert judgement.note == ""
    assert judgement.cached == 0.0


@pytest.mark.parametrize("method", METHODS)
def test_the_other_order_or_output_would_give_other_numbers(method: str, references: dict[str, Reference]) -> None:
    reference = references[method]
    expected = reference.grid(RESPONSE, CONTEXT)
    others = [reference.grid(RESPONSE, CONTEXT, swapped=True)]
    if reference.published.output is not None:
        others.append(reference.grid(RESPONSE, CONTEXT, output=1 - reference.published.output))
    for other in others:
        # The first sentence is also in the context, and of two equal texts the order says nothing.
        different = np.abs(other - expected)[1:]
        assert different.min() > 1e-4
        assert different.max() > 1e-2


UNITS: dict[str, list[tuple[str, list[int]]]] = {
    "window": [
        (f"{CONTEXT[0]} {CONTEXT[1]}", [0, 1]),
        (f"{CONTEXT[1]} {CONTEXT[2]}", [1, 2]),
        (f"{CONTEXT[2]} {CONTEXT[3]}", [2, 3]),
        (CONTEXT[4], [4]),
    ],
    "passage": [(PASSAGES[0], [0, 1, 2, 3]), (PASSAGES[1], [4])],
}


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("method", METHODS)
def test_a_context_sentence_has_the_support_of_the_best_unit_that_holds_it(
    method: str, unit: str, references: dict[str, Reference], case: MakeCase, check: Check
) -> None:
    example = case(" ".join(RESPONSE), *PASSAGES)
    judgement = load(method, context_unit=unit, window=2).score(example)
    check(judgement, example)
    grid = references[method].grid(RESPONSE, [text for text, _ in UNITS[unit]])
    expected = np.zeros((len(RESPONSE), len(CONTEXT)))
    for column, (_, members) in enumerate(UNITS[unit]):
        for member in members:
            expected[:, member] = np.maximum(expected[:, member], grid[:, column])
    assert np.abs(matrix_of(judgement) - expected).max() < 1e-5
    assert judgement.support == pytest.approx(grid.max(axis=1).min(), abs=1e-5)
    assert judgement.context_seen == 1.0


@pytest.mark.parametrize("method", METHODS)
def test_the_full_context_is_one_text_and_names_no_context_sentence(
    method: str, references: dict[str, Reference], case: MakeCase, check: Check
) -> None:
    example = case("# The decision\n\n" + " ".join(RESPONSE), f"  {PASSAGES[0]}\n", " \n", PASSAGES[1])
    judgement = load(method, context_unit="full").score(example)
    check(judgement, example)
    expected = references[method].grid(RESPONSE, ["\n\n".join(PASSAGES)])[:, 0]
    assert [s.support for s in judgement.sentences[1:]] == pytest.approx(expected.tolist(), abs=1e-5)
    assert judgement.sentences[0].support is None
    assert judgement.support == pytest.approx(expected.min(), abs=1e-5)
    assert judgement.matrix is None
    assert all(s.matches == () for s in judgement.sentences)
    assert judgement.context_seen == 1.0


@pytest.mark.parametrize("method", METHODS)
def test_pruning_reads_the_nearest_units_of_each_sentence_only(
    method: str, references: dict[str, Reference], case: MakeCase
) -> None:
    # The nearest one of a sentence that the context holds is that sentence, whatever the embedding.
    claims = [CONTEXT[0], CONTEXT[2]]
    scorer = load(method, prune=1)
    judgement = scorer.score(case("# The decision\n\n" + " ".join(claims), *PASSAGES))
    expected = np.full((3, 5), np.nan)
    expected[1, 0] = references[method].support(CONTEXT[0], CONTEXT[0])
    expected[2, 2] = references[method].support(CONTEXT[2], CONTEXT[2])
    matrix = matrix_of(judgement)
    assert np.isnan(matrix).tolist() == np.isnan(expected).tolist()
    assert np.nanmax(np.abs(matrix - expected)) < 1e-5
    assert judgement.support == pytest.approx(np.nanmin(expected), abs=1e-5)
    assert judgement.context_seen == pytest.approx((len(CONTEXT[0]) + len(CONTEXT[2])) / sum(map(len, CONTEXT)))
    assert judgement.note == "For each sentence only the 1 nearest context units were read."
    assert [[m.support for m in s.matches] for s in judgement.sentences[1:]] == [
        [pytest.approx(expected[1, 0], abs=1e-5)],
        [pytest.approx(expected[2, 2], abs=1e-5)],
    ]


def test_pruning_to_as_many_units_as_there_are_reads_all_and_says_nothing(case: MakeCase) -> None:
    example = case(" ".join(RESPONSE), *PASSAGES)
    judgement = load("hem_v1", prune=5).score(example)
    assert np.array_equal(matrix_of(judgement), matrix_of(load("hem_v1").score(example)))
    assert judgement.note == ""
