"""A search of settings: all of the grid, chosen by dev's figures, resumed after a stop; the rest is a plain training's."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from groundscope.errors import Cancelled, DataError
from groundscope.training.finetuning import GRID, _best, _drop_all_but, finetune, finished_settings, grid, search
from groundscope.training.options import Options, TrainingProgress
from tests.groundscope.training.samples import QUICK, easy
from tests.groundscope.training.test_training import same

TRAIN, DEV = easy(12, "t"), easy(6, "d")
SOME = replace(QUICK, rate=1e-3, batch=8)
FIXED = ("rate", "batch")
"""Two trainings, of 6 and 15 steps; of these pairs so few learn nothing."""
TITLES = [f"learning rate 0.001, {epochs} epochs, batches of 8" for epochs in (2, 5)]


def test_the_grid_is_every_combination_of_what_is_not_fixed() -> None:
    # Learning rates from 1e-5 to 5e-5, 2 to 5 epochs, batches of 8 to 16: the paper names none.
    assert (min(GRID["rate"]), max(GRID["rate"])) == (1e-5, 5e-5)
    assert (min(GRID["epochs"]), max(GRID["epochs"]), *GRID["batch"]) == (2, 5, 8, 16)
    settings = grid(QUICK, ())
    assert len(set(settings)) == len(settings) == 3 * 2 * 2
    assert {(s.rate, s.batch) for s in grid(replace(QUICK, rate=0.5), ("rate",))} == {(0.5, 8), (0.5, 16)}
    assert {replace(s, rate=0.1, epochs=1, batch=1) for s in settings} == {replace(QUICK, rate=0.1, epochs=1, batch=1)}


def test_the_best_on_dev_is_the_model_and_the_same_as_a_plain_training(base: Path, tmp_path: Path) -> None:
    folder, told = tmp_path / "m", list[str]()
    record = search(TRAIN, DEV, base, folder, SOME, name="m", fixed=FIXED, about={"Base": "tiny"}, tell=told.append)
    assert told == [f"Setting {i} of 2: {title}." for i, title in enumerate(TITLES, 1)]
    rows = record["search"]
    assert [row["setting"] for row in rows] == TITLES
    (chosen,) = [row for row in rows if row["chosen"]]
    assert chosen["f1"] == max(row["f1"] for row in rows) > min(row["f1"] for row in rows)
    assert record["options"]["epochs"] == 5
    assert {k: v for k, v in chosen.items() if k in record["dev_after"]} == record["dev_after"]
    assert json.loads((folder / "model" / "training.json").read_text("utf-8")) == record
    # A second call finds it.
    assert search(TRAIN, DEV, base, folder, SOME, fixed=FIXED) == record
    finetune(TRAIN, DEV, base, tmp_path / "plain", Options(**record["options"]))
    assert same(folder, tmp_path / "plain")
    card = (folder / "model" / "README.md").read_text("utf-8")
    assert card.startswith("# m\n")
    for row in rows:
        title = row["setting"] + ", chosen" * row["chosen"]
        assert f"| {title} | {row['precision']:.3f} | {row['recall']:.3f} | {row['f1']:.3f} | {row['accuracy']:.3f} |" in card


def test_a_stopped_search_trains_no_finished_setting_again(base: Path, tmp_path: Path) -> None:
    folder, told = tmp_path / "m", list[str]()

    def stop(_: TrainingProgress) -> None:
        if len(told) == 2:
            raise Cancelled

    with pytest.raises(Cancelled):
        search(TRAIN, DEV, base, folder, SOME, fixed=FIXED, tell=told.append, watch=stop)
    assert finished_settings(folder) == 1
    record = search(TRAIN, DEV, base, folder, SOME, fixed=FIXED, tell=told.append)
    assert [words.partition(":")[0] for words in told] == [f"Setting {i} of 2" for i in (1, 2, 2)]
    whole = search(TRAIN, DEV, base, tmp_path / "whole", SOME, fixed=FIXED)
    assert record["search"] == whole["search"]
    assert same(folder, tmp_path / "whole")


def test_of_settings_that_are_behind_only_the_record_stays(tmp_path: Path) -> None:
    places = [tmp_path / name for name in ("01", "02", "03", "04")]
    for place, (f1, auroc) in zip(places, [(0.6, 0.9), (0.7, 0.8), (0.7, 0.85)], strict=False):
        (place / "model").mkdir(parents=True)
        (place / "model" / "training.json").write_text(json.dumps({"dev_after": {"f1": f1, "auroc": auroc}}), encoding="utf-8")
        (place / "model" / "model.safetensors").write_bytes(b"weights")
    # Equal F1: the higher AUROC; what is not trained yet is none.
    assert _best(places) == places[2]
    _drop_all_but(places[2], places)
    assert [len(list((place / "model").iterdir())) for place in places[:3]] == [1, 1, 2]


def test_what_cannot_be_trained_leaves_nothing(base: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="pairs need supported and unsupported sentences"):
        search(TRAIN[::2], DEV, base, tmp_path / "m", SOME)
    assert list(tmp_path.iterdir()) == []
