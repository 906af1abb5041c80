"""Folders of weights that are not what a cross-encoder runs on: one sentence with the mend, no numbers, and no harm done."""

import json
import pickle
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

import scorers
from evaluation.errors import ScorerUnavailable
from evaluation.places import data_folder, settings
from evaluation.types import Case, Judgement, Status
from scorers import context_nli, factkb, hem_v1, hem_v2
from scorers._encoders import Pair
from scorers._pair_method import PairMethod, Sanity
from scorers._weights import fingerprint
from scorers.grounding_classifier import GroundingClassifier
from tests.scorers import tiny

MakeCase = Callable[..., Case]
Damage = Callable[[Path], object]
Tensors = dict[str, torch.Tensor]

RESPONSE = "The court of appeal dismissed the appeal in 2003. The landlord was awarded costs."
CONTEXT = "The court of appeal dismissed the appeal. Costs of 4,500 euros were awarded to the tenant."

WEIGHTS = {
    "hem_v1": hem_v1.WEIGHTS.name,
    "hem_v2": hem_v2.WEIGHTS.name,
    "factkb": factkb.WEIGHTS.name,
    "context_nli": context_nli.WEIGHTS.name,
    "grounding_classifier": "grounding-classifier",
}
# Where the configuration and the tokenizer come from, which is another folder for two of them.
CONFIGS = WEIGHTS | {"hem_v2": hem_v2.FOUNDATION.name}
TOKENIZERS = CONFIGS | {"factkb": factkb.TOKENIZER.name}
METHODS = tuple(WEIGHTS)
SAFE, PICKLED = ("hem_v2", "grounding_classifier"), ("hem_v1", "factkb", "context_nli")


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Threads cost more than they give where models are this small."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tiny.quiet()
    root = tmp_path_factory.mktemp("models")
    tiny.deberta(root / WEIGHTS["hem_v1"], 1)
    tiny.t5(root / WEIGHTS["hem_v2"], root / CONFIGS["hem_v2"])
    tiny.roberta(root / WEIGHTS["factkb"], root / TOKENIZERS["factkb"])
    names = {"id2label": {0: "entailment", 1: "contradiction"}, "label2id": {"entailment": 0, "contradiction": 1}}
    tiny.deberta(root / WEIGHTS["context_nli"], 2, **names)
    tiny.bert_cross_encoder(root / WEIGHTS["grounding_classifier"])
    return root


@pytest.fixture(autouse=True)
def models(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_models_loaded: None) -> Path:
    """A folder where the methods look, with copies of the models to break; nothing else of this machine is seen."""
    monkeypatch.setenv("GROUNDSCOPE_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    return shutil.copytree(saved, tmp_path / "models")


def _scorer(method: str, **parameters: Any) -> PairMethod:
    scorer = scorers.load(method, **{"precision": "fp32", **parameters})
    assert isinstance(scorer, PairMethod)
    return scorer


def _named(method: str) -> str:
    """The names of all folders that a method reads, as a pattern."""
    return "|".join(re.escape(folders[method]) for folders in (WEIGHTS, CONFIGS, TOKENIZERS))


def _check_sentence(note: str) -> None:
    assert note.endswith(".")
    assert not re.search(r"[.!?]\s", note), note
    assert re.search(r"\b(get|give|choose|put)\b", note), note


def _check_failed(method: str, judgement: Judgement) -> None:
    assert judgement == Judgement(Status.FAILED, note=judgement.note, context_seen=0.0)
    _check_sentence(judgement.note)
    assert re.search(_named(method), judgement.note), judgement.note


def _change(file: Path, **entries: Any) -> None:
    found = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**found, **entries}), encoding="utf-8")


def _write(name: str, text: str | bytes) -> Damage:
    return lambda folder: (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)


def _weights(folder: Path) -> Path:
    (found,) = [folder / name for name in ("model.safetensors", "pytorch_model.bin") if (folder / name).is_file()]
    return found


def _tensors(folder: Path) -> Tensors:
    file = _weights(folder)
    found: Tensors = load_file(file) if file.suffix == ".safetensors" else torch.load(file, weights_only=True)
    return found


