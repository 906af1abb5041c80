"""Folders that are not what a cross-encoder runs on: one sentence with the mend, no numbers, and no harm done."""

import re
import shutil
from pathlib import Path

import pytest

from groundscope.types import Status
from tests.groundscope.models.model_folders import folders
from tests.groundscope.models.model_folders.folders import CONTEXT, RESPONSE, WEIGHTS, Damage, check_failed, load
from tests.scorers.conftest import MakeCase
from tests.scorers.pair_methods.published import METHODS


def _without_the_classifier(folder: Path) -> None:
    tensors = folders.tensors_of(folder)
    kept = {name: tensor for name, tensor in tensors.items() if "classifier" not in name}
    assert len(kept) < len(tensors)
    folders.save(folder, kept)


def _with_a_layer_more(folder: Path) -> None:
    tensors = folders.tensors_of(folder)
    name = folders.inner(tensors)
    folders.save(folder, {**tensors, re.sub(r"(layer|block)\.1\.", r"\1.2.", name): tensors[name].clone()})


VOCABULARIES = ("tokenizer.json", "vocab.txt", "spm.model", "spiece.model", "vocab.json")
THREE = {"id2label": {"0": "a", "1": "b", "2": "c"}, "label2id": {"a": 0, "b": 1, "c": 2}}

IN_WEIGHTS: dict[str, Damage] = {
    "a missing layer": folders.without_a_layer,
    "no classifier": _without_the_classifier,
    "a layer of another model": _with_a_layer_more,
    "weights that are no numbers": folders.with_nan,
    "half a weights file": folders.cut_in_half,
    "a pointer for weights": lambda folder: folders.weights_file(folder).write_bytes(
        b"version https://git-lfs.github.com/spec/v1\n"
    ),
    "no weights": folders.without("model.safetensors", "pytorch_model.bin"),
}
IN_CONFIG: dict[str, Damage] = {
    "another architecture": lambda folder: folders.change(folder / "config.json", model_type="gpt2"),
    "a config that asks for code": lambda folder: folders.change(folder / "config.json", **folders.AUTO_MAP),
    "a config that is no JSON": folders.write("config.json", "{"),
    "a config that is a list": folders.write("config.json", "[]"),
    "a config without an end": folders.write("config.json", "[" * 100_000),
    "no config": folders.without("config.json"),
}
IN_LABELS: dict[str, Damage] = {
    "three outputs": lambda folder: folders.change(folder / "config.json", **THREE),
    "a number of outputs with 5,000 digits": lambda folder: folders.change(folder / "config.json", id2label={"1" * 5_000: "a"}),
}
IN_TOKENIZER: dict[str, Damage] = {
    "no tokenizer": folders.without(*VOCABULARIES),
    "a tokenizer that is no JSON": folders.write("tokenizer.json", "{"),
    "a tokenizer that asks for code": lambda folder: folders.change(
        folder / "tokenizer_config.json", auto_map={"AutoTokenizer": ["own.Tokenizer", None]}
    ),
}
OWN: dict[str, tuple[str, str, Damage]] = {
    "labels the other way round": (
        "context_nli",
        WEIGHTS["context_nli"],
        lambda folder: folders.change(folder / "config.json", id2label={"0": "contradiction", "1": "entailment"}),
    ),
    "a pickle where safetensors are published": ("hem_v2", WEIGHTS["hem_v2"], folders.as_a_pickle),
    "a pickle beside a fine-tuned model's config": ("grounding_classifier", WEIGHTS["grounding_classifier"], folders.as_a_pickle),
    "garbage for spm.model": ("hem_v1", WEIGHTS["hem_v1"], folders.write("spm.model", b"garbage " * 99)),
    "a vocabulary without merges": ("factkb", folders.TOKENIZERS["factkb"], folders.without("merges.txt")),
    "another model's spm.model": (
        "hem_v1",
        WEIGHTS["hem_v1"],
        lambda folder: shutil.copy(folder.parents[1] / folders.CONFIGS["hem_v2"] / "spiece.model", folder / "spm.model"),
    ),
    "a tokenizer that cannot pad": (
        "grounding_classifier",
        WEIGHTS["grounding_classifier"],
        lambda folder: folders.change(folder / "tokenizer_config.json", pad_token=None),
    ),
    "no configuration_hhem_v2.py": ("hem_v2", WEIGHTS["hem_v2"], folders.without("configuration_hhem_v2.py")),
}
CODE: dict[str, str | bytes] = {
    "that is no Python": "class HHEMv2Config:\n    prompt = 'First: {text1}, second: {text2}\n",
    "nested too deep": f"x = {'-' * 200_000}1\n",
    "whose prompt is worked out": "class HHEMv2Config:\n    prompt = '{text1}' + '{text2}'\n",
    "whose prompt lacks the claim": "class HHEMv2Config:\n    prompt = 'First: {text1}'\n",
}
OWN |= {
    f"a configuration_hhem_v2.py {what}": ("hem_v2", WEIGHTS["hem_v2"], folders.write("configuration_hhem_v2.py", code))
    for what, code in CODE.items()
}

