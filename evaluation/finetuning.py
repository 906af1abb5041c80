"""Fine-tuning a cross-encoder on (evidence, sentence) pairs, as in Trautmann et al. 2024, section 5.4.

The loss is binary cross-entropy on one logit with labels from 0 to 1, by sentence-transformers' CrossEncoderTrainer. The model
that was best on dev is kept. A folder appears whole or not at all: until the end everything lies in `NAME.partial`, where a
training that was stopped or killed goes on.

Departs from the paper: it names neither learning rate, nor epochs, nor batch size; those of `Options` are this project's.
"""

import json
import math
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evaluation._training_folder import PROGRESS, alone, begin_or_go_on, is_partial, reached, writable
from evaluation.errors import DataError, ScorerUnavailable
from evaluation.own_models import name_of
from evaluation.training_data import digest
from evaluation.training_pairs import Pair

RECORD = "training.json"
"""Beside the weights: what the model was made from and what it reached on dev."""
ENCODERS = ("bert", "deberta-v2", "roberta", "xlm-roberta", "electra", "mpnet", "distilbert", "modernbert")
"""Architectures (`model_type` of config.json) that can be fine-tuned and loaded as grounding classifiers."""
COUNTED_AFTER_PADDING = ("roberta", "xlm-roberta", "mpnet")
"""The first token has the position after the padding's number, so that the last positions are never reached."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to train. The paper states none of these.

    Attributes:
        epochs: passes over the pairs, at most: early stopping may end sooner.
        batch: pairs a step.
        rate: highest learning rate; reached after a tenth of the steps, then falling linearly to 0.
        longest: tokens of evidence and sentence together; what is longer is cut, the evidence first.
        patience: evaluations on dev without a gain before it stops.
        evaluations: how often an epoch the model is evaluated on dev and kept.
        frozen_embeddings: leave the word embeddings as they are; faster, and enough for small sets.
        seed: of the order of pairs, dropout and the new output layer.
        bf16: compute in bf16 where the processor or the GPU does so in hardware; weights stay fp32 while training.
        bf16_weights: the weights too are bf16, beside an fp32 copy that is trained: faster on processors, and what is saved is
            half the size. Counts only where bf16 does.
        dropout: of every dropout layer while training; None leaves what the base says.
        words: weight of a second loss that finds the words that are not supported, where pairs tell them; 0 leaves it out.
    """

    epochs: float = 3.0
    batch: int = 16
    rate: float = 2e-5
    longest: int = 256
    patience: int = 3
    evaluations: int = 2
    frozen_embeddings: bool = False
    seed: int = 0
    bf16: bool = True
    bf16_weights: bool = False
    dropout: float | None = None
    words: float = 0.0

    def __post_init__(self) -> None:
        """Refuse impossible values."""
        if not (0 < self.epochs <= 1000 and 0 < self.rate < 1):
            raise ValueError("epochs must lie above 0 and up to 1000, and the rate between 0 and 1")
        if min(self.batch, self.patience, self.evaluations) < 1 or self.longest < 16:
            raise ValueError("batch, patience and evaluations must be at least 1, and longest at least 16 tokens")
        if self.dropout is not None and not 0 <= self.dropout < 1:
            raise ValueError("dropout must lie from 0 to below 1")
        if not 0 <= self.words < math.inf:
            raise ValueError("the weight of words must be a number of at least 0")


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a training is.

    Attributes:
        step: finished steps.
        steps: of how many.
        seconds: since this process began to train.
        loss: mean since the last report; None in reports of an evaluation.
        dev_f1: macro-F1 on dev at its best threshold; None between evaluations.
        dev_auroc: on dev; None between evaluations.
    """

    step: int
    steps: int
    seconds: float
    loss: float | None = None
    dev_f1: float | None = None
    dev_auroc: float | None = None


Watch = Callable[[Progress], None]
"""Called about every second and after each evaluation; may raise Cancelled."""


def finetune(
    train: Sequence[Pair],
    dev: Sequence[Pair],
    base: Path,
    folder: Path,
    options: Options,
    *,
    about: Mapping[str, Any] | None = None,
    watch: Watch = lambda _: None,
    anew: bool = False,
) -> dict[str, Any]:
    """Train, and write a folder that `grounding_classifier` loads. A training of the same pairs and options goes on.

    Args:
        train: what to learn from.
        dev: when to stop, and the threshold.
        base: the folder of an encoder, with or without a classifier's output.
        folder: where the model goes; must not exist.
        options: how.
        about: what the card shall say of base, data and recipe.
        watch: progress.
        anew: when all else is in order, remove what lies under this name first.

    Returns:
        What `training.json` says.

    Raises:
        DataError: the pairs cannot be learned from, or the folder is taken or cannot be written.
        ScorerUnavailable: the base is not an encoder with enough positions, or its weights cannot be read.
        Cancelled: raised by `watch`; what was reached is kept for the next time.
    """
    from evaluation import _finetuning_trainer as trainer
    from evaluation.finetuning_card import card

    _check_pairs(train, dev)
    check_base(base, options.longest)
    if anew:
        discard(folder)
    _check_free(folder)
    partial = partial_folder(folder)
    made = {"train": digest(train), "dev": digest(dev), "base": _configuration(base), "about": dict(about or {})}
    plan = {"options": asdict(options), **made}
    with writable(partial), alone(partial):
        # A process that was ahead may have finished meanwhile.
        _check_free(folder)
        begin_or_go_on(partial, plan)
        started = time.perf_counter()
        watcher = _Recorder(partial, watch)
        try:
            found = trainer.train(train, dev, base, partial, options, watcher)
        except BaseException:
            if not reached(partial):
                shutil.rmtree(partial, ignore_errors=True)
            raise
        record = {
            **plan,
            "pairs": {"train": len(train), "dev": len(dev)},
            "groups": {"train": len({p.group for p in train}), "dev": len({p.group for p in dev})},
            **found,
            "seconds": round(watcher.before + time.perf_counter() - started, 1),
        }
        model = partial / "model"
        (model / RECORD).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        (model / "README.md").write_text(card(name_of(folder), record), encoding="utf-8")
        model.rename(folder)
        shutil.rmtree(partial, ignore_errors=True)
    return record


def partial_folder(folder: Path) -> Path:
    """Where a training lies until it is finished."""
    return folder.with_name(folder.name + ".partial")


def discard(folder: Path) -> None:
    """Remove a model and what is left of an unfinished training of it.

    Raises:
        DataError: the folder holds something else, or is being trained, or cannot be removed.
    """
    partial = partial_folder(folder)
    if folder.exists() and not (folder / RECORD).is_file():
        raise DataError(f"The folder {folder.name} holds no model that was fine-tuned here, so it is not removed.")
    if is_partial(partial):
        with writable(partial), alone(partial):
            shutil.rmtree(partial)
    if folder.exists():
        with writable(folder):
            shutil.rmtree(folder)


def reports(folder: Path) -> list[Progress]:
    """What a training under way, or stopped, has reported so far; a line that is still being written is left out."""
    try:
        lines = (partial_folder(folder) / PROGRESS).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            found.append(Progress(**json.loads(line)))
        except (ValueError, TypeError):
            continue
    return found


def add_to_record(folder: Path, **more: Any) -> None:
    """Add figures to what is known of a model, and to its card.

    Raises:
        DataError: they cannot be written.
    """
    from evaluation.finetuning_card import card

    found = {**record(folder), **more}
    with writable(folder):
        for name, text in ((RECORD, json.dumps(found, indent=1) + "\n"), ("README.md", card(name_of(folder), found))):
            new = folder / f"{name}.new"
            new.write_text(text, encoding="utf-8")
            new.replace(folder / name)


def record(folder: Path) -> dict[str, Any]:
    """What is known of a fine-tuned model's making; empty for folders from elsewhere."""
    try:
        found = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def check_base(base: Path, longest: int) -> None:
    """Refuse what cannot be fine-tuned.

    Raises:
        ScorerUnavailable: no config.json, not an encoder, code of its own, or fewer positions than `longest`.
    """
    config = _configuration(base)
    kind = config.get("model_type")
    if "auto_map" in config:
        raise ScorerUnavailable("The base asks to run code from its own folder (auto_map), which is refused; choose another.")
    if kind not in ENCODERS or config.get("is_decoder"):
        shown = "".join(c for c in str(kind) if c.isalnum() or c in "-_.")[:40]
        raise ScorerUnavailable(f"The base is of type {shown}, not an encoder ({', '.join(ENCODERS)}); choose one of those.")
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int) and kind in COUNTED_AFTER_PADDING:
        padding = config.get("pad_token_id")
        positions -= (padding if isinstance(padding, int) else 1) + 1
    if isinstance(positions, int) and longest > positions:
        raise ScorerUnavailable(f"The base reads {positions} tokens at most, not {longest}; lower the longest input.")


