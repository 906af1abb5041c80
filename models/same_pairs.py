"""Train MiniLM on what the adapter of SmolLM2 learns from, to compare the two: `python -m models.same_pairs DATA`.

Both stages of `models.smollm2`, each once, by the training of the shipped classifier. A claim that does not follow counts as not
supported, whether its evidence contradicts it or is silent: one logit knows no third answer. About an hour on two cores.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from groundscope.methods import registry
from groundscope.training.pairs import Embed, Pair
from models import data, public
from models.lora import YES, Claims
from models.smollm2 import ENTAILMENT, entailment
from models.train import FAST, OUT, Stage, main


def labelled(_embed: Embed, _seed: int) -> data.Parts:
    """The sentence pairs that people labelled, to learn from and to look at."""
    found = public.file()
    if found is None:
        raise SystemExit(f"Name a folder with {ENTAILMENT} and {public.NAME}.")
    learn, look = entailment(found.with_name(ENTAILMENT))
    known = {c.evidence for c in learn}
    # Some evidence stands in two sources, and so on both sides.
    return _pairs(learn), _pairs([c for c in look if c.evidence not in known])


def _pairs(found: Sequence[Claims]) -> list[Pair]:
    return [Pair(c.evidence, text, float(a == YES), c.evidence, made_by="labelled") for c in found for text, a in c.claims]


STAGES = (
    Stage("same-pairs", labelled, FAST, "sentence pairs labelled by people"),
    Stage("same-legal", data.adapter, FAST, "legal pairs and edits, after sentence pairs labelled by people", public=True),
)

if __name__ == "__main__":
    words = argparse.ArgumentParser("python -m models.same_pairs", description=(__doc__ or "").partition("\n")[0])
    words.add_argument("--out", type=Path, default=OUT, help="where the models go (default: %(default)s)")
    words.add_argument("data", type=Path, help=f"folder with {ENTAILMENT} and {public.NAME}")
    given = words.parse_args()
    os.environ[public.FOLDER] = str(given.data)
    sys.exit(main(given.out, registry.base("minilm"), STAGES))