def _save(folder: Path, tensors: Tensors) -> None:
    file = _weights(folder)
    if file.suffix == ".safetensors":
        save_file(tensors, file, {"format": "pt"})
    else:
        torch.save(tensors, file)


def _inner(tensors: Tensors) -> str:
    """A matrix of the model's last layer."""
    return max(name for name, tensor in tensors.items() if tensor.dim() == 2 and re.search(r"\b(layer|block)\.1\.", name))


def _without_a_layer(folder: Path) -> None:
    tensors = _tensors(folder)
    del tensors[_inner(tensors)]
    _save(folder, tensors)


def _without_the_classifier(folder: Path) -> None:
    tensors = _tensors(folder)
    kept = {name: tensor for name, tensor in tensors.items() if "classifier" not in name}
    assert len(kept) < len(tensors)
    _save(folder, kept)


def _with_a_layer_more(folder: Path) -> None:
    tensors = _tensors(folder)
    name = _inner(tensors)
    _save(folder, {**tensors, re.sub(r"(layer|block)\.1\.", r"\1.2.", name): tensors[name].clone()})


def _with_a_layer_of_another_shape(folder: Path) -> None:
    tensors = _tensors(folder)
    name = _inner(tensors)
    _save(folder, {**tensors, name: tensors[name][:, :-1].clone()})


def _with_nan(folder: Path) -> None:
    tensors = _tensors(folder)
    name = next(name for name in tensors if name.endswith("classifier.weight") or name.endswith("classifier.out_proj.weight"))
    _save(folder, {**tensors, name: torch.full_like(tensors[name], torch.nan)})


def _cut_in_half(folder: Path) -> None:
    file = _weights(folder)
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def _as_a_pickle(folder: Path) -> None:
    tensors = _tensors(folder)
    _weights(folder).unlink()
    torch.save(tensors, folder / "pytorch_model.bin")


def _without(*names: str) -> Damage:
    def remove(folder: Path) -> None:
        found = [folder / name for name in names if (folder / name).exists()]
        assert found
        for file in found:
            file.unlink()

    return remove


VOCABULARIES = ("tokenizer.json", "vocab.txt", "spm.model", "spiece.model", "vocab.json")
THREE = {"id2label": {"0": "a", "1": "b", "2": "c"}, "label2id": {"a": 0, "b": 1, "c": 2}}
AUTO_MAP = {"auto_map": {"AutoConfig": "own.Config", "AutoModelForSequenceClassification": "own.Model"}}

