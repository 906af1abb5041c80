"""Options and progress of a fine-tuning. The paper states none of the options; these are this project's."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """How to train. The paper states none of these.

    Attributes:
        epochs: passes over the pairs, at most: early stopping may end sooner.
        rate: highest learning rate; reached after a tenth of the steps, then falling linearly to 0.
        longest: tokens of evidence and sentence together; what is longer is cut, the evidence first.
        evaluations: how often an epoch the model is evaluated on dev and kept.
        frozen_embeddings: leave the word embeddings as they are; faster, and enough for small sets.
        seed: of the order of pairs, dropout and the new output layer.
        bf16: compute in bf16 where the processor or the GPU does so in hardware; weights stay fp32 while training.
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

    def __post_init__(self) -> None:
        if not (0 < self.epochs <= 1000 and 0 < self.rate < 1):
            raise ValueError("epochs must lie above 0 and up to 1000, and the rate between 0 and 1")
        if min(self.batch, self.patience, self.evaluations) < 1 or self.longest < 16:
            raise ValueError("batch, patience and evaluations must be at least 1, and longest at least 16 tokens")


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """Progress of a training: the mean loss since the last report, None in reports of an evaluation.

    `dev_f1` is macro-F1 at dev's best threshold; it and `dev_auroc` are None between evaluations.
    """

    step: int
    steps: int
    seconds: float
    loss: float | None = None
    dev_f1: float | None = None
    dev_auroc: float | None = None


Watch = Callable[[TrainingProgress], None]
"""Called about every second and after each evaluation; may raise Cancelled."""
