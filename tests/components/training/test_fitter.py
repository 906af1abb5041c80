"""Ensembles that the app fits, with their real processes: they end as a method, are refused, stop, and leave no copy of cases."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from components.training.fitter import Fitter
from groundscope.errors import DataError
from groundscope.training.ensembles import read
from groundscope.training.nested import in_words
from groundscope.training.own_models import ensembles, own_ensemble, remove_ensemble
from tests.components.processes import end_all, until
from tests.groundscope.commands.ensemble_cases import CASES

METHODS = ("quip", "overlap")
HOSTILE = "../<img src=x>.jsonl.gz"


@pytest.fixture
def fitter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fitter]:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    found = Fitter()
    yield found
    end_all(found)


def _copies(tmp_path: Path) -> list[Path]:
    return [path for path in (tmp_path / "data" / "fits").rglob("*") if path.is_file()]


def test_a_fit_ends_as_an_ensemble_with_its_comparison_and_leaves_no_copy_of_the_cases(fitter: Fitter, tmp_path: Path) -> None:
    fitter.begin("own", METHODS, HOSTILE, CASES)
    assert fitter.under_way() == ("own",)
    assert fitter.title("own") == HOSTILE
    assert len(_copies(tmp_path)) == 1
    assert _copies(tmp_path)[0].is_relative_to(tmp_path / "data" / "fits" / "own")
    until(lambda: fitter.progress("own").endswith(" left"))
    assert "of 64 responses judged" in fitter.progress("own")
    until(lambda: not fitter.works("own"))
    assert fitter.failed() == {}
    assert ensembles() == ("own",)
    found = read(own_ensemble("own"))
    assert found.methods == METHODS
    assert in_words(found.made["nested"]).startswith("By nested cross-validation over 32 queries (192 sentences)")
    until(lambda: not _copies(tmp_path))
    with pytest.raises(DataError, match="exists already"):
        fitter.begin("own", METHODS, HOSTILE, CASES)
    remove_ensemble("own")
    assert ensembles() == ()


def test_what_cannot_be_fitted_is_named_until_the_next_one_starts(fitter: Fitter, tmp_path: Path) -> None:
    silent = [replace(c, errors=()) for c in CASES]
    fitter.begin("own", METHODS, "silent", [c for c in silent if not c.grounded or c.split == "dev"])
    until(lambda: not fitter.works("own"))
    assert fitter.failed() == {"own": "The split train needs grounded and ungrounded responses, so that the model can learn."}
    until(lambda: not _copies(tmp_path))
    with pytest.raises(DataError, match="small letters"):
        fitter.begin("../own", METHODS, "cases", CASES)
    fitter.begin("other", METHODS, "cases", CASES)
    assert fitter.failed() == {}


def test_a_fit_that_the_user_stops_is_no_failure_and_makes_nothing(fitter: Fitter, tmp_path: Path) -> None:
    fitter.begin("own", METHODS, "cases", [replace(c, id=f"{c.id}-{i}") for i in range(60) for c in CASES])
    until(lambda: fitter.progress("own"))
    fitter.stop("own")
    assert fitter.stopping("own")
    until(lambda: not fitter.works("own"))
    assert fitter.failed() == {}
    assert ensembles() == ()
    until(lambda: not _copies(tmp_path))
