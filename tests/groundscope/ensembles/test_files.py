"""Files of ensembles: what was written comes back to the bit, and nothing else is taken for one."""

import json
import re
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.errors import DataError
from groundscope.training.ensemble_features import feature_names
from groundscope.training.ensembles import FittedEnsemble, read, write
from groundscope.training.own_models import ensembles, own_ensemble
from tests.groundscope.ensembles.made import fitted, sentences

METHODS = ("quip", "overlap")
NAMES = feature_names(METHODS)
COUNT = len(NAMES)
MADE = FittedEnsemble(
    METHODS,
    NAMES,
    (0.1,) * COUNT,
    (1 / 3,) * COUNT,
    tuple(0.7 - i for i in range(COUNT)),
    -0.25,
    0.4321,
    {"data": "leases é.jsonl"},
)

NUMBERS = st.floats(-1e6, 1e6)
ROWS = st.lists(NUMBERS, min_size=COUNT, max_size=COUNT).map(tuple)
SCALES = st.lists(st.floats(2e-9, 1e6), min_size=COUNT, max_size=COUNT).map(tuple)
PLAIN = st.one_of(
    st.integers(-(10**9), 10**9), st.text(st.characters(exclude_categories=["Cs"])), NUMBERS, st.none(), st.booleans()
)


def _there_and_back(made: FittedEnsemble) -> FittedEnsemble:
    with TemporaryDirectory() as folder:
        write(made, Path(folder) / "a" / "made.json")
        assert [p.name for p in (Path(folder) / "a").iterdir()] == ["made.json"]
        return read(Path(folder) / "a" / "made.json")


@given(ROWS, SCALES, ROWS, NUMBERS, st.one_of(st.none(), st.floats(0, 1)), st.dictionaries(st.text("abc é", max_size=5), PLAIN))
def test_what_was_written_comes_back_to_the_bit(
    means: tuple[float, ...],
    scales: tuple[float, ...],
    weights: tuple[float, ...],
    intercept: float,
    threshold: float | None,
    about: dict[str, Any],
) -> None:
    made = FittedEnsemble(METHODS, NAMES, means, scales, weights, intercept, threshold, about)
    found = _there_and_back(made)
    assert found == made
    # -0.0 equals 0.0, and is another number.
    assert repr(found) == repr(made)


def test_what_was_fitted_comes_back_to_the_bit() -> None:
    values, labels = sentences(200)
    made = fitted(values, labels, names=feature_names(["quip"])[:3])
    whole = replace(
        made,
        names=feature_names(["quip"]),
        **{part: (*getattr(made, part), *[1.0] * 9) for part in ("means", "scales", "weights")},
    )
    assert repr(_there_and_back(whole)) == repr(whole)


def _with(**parts: Any) -> str:
    row = json.loads(json.dumps({name: getattr(MADE, name) for name in MADE.__dataclass_fields__}))
    row.update(parts)
    return json.dumps({name: value for name, value in row.items() if value is not ...})


def _numbers(first: Any) -> list[Any]:
    return [first, *[0.5] * (COUNT - 1)]


