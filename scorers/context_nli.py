"""ContextNLI: the least contradiction of a sentence by any context sentence (paper, section 5.3; Manakul et al. 2023).

p_ij = P(contradict | sentence_i, context_j) by potsawee/deberta-v3-large-mnli, a softmax over [entail, contradict] without a
neutral output; the sentence goes first. p_i = min_j p_ij, the response's hallucination likelihood is max_i p_i. Support is
1 - p: maximum over context units, minimum over sentences.

Known weakness: a context sentence that has nothing to do with a sentence seldom contradicts it, and with two outputs that
counts as support; so the minimum is optimistic.

Departs from the paper: nothing in the rule; what is longer than 512 tokens is read in overlapping windows; runs in bf16
where the processor has it.
"""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from groundscope.methods import EVEN, About
from groundscope.models.pairs.method import PairMethod
from groundscope.models.pairs.models import LoadedModel, two_texts
from groundscope.models.pairs.scoring import softmax
from groundscope.models.weights.files import WeightFiles

WEIGHTS = WeightFiles("potsawee/deberta-v3-large-mnli", "83f4359862aba52c07506cd23d4454db77945b36", megabytes=1_740, pickled=True)
LIMIT = 512
ENTAIL = 0
"""With two outputs its share is 1 - P(contradict), to the last digit."""


@dataclass(frozen=True)
class ContextNLI(PairMethod):
    """ContextNLI; the parameters are those of `PairMethod`."""

    weights: WeightFiles = WEIGHTS

    input = f"claim first|{LIMIT} tokens"

    about: ClassVar[About] = About(
        title="ContextNLI",
        measures="1 minus the contradiction by the source sentence that contradicts a sentence least.",
        threshold=0.5,
        threshold_source=EVEN,
        needs="the weights of deberta-v3-large-mnli (1,740 MB)",
        licence="not stated here: see its model card",
        paper="5.3",
        tuned_on="train",
        tunes="threshold",
    )

    def _load(self) -> LoadedModel:
        read = partial(softmax, index=ENTAIL)
        return two_texts(self.weights, LIMIT, ("deberta-v2",), 2, read, context_first=False, label_names=("entail", "contra"))
