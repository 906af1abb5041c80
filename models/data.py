"""What the second stage of the shipped adapter learns from: this project's own texts, CC BY 4.0, and pairs that others labelled.

The sets of worlds and of legal entailment, the sample set's train split, `models.public`, and edits of all of them. Of dev parts
pairs are made to steer by; test parts are never read here.
"""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from groundscope.cases.dataset import read
from groundscope.cases.edits.variants import LEARNED
from groundscope.training.further_pairs import read_pairs
from groundscope.training.pairs import Embed, Pair, Recipe, pairs, parts
from models import public, world_pairs
from models.edited_pairs import edited_pairs

MODELS = Path(__file__).parent
SAMPLES = MODELS.parent / "sample_data"
EVIDENCE = 6
"""Context sentences that the model reads at once, at most: the most alike in meaning and words."""
WORLDS, EDITS = 6_000, 2_000
"""Pairs of worlds; and how many public pairs, and worlds, are edited."""
DISTRACTED = 0.3
"""Share of the worlds' pairs with a sentence about something else in the evidence."""

Parts = tuple[list[Pair], list[Pair]]
"""Pairs to learn from, and pairs to steer by."""


def adapter(embed: Embed, seed: int) -> Parts:
    """All pairs; without the folder of `models.public` those of this project alone."""
    sources, others = _sources("train", embed, seed), public.pairs("train", embed, EVIDENCE)
    labelled = sources.nli * 2 + sources.sample * 2 + _balanced(others.labelled, seed) + _some(sources.worlds, WORLDS, seed)
    supported = sources.nli + sources.sample + _some(others.supported, EDITS, seed) + _some(sources.worlds, EDITS, seed)
    edited = edited_pairs([p for p in supported if p.label > 0.5], seed=seed)
    dev, steered = _sources("dev", embed, seed), public.pairs("dev", embed, EVIDENCE)
    return labelled + edited, dev.nli + dev.sample + _balanced(steered.labelled, seed)


class _Sources(NamedTuple):
    worlds: list[Pair]
    nli: list[Pair]
    sample: list[Pair]


def _sources(part: str, embed: Embed, seed: int) -> _Sources:
    """Worlds, legal entailment and the sentences of the sample set, of one part."""
    groups = world_pairs.read("legal_worlds.jsonl", (MODELS / "legal_worlds.jsonl").read_bytes())
    worlds = world_pairs.pairs([g for g in groups if g.split == part], seed=seed, distracted=DISTRACTED)
    entailment = read_pairs("legal_nli.jsonl", (SAMPLES / "legal_nli.jsonl").read_bytes())
    if entailment.rejected:
        raise ValueError(f"legal_nli.jsonl holds rows that cannot be used: {entailment.rejected}")
    nli = list(entailment.train if part == "train" else entailment.dev)
    cases = parts(read("legal_qa.jsonl", (SAMPLES / "legal_qa.jsonl").read_bytes()).cases)
    learned = tuple(o.name for o in LEARNED)
    recipe = Recipe(evidence=EVIDENCE, labels="smoothed", smoothing=0.0, scope="all", edits=3, operators=learned, seed=seed)
    sample = _balanced(pairs(cases.train if part == "train" else cases.dev, recipe, embed), seed)
    return _Sources(worlds, nli, sample)


def _some(pool: Sequence[Pair], most: int, seed: int) -> list[Pair]:
    return random.Random(seed).sample(pool, min(most, len(pool)))  # noqa: S311 - no secret


def _balanced(pool: Sequence[Pair], seed: int) -> list[Pair]:
    """As many supported pairs as others; of the label that has more, a sample."""
    no = [p for p in pool if p.label < 0.5]
    yes = [p for p in pool if p.label >= 0.5]
    return (no if len(no) <= len(yes) else _some(no, len(yes), seed)) + _some(yes, len(no), seed)
