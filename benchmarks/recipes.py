"""What each part of a fine-tuning recipe gains: one training after another on the sample set, from the same base and seed.

    python -m benchmarks.recipes [--pairs FILE ...]

Every recipe is the one before it and one part more; its model is read on the responses of dev, which steered it and set the
threshold, and of test, which nothing saw. `--pairs` adds files of labelled pairs, as `finetune --pairs` reads them.
"""

import argparse
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import scorers
from benchmarks.grounding import Rows, measure, sets
from benchmarks.machine import describe
from commands.terminal import say
from evaluation.dataset import read
from evaluation.finetuning import Options, finetune
from evaluation.own_models import folder_of
from evaluation.training_data import labelled_pairs, parts
from evaluation.training_pairs import Embed, Recipe, pairs
from models.data import FOLDER

OPTIONS = Options(frozen_embeddings=True)
RECIPES = {
    "paper": Recipe(),
    "smoothed labels": Recipe(labels="smoothed"),
    "four sentences of evidence": Recipe(labels="smoothed", evidence=4),
    "all labelled sentences": Recipe(labels="smoothed", evidence=4, scope="all"),
    "legal edits": Recipe(labels="smoothed", evidence=4, scope="all", edits=4),
}


def main(files: Sequence[Path]) -> Iterator[str]:
    """Lines of a Markdown table, one a recipe, and `cos_sim` at the end."""
    rows = next(sets([]))
    found = parts(read("legal_qa.jsonl", (FOLDER / "legal_qa.jsonl").read_bytes()).cases)
    embed: Embed = scorers.load("cos_sim:minilm").embed  # type: ignore[attr-defined]
    yield "| recipe | pairs | dev AUROC | dev macro-F1 | test AUROC | test macro-F1 |"
    yield "|---" * 6 + "|"
    base = scorers.base("minilm")
    own = {name: (pairs(found.train, r, embed), pairs(found.dev, r, embed), r.evidence) for name, r in RECIPES.items()}
    if files:
        more = [p for f in files for p in labelled_pairs(f.name, f.read_bytes())["train"]]
        train, dev, evidence = own["legal edits"]
        own["labelled pairs"] = ([*train, *more], dev, evidence)
    for i, (name, (train, dev, evidence)) in enumerate(own.items()):
        model = f"recipe-{i}"
        finetune(train, dev, base, folder_of(model), OPTIONS, about={"evidence": evidence})
        yield _line(name, len(train), f"grounding_classifier:{model}", rows)
    yield _line("no training: cos_sim:minilm", 0, "cos_sim:minilm", rows)


def _line(name: str, count: int, method: str, rows: Rows) -> str:
    scorer = scorers.load(method)
    on_test, _, threshold = measure(scorer, rows, 0.5)
    on_dev, _, _ = measure(scorer, Rows(rows.name, (), rows.dev), threshold)
    cells = (on_dev["auroc"], on_dev["macro_f1"], on_test["auroc"], on_test["macro_f1"])
    return f"| {name} | {count:,} | " + " | ".join(f"{c:.3f}" for c in cells) + " |"


if __name__ == "__main__":
    words = argparse.ArgumentParser("python -m benchmarks.recipes", description=(__doc__ or "").partition("\n")[0])
    words.add_argument("--pairs", nargs="*", type=Path, default=[], help="files of labelled pairs, learned from at the end")
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GROUNDSCOPE_DATA"] = folder
        say(describe())
        for line in main(given.pairs):
            say(line)