IN_WEIGHTS: dict[str, Damage] = {
    "a missing layer": _without_a_layer,
    "no classifier": _without_the_classifier,
    "a layer of another model": _with_a_layer_more,
    "a layer of another shape": _with_a_layer_of_another_shape,
    "weights that are no numbers": _with_nan,
    "half a weights file": _cut_in_half,
    "an empty weights file": lambda folder: _weights(folder).write_bytes(b""),
    "a pointer for weights": lambda folder: _weights(folder).write_bytes(b"version https://git-lfs.github.com/spec/v1\n"),
    "no weights": _without("model.safetensors", "pytorch_model.bin"),
}
IN_CONFIG: dict[str, Damage] = {
    "another architecture": lambda folder: _change(folder / "config.json", model_type="gpt2"),
    "no architecture": _write("config.json", "{}"),
    "a config that asks for code": lambda folder: _change(folder / "config.json", **AUTO_MAP),
    "a config that is no JSON": _write("config.json", "{"),
    "a config that is no text": _write("config.json", b'{"\xff": 1}'),
    "a config that is a list": _write("config.json", "[]"),
    "a config without an end": _write("config.json", "[" * 100_000),
    "no config": _without("config.json"),
    "sizes that are words": lambda folder: _change(folder / "config.json", vocab_size="many"),
}
IN_LABELS: dict[str, Damage] = {
    "three outputs": lambda folder: _change(folder / "config.json", **THREE),
    "a number of outputs with 5,000 digits": lambda folder: _change(folder / "config.json", id2label={"1" * 5_000: "a"}),
}
IN_TOKENIZER: dict[str, Damage] = {
    "no tokenizer": _without(*VOCABULARIES),
    "a tokenizer that is no JSON": _write("tokenizer.json", "{"),
    "a tokenizer that is empty": _write("tokenizer.json", "{}"),
    "a tokenizer that is a list": _write("tokenizer.json", "[]"),
    "a tokenizer that asks for code": lambda folder: _change(
        folder / "tokenizer_config.json", auto_map={"AutoTokenizer": ["own.Tokenizer", None]}
    ),
}
OWN: dict[str, tuple[str, str, Damage]] = {
    "labels the other way round": (
        "context_nli",
        WEIGHTS["context_nli"],
        lambda folder: _change(folder / "config.json", id2label={"0": "contradiction", "1": "entailment"}),
    ),
    "a pickle where safetensors are published": ("hem_v2", WEIGHTS["hem_v2"], _as_a_pickle),
    "a pickle beside a fine-tuned model's config": ("grounding_classifier", WEIGHTS["grounding_classifier"], _as_a_pickle),
    "an empty spm.model": ("hem_v1", WEIGHTS["hem_v1"], _write("spm.model", b"")),
    "garbage for spm.model": ("hem_v1", WEIGHTS["hem_v1"], _write("spm.model", b"garbage " * 99)),
    "an empty spiece.model": ("hem_v2", CONFIGS["hem_v2"], _write("spiece.model", b"")),
    "a vocabulary without merges": ("factkb", TOKENIZERS["factkb"], _without("merges.txt")),
    "another model's spm.model": (
        "hem_v1",
        WEIGHTS["hem_v1"],
        lambda folder: shutil.copy(folder.parents[1] / CONFIGS["hem_v2"] / "spiece.model", folder / "spm.model"),
    ),
    "a vocabulary that has more tokens than the model": (
        "factkb",
        TOKENIZERS["factkb"],
        lambda folder: _change(folder / "vocab.json", **{"The": 4_000}),
    ),
    "a tokenizer that cannot pad": (
        "grounding_classifier",
        WEIGHTS["grounding_classifier"],
        lambda folder: _change(folder / "tokenizer_config.json", pad_token=None),
    ),
    "a tokenizer_config without an end": (
        "grounding_classifier",
        WEIGHTS["grounding_classifier"],
        _write("tokenizer_config.json", "[" * 100_000),
    ),
    "no configuration_hhem_v2.py": ("hem_v2", WEIGHTS["hem_v2"], _without("configuration_hhem_v2.py")),
}
CODE: dict[str, str | bytes] = {
    "that is no Python": "class HHEMv2Config:\n    prompt = 'First: {text1}, second: {text2}\n",
    "with a zero byte": "class HHEMv2Config:\n    prompt = '\0'\n",
    "nested too deep": f"x = {'-' * 200_000}1\n",
    "that is no text": b"\xff\xfe",
    "without a prompt": "class HHEMv2Config:\n    model_type = 'HHEMv2'\n",
    "whose prompt is no text": "class HHEMv2Config:\n    prompt = 7\n",
    "whose prompt is worked out": "class HHEMv2Config:\n    prompt = '{text1}' + '{text2}'\n",
    "whose prompt lacks the claim": "class HHEMv2Config:\n    prompt = 'First: {text1}'\n",
    "whose prompt lacks the context": "class HHEMv2Config:\n    prompt = 'Second: {text2}'\n",
}
OWN |= {
    f"a configuration_hhem_v2.py {what}": ("hem_v2", WEIGHTS["hem_v2"], _write("configuration_hhem_v2.py", code))
    for what, code in CODE.items()
}

ALL: dict[str, tuple[str, str, Damage]] = {
    f"{method}: {what}": (method, folders[method], damage)
    for damages, folders in ((IN_WEIGHTS, WEIGHTS), (IN_CONFIG, CONFIGS), (IN_TOKENIZER, TOKENIZERS))
    for method in METHODS
    for what, damage in damages.items()
} | {
    f"{method}: {what}": (method, WEIGHTS[method], damage)
    for method in METHODS
    if method != "hem_v2"
    for what, damage in IN_LABELS.items()
}
ALL |= OWN


