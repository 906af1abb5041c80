"""Agreement between methods, and the responses that none of them gets right."""

from dataclasses import dataclass

import numpy as np

from groundscope.grounding.runs.arrays import Bytes, Floats, Integers
from groundscope.statistics.raters import cohen_kappa


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement between each two of m methods over the responses that both have a verdict on.

    Attributes:
        share: (m, m) the share of them with equal verdicts; NaN without any.
        kappa: (m, m) Cohen's kappa: 1 = always equal, 0 = as often as by chance; NaN where both give one and the same verdict
            everywhere, because chance alone would then agree always too.
    """

    shared: Integers
    share: Floats
    kappa: Floats


def agreement(verdicts: Bytes) -> Agreement:
    """Compare each two methods by their (m, k) verdicts: 1 grounded, 0 ungrounded, -1 no verdict."""
    grounded = (verdicts == 1).astype(np.float32)
    ungrounded = (verdicts == 0).astype(np.float32)
    # float32 counts exactly to 16 million responses.
    both_grounded = (grounded @ grounded.T).astype(np.float64)
    both_ungrounded = (ungrounded @ ungrounded.T).astype(np.float64)
    first_grounded = (grounded @ ungrounded.T).astype(np.float64)
    shared = both_grounded + both_ungrounded + first_grounded + first_grounded.T
    with np.errstate(invalid="ignore"):
        share = (both_grounded + both_ungrounded) / shared
    tables = np.stack([both_grounded, first_grounded, first_grounded.T, both_ungrounded], axis=-1)
    kappa = cohen_kappa(tables.reshape(*shared.shape, 2, 2))
    return Agreement(shared.astype(np.int32), share, kappa)


@dataclass(frozen=True, slots=True)
class Hardness:
    """How many methods are right about each of k responses."""

    right: Integers
    judged: Integers
    methods: int

    def at_most(self, most: int = 0) -> Integers:
        """Find the responses that few methods get right.

        Returns:
            (h,) int32 places in 0..k-1 of responses with at least one verdict: those that the fewest methods get right first, of
            these those with the most verdicts first, then by place.
        """
        hard = np.flatnonzero((self.right <= most) & (self.judged > 0))
        order: Integers = hard[np.lexsort((-self.judged[hard], self.right[hard]))].astype(np.int32)
        return order

    def everybody(self) -> int:
        """Count the responses that every method gets right; methods without a verdict on any response do not matter."""
        return int(((self.right == self.methods) & (self.methods > 0)).sum())

    def unjudged(self) -> int:
        """Count the responses that no method has a verdict on."""
        return int((self.judged == 0).sum())


def hardness(verdicts: Bytes, gold: Bytes) -> Hardness:
    """Count who is right about each response: `verdicts` (m, k) and `gold` (k,) are 1 grounded, 0 ungrounded, -1 no verdict."""
    judged = verdicts >= 0
    right = judged & (verdicts == gold[None, :])
    return Hardness(right.sum(axis=0, dtype=np.int32), judged.sum(axis=0, dtype=np.int32), int(judged.any(axis=1).sum()))
