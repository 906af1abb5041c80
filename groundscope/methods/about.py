"""Description of a method, for the catalogue, the heatmap and the exports."""

from collections.abc import Iterable
from dataclasses import dataclass

RAGBENCH = "tuned on RAGBench ExpertQA sentences, not on law"
"""Where the methods' starting thresholds come from: see benchmarks/README.md for the run and its macro-F1."""

EVEN = "where the model finds both answers equally likely, not tuned"
"""Source of the starting threshold 0.5 of classifiers that are not tuned yet."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A row of the paper's table 3, as printed: Trautmann et al. 2024.

    Attributes:
        dev_f1: macro-F1 on its dev split.
        test_f1: macro-F1 on its test split.
    """

    row: str
    section: str
    dev_f1: float
    test_f1: float


@dataclass(frozen=True, slots=True)
class Requirement:
    """Weights or files that a method needs on this machine.

    Attributes:
        megabytes: approximate size of the download; 0 = ships with the app, or not known before the hub states it.
        where: folder that holds it; empty = not here.
        missing: one sentence that says what to do; empty = here.
        page: address of its model card; empty = none.
        replaceable: the user may replace it by another model, from a folder or by id and commit on the hub.
    """

    name: str
    revision: str
    megabytes: int = 0
    pickled: bool = False
    where: str = ""
    missing: str = ""
    page: str = ""
    bundled: bool = False
    replaceable: bool = False


def download_size(needed: Iterable[Requirement]) -> int:
    """Add up a download."""
    sizes = [r.megabytes for r in needed if not r.bundled]
    return sum(sizes) if all(sizes) else 0


@dataclass(frozen=True, slots=True)
class About:
    """Describes a method to its users.

    Attributes:
        threshold: starting threshold; a sentence with a lower support counts as not supported. None = not measured.
        needs: requirements beyond the installed packages; empty = none.
        licence: of the weights, or of the code where there are none.
        aggregation: how the supports of sentences are combined into the response's, in words.
        paper: its row in the paper; None = not in the paper.
        tuned_on: the split that the paper tunes its threshold on (section 6).
    """

    title: str
    measures: str
    threshold: float | None = None
    threshold_source: str = ""
    needs: str = ""
    licence: str = "Apache-2.0"
    aggregation: str = "the lowest sentence"
    paper: Paper | None = None
    tuned_on: str = "dev"