REASONS = {
    "a missing layer": "lacks 1 layers, such as",
    "no classifier": "lacks [1-6] layers, such as '(pre_)?classifier",
    "a layer of another model": "holds 1 layers of another model, such as",
    "a layer of another shape": r"cannot be read \(RuntimeError\)",
    "weights that are no numbers": "gives no numbers",
    "another architecture": "model of type 'gpt2'",
    "no architecture": "model of type 'None'",
    "a config that asks for code": "auto_map",
    "a config that is no JSON": "is no JSON",
    "a config that is a list": "is not an object",
    "three outputs": "has '3' outputs",
    "labels the other way round": "Output 0 .* is called 'contradiction', not entail",
    "no tokenizer": "came without tokenizer.json or a vocabulary",
    "a tokenizer that asks for code": "asks to run code from its own folder",
    "a pickle where safetensors are published": "holds a pickle",
    "a pickle beside a fine-tuned model's config": "holds a pickle",
    "an empty spiece.model": "does not belong to its model",
    "another model's spm.model": "does not belong to its model",
    "no configuration_hhem_v2.py": "no readable configuration_hhem_v2.py",
    "a configuration_hhem_v2.py that is no Python": "no readable configuration_hhem_v2.py",
    "a configuration_hhem_v2.py whose prompt lacks the claim": "states no prompt with places for both texts",
}
"""What the note must say, where another reason would be the wrong one."""


@pytest.mark.parametrize("what", ALL)
def test_a_bad_folder_fails_in_one_sentence_without_numbers_and_a_good_one_scores_afterwards(
    what: str, models: Path, saved: Path, case: MakeCase
) -> None:
    method, name, damage = ALL[what]
    damage(models / name)
    example = case(RESPONSE, CONTEXT)
    judgement = _scorer(method).score(example)
    _check_failed(method, judgement)
    assert re.search(REASONS.get(what.rpartition(": ")[2], ""), judgement.note), judgement.note
    shutil.rmtree(models)
    shutil.copytree(saved, models)
    assert _scorer(method).score(example).status is Status.SCORED


class _Mark:
    """Touches a file where it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.file,)


@pytest.mark.parametrize("form", ["torch", "plain"])
@pytest.mark.parametrize("method", METHODS)
def test_a_pickle_that_runs_code_is_not_run(method: str, form: str, models: Path, tmp_path: Path, case: MakeCase) -> None:
    folder, mark = models / WEIGHTS[method], tmp_path / "was_run"
    tensors = {**_tensors(folder), "more": _Mark(mark)}
    _weights(folder).unlink()
    file = folder / "pytorch_model.bin"
    if form == "torch":
        torch.save(tensors, file)
        torch.load(file, weights_only=False)
    else:
        file.write_bytes(pickle.dumps(tensors))
        pickle.loads(file.read_bytes())  # noqa: S301 - made above
    assert mark.exists()
    mark.unlink()
    _check_failed(method, _scorer(method).score(case(RESPONSE, CONTEXT)))
    assert not mark.exists()


@pytest.mark.parametrize("method", METHODS)
def test_code_that_a_folder_asks_for_is_not_run(method: str, models: Path, tmp_path: Path, case: MakeCase) -> None:
    mark = tmp_path / "was_run"
    for folders in (WEIGHTS, CONFIGS, TOKENIZERS):
        folder = models / folders[method]
        names = "Config = Model = Tokenizer = object"
        (folder / "own.py").write_text(f"from pathlib import Path\n\nPath({str(mark)!r}).touch()\n{names}\n", encoding="utf-8")
        _change(folder / "config.json", **AUTO_MAP)
        if (folder / "tokenizer_config.json").is_file():
            _change(folder / "tokenizer_config.json", auto_map={"AutoTokenizer": ["own.Tokenizer", "own.Tokenizer"]})
    _check_failed(method, _scorer(method).score(case(RESPONSE, CONTEXT)))
    assert not mark.exists()


def test_weights_that_are_no_numbers_are_named(models: Path, case: MakeCase) -> None:
    for method in METHODS:
        _with_nan(models / WEIGHTS[method])
        note = _scorer(method).score(case(RESPONSE, CONTEXT)).note
        assert note == f"The model in the folder for {WEIGHTS[method]} gives no numbers; get the published weights again."


def test_a_damaged_int8_file_is_named_and_removed(models: Path, case: MakeCase) -> None:
    folder = models / WEIGHTS["grounding_classifier"]
    file = data_folder() / "int8" / f"{fingerprint(folder)}.onnx"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"garbage")
    judgement = _scorer("grounding_classifier", precision="int8").score(case(RESPONSE, CONTEXT))
    _check_failed("grounding_classifier", judgement)
    assert "bf16 or fp32" in judgement.note
    assert not file.exists()


@pytest.mark.parametrize("method", METHODS)
def test_absent_weights_are_named_with_ways_to_get_them(method: str, models: Path, case: MakeCase) -> None:
    shutil.rmtree(models)
    scorer = _scorer(method)
    _check_failed(method, scorer.score(case(RESPONSE, CONTEXT)))
    assert scorer.unavailable() == scorer.score(case(RESPONSE, CONTEXT)).note
    assert "GROUNDSCOPE_MODELS" in scorer.unavailable()
    assert all(requirement.missing and not requirement.where for requirement in scorer.requirements())


def _elsewhere(models: Path, method: str, place: Path, factor: float = 1.0) -> Path:
    """A copy of a method's weights that no method looks for, with other numbers in its last layer."""
    folder = shutil.copytree(models / WEIGHTS[method], place)
    tensors = _tensors(folder)
    name = _inner(tensors)
    _save(folder, {**tensors, name: tensors[name] * factor})
    return folder


