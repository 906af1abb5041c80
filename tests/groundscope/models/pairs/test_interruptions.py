"""The engine for pairs cancelled, with kept results, with a model that fails, and used by several threads."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.errors import Cancelled, ScorerUnavailable
from groundscope.models.pairs import scoring
from groundscope.models.pairs.encoders import Encoder, TextPair
from groundscope.models.pairs.scoring import PairModel, Supports, Tokens
from groundscope.paths import Variable
from groundscope.runtime.progress import listening
from groundscope.runtime.retention import keeping, may_revise, reusing, revising
from groundscope.storage import support_cache
from tests.groundscope.models.pairs.engine import Forward, check_same, chunked, model_of, pair_lists, quick, unbatched


@quick
@given(pairs=pair_lists(), stop=st.integers(0, 8), keep=st.booleans())
def test_a_cancelled_run_leaves_what_was_finished_if_it_may(
    encoders: dict[str, Encoder], tmp_path_factory: pytest.TempPathFactory, pairs: list[TextPair], stop: int, keep: bool
) -> None:
    reports: list[int] = []

    def listener(done: int, total: int) -> None:
        reports.append(done)
        if len(reports) > stop:
            raise Cancelled

    encoder, first, second = encoders["two texts"], Forward(), Forward()
    expected = [unbatched(encoder, pair) for pair in pairs]
    windows = {pair: len(encoded.windows) for pair, encoded in zip(pairs, encoder.encode(pairs), strict=True)}
    with pytest.MonkeyPatch.context() as patch, chunked(3, 10_000):
        folder = tmp_path_factory.mktemp("data")
        patch.setenv("GROUNDSCOPE_DATA", str(folder))
        with keeping(keep), listening(listener):
            if sum(windows.values()) + 1 > stop:
                with pytest.raises(Cancelled):
                    model_of(encoder, first, budget=1).score(pairs)
            else:
                model_of(encoder, first, budget=1).score(pairs)
        assert keep or not any(folder.iterdir())
        with keeping(keep):
            again = model_of(encoder, second, budget=1).score(pairs)
        support_cache.default().close()
    check_same(again, expected)
    assert first.rows == min(stop, sum(windows.values()))
    # A pair with some of its windows computed is not finished, and is computed as a whole again.
    assert first.rows + second.rows <= sum(windows.values()) + (max(windows.values(), default=0) * 3 if keep else first.rows)
    assert keep or again.cached == 0
    if keep and set(windows.values()) == {1}:
        assert first.rows + second.rows == len(windows)


def test_what_may_be_kept_is_not_computed_again(data: Path, encoders: dict[str, Encoder]) -> None:
    pairs = [
        TextPair("The appeal", "was dismissed."),
        TextPair("", ""),
        TextPair("a " * 40, "b"),
        TextPair("The appeal", "was dismissed."),
    ]
    encoder, forward = encoders["two texts"], Forward()
    expected = [unbatched(encoder, pair) for pair in pairs]
    check_same(model_of(encoder).score(pairs), expected)
    assert not any(data.iterdir()), "nothing may be kept here"
    with keeping():
        first = model_of(encoder, forward).score(pairs[:2])
        second = model_of(encoder, forward).score(pairs)
        third = model_of(encoder, forward).score(pairs)
    assert (first.cached, second.cached, third.cached) == (0, 3, 4)
    assert forward.rows == 3
    for scores in (second, third):
        check_same(scores, expected)
    for file in data.iterdir():
        assert b"appeal" not in file.read_bytes()


def test_in_a_block_a_pair_is_computed_once_also_where_nothing_may_be_kept(data: Path, encoders: dict[str, Encoder]) -> None:
    encoder, forward = encoders["two texts"], Forward()
    pairs = [TextPair("the tenant pays", "rent is due"), TextPair(" ".join(["tenant"] * 40), "rent is due")]
    model = model_of(encoder, forward)
    with reusing():
        first = model.score(pairs)
        rows = forward.rows
        again = model.score([pairs[1], pairs[0]])
        assert forward.rows == rows
    check_same(first, [unbatched(encoder, pair) for pair in pairs])
    check_same(again, [unbatched(encoder, pair) for pair in reversed(pairs)])
    assert first.cut.tolist() == [False, True]
    assert model.score(pairs[:1]).support == first.support[:1]
    assert forward.rows == rows + 1
    assert not any(data.iterdir())


@pytest.mark.usefixtures("data")
def test_the_cache_is_neither_read_without_leave_nor_for_another_signature(encoders: dict[str, Encoder]) -> None:
    pairs, encoder, forward = [TextPair("a", "b"), TextPair("b", "a")], encoders["two texts"], Forward()
    with keeping():
        model_of(encoder).score(pairs)
        assert model_of(encoder, forward, signature="another").score(pairs).cached == 0
    assert model_of(encoder, forward).score(pairs).cached == 0
    assert forward.rows == 4


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("support", [0.0, 1e-7, 0.5, 1.0])
def test_that_a_claim_was_cut_survives_the_cache(encoders: dict[str, Encoder], support: float) -> None:
    pairs = [TextPair("a " * 40, "b"), TextPair("a", "b"), TextPair("a " * 40, "")]

    def read(logits: Supports) -> Supports:
        return np.full(len(logits), support, np.float32)

    model = PairModel(Forward(), read, encoders["two texts"], name="n", pad=0, budget=100, signature="s")
    with keeping():
        found = [model.score(pairs) for _ in range(2)]
    assert [scores.cached for scores in found] == [0, 3]
    for scores in found:
        assert scores.support.tolist() == np.full(3, support, np.float32).tolist()
        assert scores.cut.tolist() == [True, False, True]


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_a_model_that_gives_no_numbers_is_named(data: Path, encoders: dict[str, Encoder], number: float) -> None:
    def forward(ids: Tokens, mask: Tokens, types: Tokens) -> Supports:
        logits = np.zeros((len(ids), 1), np.float32)
        logits[-1] = number
        return logits

    with keeping(), pytest.raises(ScorerUnavailable, match="the weights"):
        model_of(encoders["two texts"], forward).score([TextPair("a", "b"), TextPair("b", "c")])
    assert not (data / "pairs.sqlite").exists()


def test_an_error_of_the_model_travels_up_and_the_model_works_on(encoders: dict[str, Encoder]) -> None:
    broken = True

    def forward(ids: Tokens, mask: Tokens, types: Tokens) -> Supports:
        if broken:
            raise MemoryError
        return Forward()(ids, mask, types)

    model, pair = model_of(encoders["two texts"], forward), TextPair("a", "b")
    with pytest.raises(MemoryError):
        model.score([pair])
    broken = False
    check_same(model.score([pair]), [unbatched(encoders["two texts"], pair)])


def test_threads_use_a_model_in_turn(encoders: dict[str, Encoder]) -> None:
    inside = threading.Lock()

    def forward(ids: Tokens, mask: Tokens, types: Tokens) -> Supports:
        assert inside.acquire(blocking=False), "two threads at once"
        time.sleep(0.001)
        inside.release()
        return Forward()(ids, mask, types)

    model = model_of(encoders["two texts"], forward, budget=1)
    lists = [[TextPair(f"a {i}", f"b {j}") for j in range(5)] for i in range(4)]
    expected = [[unbatched(encoders["two texts"], pair) for pair in pairs] for pairs in lists]
    with ThreadPoolExecutor(4) as pool:
        for scores, supports in zip(pool.map(model.score, lists), expected, strict=True):
            check_same(scores, supports)


PAIRS = [TextPair("a b", "c d e"), TextPair("a c", "c d e"), TextPair("a d", "c d e")]
EDITED = [PAIRS[0], TextPair("a f", "c d e"), PAIRS[2]]


def test_only_what_changed_is_computed_again_and_the_rest_is_the_same_number(
    encoders: dict[str, Encoder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(Variable.DATA, str(tmp_path))
    forward = Forward()
    model = model_of(encoders["two texts"], forward)
    with revising(again=False):
        model.score(PAIRS)
        first = model.score(PAIRS)
        assert (forward.rows, first.cached) == (6, 0), "what was held is not reused before an edit"
    with revising():
        again = model.score(EDITED)
    assert forward.rows == 7
    assert (first.cached, again.cached) == (0, 2)
    assert again.support[[0, 2]].tolist() == first.support[[0, 2]].tolist()
    assert list(tmp_path.iterdir()) == [], "nothing is written"
    alone = model.score(EDITED)
    assert (forward.rows, alone.cached) == (10, 0), "a run computes all of its own"
    assert alone.support.tolist() == pytest.approx(again.support.tolist())


def test_what_the_disk_has_is_held_too_and_a_large_case_is_not(
    encoders: dict[str, Encoder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(Variable.DATA, str(tmp_path))
    with keeping():
        model_of(encoders["two texts"]).score(PAIRS)
    model = model_of(encoders["two texts"])
    with keeping(), revising():
        assert model.score(PAIRS).cached == 3
    with revising():
        assert model.score(EDITED).cached == 2
        monkeypatch.setattr(scoring, "MOST_HELD", 1)
        model.score([TextPair(f"b {word}", "a") for word in "abc"])
        assert model.score([TextPair("b a", "a")]).cached == 0
    assert not may_revise()
