"""No folder's code is run, numbers are checked against the published ones, and other weights have other signatures."""

import json
import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest

from groundscope.errors import ScorerUnavailable
from groundscope.models.pairs.encoders import TextPair
from groundscope.models.pairs.method import Sanity
from groundscope.models.pairs.models import file_of
from groundscope.models.weights.files import fingerprint
from groundscope.paths import settings
from groundscope.types import Status
from scorers import hem_v1
from tests.groundscope.models.model_folders import folders
from tests.groundscope.models.model_folders.folders import CONTEXT, RESPONSE, WEIGHTS, check_failed, check_sentence, load
from tests.scorers import tiny
from tests.scorers.conftest import MakeCase
from tests.scorers.pair_methods.published import METHODS


class _Mark:
    """Touches a file where it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.file,)


@pytest.mark.parametrize("form", ["torch", "plain"])
@pytest.mark.parametrize("method", METHODS)
def test_a_pickle_that_runs_code_is_not_run(method: str, form: str, models: Path, tmp_path: Path, case: MakeCase) -> None:
    import torch

    folder, mark = models / WEIGHTS[method], tmp_path / "was_run"
    tensors = {**folders.tensors_of(folder), "more": _Mark(mark)}
    folders.weights_file(folder).unlink()
    file = folder / "pytorch_model.bin"
    if form == "torch":
        torch.save(tensors, file)
        torch.load(file, weights_only=False)
    else:
        file.write_bytes(pickle.dumps(tensors))
        pickle.loads(file.read_bytes())  # noqa: S301 - made above
    assert mark.exists()
    mark.unlink()
    check_failed(method, load(method).score(case(RESPONSE, CONTEXT)))
    assert not mark.exists()


@pytest.mark.parametrize("method", METHODS)
def test_code_that_a_folder_asks_for_is_not_run(method: str, models: Path, tmp_path: Path, case: MakeCase) -> None:
    mark = tmp_path / "was_run"
    for places in (WEIGHTS, folders.CONFIGS, folders.TOKENIZERS):
        folder = models / places[method]
        names = "Config = Model = Tokenizer = object"
        (folder / "own.py").write_text(f"from pathlib import Path\n\nPath({str(mark)!r}).touch()\n{names}\n", encoding="utf-8")
        folders.change(folder / "config.json", **folders.AUTO_MAP)
        if (folder / "tokenizer_config.json").is_file():
            folders.change(folder / "tokenizer_config.json", auto_map={"AutoTokenizer": ["own.Tokenizer", "own.Tokenizer"]})
    check_failed(method, load(method).score(case(RESPONSE, CONTEXT)))
    assert not mark.exists()


def test_a_damaged_int8_file_is_named_and_removed(models: Path, case: MakeCase) -> None:
    folder = models / WEIGHTS["grounding_classifier"]
    file = file_of(fingerprint(folder))
    file.parent.mkdir(parents=True)
    file.write_bytes(b"garbage")
    judgement = load("grounding_classifier", precision="int8").score(case(RESPONSE, CONTEXT))
    check_failed("grounding_classifier", judgement)
    assert "bf16 or fp32" in judgement.note
    assert not file.exists()


@pytest.mark.parametrize("method", ["hem_v1", "hem_v2"])
def test_weights_that_miss_the_published_supports_are_refused(method: str, models: Path, tmp_path: Path) -> None:
    scorer, name = load(method), WEIGHTS[method]
    scorer.prepare()
    with pytest.raises(ScorerUnavailable) as refused:
        scorer.verify()
    check_sentence(str(refused.value))
    assert name in str(refused.value)
    folder = folders.elsewhere(models, method, tmp_path / "one")
    with pytest.raises(ScorerUnavailable, match="do not give the supports"):
        scorer.accept(name, str(folder))
    assert settings() == {}


@pytest.mark.parametrize(("off", "accepted"), [(0.1, True), (-0.1, True), (0.2, False), (-0.2, False)])
def test_rounding_is_allowed_for_in_the_published_supports_and_no_more(
    off: float, accepted: bool, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scorer, name = load("hem_v1"), WEIGHTS["hem_v1"]
    pairs = [TextPair(claim, CONTEXT) for claim in RESPONSE.split(". ")]
    supports = scorer.pairs(pairs).support.tolist()
    printed = [support + shift for support, shift in zip(supports, (0.0, off), strict=True)]
    sanity = tuple(Sanity(pair.context, pair.claim, support) for pair, support in zip(pairs, printed, strict=True))
    monkeypatch.setattr(hem_v1.HemV1, "sanity", sanity)
    folder = shutil.copytree(models / name, tmp_path / "one")
    if accepted:
        scorer.accept(name, str(folder))
        assert settings()["folders"] == {name: str(folder)}
    else:
        with pytest.raises(ScorerUnavailable, match="do not give the supports"):
            scorer.accept(name, str(folder))
        assert settings() == {}


def test_signatures_tell_folders_with_different_weights_apart(models: Path) -> None:
    for method in METHODS:
        first = load(method).signature
        tensors = folders.tensors_of(models / WEIGHTS[method])
        name = folders.inner(tensors)
        folders.save(models / WEIGHTS[method], {**tensors, name: tensors[name] + 1})
        second = load(method).signature
        # Nothing else of the signature changes.
        assert set(first.split("|")) - set(second.split("|")) == {first.split("|")[1]}


@pytest.mark.parametrize("kind", ["roberta", "xlm-roberta"])
def test_a_fine_tuned_roberta_s_positions_begin_after_the_padding(kind: str, models: Path, case: MakeCase) -> None:
    from transformers import AutoConfig, AutoModelForSequenceClassification

    folder, tokenizer = models / "grounding-classifier", models / folders.TOKENIZERS["factkb"]
    sizes = json.loads((tokenizer / "config.json").read_text())
    del sizes["model_type"]
    config = AutoConfig.for_model(kind, **{**sizes, "max_position_embeddings": 66})
    config.num_labels = 1
    shutil.rmtree(folder)
    model = AutoModelForSequenceClassification.from_config(config)  # type: ignore[no-untyped-call]
    tiny.seeded(model).save_pretrained(folder)
    for name in ("vocab.json", "merges.txt", "tokenizer_config.json"):
        shutil.copy(tokenizer / name, folder)
    judgement = load("grounding_classifier", context_unit="full").score(case(RESPONSE, f"{CONTEXT} " * 20))
    assert judgement.status is Status.SCORED
