"""Put a trained classifier, or an adapter, where the app finds it: `python -m models.ship FOLDER`.

Copies what loading needs, its record and its card to `models/grounding-minilm/` or `models/grounding-smollm2/`; tunes the
threshold of whole responses on the dev part of the sample set, beside the offline methods, and writes it into both; and writes
down the hash of the weights. What was there before goes when the new one is whole. The same folder gives the same files on the
same machine, but for the seconds.
"""

import argparse
import hashlib
import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from groundscope.cases.dataset import read
from groundscope.commands.terminal import DONE, REFUSED, say, show
from groundscope.errors import DataError, GroundscopeError
from groundscope.methods import registry
from groundscope.methods.defaults import CLASSIFIER, EMBEDDER
from groundscope.training.data import parts
from groundscope.training.finetuning import RECORD, add_to_record, record
from groundscope.training.gain import on_responses
from groundscope.types import Case
from models.data import FOLDER as SAMPLES
from scorers._weights.files import WeightFiles, trying
from scorers._weights.grounding import SHIPPED, SMOLLM2, USERS

MODELS = Path(__file__).parent
"""Where the app looks, a folder each."""
CARD = "README.md"


@dataclass(frozen=True)
class Shipment:
    """What can ship.

    Attributes:
        tried: stands in for them while the folder is not in its place yet.
    """

    method: str
    weights: WeightFiles
    tried: WeightFiles
    file: str

    @property
    def needed(self) -> tuple[str, ...]:
        """The files that a folder has to hold."""
        return (self.weights.marker, self.file, "tokenizer.json", "tokenizer_config.json", RECORD, CARD)


MINILM = Shipment(CLASSIFIER, SHIPPED, USERS, "model.safetensors")
ADAPTER = Shipment(f"{CLASSIFIER}:smollm2", SMOLLM2, replace(SMOLLM2, shipped=""), "adapter_model.safetensors")
ALSO = ("special_tokens_map.json", "vocab.txt")
"""Taken along where they are there: some tokenizers are read from them."""
MEGABYTES = 50
"""The whole folder, at most."""
MODE = 0o644


def kind_of(folder: Path) -> Shipment:
    """What a folder holds: an adapter, or else a whole classifier."""
    return ADAPTER if (folder / ADAPTER.weights.marker).is_file() else MINILM


def ship(folder: Path, out: Path, dev: Sequence[Case], card: Path | None = None) -> dict[str, object]:
    """Copy a trained folder and tune its threshold.

    Raises:
        DataError: files are missing, they are too large, or the responses cannot be judged by it.
    """
    kind = kind_of(folder)
    _check(folder, kind)
    # By its own name, which the card has, in a folder beside the final one.
    partial = out.with_name(f"{out.name}.partial")
    staged = partial / out.name
    shutil.rmtree(partial, ignore_errors=True)
    try:
        staged.mkdir(parents=True)
        for name in (*kind.needed, *ALSO):
            with suppress(FileNotFoundError):
                shutil.copyfile(folder / name, staged / name)
        beside = _beside(staged, kind, dev)
        with (staged / kind.file).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        told = {**beside[0], "responses": len(dev), "beside": beside}
        add_to_record(staged, responses=told, sha256=digest)
        if card:
            shutil.copyfile(card, staged / CARD)
        for path in staged.iterdir():
            path.chmod(MODE)
        shutil.rmtree(out, ignore_errors=True)
        staged.rename(out)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return told


def _check(folder: Path, kind: Shipment) -> None:
    if lacking := [name for name in kind.needed if not (folder / name).is_file()]:
        raise DataError(f"The folder {folder.name} has no {', '.join(lacking)}; give one that a finished training left.")
    size = sum((folder / name).stat().st_size for name in (*kind.needed, *ALSO) if (folder / name).is_file())
    if size > MEGABYTES * 1_000_000:
        raise DataError(
            f"The folder {folder.name} holds {size / 1e6:.0f} MB, and {MEGABYTES} MB is the most that ships; train it with "
            "bf16 weights or from a smaller base."
        )
    if not record(folder):
        raise DataError(
            f"The {RECORD} of {folder.name} cannot be read, so it is not known what it was made from; train it again."
        )


def _beside(folder: Path, kind: Shipment, dev: Sequence[Case]) -> list[dict[str, object]]:
    """Figures on responses of the model in a folder, and of the offline methods after it."""
    with trying(kind.tried.name, folder):
        own = on_responses(kind.method, registry.load(CLASSIFIER, weights=kind.tried), dev)
    return [own, *(on_responses(m, registry.load(m), dev) for m in (EMBEDDER, "quip", "overlap"))]


def main(given: argparse.Namespace) -> int:
    """Ship a folder and say what came of it."""
    name = "legal_qa.jsonl"
    dev = parts(read(name, (SAMPLES / name).read_bytes()).cases).dev
    folder = given.folder.resolve()
    out = MODELS / kind_of(folder).weights.shipped
    try:
        tuned = ship(folder, out, dev, given.card)
    except (GroundscopeError, OSError) as error:
        say(f"Nothing was shipped. {error}")
        return REFUSED
    say(f"dev, {len(dev):,} responses: macro-F1 {tuned['macro_f1']:.3f} at {tuned['threshold']:.3f}, AUROC {tuned['auroc']:.3f}.")
    show(os.path.relpath(out))
    return DONE


if __name__ == "__main__":
    words = argparse.ArgumentParser("python -m models.ship", description=(__doc__ or "").partition("\n")[0])
    words.add_argument("folder", type=Path, metavar="FOLDER", help="a finished training, such as models/trained/entailment")
    words.add_argument("--card", type=Path, metavar="FILE", help="a card to put in the place of the one that the training wrote")
    sys.exit(main(words.parse_args()))
