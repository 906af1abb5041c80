"""What a method tells of itself: for the catalogue, the strip and the exports."""

from dataclasses import dataclass

RAGBENCH = "tuned on RAGBench ExpertQA sentences, not on law"
"""Where the methods' starting thresholds come from: see benchmarks/README.md for the run and its macro-F1."""


EVEN = "where the model finds both answers equally likely, not tuned"
"""The starting threshold of classifiers that nobody has tuned yet: 0.5."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A row of the paper's table 3, as printed: Trautmann et al. 2024.

    Attributes:
        row: the row's name there.
        section: where the paper describes the method.
        dev_f1: macro-F1 on its dev split.
        test_f1: macro-F1 on its test split.
    """

    row: str
    section: str
    dev_f1: float
    test_f1: float


@dataclass(frozen=True, slots=True)
class Requirement:
    """Something that a method needs on this machine.

    Attributes:
        name: of the weights; a folder of them is called so.
        revision: the pinned commit or version.
        megabytes: of the download, about; 0 = it comes with the app.
        pickled: the publisher has a pickle only.
        where: the folder it lies in; empty = not here.
        missing: one sentence with the mend; empty = here.
        page: address of its model card; empty = there is none.
        bundled: it comes with the app.
        replaceable: a model of the user's own may stand in for it, from a folder or by its id and commit on the hub.
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


@dataclass(frozen=True, slots=True)
class About:
    """What a user is told of a method.

    Attributes:
        title: a short name for tables and the strip.
        measures: one plain sentence on what its support means.
        threshold: where to start; below it a sentence counts as not supported. None = nobody has measured one.
        threshold_source: how that threshold was found, in a few words.
        needs: what it takes beyond the installed packages; empty = runs at once.
        licence: of the weights, or of the code where there are none.
        aggregation: how sentence supports make the response's support, in words.
        paper: its row in the paper; None = not in the paper.
        tuned_on: the split that the paper tunes its threshold on (section 5.1).
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
