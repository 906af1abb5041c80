"""What the shipped classifier learns from: this project's own texts, CC BY 4.0, and, if available, pairs of others.

The sets of worlds and of legal entailment, the sample set's train split, and `models.public`. Of dev parts pairs are made to
steer by; test parts are never read here.
"""

import json
import random
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from groundscope.cases.dataset import read
from groundscope.cases.edits.variants import LEARNED
from groundscope.text.sentences import split
from groundscope.training.data import parts
from groundscope.training.further_pairs import labelled_pairs
from groundscope.training.pairs import Embed, Pair, Recipe, pairs
from groundscope.types import Case, Passage
from models import public, world_pairs
from models.contrast_pairs import contrast_pairs, easy_pairs
from models.edited_pairs import edited_pairs

FOLDER = Path(__file__).parent.parent / "sample_data"
EVIDENCE = 4
"""Context sentences that the classifier reads at once: the nearest by embedding."""
STAGE_ONE, DEV = 24_000, 2_000
"""Pairs of the first stage, after which it learns little more; and pairs to steer each of the first two by."""
STAGE_TWO, STAGE_THREE = 64_000, 66_000
"""Pairs of the second stage, about; and of the third, to which half as many edited ones come."""
PUBLIC_TIMES, PUBLIC_EDITS = 4, 0.3
"""How often each public pair is seen in the third stage; and which share of its edited pairs is made of public ones."""
ADAPTER_WORLDS, ADAPTER_EDITS = 6_000, 2_000
"""Pairs of worlds that the adapter of SmolLM2 learns from; and how many public pairs, and worlds, are edited for it."""
SAMPLE_TIMES, NLI_TIMES = 10, 6
"""How many edits of each supported sentence of the sample set, and of each supported statement of legal entailment."""
OTHERS = 16
"""One pair with evidence about something else to so many that were edited."""
DISTRACTED = 0.3
"""Share of the worlds' pairs with a sentence about something else in the evidence."""

Parts = tuple[list[Pair], list[Pair]]
"""Pairs to learn from, and pairs to steer by."""


