"""The figures that the paper prints, to be drawn beside a user's own and to test the metrics against.

Trautmann et al. 2024, "Measuring the Groundedness of Legal Question-Answering Systems", as printed. Latencies are in its figure
2 only, an image, but for two that its text states; the others are None and must not be guessed.

The counts of right answers are not printed. They were recovered by trying every confusion table: with as many grounded as
ungrounded responses (75 and 75 on dev, 158 and 158 on test) they are the only ones that give all four printed digits of a row.
Macro averages do not show which class is which. Some rows fit no such table: LYNX's needs answers that could not be read, the
others a few responses more or fewer (FACT_KB's on test prints 0.510 where 161 right of 316 would be 0.509, as in QUIP's row).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from groundscope.grounding.runs.arrays import MethodRun
from groundscope.statistics.metrics import Confusion
from groundscope.types import ErrorType


class Printed(NamedTuple):
    """The columns of table 3: macro precision, macro recall, macro-F1 and accuracy, three digits."""

    precision: float
    recall: float
    macro_f1: float
    accuracy: float


class Right(NamedTuple):
    """How many responses of one class and of the other a method gets right; which is which is not known."""

    one: int
    other: int


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A row of table 3.

    Attributes:
        name: as printed.
        method: the id of the method here that does the same; two rows may share one that takes the model as a parameter.
        dev: printed figures on dev.
        test: printed figures on test.
        seconds: mean latency per response on dev, where the text states it.
        dev_right: every recovered count on dev, of `DEV_CLASS` responses a class; empty where there is none.
        test_right: the same on test, of `TEST_CLASS` a class.
    """

    name: str
    method: str
    dev: Printed
    test: Printed
    seconds: float | None = None
    dev_right: tuple[Right, ...] = ()
    test_right: tuple[Right, ...] = ()


class SplitSize(NamedTuple):
    """A row of table 1."""

    queries: int
    responses: int
    sentences: int


class Misclassified(NamedTuple):
    """A row of table 4: ungrounded dev responses with an error of a type, and those of them that the method calls grounded."""

    missed: int
    total: int


SOURCE = "Trautmann et al. 2024, Measuring the Groundedness of Legal Question-Answering Systems"

DEV_CLASS, TEST_CLASS = 75, 158
"""Responses of each class that table 3 was computed on; table 1 says 162 and 316 responses in all."""

TABLE_1 = {"train": SplitSize(400, 1080, 5671), "dev": SplitSize(58, 162, 797), "test": SplitSize(115, 316, 1516)}


def _rights(*pairs: tuple[int, int]) -> tuple[Right, ...]:
    return tuple(Right(*pair) for pair in pairs)