@pytest.mark.parametrize("method", ["factkb", "context_nli", "grounding_classifier"])
def test_a_good_folder_by_path_is_used_and_remembered(method: str, models: Path, tmp_path: Path, case: MakeCase) -> None:
    example, name = case(RESPONSE, CONTEXT), WEIGHTS[method]
    before, signature = _scorer(method).score(example).support, _scorer(method).signature
    folder = _elsewhere(models, method, tmp_path / "by hand", 1.5)
    _scorer(method).accept(name, f"  {folder} ")
    assert settings()["folders"] == {name: str(folder)}
    assert _scorer(method).requirements()[0].where == str(folder)
    judgement = _scorer(method).score(example)
    assert judgement.status is Status.SCORED
    assert judgement.support != before
    assert _scorer(method).signature != signature


@pytest.mark.parametrize("method", ["factkb", "context_nli", "grounding_classifier"])
def test_a_bad_folder_by_path_is_refused_and_what_was_set_before_stays(method: str, models: Path, tmp_path: Path) -> None:
    name, good = WEIGHTS[method], _elsewhere(models, method, tmp_path / "good")
    bad = _elsewhere(models, method, tmp_path / "bad", float("nan"))
    _without_a_layer(bad)
    empty = tmp_path / "empty"
    empty.mkdir()
    for before in ({}, {name: str(good)}):
        for path in (bad, empty, tmp_path / "nowhere", bad / "config.json"):
            with pytest.raises(ScorerUnavailable) as refused:
                _scorer(method).accept(name, str(path))
            _check_sentence(str(refused.value))
            assert settings().get("folders", {}) == before
        _scorer(method).accept(name, str(good))
    assert _scorer(method).requirements()[0].where == str(good)
    _scorer(method).prepare()


def test_an_empty_path_goes_back_to_looking_for_the_weights(models: Path, tmp_path: Path) -> None:
    name, signature = WEIGHTS["factkb"], _scorer("factkb").signature
    _scorer("factkb").accept(name, str(_elsewhere(models, "factkb", tmp_path / "one", 1.5)))
    _scorer("factkb").accept(TOKENIZERS["factkb"], str(models / TOKENIZERS["factkb"]))
    assert _scorer("factkb").signature != signature
    _scorer("factkb").accept(name, " ")
    assert settings()["folders"] == {TOKENIZERS["factkb"]: str(models / TOKENIZERS["factkb"])}
    assert _scorer("factkb").requirements()[0].where == str(models / name)
    assert _scorer("factkb").signature == signature


