"""Put a trained adapter where the app finds it: `python -m models.ship FOLDER`.

Copies what loading needs, its record and its card to `models/grounding-smollm2/`; tunes the threshold of whole responses on the
dev part of the sample set, beside the other offline methods, and writes it and the hash of the weights into the record. What was
there before goes when the new one is whole. The same folder gives the same files on the same machine, but for the seconds.
"""

import argparse
import hashlib
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from groundscope.cases.dataset import read
from groundscope.commands.terminal import DONE, REFUSED, say, show
from groundscope.errors import DataError, GroundscopeError
from groundscope.methods import registry
from groundscope.methods.defaults import CLASSIFIER, EMBEDDER
from groundscope.models.weights.files import trying
from groundscope.models.weights.grounding import RECORD, SMOLLM2, record
from groundscope.training.finetuning import add_to_record
from groundscope.training.pair_figures import on_responses
from groundscope.training.pairs import parts
from groundscope.types import Case
from models.data import MODELS, SAMPLES

CARD, WEIGHTS = "README.md", "adapter_model.safetensors"
NEEDED = (SMOLLM2.marker, WEIGHTS, "tokenizer.json", "tokenizer_config.json", RECORD, CARD)
MEGABYTES = 20
"""The whole folder, at most."""
MODE = 0o644


def ship(folder: Path, out: Path, dev: Sequence[Case], card: Path | None = None) -> dict[str, object]:
    """Copy a trained folder and tune its threshold.

    Raises:
        DataError: files are missing, they are too large, or the responses cannot be judged by it.
    """
    _check(folder, card)
    # By its own name, which the card has, in a folder beside the final one.
    partial = out.with_name(f"{out.name}.partial")
    staged = partial / out.name
    shutil.rmtree(partial, ignore_errors=True)
    try:
        staged.mkdir(parents=True)
        for name in NEEDED:
            shutil.copyfile(card if card and name == CARD else folder / name, staged / name)
        beside = _beside(staged, dev)
        with (staged / WEIGHTS).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        figures = {**beside[0], "responses": len(dev), "beside": beside}
        add_to_record(staged, responses=figures, sha256=digest)
        if card:
            shutil.copyfile(card, staged / CARD)
        for path in staged.iterdir():
            path.chmod(MODE)
        shutil.rmtree(out, ignore_errors=True)
        staged.rename(out)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return figures


def _check(folder: Path, card: Path | None) -> None:
    needed = [name for name in NEEDED if not (card and name == CARD)]
    if lacking := [name for name in needed if not (folder / name).is_file()]:
        raise DataError(f"The folder {folder.name} has no {', '.join(lacking)}; give one that a finished training left.")
    size = sum((folder / name).stat().st_size for name in needed)
    if size > MEGABYTES * 1_000_000:
        raise DataError(f"The folder {folder.name} holds {size / 1e6:.0f} MB, and {MEGABYTES} MB is the most that ships.")
    if not record(folder):
        raise DataError(f"The {RECORD} of {folder.name} cannot be read, so its origin is not known; train it.")


def _beside(folder: Path, dev: Sequence[Case]) -> list[dict[str, object]]:
    """Figures on responses of the adapter in a folder, and of the other offline methods after it."""
    elsewhere = replace(SMOLLM2, shipped="")
    with trying(elsewhere.name, folder):
        adapter = on_responses(CLASSIFIER, registry.load(CLASSIFIER, weights=elsewhere), dev)
    return [adapter, *(on_responses(m, registry.load(m), dev) for m in (EMBEDDER, "quip", "overlap"))]


def main(arguments: argparse.Namespace) -> int:
    """Ship a folder and say what came of it."""
    name = "legal_qa.jsonl"
    dev = parts(read(name, (SAMPLES / name).read_bytes()).cases).dev
    out = MODELS / SMOLLM2.shipped
    try:
        tuned = ship(arguments.folder.resolve(), out, dev, arguments.card)
    except (GroundscopeError, OSError) as error:
        say(f"Nothing was shipped. {error}")
        return REFUSED
    say(f"dev, {len(dev):,} responses: macro-F1 {tuned['macro_f1']:.3f} at {tuned['threshold']:.3f}, AUROC {tuned['auroc']:.3f}.")
    show(os.path.relpath(out))
    return DONE


if __name__ == "__main__":
    words = argparse.ArgumentParser("python -m models.ship", description=(__doc__ or "").partition("\n")[0])
    words.add_argument("folder", type=Path, metavar="FOLDER", help="a finished training, such as models/trained/smollm2/legal")
    words.add_argument("--card", type=Path, metavar="FILE", help="a card to put in the place of the one in the folder")
    sys.exit(main(words.parse_args()))