TABLE_3 = (
    PaperRow(
        "COS_SIM",
        "cos_sim",
        Printed(0.525, 0.520, 0.494, 0.520),
        Printed(0.497, 0.497, 0.493, 0.497),
        dev_right=_rights((22, 56)),
        test_right=_rights((64, 93), (65, 92)),
    ),
    PaperRow(
        "QUIP",
        "quip",
        Printed(0.648, 0.533, 0.421, 0.533),
        Printed(0.560, 0.509, 0.379, 0.509),
        dev_right=_rights((7, 73)),
        test_right=_rights((8, 153)),
    ),
    PaperRow(
        "HEM V1",
        "hem_v1",
        Printed(0.640, 0.640, 0.640, 0.640),
        Printed(0.598, 0.595, 0.592, 0.595),
        dev_right=_rights((46, 50), (47, 49), (48, 48)),
        test_right=_rights((80, 108), (81, 107)),
    ),
    PaperRow(
        "HEM V2",
        "hem_v2",
        Printed(0.580, 0.580, 0.580, 0.580),
        Printed(0.564, 0.563, 0.562, 0.563),
        dev_right=_rights((41, 46), (42, 45), (43, 44)),
        test_right=_rights((79, 99), (80, 98), (81, 97), (82, 96)),
    ),
    PaperRow(
        "FACT_KB",
        "factkb",
        Printed(0.527, 0.527, 0.526, 0.527),
        Printed(0.510, 0.510, 0.508, 0.510),
        dev_right=_rights((36, 43), (37, 42), (38, 41)),
    ),
    PaperRow(
        "GC-large",
        "grounding_classifier",
        Printed(0.694, 0.667, 0.655, 0.667),
        Printed(0.628, 0.620, 0.615, 0.620),
        dev_right=_rights((36, 64)),
        test_right=_rights((79, 117)),
    ),
    PaperRow("LYNX v1.1", "lynx", Printed(0.764, 0.460, 0.571, 0.460), Printed(0.792, 0.503, 0.597, 0.503)),
    PaperRow(
        "Sonnet 3.5",
        "direct",
        Printed(0.728, 0.727, 0.726, 0.727),
        Printed(0.724, 0.715, 0.712, 0.715),
        dev_right=_rights((52, 57)),
        test_right=_rights((97, 129)),
    ),
    PaperRow(
        "GPT-4o",
        "direct",
        Printed(0.783, 0.773, 0.771, 0.773),
        Printed(0.802, 0.763, 0.755, 0.763),
        seconds=2.2,
        dev_right=_rights((51, 65)),
        test_right=_rights((92, 149)),
    ),
    PaperRow("RefChecker (Haiku)", "refchecker", Printed(0.511, 0.506, 0.450, 0.506), Printed(0.514, 0.507, 0.435, 0.508)),
    PaperRow(
        "RefChecker (Sonnet 3)",
        "refchecker",
        Printed(0.500, 0.500, 0.366, 0.500),
        Printed(0.500, 0.500, 0.386, 0.500),
        dev_right=_rights((3, 72)),
        test_right=_rights((11, 147)),
    ),
    PaperRow(
        "DeepEval Claims Verify",
        "claims_verify",
        Printed(0.801, 0.800, 0.800, 0.800),
        Printed(0.779, 0.774, 0.774, 0.775),
        seconds=26.1,
        dev_right=_rights((58, 62)),
    ),
    PaperRow(
        "SCGPT (Multi-Gen)",
        "multi_gen",
        Printed(0.627, 0.627, 0.627, 0.627),
        Printed(0.679, 0.667, 0.661, 0.667),
        dev_right=_rights((46, 48), (47, 47)),
    ),
    PaperRow(
        "SCGPT (ContextNLI)",
        "context_nli",
        Printed(0.620, 0.620, 0.620, 0.620),
        Printed(0.610, 0.604, 0.600, 0.604),
        dev_right=_rights((45, 48), (46, 47)),
        test_right=_rights((78, 113)),
    ),
)

OTHER_SIZES_DEV = {"RefChecker (Haiku)": Confusion(15, 65, 0, 66, 14, 0)}
"""Rows that fit with another number of responses, by name: one of several tables that give the row on dev."""

OTHER_SIZES_TEST = {
    "FACT_KB": Confusion(70, 87, 0, 90, 67, 0),
    "RefChecker (Haiku)": Confusion(23, 132, 0, 135, 21, 0),
    "DeepEval Claims Verify": Confusion(112, 45, 0, 132, 26, 0),
    "SCGPT (Multi-Gen)": Confusion(85, 73, 0, 125, 32, 0),
}
"""The same on test."""

LYNX_DEV = Confusion(29, 0, 46, 40, 26, 9)
"""One of several tables that give the LYNX row on dev; every one has answers that could not be read."""

LYNX_TEST = Confusion(71, 59, 28, 88, 1, 69)
"""The same on test."""

TABLE_4 = {
    ErrorType.TERMINOLOGICAL_ERROR: Misclassified(2, 3),
    ErrorType.FACTUAL_INACCURACY: Misclassified(12, 59),
    ErrorType.PROCEDURAL_ERROR: Misclassified(1, 5),
    ErrorType.REASONING_ERROR: Misclassified(2, 15),
    ErrorType.CONTEXTUAL_MISINTERPRETATION: Misclassified(1, 9),
    ErrorType.MISATTRIBUTION: Misclassified(0, 1),
}
"""DeepEval Claims Verify on dev. A response with errors of several types counts under each."""


def paper_order(methods: Sequence[MethodRun]) -> list[int]:
    """Put methods in the order of the paper's table 3; parts of one method side by side, others at the end.

    The table has `direct` twice, with two chat models: of a run's parts of it, each stands where the method stands first.

    Args:
        methods: of a run, in its order.

    Returns:
        Places in `methods`, each once; methods that share a row, or have none, stay in the run's order.
    """
    rows: dict[str, int] = {}
    for place, row in enumerate(TABLE_3):
        rows.setdefault(row.method, place)
    return sorted(range(len(methods)), key=lambda i: (rows.get(methods[i].loads.partition(":")[0], len(TABLE_3)), i))
