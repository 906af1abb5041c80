"""Train the adapter of SmolLM2-135M: `python -m models.smollm2`. Hours on two cores; it can be stopped, and resumes.

Two stages: sentence pairs that people labelled (three answers), then this project's own legal pairs and edits.
"""

import argparse
import gzip
import hashlib
import json
import os
import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from groundscope.methods import registry
from groundscope.training.pairs import Embed, Pair
from models import data, public
from models.lora import MAYBE, NO, NOT_YES, YES, AdaptedModel, Claims, Training, rows, train
from scorers._weights import smollm2

ENTAILMENT = "entailment_pairs.jsonl.gz"
OUT = Path(__file__).parent / "trained" / "smollm2"
ADAPTER = "adapter_model.safetensors"
SEED = 0
AGAIN = 4
"""One claim of the first stage to so many of the second, so that what was learned there stays."""
_SUPPORTED = 0.5
_LABELS = {"entailment": YES, "neutral": MAYBE, "contradiction": NO}


def held(group: str) -> bool:
    """Whether a group of the sentence pairs is looked at and not learned from: one in forty, by its hash."""
    return int(hashlib.sha256(group.encode("utf-8", "replace")).hexdigest(), 16) % 40 == 0


def entailment(path: Path) -> tuple[list[Claims], list[Claims]]:
    """Claims to learn from and to look at, by evidence."""
    by: dict[tuple[str, str, str], list[tuple[str, int]]] = defaultdict(list)
    for line in gzip.decompress(path.read_bytes()).decode("utf-8").splitlines():
        r = json.loads(line)
        by[r["source"], r["premise"], r["group"]].append((r["hypothesis"], _LABELS[r["label"]]))
    parts: tuple[list[Claims], list[Claims]] = ([], [])
    for (_, premise, group), claims in sorted(by.items()):
        parts[held(group)].append(Claims(premise, tuple(claims)))
    return parts


def together(pairs: Sequence[Pair]) -> list[Claims]:
    """Pairs of the same evidence share a row; of an unsupported one it is not known which of the two other answers is right."""
    by: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for pair in dict.fromkeys(pairs):
        by[pair.evidence].append((pair.sentence, YES if pair.label > _SUPPORTED else NOT_YES))
    return [Claims(evidence, tuple(claims)) for evidence, claims in by.items()]


def main(out: Path, learn_from: Path) -> None:
    """Run both stages; a finished one is not run again.

    Args:
        out: where the stages lie.
        learn_from: folder with the sentence pairs, and with the public pairs of `models.public`.
    """
    tokens = smollm2.tokenizer()
    learn, look = entailment(learn_from / ENTAILMENT)
    first, second = out / "pairs", out / "legal"
    if not (first / ADAPTER).exists():
        how = Training()
        train(AdaptedModel(how), rows(tokens, learn, how), rows(tokens, look[::3], how), how, first)
    embed: Embed = registry.load("cos_sim:minilm").embed  # type: ignore[attr-defined]
    legal, dev = data.adapter(embed, SEED)
    how = Training(rate=2e-4)
    again = random.Random(SEED).sample(learn, len(learn) * len(legal) // AGAIN // sum(len(c.claims) for c in learn))  # noqa: S311
    train(AdaptedModel(how, first), rows(tokens, [*together(legal), *again], how), rows(tokens, together(dev), how), how, second)


if __name__ == "__main__":
    words = argparse.ArgumentParser("python -m models.smollm2", description=(__doc__ or "").partition("\n")[0])
    words.add_argument("--out", type=Path, default=OUT, help="where the stages go (default: %(default)s)")
    words.add_argument("data", type=Path, help=f"folder with {ENTAILMENT} and {public.NAME}")
    given = words.parse_args()
    os.environ.setdefault(public.FOLDER, str(given.data))
    main(given.out, given.data)
