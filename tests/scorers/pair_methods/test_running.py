"""How a cross-encoder runs: parameters and their refusal, number formats, threads, cancelling, odd texts."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from groundscope.errors import Cancelled
from groundscope.models.pairs import models
from groundscope.models.pairs.encoders import TextPair
from groundscope.models.weights import memory
from groundscope.models.weights.files import fingerprint
from groundscope.paths import data_folder
from groundscope.runtime.progress import listening
from groundscope.types import Case, Judgement
from tests.scorers.conftest import Check, MakeCase
from tests.scorers.pair_methods.published import CONTEXT, METHODS, PASSAGES, RESPONSE, Grid, letters, load, matrix_of


@pytest.mark.parametrize("method", METHODS)
def test_bf16_stays_within_five_hundredths(method: str, case: MakeCase) -> None:
    example = case(" ".join(RESPONSE), *PASSAGES)
    exact, rounded = (matrix_of(load(method, precision=precision).score(example)) for precision in ("fp32", "bf16"))
    assert 0.0 < np.abs(exact - rounded).max() < 0.05


@pytest.mark.parametrize("method", ["hem_v1", "grounding_classifier"])
def test_int8_stays_within_a_tenth_and_is_made_once(method: str, case: MakeCase, monkeypatch: pytest.MonkeyPatch) -> None:
    example = case(" ".join(RESPONSE), *PASSAGES)
    scorer = load(method, precision="int8")
    older = models.file_of(fingerprint(scorer.weights.folder())).with_name(f"{fingerprint(scorer.weights.folder())}.onnx")
    older.parent.mkdir(parents=True)
    older.write_bytes(b"made by an older version")
    exact, first = (matrix_of(load(method, precision=precision).score(example)) for precision in ("fp32", "int8"))
    assert 0.0 < np.abs(exact - first).max() < 0.1
    # The older one is gone.
    assert len(list((data_folder() / "int8").iterdir())) == 1
    monkeypatch.setattr(memory, "_loaded", {})
    monkeypatch.setattr(models, "_make", lambda *_: pytest.fail("it was made again"))
    assert np.array_equal(matrix_of(load(method, precision="int8").score(example)), first)


def test_two_threads_that_load_a_model_at_once_get_what_one_gets(case: MakeCase) -> None:
    examples = [case(" ".join(RESPONSE), *PASSAGES), case(" ".join(CONTEXT), *RESPONSE)]
    scorer = load("hem_v1")
    alone = [matrix_of(scorer.score(example)) for example in examples]
    memory._loaded.clear()
    barrier = Barrier(2)

    def score(example: Case) -> list[Grid]:
        barrier.wait()
        return [matrix_of(load("hem_v1").score(example)) for _ in range(4)]

    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(score, examples))
    for expected, found in zip(alone, together, strict=True):
        assert all(np.array_equal(expected, matrix) for matrix in found)


def test_a_second_thread_takes_its_turn_while_progress_is_reported_and_both_are_right(case: MakeCase) -> None:
    example = case(" ".join(RESPONSE), *PASSAGES)
    scorer = load("hem_v1")
    expected = matrix_of(scorer.score(example))
    with ThreadPoolExecutor(1) as pool:
        others: list[Judgement] = []

        def listener(done: int, total: int) -> None:
            if not others:
                # The whole score of the other one, while this one reports its progress.
                others.append(pool.submit(scorer.score, example).result(timeout=60))

        with listening(listener):
            assert np.array_equal(matrix_of(scorer.score(example)), expected)
    (other,) = others
    assert np.array_equal(matrix_of(other), expected)


@pytest.mark.parametrize("method", METHODS)
def test_odd_texts_give_numbers(method: str, case: MakeCase, check: Check) -> None:
    example = case("The cou\ud800rt dismis\udfffsed the appeal.", "a \udcffb", *PASSAGES)
    judgement = load(method).score(example)
    check(judgement, example)
    replaced = load(method).score(case("The cou?rt dismis?sed the appeal.", "a ?b", *PASSAGES))
    assert judgement.support == pytest.approx(replaced.support, abs=1e-6)
    odd = ["", " ", "\n\u3000\u2028", "\x00", "\u200b", ".", "👩🏽‍⚖️", "a" * 700]
    scores = load(method).pairs([TextPair(a, b) for a, b in zip(odd, [*odd[3:], *odd[:3]], strict=True)])
    assert np.isfinite(scores.support).all()
    assert load(method).pairs([]).support.shape == (0,)


def test_a_score_can_be_cancelled_in_the_middle_and_the_next_one_is_right(case: MakeCase) -> None:
    example = case(" ".join(RESPONSE), *(" ".join(letters(60, seed)) for seed in range(20)))
    scorer = load("hem_v1")
    expected = matrix_of(scorer.score(example))
    reports: list[tuple[int, int]] = []

    def listener(done: int, total: int) -> None:
        reports.append((done, total))
        if len(reports) == 2:
            raise Cancelled

    with listening(listener), pytest.raises(Cancelled):
        scorer.score(example)
    assert len(reports) == 2
    assert 0 == reports[0][0] < reports[1][0] < reports[1][1]
    assert np.array_equal(matrix_of(scorer.score(example)), expected)