def test_a_folder_that_went_away_is_named_and_nothing_else_is_used_instead(models: Path, tmp_path: Path, case: MakeCase) -> None:
    folder = _elsewhere(models, "factkb", tmp_path / "one")
    _scorer("factkb").accept(WEIGHTS["factkb"], str(folder))
    shutil.rmtree(folder)
    judgement = _scorer("factkb").score(case(RESPONSE, CONTEXT))
    assert judgement == Judgement(Status.FAILED, note=judgement.note, context_seen=0.0)
    assert WEIGHTS["factkb"] in judgement.note
    assert "name another on the methods page" in judgement.note


def test_weights_that_a_method_does_not_read_are_refused(models: Path) -> None:
    with pytest.raises(ScorerUnavailable, match="needs no weights called"):
        _scorer("factkb").accept(WEIGHTS["hem_v1"], str(models / WEIGHTS["hem_v1"]))
    assert settings() == {}


def test_a_folder_is_kept_unchecked_while_other_weights_are_missing(models: Path, tmp_path: Path) -> None:
    folder = _elsewhere(models, "factkb", tmp_path / "one")
    tokenizer = shutil.move(models / TOKENIZERS["factkb"], tmp_path / "tokenizer")
    _scorer("factkb").accept(WEIGHTS["factkb"], str(folder))
    assert TOKENIZERS["factkb"] in _scorer("factkb").unavailable()
    _scorer("factkb").accept(TOKENIZERS["factkb"], str(tokenizer))
    _scorer("factkb").prepare()


@pytest.mark.parametrize("method", ["hem_v1", "hem_v2"])
def test_weights_that_miss_the_published_supports_are_refused(method: str, models: Path, tmp_path: Path) -> None:
    scorer, name = _scorer(method), WEIGHTS[method]
    scorer.prepare()
    with pytest.raises(ScorerUnavailable) as refused:
        scorer.verify()
    _check_sentence(str(refused.value))
    assert name in str(refused.value)
    folder = _elsewhere(models, method, tmp_path / "one")
    with pytest.raises(ScorerUnavailable, match="do not give the supports"):
        scorer.accept(name, str(folder))
    assert settings() == {}


