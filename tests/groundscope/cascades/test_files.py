"""How a cascade combines two methods, and its file."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.errors import DataError
from groundscope.training.cascade_files import BothJudged, CascadePart, FittedCascade, cascaded, doubtful, placed, read
from groundscope.training.ensembles import write
from groundscope.training.own_models import cascades, own_cascade, remove_cascade

NAN = float("nan")
SUPPORT = st.one_of(st.floats(0, 1), st.just(NAN))
THRESHOLD = st.one_of(st.floats(0, 1), st.sampled_from([-1e-6, 0.0, 1.0, 1 + 1e-6]))
MADE = FittedCascade(
    CascadePart("quick", "quip", "quip|n=9", 0.2, {"n": 9}),
    CascadePart("direct:mine", "direct", "direct|model=a", 0.5, {"model": "openai:a"}),
    0.1,
    0.35,
    "answer",
    0.4,
    {"run": "é"},
)


@st.composite
def judged(draw: st.DrawFn) -> BothJudged:
    """Two methods over some responses; the responses' own supports are those of the lowest sentence."""
    counts = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    at = np.repeat(np.arange(len(counts)), counts).astype(np.int32)
    supports = [np.array(draw(st.lists(SUPPORT, min_size=len(at), max_size=len(at)))) for _ in range(2)]
    wholes = [np.array([np.fmin.reduce(s[at == i]) for i in range(len(counts))]) for s in supports]
    return BothJudged(at, *supports, *wholes, np.ones(len(counts), dtype=np.bool_))


@given(judged(), THRESHOLD, THRESHOLD)
def test_an_empty_band_is_the_first_method_and_a_full_one_the_second(found: BothJudged, one: float, two: float) -> None:
    for low in (0.0, 0.5, 1.0):
        empty = cascaded(found, low, low, (one, two))
        assert not empty.doubtful.any()
        np.testing.assert_array_equal(empty.sentences, placed(found.first, one))
        np.testing.assert_array_equal(empty.responses, placed(found.first_whole, one))
    full = cascaded(found, 0.0, 1.0, (one, two))
    assert full.doubtful.all()
    np.testing.assert_array_equal(full.responses, placed(found.second_whole, two))
    named = ~np.isnan(found.second)
    np.testing.assert_array_equal(full.sentences[named], placed(found.second[named], two))


@given(st.lists(st.floats(0, 1), min_size=2, max_size=8), THRESHOLD)
def test_supports_keep_their_order_and_the_threshold_becomes_a_half(supports: list[float], threshold: float) -> None:
    values = np.array(sorted(supports))
    found = placed(values, threshold)
    assert (np.diff(found) >= 0).all()
    assert ((found >= 0) & (found <= 1)).all()
    np.testing.assert_array_equal(found >= 0.5, values >= threshold)


@given(st.lists(SUPPORT, min_size=1, max_size=8), st.floats(0, 1), st.floats(0, 1))
def test_each_sentence_is_decided_by_one_method(supports: list[float], one: float, two: float) -> None:
    low, high = sorted((one, two))
    first, second = np.array(supports), np.full(len(supports), 0.75)
    whole = np.array([0.5])
    found = cascaded(
        BothJudged(np.zeros(len(supports), np.int32), first, second, whole, whole, np.array([True])), low, high, (0.5, 0.5)
    )
    np.testing.assert_array_equal(found.sentences, np.where(doubtful(first, low, high), 0.75, placed(first, 0.5)))


def test_the_ends_of_a_band() -> None:
    supports = np.array([0.0, 0.2, 0.5, 1.0, NAN])
    assert doubtful(supports, 0.2, 0.5).tolist() == [False, True, False, False, True]
    assert doubtful(supports, 0.5, 1.0).tolist() == [False, False, True, True, True]
    assert doubtful(supports, 0.2, 0.2).tolist() == [False] * 5


def _one(second: list[float], whole: float, *, answered: bool = True) -> BothJudged:
    at = np.zeros(3, dtype=np.int32)
    return BothJudged(at, np.array([0.9, 0.5, 0.4]), np.array(second), np.array([0.4]), np.array([whole]), np.array([answered]))


def test_a_method_that_judges_the_whole_decides_all_doubtful_sentences_alike() -> None:
    found = cascaded(_one([NAN, NAN, NAN], 0.0), 0.3, 0.6, (0.5, 0.5))
    assert found.sentences.tolist() == [0.9, 0.0, 0.0]
    assert found.responses.tolist() == [0.0]


def test_a_doubtful_sentence_that_the_second_passes_over_has_no_support() -> None:
    found = cascaded(_one([NAN, 0.8, NAN], 0.8), 0.3, 0.6, (0.5, 0.5))
    np.testing.assert_array_equal(found.sentences, [0.9, 0.8, NAN])
    assert found.responses.tolist() == [0.8]


def test_where_the_second_fails_nothing_is_decided_in_its_place() -> None:
    found = cascaded(_one([NAN, NAN, NAN], NAN, answered=False), 0.3, 0.6, (0.5, 0.5))
    np.testing.assert_array_equal(found.sentences, [0.9, NAN, NAN])
    assert np.isnan(found.responses).all()
    # It was not asked here.
    assert cascaded(_one([NAN, NAN, NAN], NAN, answered=False), 0.6, 0.8, (0.5, 0.5)).responses.tolist() == [0.4]


def test_what_was_written_comes_back(tmp_path: Path) -> None:
    write(MADE, tmp_path / "made.json")
    assert read(tmp_path / "made.json") == MADE


def test_own_cascades_are_listed_and_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    assert cascades() == ()
    write(MADE, own_cascade("mine"))
    assert cascades() == ("mine",)
    remove_cascade("mine")
    remove_cascade("mine")
    assert cascades() == ()
    with pytest.raises(DataError, match="A cascade's name has 1 to 40 small letters"):
        own_cascade("../mine")


WRONG: dict[str, dict[str, Any]] = {
    "a band that falls": {"low": 0.5, "high": 0.4},
    "an end outside": {"high": 1.5},
    "an end that is no number": {"low": "0.1"},
    "no threshold": {"threshold": None},
    "a threshold of its own kind": {"threshold": True},
    "another way to ask": {"asked": "nobody"},
    "one method twice": {"second": asdict(MADE.first)},
    "a method without a name": {"first": {"name": "a", "signature": "b", "threshold": 0.5}},
    "no method": {"first": {"name": "a", "method": "", "signature": "b", "threshold": 0.5}},
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_nothing_else_is_taken_for_one(wrong: dict[str, Any], tmp_path: Path) -> None:
    write(MADE, tmp_path / "made.json")
    good = json.loads((tmp_path / "made.json").read_text())
    (tmp_path / "bad.json").write_text(json.dumps({**good, **wrong}))
    with pytest.raises(DataError, match=r"bad\.json is no cascade that can be read \(\w+\); fit it again\."):
        read(tmp_path / "bad.json")
    assert read(tmp_path / "made.json") == MADE