APART = ("hem_v2", "factkb", "grounding_classifier")
"""Two whose configuration or tokenizer lies in another folder, and one of the user's; the others are read as the last is."""

ALL: dict[str, tuple[str, str, Damage]] = {
    f"{method}: {what}": (method, places[method], damage)
    for damages, places, methods in (
        (IN_WEIGHTS, WEIGHTS, METHODS),
        (IN_CONFIG, folders.CONFIGS, APART),
        (IN_TOKENIZER, folders.TOKENIZERS, APART),
    )
    for method in methods
    for what, damage in damages.items()
}
ALL |= {
    f"{method}: {what}": (method, WEIGHTS[method], damage)
    for method in ("hem_v1", "factkb")
    for what, damage in IN_LABELS.items()
}
ALL |= OWN


REASONS = {
    "a missing layer": "lacks 1 layers, such as",
    "no classifier": "lacks [1-6] layers, such as '(pre_)?classifier",
    "a layer of another model": "holds 1 layers of another model, such as",
    "weights that are no numbers": "gives no numbers",
    "another architecture": "model of type 'gpt2'",
    "a config that asks for code": "auto_map",
    "a config that is no JSON": "is no JSON",
    "a config that is a list": "is not an object",
    "three outputs": "has '3' outputs",
    "labels the other way round": "Output 0 .* is called 'contradiction', not entail",
    "no tokenizer": "came without tokenizer.json or a vocabulary",
    "a tokenizer that asks for code": "asks to run code from its own folder",
    "a pickle where safetensors are published": "holds a pickle",
    "a pickle beside a fine-tuned model's config": "holds a pickle",
    "another model's spm.model": "does not belong to its model",
    "no configuration_hhem_v2.py": "no readable configuration_hhem_v2.py",
    "a configuration_hhem_v2.py that is no Python": "no readable configuration_hhem_v2.py",
    "a configuration_hhem_v2.py whose prompt lacks the claim": "states no prompt with places for both texts",
}
"""What the note must say, where another reason would be the wrong one."""


@pytest.mark.parametrize("what", ALL)
def test_a_bad_folder_fails_in_one_sentence_without_numbers_and_a_good_one_scores_afterwards(
    what: str, models: Path, cross_encoders: Path, case: MakeCase
) -> None:
    method, name, damage = ALL[what]
    damage(models / name)
    example = case(RESPONSE, CONTEXT)
    judgement = load(method).score(example)
    check_failed(method, judgement)
    assert re.search(REASONS.get(what.rpartition(": ")[2], ""), judgement.note), judgement.note
    shutil.rmtree(models)
    shutil.copytree(cross_encoders, models)
    assert load(method).score(example).status is Status.SCORED
