"""Training itself, on a tiny model: what it leaves, what it repeats, which checkpoint it keeps, and what it reports."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from groundscope.errors import DataError
from groundscope.models.weights.grounding import record
from groundscope.training._trainer import by_length, in_hardware
from groundscope.training.finetuning import add_to_record, discard, finetune, publish, reports
from groundscope.training.options import Options, TrainingProgress
from groundscope.training.pair_figures import figures
from groundscope.training.pairs import Pair, digest
from tests.groundscope.training.samples import QUICK, easy
from tests.scorers import tiny

TRAIN, DEV = easy(12, "t"), easy(6, "d")


def model_in(folder: Path) -> Path:
    """The model in the folder of a training, or the folder itself."""
    return inside if (inside := folder / "model").is_dir() else folder


def weights(folder: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    found: dict[str, Any] = load_file(model_in(folder) / "model.safetensors")
    return found


def same(one: Path, other: Path) -> bool:
    a, b = weights(one), weights(other)
    return a.keys() == b.keys() and all((a[name] == b[name]).all() for name in a)


def on_pairs(folder: Path, pairs: list[Pair]) -> dict[str, float]:
    """The figures of the model in a folder, as sentence-transformers alone loads it."""
    from sentence_transformers import CrossEncoder

    model = CrossEncoder(str(model_in(folder)), device="cpu", local_files_only=True)
    found = model.predict([(p.evidence, p.sentence) for p in pairs], show_progress_bar=False)
    return figures(np.asarray(found, dtype=np.float64), np.array([p.label >= 0.5 for p in pairs]))


def test_a_training_leaves_a_folder_and_nothing_else(trained: Path, record: dict[str, Any]) -> None:
    assert {p.name for p in trained.parent.iterdir()} == {"model", "progress.jsonl"}
    files = {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "training.json", "README.md"}
    assert {p.name for p in trained.iterdir()} == files
    assert record["pairs"] == {"train": 24, "dev": 12}
    assert record["groups"] == {"train": 12, "dev": 6}
    assert (record["train"], record["dev"]) == (digest(TRAIN), digest(DEV))
    assert record["options"]["rate"] == 1e-3
    assert record["base"]["model_type"] == "bert"
    assert (record["steps"], record["stopped_early"], record["precision"]) == (18, False, "fp32")
    assert record["seconds"] > 0


def test_it_learns_what_can_be_learned(trained: Path, base: Path, record: dict[str, Any]) -> None:
    assert record["dev_after"]["macro_f1"] > record["dev_before"]["macro_f1"] + 0.3
    assert on_pairs(base, DEV).items() <= record["dev_before"].items()
    assert on_pairs(trained, DEV).items() <= record["dev_after"].items()


def test_the_same_seed_gives_the_same_weights_and_another_seed_others(base: Path, tmp_path: Path) -> None:
    for name, seed in (("one", 0), ("same", 0), ("other", 1)):
        finetune(TRAIN, DEV, base, tmp_path / name, replace(QUICK, epochs=1, seed=seed))
    assert same(tmp_path / "one", tmp_path / "same")
    assert not same(tmp_path / "one", tmp_path / "other")


def test_dev_picks_the_best_checkpoint(base: Path, tmp_path: Path) -> None:
    # So fast that what it learned is lost again.
    found = finetune(TRAIN, DEV, base, tmp_path / "m", replace(QUICK, rate=0.5, epochs=4, evaluations=3, patience=9))
    f1 = [f1 for _, f1, _ in found["evaluations"]]
    assert f1[-1] < max(f1) == found["dev_after"]["macro_f1"]
    assert on_pairs(tmp_path / "m", DEV).items() <= found["dev_after"].items()


def test_it_stops_when_dev_no_longer_gains(base: Path, tmp_path: Path) -> None:
    found = finetune(TRAIN, DEV, base, tmp_path / "m", replace(QUICK, epochs=50, patience=2))
    f1 = [f1 for _, f1, _ in found["evaluations"]]
    assert found["stopped_early"]
    assert found["steps"] == found["evaluations"][-1][0] < 150
    assert f1.index(max(f1)) == len(f1) - 3


def test_frozen_embeddings_stay_as_they_are_and_bf16_is_used_where_the_hardware_has_it(base: Path, tmp_path: Path) -> None:
    import torch

    found = finetune(TRAIN, DEV, base, tmp_path / "m", replace(QUICK, frozen_embeddings=True, bf16=True))
    assert found["precision"] == ("bf16" if in_hardware() else "fp32")
    before, after = weights(base), weights(tmp_path / "m")
    assert {v.dtype for v in after.values()} == {torch.float32}
    moved = {name for name in after if (before[name] != after[name]).any()}
    assert "bert.embeddings.word_embeddings.weight" not in moved
    assert "classifier.weight" in moved
    assert "bert.encoder.layer.0.attention.self.query.weight" in moved


def test_fewer_steps_than_an_evaluation_takes_are_evaluated_at_their_end(base: Path, tmp_path: Path) -> None:
    found = finetune(TRAIN, DEV, base, tmp_path / "m", replace(QUICK, epochs=0.4, evaluations=1))
    assert [step for step, *_ in found["evaluations"]] == [found["steps"]] == [2]
    assert not found["stopped_early"]


def test_who_watches_hears_steps_losses_and_dev(base: Path, tmp_path: Path) -> None:
    heard: list[TrainingProgress] = []
    kept: list[list[TrainingProgress]] = []

    def watch(progress: TrainingProgress) -> None:
        heard.append(progress)
        kept.append(reports(tmp_path / "m"))

    found = finetune(TRAIN, DEV, base, tmp_path / "m", QUICK, watch=watch)
    assert {p.steps for p in heard} == {6}
    assert [p.step for p in heard] == sorted(p.step for p in heard)
    assert [p.seconds for p in heard] == sorted(p.seconds for p in heard)
    assert [[p.step, p.dev_f1, p.dev_auroc] for p in heard if p.dev_f1 is not None] == found["evaluations"]
    assert [[p.step, p.loss] for p in heard if p.loss is not None] == found["losses"]
    # Another process sees each report when it is made.
    assert kept == [heard[: i + 1] for i in range(len(heard))]


def test_texts_that_no_tokenizer_takes_are_trained_on_and_long_ones_are_cut(base: Path, tmp_path: Path) -> None:
    odd = [p._replace(sentence=f"{p.sentence} \ud800\x00", evidence="\udcff the court" * 300) for p in TRAIN]
    assert finetune(odd, DEV, base, tmp_path / "m", replace(QUICK, epochs=1, longest=128))["steps"] == 3
    assert '"model_max_length": 128' in (tmp_path / "m" / "model" / "tokenizer_config.json").read_text("utf-8")


def test_an_output_for_other_labels_is_replaced(tmp_path: Path) -> None:
    base = tiny.bert_cross_encoder(tmp_path / "three", labels=3)
    found = finetune(TRAIN, DEV, base, tmp_path / "m", replace(QUICK, epochs=1))
    assert weights(tmp_path / "m")["classifier.weight"].shape == (1, 32)
    assert on_pairs(tmp_path / "m", DEV).items() <= found["dev_after"].items()


def test_a_model_appears_as_a_whole_and_never_over_another(trained: Path, tmp_path: Path) -> None:
    place, folder = Path(shutil.copytree(trained.parent, tmp_path / "job")), tmp_path / "models" / "m"
    # What a kill left.
    folder.with_name("m.new").mkdir(parents=True)
    publish(place, folder)
    assert [p.name for p in tmp_path.rglob("*") if p.is_dir()] == ["models", "m"]
    assert same(folder, trained)
    shutil.copytree(trained.parent, place)
    with pytest.raises(DataError, match="There is a folder m already; choose another name or discard the old model"):
        publish(place, folder)
    assert same(folder, trained)
    assert place.exists()


def test_discarding_removes_models_and_nothing_else(trained: Path, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    shutil.copytree(trained, folder)
    discard(folder)
    discard(folder)
    assert list(tmp_path.iterdir()) == []
    # A slip of the pen must not cost a folder of documents.
    folder.mkdir()
    (folder / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(DataError, match="The folder m holds no model that was fine-tuned here, so it is not removed"):
        discard(folder)
    assert (folder / "thesis.txt").exists()


def test_figures_are_added_to_record_and_card(trained: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(trained, tmp_path / "m"))
    row = {"method": "a|b", "macro_f1": 0.71828, "threshold": 0.5, "auroc": 0.8, "brier": 0.2, "seconds": 0.25}
    add_to_record(folder, responses={**row, "responses": 1234, "beside": [row]})
    assert record(folder)["responses"]["responses"] == 1234
    assert record(folder)["dev_after"] == record(trained)["dev_after"]
    card = (folder / "README.md").read_text("utf-8")
    assert "1,234 whole responses of dev" in card
    assert "| a/b | 0.718 | 0.500 | 0.800 | 0.250 |" in card
    assert sorted(p.name for p in folder.iterdir()) == sorted(p.name for p in trained.iterdir())


@pytest.mark.parametrize("text", [None, "{", "[1]", "\ud800", "[" * 100_000])
def test_a_record_that_says_nothing_is_empty(text: str | None, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "training.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    assert record(tmp_path) == {}


def test_reports_that_are_half_written_are_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    folder.mkdir()
    lines = ['{"step": 1, "steps": 9, "seconds": 0.5, "loss": 0.7}', '{"step": 2, "steps"', "[]", '{"other": 1}', "null"]
    (folder / "progress.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert reports(tmp_path / "m") == [TrainingProgress(1, 9, 0.5, loss=0.7)]


@pytest.mark.parametrize(
    "values",
    [
        {"epochs": float("nan")},
        {"epochs": 2_000},
        {"rate": 0},
        {"rate": 1},
        {"batch": 0},
        {"patience": 0},
        {"evaluations": 0},
        {"longest": 15},
    ],
)
def test_options_that_mean_nothing_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=" must "):
        Options(**values)


def order(seed: int, epoch: int = 0) -> list[list[int]]:
    from datasets import Dataset

    rows = Dataset.from_dict({"evidence": ["x" * (7 * i % 500) for i in range(1000)], "sentence": ["y"] * 1000})
    sampler = by_length(rows, batch_size=8, drop_last=False, seed=seed)
    sampler.set_epoch(epoch)
    return list(sampler)


def test_every_pair_comes_once_an_epoch_beside_others_of_its_length() -> None:
    batches = order(1)
    assert sorted(i for b in batches for i in b) == list(range(1000))
    spread = [max(7 * i % 500 for i in b) - min(7 * i % 500 for i in b) for b in batches]
    assert np.mean(spread) < 20
    assert spread != sorted(spread)


def test_the_order_hangs_on_seed_and_epoch_alone() -> None:
    assert order(1) == order(1)
    assert order(1) != order(2)
    assert order(1) != order(1, epoch=1)
