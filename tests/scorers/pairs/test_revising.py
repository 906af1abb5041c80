"""Supports of pairs in memory: reused where a user edits, never elsewhere, and never on disk."""

from pathlib import Path

import pytest

from groundscope.paths import DATA_VARIABLE
from groundscope.runtime.retention import keeping, may_revise, revising
from scorers._pairs import scoring
from scorers._pairs.encoders import Encoder, TextPair
from tests.scorers.pairs.engine import Forward, model_of

PAIRS = [TextPair("a b", "c d e"), TextPair("a c", "c d e"), TextPair("a d", "c d e")]
EDITED = [PAIRS[0], TextPair("a f", "c d e"), PAIRS[2]]


def test_only_what_changed_is_computed_again_and_the_rest_is_the_same_number(
    encoders: dict[str, Encoder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
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
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
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