def contrasts(_embed: Embed, seed: int) -> Parts:
    """Stage one: small edits of this project's own sentences, and the same sentences against other texts."""
    made = contrast_pairs(documents(), seed=seed)
    groups = sorted({p.group for p in made})
    held = set(random.Random(seed).sample(groups, len(groups) // 20))  # noqa: S311 - no secret
    train, dev = [p for p in made if p.group not in held], [p for p in made if p.group in held]
    easy = _some(easy_pairs(train, seed=seed), len(train) // 2, seed)
    return _some(train + easy, STAGE_ONE, seed), _some(dev, DEV, seed)


def edits(embed: Embed, seed: int) -> Parts:
    """Stage two: one edit of statements whose evidence says the same in other words, and evidence about something else."""
    return _edited("train", STAGE_TWO, embed, seed), _edited("dev", DEV, embed, seed)


def entailment(embed: Embed, seed: int) -> Parts:
    """Stage three: worlds, legal entailment, the sample set's sentences; and edits, so that these stay known.

    Public pairs, too, where `models.public` finds them; without them their share is made of this project's own texts.
    """
    sources, others = _sources("train", embed, seed), public.pairs("train", embed, EVIDENCE)
    own = sources.nli + sources.sample + _balanced(others.labelled, seed) * PUBLIC_TIMES
    hard = own + _some(sources.worlds, STAGE_THREE - len(own), seed)
    dev, steered = _sources("dev", embed, seed), public.pairs("dev", embed, EVIDENCE)
    steer = _some(dev.worlds, 2 * DEV, seed) + dev.nli + dev.sample + _balanced(steered.labelled, seed)
    known = int(len(hard) / 2 * PUBLIC_EDITS) if others.supported else 0
    more = _some(edited_pairs(others.supported * NLI_TIMES, seed=seed), known, seed)
    return hard + _edited("train", len(hard) // 2 - known, embed, seed + 1) + more, steer


def adapter(embed: Embed, seed: int) -> Parts:
    """The second stage of the adapter: as `entailment`, but fewer worlds and edits, since a larger model learns from fewer."""
    sources, others = _sources("train", embed, seed), public.pairs("train", embed, EVIDENCE)
    own = sources.nli * 2 + sources.sample * 2 + _balanced(others.labelled, seed) + _some(sources.worlds, ADAPTER_WORLDS, seed)
    supported = (
        sources.nli + sources.sample + _some(others.supported, ADAPTER_EDITS, seed) + _some(sources.worlds, ADAPTER_EDITS, seed)
    )
    edited = edited_pairs([p for p in supported if p.label > 0.5], seed=seed)
    dev, steered = _sources("dev", embed, seed), public.pairs("dev", embed, EVIDENCE)
    return own + edited, dev.nli + dev.sample + _balanced(steered.labelled, seed)


class _Sources(NamedTuple):
    worlds: list[Pair]
    nli: list[Pair]
    sample: list[Pair]


@lru_cache(maxsize=4)
def _sources(part: str, embed: Embed, seed: int) -> _Sources:
    """Worlds, legal entailment and the sentences of the sample set, of one part."""
    worlds = world_pairs.pairs([g for g in _worlds() if g.split == part], seed=seed, distracted=DISTRACTED)
    nli = labelled_pairs("legal_nli.jsonl", (FOLDER / "legal_nli.jsonl").read_bytes())[part]
    cases = parts(_samples())
    learned = tuple(o.name for o in LEARNED)
    recipe = Recipe(evidence=EVIDENCE, labels="smoothed", smoothing=0.0, scope="all", edits=3, operators=learned, seed=seed)
    sample = _balanced(pairs(cases.train if part == "train" else cases.dev, recipe, embed), seed)
    return _Sources(worlds, nli, sample)


def _edited(part: str, most: int, embed: Embed, seed: int) -> list[Pair]:
    """About so many pairs; the few sentences of the sample set and of legal entailment are edited in several ways each."""
    worlds, nli, sample = ([p for p in found if p.label > 0.5] for found in _sources(part, embed, seed))
    rest = most // 4 - SAMPLE_TIMES * len(sample) - NLI_TIMES * len(nli)
    supported = sample * SAMPLE_TIMES + nli * NLI_TIMES + _some(worlds, max(rest, most // 8), seed)
    supported = _some(supported, most // 4, seed)
    made = edited_pairs(supported, seed=seed)
    other = [p for p in easy_pairs(supported, seed=seed) if p.label < 0.5]
    return _some(made + _some(other, len(made) // OTHERS, seed), None, seed)


def _some(found: Sequence[Pair], most: int | None, seed: int) -> list[Pair]:
    return random.Random(seed).sample(found, len(found) if most is None else min(most, len(found)))  # noqa: S311 - no secret


def documents() -> list[list[str]]:
    """The sentences of every text of the train parts, in reading order."""
    found = [[p.text[s.start : s.end] for s in split(p.text)] for p in _passages(parts(_samples()).train)]
    for group in _worlds():
        if group.split == "train":
            found += [[t[s.start : s.end] for s in split(t)] for w in group.worlds for t in w.full]
    evidence = [r["evidence"] for r in map(json.loads, _text("legal_nli.jsonl").splitlines()) if r["split"] == "train"]
    return found + [[t[s.start : s.end] for s in split(t)] for t in dict.fromkeys(evidence)]


def _passages(cases: Sequence[Case]) -> dict[Passage, None]:
    return dict.fromkeys(p for c in cases for p in c.context)


def _balanced(found: Sequence[Pair], seed: int) -> list[Pair]:
    """As many supported pairs as others; of the label that has more, a sample."""
    no = [p for p in found if p.label < 0.5]
    yes = [p for p in found if p.label >= 0.5]
    return (no if len(no) <= len(yes) else _some(no, len(yes), seed)) + _some(yes, len(no), seed)


def _worlds() -> list[world_pairs.Group]:
    return world_pairs.read("legal_worlds.jsonl", (FOLDER / "legal_worlds.jsonl").read_bytes())


def _samples() -> tuple[Case, ...]:
    return tuple(read("legal_qa.jsonl", (FOLDER / "legal_qa.jsonl").read_bytes()).cases)


def _text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")
