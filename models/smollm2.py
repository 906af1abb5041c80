"""Train the adapter of SmolLM2-135M: `python -m models.smollm2`. Minutes on a graphics card, hours on two cores; it resumes.

Three stages: sentence pairs that people labelled (three answers), then this project's own legal pairs and edits, two epochs each;
then views of both (`models.evidence_views`), which train a second adapter on the last layers.
"""

import argparse
import gzip
import hashlib
import json
import os
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from groundscope.methods import registry
from groundscope.models.weights import smollm2
from groundscope.runtime.machine import stamp
from groundscope.training.finetuning import add_to_record
from groundscope.training.pairs import Embed, Pair, digest
from models import data, lora, public
from models.evidence_views import varied
from models.late_layers import LateAdapter
from models.lora import MAYBE, NO, NOT_YES, YES, AdaptedModel, Claims, Training, rows, train

ENTAILMENT = "entailment_pairs.jsonl.gz"
OUT = Path(__file__).parent / "trained" / "smollm2"
ADAPTER = "adapter_model.safetensors"
SEED = 0
AGAIN = 4
"""One row of the first stage to so many of the second, so that what was learned there stays."""
SECOND_RATE = 4e-4
VIEWS = Training(rate=4e-4, tokens=5_200, epochs=1, longest=512, steps=320)
"""Under an hour of two cores; as many rows of the first stage as of the second, of which a quarter are taken."""
STAGE = "views of legal pairs and of pairs labelled by people, after both as they are"
TERMS = "Apache-2.0; part of its data is CC BY-SA, see its card"
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
    """Run the stages; a finished one is not run again. The last one's folder then holds all that the method loads."""
    tokens = lora.tokenizer()
    learn, look = entailment(learn_from / ENTAILMENT)
    first, second, third = out / "pairs", out / "legal", out / "views"
    how = Training()
    packed = rows(tokens, learn, how)
    if not (first / ADAPTER).exists():
        train(AdaptedModel(how), packed, rows(tokens, look[::3], how), how, first)
    embed: Embed = registry.load("cos_sim:minilm").embed  # type: ignore[attr-defined]
    legal, dev = data.adapter(embed, SEED)
    how = Training(rate=SECOND_RATE)
    packed_legal = rows(tokens, together(legal), how)
    again = random.Random(SEED).sample(packed, min(len(packed), len(packed_legal) // AGAIN))  # noqa: S311 - no secret
    if not (second / ADAPTER).exists():
        train(AdaptedModel(how, first), packed_legal + again, rows(tokens, together(dev), how), how, second)
    learned = together(legal)
    learned += random.Random(SEED).sample(learn, min(len(learn), len(learned)))  # noqa: S311 - no secret
    seen = rows(tokens, varied(together(dev), SEED + 1) + varied(look[::3], SEED + 1), VIEWS)
    late = LateAdapter(VIEWS, second)
    training = train(late, rows(tokens, varied(learned, SEED), VIEWS), seen, VIEWS, third)
    complete(third, late.tokens, legal, dev, training)


def complete(folder: Path, tokens: Any, legal: Sequence[Pair], dev: Sequence[Pair], training: Mapping[str, Any]) -> None:
    """Put the tokenizer, the record and a card beside an adapter."""
    # The prompt is this project's own: a template for chats would say otherwise.
    tokens.chat_template = None
    tokens.save_pretrained(str(folder))
    add_to_record(
        folder,
        about={"Stage": STAGE, "evidence": data.EVIDENCE, "Licence": TERMS},
        base={"model_type": "llama", **{name: smollm2.CONFIG[name] for name in ("num_hidden_layers", "hidden_size")}},
        train=digest(legal),
        dev=digest(dev),
        pairs={"train": len(legal), "dev": len(dev)},
        groups={"train": len({p.group for p in legal}), "dev": len({p.group for p in dev})},
        stopped_early=False,
        precision="bf16",
        machine=list(stamp()),
        **training,
    )


if __name__ == "__main__":
    words = argparse.ArgumentParser("python -m models.smollm2", description=(__doc__ or "").partition("\n")[0])
    words.add_argument("--out", type=Path, default=OUT, help="where the stages go (default: %(default)s)")
    words.add_argument("data", type=Path, help=f"folder with {ENTAILMENT} and {public.NAME}")
    args = words.parse_args()
    os.environ.setdefault(public.FOLDER, str(args.data))
    main(args.out, args.data)
