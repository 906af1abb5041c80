"""Train the classifier that ships with the app: `make train`.

Two stages from all-MiniLM-L6-v2, both by `evaluation.finetuning`: first small edits of single sentences, which teach to compare;
then worlds, legal entailment and the sample set, which teach what a difference means. Hours on two cores, minutes on a GPU. It
can be stopped, and goes on where it was. Nothing shipped is replaced: the weights lie in `models/trained/` afterwards.
"""

import argparse
from pathlib import Path

import scorers
from evaluation.finetuning import Options, Progress, finetune
from models.data import EVIDENCE, contrasts, entailment

OUT = Path(__file__).parent / "trained"
STAGES = {
    "contrast": Options(epochs=1, batch=32, rate=1e-4, longest=160, evaluations=4, patience=9, frozen_embeddings=True, seed=0),
    "entailment": Options(epochs=3, batch=32, rate=1e-4, longest=192, evaluations=3, patience=4, frozen_embeddings=True, seed=0),
}
DEV = 2_000
"""Contrast pairs to steer stage one by."""


def main(out: Path) -> None:
    """Run both stages; a finished one is not run again."""
    embed = scorers.load("cos_sim:minilm").embed  # type: ignore[attr-defined]
    first, second = out / "contrast", out / "entailment"
    if not first.exists():
        made = contrasts(STAGES["contrast"].seed)
        groups = sorted({p.group for p in made})
        held = set(groups[:: max(2, len(made) // DEV)])
        train, dev = [p for p in made if p.group not in held], [p for p in made if p.group in held]
        finetune(train, dev, scorers.base("minilm"), first, STAGES["contrast"], about={"Stage": "contrast pairs"}, watch=_show)
    if not second.exists():
        train, dev = entailment(embed, STAGES["entailment"].seed)
        about = {"Stage": "entailment, after contrast pairs", "evidence": EVIDENCE, "Licence": "Apache-2.0; its data CC BY 4.0"}
        finetune(train, dev, first, second, STAGES["entailment"], about=about, watch=_show)
    print(second)


def _show(progress: Progress) -> None:
    if progress.dev_f1 is not None:
        print(
            f"step {progress.step:,} of {progress.steps:,}: dev macro-F1 {progress.dev_f1:.3f}, AUROC {progress.dev_auroc:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    words = argparse.ArgumentParser("python -m models.train", description=(__doc__ or "").partition("\n")[0])
    words.add_argument("--out", type=Path, default=OUT, help="where the models go (default: %(default)s)")
    main(words.parse_args().out)