def _configuration(base: Path) -> dict[str, Any]:
    try:
        found = json.loads((base / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ScorerUnavailable("The base has no readable config.json; give the folder that holds an encoder's weights.")
    return found


def _check_pairs(train: Sequence[Pair], dev: Sequence[Pair]) -> None:
    for name, found in (("train", train), ("dev", dev)):
        if len({p.label >= 0.5 for p in found}) < 2:
            raise DataError(
                f"The {name} pairs need supported and unsupported sentences; {len(found):,} pairs of one kind are there."
            )
    if shared := {p.group for p in train} & {p.group for p in dev}:
        raise DataError(f"{len(shared):,} queries stand in train and in dev; keep each in one, or dev says nothing.")


def _check_free(folder: Path) -> None:
    try:
        taken = folder.exists()
    except OSError:
        taken = False  # what is wrong with the path is told when it is made
    if taken:
        raise DataError(f"There is a folder {folder.name} already; choose another name or discard the old model.")


class _Recorder:
    """Passes progress on, and writes it down for pages that watch from another process."""

    def __init__(self, partial: Path, watch: Watch) -> None:
        self._file = partial / PROGRESS
        self._watch = watch
        earlier = reports(partial.with_name(partial.name.removesuffix(".partial")))
        self.before = earlier[-1].seconds if earlier else 0.0

    def __call__(self, progress: Progress) -> None:
        shown = {**asdict(progress), "seconds": round(self.before + progress.seconds, 2)}
        with self._file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(shown) + "\n")
        self._watch(Progress(**shown))