@pytest.mark.parametrize(("off", "accepted"), [(0.1, True), (-0.1, True), (0.2, False), (-0.2, False)])
def test_rounding_is_allowed_for_in_the_published_supports_and_no_more(
    off: float, accepted: bool, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scorer, name = _scorer("hem_v1"), WEIGHTS["hem_v1"]
    pairs = [Pair(claim, CONTEXT) for claim in RESPONSE.split(". ")]
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
        first = _scorer(method).signature
        tensors = _tensors(models / WEIGHTS[method])
        name = _inner(tensors)
        _save(models / WEIGHTS[method], {**tensors, name: tensors[name] + 1})
        second = _scorer(method).signature
        # Nothing else of the signature changes.
        assert set(first.split("|")) - set(second.split("|")) == {first.split("|")[1]}


COMMIT = "0123456789abcdef0123456789abcdef01234567"


def test_a_fine_tuned_model_on_the_hub_is_named_with_its_commit(models: Path, case: MakeCase) -> None:
    folder_s = GroundingClassifier().signature
    GroundingClassifier().accept("grounding-classifier", f" organisation/model@{COMMIT}\n")
    chosen = GroundingClassifier()
    assert (chosen.weights.model, chosen.weights.revision) == ("organisation/model", COMMIT)
    assert f"organisation/model@{COMMIT}" in chosen.signature
    judgement = chosen.score(case(RESPONSE, CONTEXT))
    assert judgement == Judgement(Status.FAILED, note=chosen.unavailable(), context_seen=0.0)
    assert f"hf download organisation/model --revision {COMMIT}" in judgement.note
    shutil.move(models / "grounding-classifier", models / "organisation" / "model")
    assert GroundingClassifier(precision="fp32").score(case(RESPONSE, CONTEXT)).status is Status.SCORED
    shutil.move(models / "organisation" / "model", models / "grounding-classifier")
    GroundingClassifier().accept("organisation/model", "")
    assert GroundingClassifier().signature == folder_s


@pytest.mark.parametrize("before", ["", f"organisation/other@{COMMIT}"])
@pytest.mark.parametrize(
    "path",
    [
        "organisation/model@main",
        f"organisation/model@{COMMIT[:39]}",
        f"organisation/model@{COMMIT}0",
        f"organisation/model@{COMMIT.upper()}",
        f"../model@{COMMIT}",
        f"https://huggingface.co/organisation/model@{COMMIT}",
        "organisation/model",
        "bad",
    ],
)
def test_what_names_no_fine_tuned_model_is_refused_and_what_was_set_before_stays(
    path: str, before: str, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _without_a_layer(_elsewhere(models, "grounding_classifier", tmp_path / "bad"))
    if before:
        GroundingClassifier().accept("grounding-classifier", before)
    kept, signature = settings(), GroundingClassifier().signature
    with pytest.raises(ScorerUnavailable) as refused:
        GroundingClassifier().accept(GroundingClassifier().weights.name, path)
    _check_sentence(str(refused.value))
    assert settings() == kept
    assert GroundingClassifier().signature == signature


def test_a_folder_takes_the_place_of_a_model_on_the_hub(models: Path, tmp_path: Path, case: MakeCase) -> None:
    GroundingClassifier().accept("grounding-classifier", f"organisation/model@{COMMIT}")
    folder = _elsewhere(models, "grounding_classifier", tmp_path / "one")
    GroundingClassifier().accept("organisation/model", str(folder))
    assert settings() == {"folders": {"grounding-classifier": str(folder)}}
    assert GroundingClassifier(precision="fp32").score(case(RESPONSE, CONTEXT)).status is Status.SCORED


def test_a_choice_that_cannot_be_kept_is_refused_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "file"))
    with pytest.raises(ScorerUnavailable, match="cannot be kept"):
        GroundingClassifier().accept("grounding-classifier", f"organisation/model@{COMMIT}")


@pytest.mark.parametrize("kind", ["roberta", "xlm-roberta"])
def test_a_fine_tuned_roberta_s_positions_begin_after_the_padding(kind: str, models: Path, case: MakeCase) -> None:
    from transformers import AutoConfig, AutoModelForSequenceClassification

    folder, tokenizer = models / "grounding-classifier", models / TOKENIZERS["factkb"]
    sizes = json.loads((tokenizer / "config.json").read_text())
    del sizes["model_type"]
    config = AutoConfig.for_model(kind, **{**sizes, "max_position_embeddings": 66})
    config.num_labels = 1
    shutil.rmtree(folder)
    model = AutoModelForSequenceClassification.from_config(config)  # type: ignore[no-untyped-call]
    tiny.seeded(model).save_pretrained(folder)
    for name in ("vocab.json", "merges.txt", "tokenizer_config.json"):
        shutil.copy(tokenizer / name, folder)
    judgement = _scorer("grounding_classifier", context_unit="full").score(case(RESPONSE, f"{CONTEXT} " * 20))
    assert judgement.status is Status.SCORED


@pytest.mark.parametrize("path", ["~nosuchuser/x", "x" * 5_000, "a\0b", "/", "."])
def test_what_is_no_path_to_weights_gets_the_sentence_for_it(path: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    with pytest.raises(ScorerUnavailable, match=r"no folder with a config\.json"):
        GroundingClassifier().accept("grounding-classifier", path)


def test_another_configuration_beside_the_same_weights_is_another_signature(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tiny.bert_cross_encoder(tmp_path / "grounding-classifier")
    monkeypatch.setenv("GROUNDSCOPE_MODELS", str(tmp_path))
    before = GroundingClassifier().signature
    config = folder / "config.json"
    config.write_text(
        config.read_text(encoding="utf-8").replace('"layer_norm_eps": 1e-12', '"layer_norm_eps": 1e-05'), encoding="utf-8"
    )
    assert GroundingClassifier().signature != before