PARTY = "Okafor"
BAD: dict[str, str | bytes] = {
    "an empty file": "",
    "no JSON": f"{PARTY} is no JSON",
    "half a file": _with()[:200],
    "bytes that are not UTF-8": b'{"methods": ["\xff"]}',
    "a list": "[1, 2]",
    "null": "null",
    "another program's JSON": json.dumps({"model": PARTY, "weights": [1.0, 2.0]}),
    "brackets without an end": "[" * 100_000,
    "the same field twice": _with()[:-1] + ', "intercept": 5.0}',
    "no methods": _with(methods=[], names=list(feature_names([])), means=[0.5] * 11, scales=[1.0] * 11, weights=[1.0] * 11),
    "no weights": _with(weights=...),
    "no names": _with(names=...),
    "no intercept": _with(intercept=...),
    "methods that are one text": _with(methods="quip"),
    "methods that are numbers": _with(methods=[1, 2]),
    "a method twice": _with(
        methods=["quip", "quip"], names=list(feature_names(["quip", "quip"])), means=[0.5] * 13, scales=[1.0] * 13
    ),
    "columns of other methods": _with(methods=["quip", "cos_sim"]),
    "methods in another order": _with(methods=["overlap", "quip"]),
    "a column that nobody knows": _with(names=[f"support by {PARTY}", *NAMES[1:]]),
    "one weight short": _with(weights=[0.5] * (COUNT - 1)),
    "one mean too many": _with(means=[0.5] * (COUNT + 1)),
    "weights that are one number": _with(weights=0.5),
    "a weight that is a text": _with(weights=_numbers("0.5")),
    "a weight that is true": _with(weights=_numbers(True)),
    "a weight that is a list": _with(weights=_numbers([0.5])),
    "a weight that is null": _with(weights=_numbers(None)),
    "a weight that is NaN": _with(weights=_numbers(float("nan"))),
    "a weight without an end": _with(weights=_numbers(float("inf"))),
    "a weight that no float holds": _with(weights=_numbers(0.5)).replace("[0.5,", "[1e999,", 1),
    "a weight of 300 digits": _with(weights=_numbers(10**300)),
    "a weight of 5,000 digits": _with().replace("0.7,", "9" * 5_000 + ",", 1),
    "an intercept of 400 digits": _with(intercept=10**399),
    "an intercept that is a text": _with(intercept="0.5"),
    "a scale of zero": _with(scales=_numbers(0.0)),
    "a scale below zero": _with(scales=_numbers(-1.0)),
    "a scale that is rounding": _with(scales=_numbers(1e-17)),
    "a threshold above 1": _with(threshold=1.5),
    "a threshold that is a text": _with(threshold="0.5"),
    "a threshold that is NaN": _with(threshold=float("nan")),
    "a threshold that is true": _with(threshold=True),
    "notes that are a text": _with(made=PARTY),
    "notes that are null": _with(made=None),
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_what_is_no_ensemble_is_refused_in_a_sentence(text: str | bytes, tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(DataError) as refused:
        read(path)
    assert re.fullmatch(r"made\.json is no ensemble that can be read \(\w+\); fit it again\.", str(refused.value))


def test_the_file_that_the_bad_ones_are_made_of_is_a_good_one(tmp_path: Path) -> None:
    (tmp_path / "made.json").write_text(_with(), encoding="utf-8")
    assert read(tmp_path / "made.json") == MADE
    (tmp_path / "made.json").write_text(_with(threshold=..., made=...), encoding="utf-8")
    assert read(tmp_path / "made.json") == replace(MADE, threshold=None, made={})


@given(
    st.recursive(
        PLAIN,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(list(MADE.__dataclass_fields__)), inner),
    )
)
def test_whatever_the_json_it_is_an_ensemble_or_a_data_error(value: Any) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "made.json"
        path.write_text(json.dumps({**json.loads(_with()), **value} if isinstance(value, dict) else value), encoding="utf-8")
        try:
            found = read(path)
        except DataError:
            return
        assert found.names == NAMES
        assert 0 <= float(found.supports(np.full((1, COUNT), 3.0))[0]) <= 1


def test_a_file_that_is_not_there_or_a_folder_is_reported(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.json", tmp_path):
        with pytest.raises(DataError, match=f"^{path.name} is no ensemble that can be read"):
            read(path)


def test_what_cannot_be_written_is_reported_and_leaves_nothing_half(tmp_path: Path) -> None:
    (tmp_path / "in the way").write_text("A file.", encoding="utf-8")
    (tmp_path / "taken.json").mkdir()
    for path in (tmp_path / "in the way" / "made.json", tmp_path / "taken.json"):
        with pytest.raises(DataError, match=r"cannot be written \(.+\); check the folder\.$"):
            write(MADE, path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in the way", "taken.json"]
    with pytest.raises(DataError):
        write(MADE, Path("/dev/full/made.json"))


def test_an_ensemble_takes_the_place_of_another_whole(tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    write(MADE, path)
    with path.open(encoding="utf-8") as reader:
        write(replace(MADE, intercept=7.0), path)
        # Who has opened the old one reads it to its end.
        assert json.load(reader)["intercept"] == MADE.intercept
    assert read(path).intercept == 7.0


def test_the_users_own_ensembles_are_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    assert ensembles() == ()
    for name in ("leases-2026", "a"):
        write(MADE, own_ensemble(name))
    folder = own_ensemble("a").parent
    assert tmp_path in folder.parents
    for stray in ("Leases.json", "b.json.new", "b.txt", "-c.json", "é.json"):
        (folder / stray).write_text("{}", encoding="utf-8")
    assert ensembles() == ("a", "leases-2026")


@pytest.mark.parametrize(
    "name", ["", "Leases", "-a", "a-", "a b", "a/b", "../a", "a.json", "a" * 41, "é", "a\n", "a\x00", "<b>", "=1+1", "\ud800"]
)
def test_a_name_that_means_nothing_is_refused(name: str) -> None:
    with pytest.raises(DataError, match="1 to 40 small letters, figures and hyphens"):
        own_ensemble(name)
