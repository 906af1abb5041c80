"""HEM V1: Vectara's hallucination evaluation model 1.0 on (context unit, sentence) (paper, section 5.2).

A DeBERTa-v3-base cross-encoder with one output; support is its sigmoid, P(the sentence is consistent with the context unit).
A sentence's support is the maximum over context units, the response's the minimum over sentences.

Departs from the paper: it does not say what a context unit is nor how sentences are joined (`context_unit`, `aggregation`);
the model card cuts the context at 512 tokens, here a longer one is read in overlapping windows and the best window
counts; runs in bf16 where the processor has it (named in the signature).
"""

from dataclasses import dataclass
from typing import ClassVar

from groundscope.methods import About
from groundscope.models.pairs.method import PairMethod, Sanity
from groundscope.models.pairs.models import LoadedModel, two_texts
from groundscope.models.pairs.scoring import sigmoid
from groundscope.models.weights.files import WeightFiles

WEIGHTS = WeightFiles(
    "vectara/hallucination_evaluation_model",
    "58383384656cbaec2949a75a41f20e891e90a73b",
    branch="hhem-1.0-open",
    megabytes=740,
    pickled=True,
)
LIMIT = 512

_HORSE = "A person on a horse jumps over a broken down airplane."
_FOUNTAIN = "A man with blond-hair, and a brown shirt drinking out of a public water fountain."


@dataclass(frozen=True)
class HemV1(PairMethod):
    """HHEM-1.0-open; the parameters are those of `PairMethod`."""

    weights: WeightFiles = WEIGHTS

    input = f"context first|{LIMIT} tokens"
    # As printed on the model card at the pinned revision.
    sanity = (
        Sanity("A man walks into a bar and buys a drink", "A bloke swigs alcohol at a pub", 0.6105),
        Sanity(_HORSE, "A person is at a diner, ordering an omelette.", 0.0005),
        Sanity(_HORSE, "A person is outdoors, on a horse.", 0.9964),
        Sanity(
            "A boy is jumping on skateboard in the middle of a red bridge.",
            "The boy skates down the sidewalk on a blue bridge",
            0.0002,
        ),
        Sanity(_FOUNTAIN, "A blond drinking water in public.", 0.9960),
        Sanity(_FOUNTAIN, "A blond man wearing a brown shirt is reading a book.", 0.0014),
    )

    about: ClassVar[About] = About(
        title="HEM V1",
        measures="How likely a sentence is consistent with its best source sentence, by Vectara's hallucination model 1.0.",
        threshold=0.5,
        threshold_source="the model card's, not tuned",
        needs="the weights of HHEM-1.0-open (740 MB)",
        licence="Apache-2.0",
        paper="5.2",
    )

    def _load(self) -> LoadedModel:
        return two_texts(self.weights, LIMIT, ("deberta-v2",), 1, sigmoid, context_first=True)
