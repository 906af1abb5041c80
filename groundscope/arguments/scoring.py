r"""Metrics of one triple (Zhang et al. 2025): hallucination accuracy, factor utilisation recall, abstention.

N_GT = |CC| + |TSC1| + |TSC2|. Acc_H = 1 - sum over cases |Ext \ GT| / N_GT: higher = fewer invented; it may be negative, and
is not clipped. Rec_U = sum over cases |Ext and GT| / N_GT: higher = more used. An argument abstains if all three extracted
sets are empty. An empty reply counts as the formulas have it: it invents nothing, uses nothing, and abstains.

Departs from the paper: what is not true of its case, but of another one, is separated from what is true of none (both count in
Acc_H); weighted recall by side, and means without empty replies, are options.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from groundscope.arguments.extraction import Extraction
from groundscope.arguments.types import CASES, Catalogue, Scenario, Side, Test


class Weights(NamedTuple):
    """What a factor of each side counts in weighted recall; 1 and 1 give Rec_U."""

    plaintiff: float = 1.0
    defendant: float = 1.0

    def of(self, side: Side) -> float:
        """What a factor that favours this side counts."""
        return self.plaintiff if side is Side.PLAINTIFF else self.defendant


@dataclass(frozen=True, slots=True)
class Score:
    """What an argument did with its triple; sets of keys in the order of `CASES`.

    `invented`: what was said of a case and is true of none. `wrong_case`: what was said of a case and is true of another one
    alone.
    """

    used: tuple[frozenset[str], ...]
    missed: tuple[frozenset[str], ...]
    invented: tuple[frozenset[str], ...]
    wrong_case: tuple[frozenset[str], ...]
    size: int
    abstained: bool
    should_abstain: bool

    @property
    def hallucinated(self) -> int:
        """N_H: what was said of a case and is not true of it."""
        return sum(map(len, self.invented)) + sum(map(len, self.wrong_case))

    @property
    def acc_h(self) -> float:
        """Hallucination accuracy; at most 1, may be negative."""
        return 1 - self.hallucinated / self.size

    @property
    def rec_u(self) -> float:
        """Factor utilisation recall, 0 to 1."""
        return sum(map(len, self.used)) / self.size

    @property
    def unused(self) -> frozenset[str]:
        """Factors of any case that were said of none of the cases that have them."""
        return frozenset().union(*self.missed) - frozenset().union(*self.used)

    def weighted_recall(self, weights: Weights, catalogue: Catalogue) -> float | None:
        """Recall in which a factor counts by its side, 0 to 1; 1 and 1 give Rec_U. None where what is there weighs nothing."""

        def weigh(sets: Sequence[frozenset[str]]) -> float:
            return sum(weights.of(catalogue.by_key[key].side) for case in sets for key in case)

        used, missed = weigh(self.used), weigh(self.missed)
        return used / (used + missed) if used + missed > 0 else None


def score(scenario: Scenario, extraction: Extraction) -> Score:
    """Compare what was extracted with the triple: what was used, missed, invented or said of the wrong case, as `CASES` go."""
    truth = scenario.keys
    anywhere = frozenset().union(*truth)
    pairs = list(zip(truth, extraction.sets, strict=True))
    return Score(
        tuple(said & true for true, said in pairs),
        tuple(true - said for true, said in pairs),
        tuple(said - anywhere for _, said in pairs),
        tuple((said - true) & anywhere for true, said in pairs),
        scenario.size,
        extraction.empty,
        scenario.test is Test.NON_ARGUABLE,
    )


class ExtractorAgreement(NamedTuple):
    """How far two extractors agree, over the cases of some triples."""

    same: int = 0
    cases: int = 0
    both: int = 0
    first: int = 0
    second: int = 0

    @property
    def share(self) -> float | None:
        """Pairs that both found, of those that either found (Jaccard), 0 to 1; None where neither found any."""
        either = self.both + self.first + self.second
        return self.both / either if either else None


def agreement(first: Extraction, second: Extraction) -> ExtractorAgreement:
    """Compare two extractions of one argument: counts over its three cases."""
    pairs = list(zip(first.sets, second.sets, strict=True))
    return ExtractorAgreement(
        sum(a == b for a, b in pairs),
        len(CASES),
        sum(len(a & b) for a, b in pairs),
        sum(len(a - b) for a, b in pairs),
        sum(len(b - a) for a, b in pairs),
    )


def kinds(score: Score) -> Mapping[str, Sequence[frozenset[str]]]:
    """Group the errors by kind, in the order in which they are shown, each with three sets in the order of `CASES`."""
    return {"invented": score.invented, "wrong case": score.wrong_case, "missed": score.missed}
