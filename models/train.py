"""Train the classifier that ships with the app: `make train`.

Three stages from all-MiniLM-L6-v2, all by `groundscope.training.finetuning`: small edits of single sentences, which teach to
compare; one edit of a statement whose evidence says the same in other words, which teaches to compare what is said and not the
words; then worlds, legal entailment, the sample set and pairs that others labelled, which teach what a difference means. Hours on
two cores.
It can be stopped, and resumes where it was. Nothing shipped is replaced: the weights lie in `models/trained/` afterwards.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from groundscope.commands.finetune import Watcher
from groundscope.commands.stopping import stop_event
from groundscope.commands.terminal import DONE, STOPPED, say, show
from groundscope.errors import Cancelled
from groundscope.methods import registry
from groundscope.training.finetuning import finetune
from groundscope.training.options import Options
from groundscope.training.pairs import Embed
from models import data, public

OUT = Path(__file__).parent / "trained"
SEED = 0
FAST = Options(
    epochs=1, batch=32, rate=1.2e-4, longest=256, evaluations=4, patience=99, frozen_embeddings=True, seed=SEED,
    bf16_weights=True, dropout=0.0, words=1.0,
)  # fmt: skip
WITHOUT = (
    f"{public.FOLDER} names no folder with {public.NAME}, so the last stage learns from this project's own texts alone, and "
    "gives other weights than those that ship, which learned from public pairs, too; see models/public_data.md."
)


@dataclass(frozen=True)
class Stage:
    """One training: its name, its pairs, how, what the card says of it, and whether it learns from public pairs, too."""

    name: str
    pairs: Callable[[Embed, int], data.Parts]
    options: Options
    told: str
    public: bool = False


STAGES = (
    Stage("contrast", data.contrasts, FAST, "contrast pairs"),
    Stage("edits", data.edits, FAST, "edits under paraphrase, after contrast pairs"),
    Stage(
        "entailment",
        data.entailment,
        FAST,
        "entailment, after contrast pairs and edits under paraphrase",
        public=True,
    ),
)


def main(out: Path, base: Path, stages: Sequence[Stage] = STAGES) -> int:
    """Run all stages from a base; a finished one is not run again, and one that was stopped goes on."""
    watcher = Watcher(stop_event(with_parent=False), quiet=False)
    embed: Embed = registry.load("cos_sim:minilm").embed  # type: ignore[attr-defined]
    for stage in stages:
        folder = out / stage.name
        if not folder.exists():
            more = stage.public and public.file() is not None
            if stage.public and not more:
                say(WITHOUT)
            train, dev = stage.pairs(embed, SEED)
            say(f"{stage.name}: {len(train):,} pairs to learn from, {len(dev):,} to steer by.")
            terms = "CC BY 4.0, that of SummEdits Apache-2.0" if more else "CC BY 4.0"
            about = {"Stage": stage.told, "evidence": data.EVIDENCE, "Licence": f"Apache-2.0; its data {terms}"}
            try:
                finetune(train, dev, base, folder, stage.options, about=about, watch=watcher)
            except Cancelled:
                say("Stopped. The same command continues it.")
                return STOPPED
        base = folder
    show(str(base))
    return DONE


if __name__ == "__main__":
    words = argparse.ArgumentParser("python -m models.train", description=(__doc__ or "").partition("\n")[0])
    words.add_argument("--out", type=Path, default=OUT, help="where the models go (default: %(default)s)")
    sys.exit(main(words.parse_args().out, registry.base("minilm")))
