"""How a fine-tuning trains, and where it is. The paper states none of the options; these are this project's."""

import math
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """How to train. The paper states none of these.

    Attributes:
        epochs: passes over the pairs, at most: early stopping may end sooner.
        rate: highest learning rate; reached after a tenth of the steps, then falling linearly to 0.
        longest: tokens of evidence and sentence together; what is longer is cut, the evidence first.
        patience: evaluations on dev without a gain before it stops.
        evaluations: how often an epoch the model is evaluated on dev and kept.
        frozen_embeddings: leave the word embeddings as they are; faster, and enough for small sets.
        seed: of the order of pairs, dropout and the new output layer.
        bf16: compute in bf16 where the processor or the GPU does so in hardware; weights stay fp32 while training.
        bf16_weights: the weights too are bf16, beside an fp32 copy that is trained: faster on processors, and what is saved is
            half the size. Counts only where bf16 does.
        dropout: of every dropout layer while training; None leaves what the base says.
        words: weight of a second loss that finds the words that are not supported, if pairs mark them; 0 = no such loss.
    """

    epochs: float = 3.0
    batch: int = 16
    rate: float = 2e-5
    longest: int = 256
    patience: int = 3
    evaluations: int = 2
    frozen_embeddings: bool = False
    seed: int = 0
    bf16: bool = True
    bf16_weights: bool = False
    dropout: float | None = None
    words: float = 0.0

    def __post_init__(self) -> None:
        """Refuse impossible values."""
        if not (0 < self.epochs <= 1000 and 0 < self.rate < 1):
            raise ValueError("epochs must lie above 0 and up to 1000, and the rate between 0 and 1")
        if min(self.batch, self.patience, self.evaluations) < 1 or self.longest < 16:
            raise ValueError("batch, patience and evaluations must be at least 1, and longest at least 16 tokens")
        if self.dropout is not None and not 0 <= self.dropout < 1:
            raise ValueError("dropout must lie from 0 to below 1")
        if not 0 <= self.words < math.inf:
            raise ValueError("the weight of words must be a number of at least 0")


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """Progress of a training.

    Attributes:
        loss: mean since the last report; None in reports of an evaluation.
        dev_f1: macro-F1 on dev at its best threshold; None between evaluations.
        dev_auroc: on dev; None between evaluations.
    """

    step: int
    steps: int
    seconds: float
    loss: float | None = None
    dev_f1: float | None = None
    dev_auroc: float | None = None


Watch = Callable[[TrainingProgress], None]
"""Called about every second and after each evaluation; may raise Cancelled."""
