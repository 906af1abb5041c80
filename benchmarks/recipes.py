"""What each part of a fine-tuning recipe gains: one training after another on the sample set, from the same base and seed.

    python -m benchmarks.recipes [--only RECIPE ...]

Every recipe is the one before it and one part more; where some are named, only they are trained. A recipe's model is read on the
responses of dev, which steered it and set the threshold, and on responses and single sentences of test, which nothing saw. After
the recipes of `groundscope.training.pairs` come the legal entailment set, as `finetune --pairs` takes it, supports of a teacher,
the ensemble, as `finetune --teacher` takes them, and pairs that people labelled elsewhere (`models.public`),
where the environment names them.
"""

import argparse
import os
import tempfile
from collections.abc import Iterator, Sequence

from sklearn.metrics import roc_auc_score

from benchmarks.grounding import Rows, measure, sets
from benchmarks.machine import describe
from groundscope.cases.dataset import read
from groundscope.cases.gold import sentence_labels
from groundscope.commands.terminal import say
from groundscope.methods import registry
from groundscope.training.data import parts
from groundscope.training.finetuning import finetune
from groundscope.training.further_pairs import distilled, labelled_pairs
from groundscope.training.options import Options
from groundscope.training.own_models import folder_of
from groundscope.training.pairs import Embed, Pair, Recipe, pairs
from groundscope.types import Case, Judgement
from models import public
from models.data import EVIDENCE, FOLDER

TEACHER = "ensemble"
OPTIONS = Options(frozen_embeddings=True)
RECIPES = {
    "paper": Recipe(),
    "+ smoothed labels": Recipe(labels="smoothed"),
    "+ four sentences of evidence": Recipe(labels="smoothed", evidence=EVIDENCE),
    "+ all labelled sentences": Recipe(labels="smoothed", evidence=EVIDENCE, scope="all"),
    "+ legal edits": Recipe(labels="smoothed", evidence=EVIDENCE, scope="all", edits=4),
}
ENTAILMENT, DISTILLED, PUBLIC = "+ legal entailment set", f"+ distilled from {TEACHER}", "+ pairs labelled elsewhere"


def main(only: Sequence[str] = ()) -> Iterator[str]:
    """Lines of a Markdown table, one a recipe, and `cos_sim` at the end."""
    rows = next(sets([]))
    embed: Embed = registry.load("cos_sim:minilm").embed  # type: ignore[attr-defined]
    yield "| recipe | pairs | dev AUROC | dev macro-F1 | test AUROC | test macro-F1 | test AUROC by sentence |"
    yield "|---" * 7 + "|"
    base = registry.base("minilm")
    for i, (name, train, dev, evidence) in enumerate(_recipes(embed)):
        if only and name not in only:
            continue
        model = f"recipe-{i}"
        finetune(train, dev, base, folder_of(model), OPTIONS, about={"evidence": evidence})
        yield f"| {name} | {len(train):,} | {_cells(f'grounding_classifier:{model}', rows)} |"
    yield f"| no training: cos_sim:minilm | 0 | {_cells('cos_sim:minilm', rows)} |"


def _recipes(embed: Embed) -> Iterator[tuple[str, list[Pair], list[Pair], int]]:
    """Name, pairs to learn from, pairs to steer by, and how many sentences are evidence."""
    found = parts(read("legal_qa.jsonl", (FOLDER / "legal_qa.jsonl").read_bytes()).cases)
    train: list[Pair] = []
    for name, recipe in RECIPES.items():
        train, dev = pairs(found.train, recipe, embed), pairs(found.dev, recipe, embed)
        yield name, train, dev, recipe.evidence
    texts = FOLDER / "legal_nli.jsonl"
    train = train + labelled_pairs(texts.name, texts.read_bytes())["train"]
    yield ENTAILMENT, train, dev, EVIDENCE
    train = train + distilled(found.train, _supports(found.train), embed, EVIDENCE)
    yield DISTILLED, train, dev, EVIDENCE
    if labelled := public.pairs("train", embed, EVIDENCE).labelled:
        yield PUBLIC, train + labelled, dev, EVIDENCE


def _supports(cases: Sequence[Case]) -> dict[str, list[tuple[int, int, float]]]:
    """What the teacher says of each sentence, by case id."""
    teacher = registry.load(TEACHER)
    judged = ((case.id, teacher.score(case).sentences) for case in cases)
    return {name: [(s.start, s.end, s.support) for s in sentences if s.support is not None] for name, sentences in judged}


def _cells(method: str, rows: Rows) -> str:
    scorer = registry.load(method)
    on_test, judged, threshold = measure(scorer, rows, 0.5)
    on_dev, _, _ = measure(scorer, Rows(rows.name, (), rows.dev), threshold)
    cells = (on_dev["auroc"], on_dev["macro_f1"], on_test["auroc"], on_test["macro_f1"], _by_sentence(judged))
    return " | ".join(f"{c:.3f}" for c in cells)


def _by_sentence(judged: Sequence[tuple[Case, Judgement]]) -> float:
    """AUROC over the single sentences of all responses that say which of theirs are wrong."""
    told = [(gold, j.sentences) for case, j in judged if (gold := sentence_labels(case)) is not None]
    rows = [(bool(g), s.support) for gold, found in told for g, s in zip(gold, found, strict=True) if s.support is not None]
    return float(roc_auc_score([g for g, _ in rows], [support for _, support in rows]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser("python -m benchmarks.recipes", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="RECIPE",
        choices=[*RECIPES, ENTAILMENT, DISTILLED, PUBLIC],
        default=[],
        help="some rows of the table",
    )
    chosen = parser.parse_args().only
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GROUNDSCOPE_DATA"] = folder
        say(describe())
        for line in main(chosen):
            say(line)
