"""Fine-tuning of a cross-encoder on (evidence, sentence) pairs, as in Trautmann et al. 2024, section 5.4, and its model card.

The loss is binary cross-entropy on one logit with labels from 0 to 1, by sentence-transformers' CrossEncoderTrainer. The model
that is best on dev is saved. Its folder appears complete or not at all: until the end everything lies in a folder of the job's,
where a stopped or killed training resumes.

A search trains every combination of some learning rates, epochs and batch sizes, and dev alone chooses, as for the paper's table
2. A finished setting is not trained again when a stopped search resumes; of the others only the figures are stored, so that disk
holds two models at most.

Departs from the paper: it names neither learning rate, nor epochs, nor batch size, nor whether it searched them; those of
`Options` and `GRID` are this project's.
"""

import errno
import json
import os
import shutil
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

from groundscope.errors import DataError, ScorerUnavailable
from groundscope.models.weights.checkpoint import COUNTED_AFTER_PADDING
from groundscope.models.weights.files import json_object
from groundscope.models.weights.grounding import ENCODERS, RECORD, record
from groundscope.paths import replace_text
from groundscope.text.humanize import markdown_cell, spell
from groundscope.training.folders import MODEL, PROGRESS, SEARCH, checkpoints, drop_half, name_of, writable
from groundscope.training.options import Options, TrainingProgress, Watch
from groundscope.training.pair_figures import PAPERS_TABLE_2, search_table, table_2
from groundscope.training.pairs import Pair, digest


def finetune(
    train: Sequence[Pair],
    dev: Sequence[Pair],
    base: Path,
    place: Path,
    options: Options,
    *,
    name: str = "model",
    about: Mapping[str, Any] | None = None,
    watch: Watch = lambda _: None,
) -> dict[str, Any]:
    """Train in a folder, and leave there `model`, which `grounding_classifier` loads; gives its record.

    A stopped training resumes there. The caller sees that pairs, base and options are the same, and that no other process trains.
    """
    from groundscope.training import _trainer as trainer

    check_pairs(train, dev)
    check_base(base, options.longest)
    model = place / MODEL
    if finished := record(model):
        return finished
    with writable(place):
        drop_half(place)
        started = time.perf_counter()
        watcher = _Recorder(place, watch)
        trained = trainer.train(train, dev, base, place, options, watcher)
        finished = {
            "options": asdict(options),
            "train": digest(train),
            "dev": digest(dev),
            "base": configuration(base),
            "about": dict(about or {}),
            "pairs": {"train": len(train), "dev": len(dev)},
            "groups": {"train": len({p.group for p in train}), "dev": len({p.group for p in dev})},
            **trained,
            "seconds": round(watcher.before + time.perf_counter() - started, 1),
        }
        describe(model, name, finished)
        shutil.rmtree(checkpoints(place), ignore_errors=True)
    return finished


def publish(place: Path, folder: Path) -> None:
    """Put a finished model into its folder, which appears as a whole, and delete the training's own."""
    check_free(folder)
    new = folder.with_name(folder.name + ".new")
    with writable(folder.parent):
        # A copy: the folder may be on another file system.
        shutil.rmtree(new, ignore_errors=True)
        shutil.copytree(place / MODEL, new)
        new.rename(folder)
        shutil.rmtree(place, ignore_errors=True)


def discard(folder: Path) -> None:
    """Delete a finished model."""
    if not folder.exists():
        return
    if not (folder / RECORD).is_file():
        raise DataError(f"The folder {folder.name} holds no model that was fine-tuned here, so it is not removed.")
    with writable(folder):
        shutil.rmtree(folder)


def reports(place: Path) -> list[TrainingProgress]:
    """Read the reports of a running or stopped training, of a search those of its last setting; half a line is left out."""
    try:
        lines = (max((place / SEARCH).glob("*"), default=place) / PROGRESS).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    progress = []
    for line in lines:
        with suppress(ValueError, TypeError):
            progress.append(TrainingProgress(**json.loads(line)))
    return progress


def add_to_record(folder: Path, **more: Any) -> None:
    """Add figures to a model's record and card."""
    with writable(folder):
        describe(folder, name_of(folder), {**record(folder), **more})


def describe(folder: Path, name: str, record: Mapping[str, Any]) -> None:
    """Write card and record, which says that the model is whole; readers never see half of one."""
    for file, text in (("README.md", card(name, record)), (RECORD, json.dumps(record, indent=1) + "\n")):
        replace_text(folder / file, text)


