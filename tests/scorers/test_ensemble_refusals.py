"""Ensemble: its signature, what it refuses to run with, and the user's own ones."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from groundscope.errors import ScorerUnavailable
from groundscope.methods import registry
from groundscope.training.ensembles import read, write
from groundscope.training.own_models import own_ensemble
from groundscope.types import Case, Judgement, Status
from tests.scorers.fitted import Folder, ensemble

MakeCase = Callable[..., Case]

CONTEXT = (
    "The court of appeal dismissed the appeal in 2003. It held that the notice was served too late.",
    "Costs of 4,500 euros were awarded to the tenant, because the landlord had acted unreasonably.",
)
RESPONSE = (
    "The court of appeal dismissed the appeal in 2003. The landlord may not have been awarded costs of 5,400 euros!\n\n"
    "# Outcome\n\n- The notice came too late (see 12 F.3d 345).\n- Id.\n"
)


@pytest.fixture
def load(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_the_signature_names_the_method_and_all_of_its_methods(load: Folder) -> None:
    scorer = load(ensemble("overlap", "quip"))
    assert scorer.signature.startswith("ensemble|")
    for method in ("overlap", "quip"):
        assert registry.load(method).signature in scorer.signature
    assert "\n" not in scorer.signature
    assert "aggregation=min" in scorer.signature


def test_the_signature_changes_with_whatever_changes_a_support(load: Folder) -> None:
    made = ensemble("overlap", "quip")
    others = {
        "weights": replace(made, weights=(*made.weights[:-1], -0.5000000001)),
        "means": replace(made, means=(*made.means[:-1], 0.30000001)),
        "scales": replace(made, scales=(*made.scales[:-1], 0.50000001)),
        "intercept": replace(made, intercept=0.2500001),
        "order": ensemble("quip", "overlap"),
        "fewer": ensemble("overlap"),
        "another": ensemble("overlap", "cos_sim:minilm"),
    }
    signatures = [load(made).signature, load(made, aggregation="mean").signature]
    signatures += [load(other, name).signature for name, other in others.items()]
    assert len(set(signatures)) == len(signatures) == 9


def test_the_signature_stays_with_what_changes_no_support(load: Folder) -> None:
    made = ensemble("overlap", "quip")
    told = replace(made, threshold=0.1, made={"data": "others.jsonl"})
    assert load(made, "one").signature == load(told, "two").signature


def test_another_ensemble_in_the_place_of_one_is_seen(load: Folder, case: MakeCase) -> None:
    made, example = ensemble("overlap"), case(RESPONSE, *CONTEXT)
    scorer = load(made)
    before = scorer.signature, scorer.score(example).support
    load(replace(made, intercept=-3.0))
    assert scorer.signature != before[0]
    assert scorer.score(example).support < before[1]


# What cannot run


def _says(scorer: Any, case: MakeCase, why: str) -> None:
    """It says why in every way in which it can be asked, and gives no number."""
    note = scorer.unavailable()
    assert re.search(why, note)
    assert not re.search(r"[.!?]\s", note.strip())
    assert scorer.score(case(RESPONSE, *CONTEXT)) == Judgement(Status.FAILED, note=note, context_seen=0.0)
    with pytest.raises(ScorerUnavailable, match=re.escape(note)):
        scorer.prepare()
    assert scorer.signature.startswith("ensemble|missing")
    assert scorer.about.title.startswith("Ensemble")


def test_a_file_that_is_not_there_is_reported_with_the_fix(tmp_path: Path, case: MakeCase) -> None:
    scorer = registry.load("ensemble", path=tmp_path / "nobody.json")
    _says(scorer, case, "No ensemble called nobody is here; run `python -m groundscope fit-ensemble` to fit one")


def test_a_damaged_file_is_reported(tmp_path: Path, case: MakeCase) -> None:
    (tmp_path / "mine.json").write_text('{"methods": ["quip"', encoding="utf-8")
    _says(registry.load("ensemble", path=tmp_path / "mine.json"), case, r"mine\.json is no ensemble that can be read")
    (tmp_path / "folder.json").mkdir()
    _says(registry.load("ensemble", path=tmp_path / "folder.json"), case, r"folder\.json is no ensemble that can be read")


@pytest.mark.parametrize("method", ["no_such", "quip:no_such", "../../etc/passwd", "", "_embedding", "quip\n"])
def test_a_method_that_is_not_here_is_reported(method: str, load: Folder, case: MakeCase) -> None:
    scorer = load(ensemble("overlap", method))
    assert "A method of this ensemble is not here: no method" in scorer.unavailable()
    judgement = scorer.score(case(RESPONSE, *CONTEXT))
    assert judgement == Judgement(Status.FAILED, note=scorer.unavailable(), context_seen=0.0)
    assert "missing" in scorer.signature
    assert "\n" not in scorer.signature


@pytest.mark.parametrize("method", ["ensemble", "ensemble:mine"])
def test_an_ensemble_in_an_ensemble_is_refused(
    method: str, load: Folder, case: MakeCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    made = ensemble("overlap", method)
    # This one holds itself.
    write(made, own_ensemble("mine"))
    for scorer in (load(made), registry.load("ensemble:mine")):
        assert scorer.unavailable() == "An ensemble cannot be a part of an ensemble; name its methods themselves."
        _says(scorer, case, "cannot be a part")


def test_a_method_that_asks_a_chat_model_is_refused(load: Folder, case: MakeCase, monkeypatch: pytest.MonkeyPatch) -> None:
    # Nothing would tell before a run that texts leave this machine.
    monkeypatch.setenv("GROUNDSCOPE_MODEL", "server:judge@http://127.0.0.1:9/v1")
    _says(load(ensemble("overlap", "direct")), case, "direct asks a chat model")
    assert not load(ensemble("overlap")).asks


def test_a_method_that_cannot_run_says_which_and_why(load: Folder, case: MakeCase) -> None:
    known: dict[str, Any] = {m: registry.load(m) for m in registry.names() if m.startswith(("factkb", "hem_v1"))}
    found = [(m, str(scorer.unavailable())) for m, scorer in known.items() if scorer.unavailable()]
    if not found:
        pytest.skip("the weights of all methods are on this machine")
    lacking, why = found[0]
    scorer = load(ensemble("overlap", lacking))
    assert scorer.unavailable() == why
    judgement = scorer.score(case(RESPONSE, *CONTEXT))
    assert judgement == Judgement(Status.FAILED, note=f"{lacking}: {why}", context_seen=0.0)


@pytest.mark.parametrize("path", [None, 3, ["a"], "a\x00b"])
def test_what_is_no_path_is_refused(path: Any) -> None:
    with pytest.raises(ValueError, match="path must be a path of one line"):
        registry.load("ensemble", path=path)


def test_an_unknown_rule_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="aggregation must be one of min, mean"):
        registry.load("ensemble", path=tmp_path / "a.json", aggregation="max")


# The user's own


def test_an_own_ensemble_is_a_method(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: MakeCase) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    assert not any(name.startswith("ensemble:") for name in registry.names())
    write(ensemble("overlap"), own_ensemble("leases"))
    write(ensemble("quip", threshold=None), own_ensemble("torts"))
    names = registry.names()
    assert [n for n in names if n.startswith("ensemble:")] == ["ensemble:leases", "ensemble:torts"]
    leases: Any = registry.load("ensemble:leases")
    assert leases.score(case(RESPONSE, *CONTEXT)).status is Status.SCORED
    assert (leases.about.title, leases.about.threshold) == ("Ensemble leases", 0.6)
    assert leases.about.threshold_source
    torts: Any = registry.load("ensemble:torts")
    assert (torts.about.title, torts.about.threshold, torts.about.threshold_source) == ("Ensemble torts", None, "")
    assert read(torts.path).methods == ("quip",)
    own_ensemble("leases").unlink()
    assert "ensemble:leases" not in registry.names()
    assert "No ensemble called leases is here; run" in leases.unavailable()
