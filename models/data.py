"""What the shipped classifier learns from: texts of this project alone, all CC BY 4.0.

The sets of worlds and of legal entailment, and the sample set's train split. Of dev parts pairs are made to steer by; test parts
are never read here.
"""

import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path

from evaluation import world_pairs
from evaluation.contrast_pairs import contrast_pairs, easy_pairs
from evaluation.dataset import read
from evaluation.sentences import split
from evaluation.training_data import labelled_pairs, parts
from evaluation.training_pairs import Embed, Pair, Recipe, pairs
from evaluation.types import Case

FOLDER = Path(__file__).parent.parent / "sample_data"
EVIDENCE = 4
"""Context sentences that the classifier reads at once: the nearest by embedding."""


def part_of(group: str) -> str:
    """The part of a set without splits that a document falls into: a fifth is test, a tenth dev. Test is never trained on."""
    drawn = int(hashlib.sha256(group.encode("utf-8", "replace")).hexdigest(), 16) % 10
    return "test" if drawn < 2 else "dev" if drawn == 2 else "train"


def contrasts(seed: int) -> list[Pair]:
    """Stage one: small edits of this project's own sentences, and easy pairs."""
    made = contrast_pairs(documents(), seed=seed)
    found = made + easy_pairs(made, seed=seed)
    random.Random(seed).shuffle(found)  # noqa: S311 - no secret
    return found


def entailment(embed: Embed, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Stage two, to learn from and to steer by: worlds, legal entailment, and the sentences of the sample set."""
    groups = _worlds()
    nli = labelled_pairs("legal_nli.jsonl", (FOLDER / "legal_nli.jsonl").read_bytes())
    cases = parts(_samples())
    recipe = Recipe(evidence=EVIDENCE, labels="smoothed", smoothing=0.0, scope="all", edits=3, seed=seed)
    found = []
    for part, own in (("train", cases.train), ("dev", cases.dev)):
        worlds = world_pairs.pairs([g for g in groups if g.split == part], seed=seed)
        found.append(worlds + nli[part] + _balanced(pairs(own, recipe, embed), seed))
    return found[0], found[1]


def documents() -> list[list[str]]:
    """The sentences of every text of the train parts, in reading order."""
    found = [[p.text[s.start : s.end] for s in split(p.text)] for p in _passages(parts(_samples()).train)]
    for group in _worlds():
        if group.split == "train":
            found += [[t[s.start : s.end] for s in split(t)] for w in group.worlds for t in w.full]
    evidence = [r["evidence"] for r in map(json.loads, _text("legal_nli.jsonl").splitlines()) if r["split"] == "train"]
    return found + [[t[s.start : s.end] for s in split(t)] for t in dict.fromkeys(evidence)]


def _passages(cases: Sequence[Case]) -> dict[object, None]:
    return dict.fromkeys(p for c in cases for p in c.context)


def _balanced(found: Sequence[Pair], seed: int) -> list[Pair]:
    """Most sentences are supported: as many of these as there are others."""
    no = [p for p in found if p.label < 0.5]
    yes = [p for p in found if p.label >= 0.5]
    return no + random.Random(seed).sample(yes, min(len(yes), len(no)))  # noqa: S311 - no secret


def _worlds() -> list[world_pairs.Group]:
    return world_pairs.read("legal_worlds.jsonl", (FOLDER / "legal_worlds.jsonl").read_bytes())


def _samples() -> tuple[Case, ...]:
    return tuple(read("legal_qa.jsonl", (FOLDER / "legal_qa.jsonl").read_bytes()).cases)


def _text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")