def check_base(base: Path, longest: int) -> None:
    """Refuse a base that cannot be fine-tuned."""
    config = configuration(base)
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


def configuration(base: Path) -> dict[str, Any]:
    """Read what a base says of its architecture."""
    config = json_object(base / "config.json")
    if config is None:
        raise ScorerUnavailable("The base has no readable config.json; give the folder that holds an encoder's weights.")
    return config


def check_pairs(train: Sequence[Pair], dev: Sequence[Pair]) -> None:
    """Refuse pairs that teach or measure nothing."""
    for name, members in (("train", train), ("dev", dev)):
        if len({p.side for p in members}) < 2:
            raise DataError(
                f"The {name} pairs need supported and unsupported sentences; {len(members):,} pairs of one kind are there."
            )
    if shared := {p.group for p in train} & {p.group for p in dev}:
        raise DataError(
            f"{len(shared):,} queries are in train and in dev; put each in one of them only, or dev measures nothing."
        )


def check_free(folder: Path) -> None:
    """Refuse a folder that exists already, or that cannot be made when the model is there."""
    with writable(folder.parent):
        if folder.exists():
            raise DataError(f"There is a folder {folder.name} already; choose another name or discard the old model.")
        if not os.access(folder.parent, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


class _Recorder:
    """Passes progress on, and writes it down for pages that watch from another process."""

    def __init__(self, place: Path, watch: Watch) -> None:
        self._file, self._watch = place / PROGRESS, watch
        earlier = reports(place)
        self.before = earlier[-1].seconds if earlier else 0.0

    def __call__(self, progress: TrainingProgress) -> None:
        shown = {**asdict(progress), "seconds": round(self.before + progress.seconds, 2)}
        with self._file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(shown) + "\n")
        self._watch(TrainingProgress(**shown))


_TEXT = """# {name}

A grounding classifier: for evidence (one or more sentences) and a sentence it gives one logit, whose sigmoid is the support,
0 to 1. A cross-encoder fine-tuned with Groundscope; `grounding_classifier` loads this folder.

## On dev

{dev:,} pairs of {dev_groups:,} queries. They chose when the training stopped and the threshold, so they flatter it: judge a
model by data that neither was tuned on.

| | macro-F1 at its best threshold | threshold | AUROC | Brier |
|---|---|---|---|---|
{figures}
{at_half}{responses}
## Made from

{made}

## Training

| | |
|---|---|
{training}

Evaluations on dev (step, macro-F1, AUROC): {evaluations}.

## Limits

It learned from {train:,} pairs of {train_groups:,} queries. How it judges other kinds of text is not known from the figures
above. The licence of the weights follows from the base and from the data: see above, and ask their authors.
"""


def card(name: str, record: Mapping[str, Any]) -> str:
    """Write the model card of this name from a record, as `groundscope.training.finetuning.finetune` returns it, in Markdown."""
    return _TEXT.format(
        name=markdown_cell(name),
        dev=record["pairs"]["dev"],
        dev_groups=record["groups"]["dev"],
        train=record["pairs"]["train"],
        train_groups=record["groups"]["train"],
        figures="\n".join(_figures(words, record[key]) for words, key in _ROWS if key in record),
        at_half=_at_half(record),
        responses=_responses(record.get("responses")),
        made="\n".join(f"- {markdown_cell(key)}: {markdown_cell(value)}" for key, value in _made(record)),
        training="\n".join(f"| {key} | {markdown_cell(value)} |" for key, value in _training(record)),
        evaluations="; ".join(f"{step}, {f1:.3f}, {auroc:.3f}" for step, f1, auroc in record["evaluations"]) or "none",
    )


_ROWS = (("Before the training", "dev_before"), ("After it", "dev_after"))


def _figures(words: str, measured: Mapping[str, float]) -> str:
    values = " | ".join(f"{measured[name]:.3f}" for name in ("macro_f1", "threshold", "auroc", "brier"))
    return f"| {words} | {values} |"


def _at_half(record: Mapping[str, Any]) -> str:
    """The columns of the paper's table 2; records of earlier versions have none."""
    measured = {words: record[key] for words, key in _ROWS if "precision" in record.get(key, {})}
    if not measured:
        return ""
    rows = measured | {f"The paper's {base}, on its own pairs": found for base, found in PAPERS_TABLE_2.items()}
    searched, tried = record.get("search"), ""
    if searched:
        tried = (
            f"\nSettings tried, of which dev chose one by its F1; the more, the more it flatters it:\n\n{search_table(searched)}"
        )
    return (
        "\nCalled supported from one half on, as in table 2 of Trautmann et al. 2024; means of both classes:\n\n"
        f"{table_2(rows)}{tried}"
    )


