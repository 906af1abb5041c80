"""Train the adapter of SmolLM2-135M: `python -m models.smollm2`. Hours on two cores; it can be stopped, and resumes.

Two stages: sentence pairs that people labelled (three answers), then this project's own legal pairs and edits.
"""

import gzip
import hashlib
import json
import os
from collections import defaultdict
from pathlib import Path

from models import public
from models.lora import MAYBE, NO, YES, AdaptedModel, Claims, Training, rows, train

ENTAILMENT = "entailment_pairs.jsonl.gz"
OUT = Path(__file__).parent / "trained" / "smollm2"
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


def main() -> None:
    """Run the first stage."""
    how = Training()
    learn, look = entailment(Path(os.environ[public.FOLDER]) / ENTAILMENT)
    adapted = AdaptedModel(how)
    train(adapted, rows(adapted.tokens, learn, how), rows(adapted.tokens, look[::3], how), how, OUT / "pairs")


if __name__ == "__main__":
    main()
