"""Weights that a user names, by path or on the hub: used and remembered, or refused while what was set before stays."""

import shutil
from pathlib import Path

import pytest

from groundscope.errors import ScorerUnavailable
from groundscope.paths import settings
from groundscope.types import Status
from scorers.grounding_classifier import GroundingClassifier
from tests.groundscope.models.model_folders import folders
from tests.groundscope.models.model_folders.folders import CONTEXT, RESPONSE, WEIGHTS, check_sentence, load
from tests.scorers.conftest import MakeCase


@pytest.mark.parametrize("method", ["factkb", "grounding_classifier"])
def test_a_good_folder_by_path_is_used_and_remembered(method: str, models: Path, tmp_path: Path, case: MakeCase) -> None:
    example, name = case(RESPONSE, CONTEXT), WEIGHTS[method]
    before, signature = load(method).score(example).support, load(method).signature
    folder = folders.elsewhere(models, method, tmp_path / "by hand", 1.5)
    load(method).accept(name, f"  {folder} ")
    assert settings()["folders"] == {name: str(folder)}
    assert load(method).requirements()[0].where == str(folder)
    judgement = load(method).score(example)
    assert judgement.status is Status.SCORED
    assert judgement.support != before
    assert load(method).signature != signature


@pytest.mark.parametrize("method", ["factkb", "grounding_classifier"])
def test_a_bad_folder_by_path_is_refused_and_what_was_set_before_stays(method: str, models: Path, tmp_path: Path) -> None:
    name, good = WEIGHTS[method], folders.elsewhere(models, method, tmp_path / "good")
    bad = folders.elsewhere(models, method, tmp_path / "bad", float("nan"))
    folders.without_a_layer(bad)
    empty = tmp_path / "empty"
    empty.mkdir()
    for before in ({}, {name: str(good)}):
        for path in (bad, empty, tmp_path / "nowhere", bad / "config.json"):
            with pytest.raises(ScorerUnavailable) as refused:
                load(method).accept(name, str(path))
            check_sentence(str(refused.value))
            assert settings().get("folders", {}) == before
        load(method).accept(name, str(good))
    assert load(method).requirements()[0].where == str(good)
    load(method).prepare()


def test_an_empty_path_goes_back_to_looking_for_the_weights(models: Path, tmp_path: Path) -> None:
    name, signature = WEIGHTS["factkb"], load("factkb").signature
    load("factkb").accept(name, str(folders.elsewhere(models, "factkb", tmp_path / "one", 1.5)))
    load("factkb").accept(folders.TOKENIZERS["factkb"], str(models / folders.TOKENIZERS["factkb"]))
    assert load("factkb").signature != signature
    load("factkb").accept(name, " ")
    assert settings()["folders"] == {folders.TOKENIZERS["factkb"]: str(models / folders.TOKENIZERS["factkb"])}
    assert load("factkb").requirements()[0].where == str(models / name)
    assert load("factkb").signature == signature


def test_weights_that_a_method_does_not_read_are_refused(models: Path) -> None:
    with pytest.raises(ScorerUnavailable, match="needs no weights called"):
        load("factkb").accept(WEIGHTS["hem_v1"], str(models / WEIGHTS["hem_v1"]))
    assert settings() == {}


def test_a_folder_is_kept_unchecked_while_other_weights_are_missing(models: Path, tmp_path: Path) -> None:
    folder = folders.elsewhere(models, "factkb", tmp_path / "one")
    tokenizer = shutil.move(models / folders.TOKENIZERS["factkb"], tmp_path / "tokenizer")
    load("factkb").accept(WEIGHTS["factkb"], str(folder))
    assert folders.TOKENIZERS["factkb"] in load("factkb").unavailable()
    load("factkb").accept(folders.TOKENIZERS["factkb"], str(tokenizer))
    load("factkb").prepare()


COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize("before", ["", f"organisation/other@{COMMIT}"])
@pytest.mark.parametrize(
    "path",
    [
        "organisation/model@main",
        f"organisation/model@{COMMIT}0",
        f"../model@{COMMIT}",
        f"https://huggingface.co/organisation/model@{COMMIT}",
        "bad",
    ],
)
def test_what_names_no_fine_tuned_model_is_refused_and_what_was_set_before_stays(
    path: str, before: str, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folders.without_a_layer(folders.elsewhere(models, "grounding_classifier", tmp_path / "bad"))
    if before:
        GroundingClassifier().accept("grounding-classifier", before)
    kept, signature = settings(), GroundingClassifier().signature
    with pytest.raises(ScorerUnavailable) as refused:
        GroundingClassifier().accept(GroundingClassifier().weights.name, path)
    check_sentence(str(refused.value))
    assert settings() == kept
    assert GroundingClassifier().signature == signature


def test_a_folder_takes_the_place_of_a_model_on_the_hub(models: Path, tmp_path: Path, case: MakeCase) -> None:
    GroundingClassifier().accept("grounding-classifier", f"organisation/model@{COMMIT}")
    folder = folders.elsewhere(models, "grounding_classifier", tmp_path / "one")
    GroundingClassifier().accept("organisation/model", str(folder))
    assert settings() == {"folders": {"grounding-classifier": str(folder)}}
    assert GroundingClassifier(precision="fp32").score(case(RESPONSE, CONTEXT)).status is Status.SCORED


def test_a_choice_that_cannot_be_kept_is_refused_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "file"))
    with pytest.raises(ScorerUnavailable, match="cannot be saved"):
        GroundingClassifier().accept("grounding-classifier", f"organisation/model@{COMMIT}")


@pytest.mark.parametrize("path", ["~nosuchuser/x", "x" * 5_000, "a\0b", "/", "."])
def test_what_is_no_path_to_weights_gets_the_sentence_for_it(path: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    with pytest.raises(ScorerUnavailable, match=r"no folder with a config\.json"):
        GroundingClassifier().accept("grounding-classifier", path)