def _responses(judged: Mapping[str, Any] | None) -> str:
    if not judged:
        return ""
    rows = "".join(
        f"| {markdown_cell(r['method'])} | {r['macro_f1']:.3f} | {r['threshold']:.3f} | {r['auroc']:.3f} | {r['seconds']:.3f} |\n"
        for r in judged["beside"]
    )
    return (
        f"\n{judged['responses']:,} whole responses of dev, each method at the threshold that is best there:\n\n"
        f"| method | macro-F1 | threshold | AUROC | seconds a response |\n|---|---|---|---|---|\n{rows}"
    )


def _made(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    about = [(str(key), str(value)) for key, value in record["about"].items()]
    config = record["base"]
    base = f"{config.get('model_type')}, {config.get('num_hidden_layers')} layers of {config.get('hidden_size')}"
    return [*about, ("Architecture", base), ("Pairs (hash)", f"train {record['train']}, dev {record['dev']}")]


def _training(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    options = record["options"]
    ended = f"{record['steps']:,}" + (", stopped early: dev no longer gained" if record["stopped_early"] else "")
    return [
        *((key.replace("_", " "), str(value)) for key, value in options.items()),
        ("steps", ended),
        ("precision", record["precision"]),
        ("time", spell(record["seconds"])),
        ("machine", "; ".join(record["machine"])),
    ]


GRID = MappingProxyType({"rate": (1e-5, 2e-5, 5e-5), "epochs": (2.0, 5.0), "batch": (8, 16)})
"""Values that are tried of each option; all combinations are trained."""


def search(
    train: Sequence[Pair],
    dev: Sequence[Pair],
    base: Path,
    place: Path,
    options: Options,
    *,
    name: str = "model",
    fixed: Collection[str] = (),
    about: Mapping[str, Any] | None = None,
    watch: Watch = lambda _: None,
    tell: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Train every setting of the grid, and leave the one with the best macro-F1 on dev as `finetune` does.

    Its record has `search`: a row a setting, with the figures of table 2 and whether it was chosen. Of equal settings the one
    with the higher AUROC counts, then the first. Options of the grid named in `fixed` stay as `options` has them; `tell` hears
    a sentence before each setting.
    """
    if finished := record(place / MODEL):
        return finished
    settings = {place / SEARCH / f"{number:02d}": s for number, s in enumerate(grid(options, fixed), 1)}
    for number, (where, setting) in enumerate(settings.items(), 1):
        if not record(where / MODEL):
            tell(f"Setting {number} of {len(settings)}: {setting_words(setting)}.")
            finetune(train, dev, base, where, setting, name=name, about=about, watch=watch)
        _drop_all_but(_best(settings), settings)
    best = _best(settings)
    rows = [{"setting": setting_words(s), **record(p / MODEL)["dev_after"], "chosen": p == best} for p, s in settings.items()]
    chosen = {**record(best / MODEL), "search": rows}
    describe(best / MODEL, name, chosen)
    (best / MODEL).rename(place / MODEL)
    return chosen


def finished_settings(place: Path) -> int:
    """Count the settings that a running or stopped search has trained."""
    return sum(bool(record(where / MODEL)) for where in (place / SEARCH).glob("*"))


def setting_words(setting: Options) -> str:
    """Name a setting by what is searched."""
    epochs = "1 epoch" if setting.epochs == 1 else f"{setting.epochs:g} epochs"
    return f"learning rate {setting.rate:g}, {epochs}, batches of {setting.batch}"


def grid(options: Options, fixed: Collection[str]) -> list[Options]:
    """List the settings that a search tries."""
    values = {name: (getattr(options, name),) if name in fixed else tried for name, tried in GRID.items()}
    return [replace(options, **dict(zip(values, chosen, strict=True))) for chosen in product(*values.values())]


def _best(places: Collection[Path]) -> Path:
    """The finished setting that dev likes best; the first of equal ones."""
    figures = {place: trained["dev_after"] for place in places if (trained := record(place / MODEL))}
    return max(figures, key=lambda place: (figures[place]["f1"], figures[place]["auroc"]))


def _drop_all_but(best: Path, places: Collection[Path]) -> None:
    """Delete the weights of the settings that are behind; their records stay."""
    for model in (place / MODEL for place in places if place != best):
        for file in model.glob("*"):
            if file.name != RECORD:
                file.unlink()
