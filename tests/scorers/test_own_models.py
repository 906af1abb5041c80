"""Grounding classifiers that the user trained: methods by their names, whatever else lies about and is called the same."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from groundscope.errors import DataError, ScorerUnavailable
from groundscope.methods import EVEN, registry
from groundscope.models.weights import local
from groundscope.models.weights.files import MINILM
from groundscope.training.folders import folder_of, name_of, own_models
from groundscope.types import Status
from tests.groundscope.models.model_folders.folders import save, tensors_of
from tests.groundscope.training.samples import labelled
from tests.scorers import tiny
from tests.scorers.conftest import Check


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tiny.quiet()
    return tiny.bert_cross_encoder(tmp_path_factory.mktemp("bases") / "base")


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_models_loaded: None) -> Path:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("GROUNDSCOPE_MODELS", raising=False)
    return tmp_path / "data"


def put(base: Path, name: str, record: Any = None) -> Path:
    """A model of this name, with a record of its making."""
    folder = Path(shutil.copytree(base, folder_of(name)))
    if record is not None:
        (folder / "training.json").write_text(json.dumps(record), encoding="utf-8")
    return folder


def of(name: str, **parameters: Any) -> Any:
    return registry.load(f"grounding_classifier:{name}", **parameters)


def mine() -> list[str]:
    return [name for name in registry.names() if name.startswith("grounding_classifier:")]


def test_a_trained_model_is_a_method_and_judges_as_its_record_says(base: Path, check: Check) -> None:
    assert not [m for m in mine() if m.endswith(":leases-2026")]
    put(base, "leases-2026", {"about": {"evidence": 2}, "dev_after": {"threshold": 0.25}})
    assert "grounding_classifier:leases-2026" in mine()
    scorer = of("leases-2026")
    assert scorer.unavailable() == ""
    assert (scorer.context_unit, scorer.window) == ("nearest", 2)
    assert scorer.about.title == "Grounding classifier leases-2026"
    assert (scorer.about.threshold, scorer.about.threshold_source) == (0.25, "tuned on dev by its training")
    (example,) = labelled(1)[:1]
    judgement = scorer.score(example)
    assert judgement.status is Status.SCORED, judgement.note
    check(judgement, example)


ODD = {"about": {"evidence": True}, "dev_after": {"threshold": float("nan")}, "responses": {"threshold": 7}}


@pytest.mark.parametrize("record", [[], {"about": [], "dev_after": [], "responses": "x"}, ODD])
def test_a_record_that_says_odd_things_takes_no_method_away(record: Any, base: Path) -> None:
    put(base, "odd", record)
    assert {"grounding_classifier:odd", "cos_sim", "overlap", "quip"} <= set(registry.names())
    scorer = of("odd")
    assert (scorer.context_unit, scorer.about.threshold, scorer.about.threshold_source) == ("sentence", 0.5, EVEN)
    assert scorer.score(labelled(1)[0]).status is Status.SCORED


def test_nothing_of_the_same_name_stands_in_for_it(
    base: Path, tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = labelled(1)[0]
    put(base, "leases")
    signature, support = of("leases").signature, of("leases").score(case).support
    other = tiny.bert_cross_encoder(tmp_path / "other")
    (other / "config.json").write_text("{}", encoding="utf-8")
    for name in ("leases", "finetuned/leases"):
        shutil.copytree(other, tmp_path / "models" / name)
    monkeypatch.setenv("GROUNDSCOPE_MODELS", str(tmp_path / "models"))
    (data / "settings.json").write_text(json.dumps({"folders": {"finetuned/leases": str(other)}}), encoding="utf-8")
    assert of("leases").signature == signature
    assert of("leases").score(case).support == support


def test_a_model_that_is_gone_says_so(base: Path) -> None:
    folder = put(base, "leases")
    scorer = of("leases")
    shutil.rmtree(folder)
    assert "grounding_classifier:leases" not in mine()
    told = "The model leases is gone; train it again on the methods page."
    assert scorer.unavailable() == told
    judgement = scorer.score(labelled(1)[0])
    assert (judgement.status, judgement.note) == (Status.FAILED, told)
    with pytest.raises(ValueError, match="grounding_classifier has no variant 'leases'"):
        of("leases")


def test_another_model_under_a_name_has_another_signature(base: Path) -> None:
    signatures = set()
    for name, evidence in (("leases", 2), ("other", 2), ("third", 3)):
        put(base, name, {"about": {"evidence": evidence}})
        signatures.add(of(name).signature)
    tensors = tensors_of(folder_of("leases"))
    save(folder_of("leases"), {name: tensor * 1.5 for name, tensor in tensors.items()})
    assert len({*signatures, of("leases").signature}) == 4


def test_only_whole_models_with_sound_names_are_listed(base: Path, data: Path) -> None:
    assert own_models() == ()
    for name in ("b", "a", "a-folder", "x" * 40):
        put(base, name)
    root = data / "models" / "finetuned"
    for odd in ("Capitals-folder", "a b-folder", "-folder", "x.partial", "y-folder.partial", "..-folder", "none"):
        (root / odd).mkdir()
        (root / odd / "config.json").write_text("{}", encoding="utf-8")
    (root / "empty-folder").mkdir()
    (root / "file-folder").write_text("x", encoding="utf-8")
    assert own_models() == ("a", "a-folder", "b", "x" * 40)
    assert [name_of(folder_of(name)) for name in own_models()] == list(own_models())


@pytest.mark.parametrize("name", ["", "a-", "A", "../a", "x" * 41])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(DataError, match="A model's name has 1 to 40 small letters, figures and hyphens, such as leases-2026"):
        folder_of(name)


def test_bases_by_the_line_that_a_user_writes(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert local.base_folder("minilm") == MINILM.folder()
    assert local.base_folder(f" {base} ") == base
    monkeypatch.chdir(base.parent)
    assert local.base_folder("base") == base
    monkeypatch.setenv("GROUNDSCOPE_MODELS", str(tmp_path / "models"))
    kept = shutil.copytree(base, tmp_path / "models" / "some" / "encoder")
    assert local.base_folder("some/encoder") == local.base_folder("some/encoder@v1") == kept


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("some/encoder", r"The weights of some/encoder are not on this machine; .*--revision main"),
        ("some/encoder@v1", r"The weights of some/encoder are not on this machine; .*--revision v1"),
        *[
            (line, r"^There is no folder '.*' with a config\.json; write minilm, a folder, or a hub id\.$")
            for line in ("", "a b/c", "a\x00/b", "a/" + "b" * 200)
        ],
    ],
)
def test_a_base_that_is_not_here_is_reported(line: str, words: str) -> None:
    with pytest.raises(ScorerUnavailable, match=words):
        local.base_folder(line)
