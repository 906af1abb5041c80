"""What the paper's tables do not print but imply: the counts of right answers behind table 3; and its table 4.

The counts were recovered by trying every confusion table: with as many grounded as ungrounded responses (75 and 75 on dev, 158
and 158 on test) they are the only ones that give all four printed digits of a row. Macro averages do not show which class is
which. Some rows fit no such table: LYNX's needs answers that could not be read, the others a few responses more or fewer
(FACT_KB's on test prints 0.510 where 161 right of 316 would be 0.509, as in QUIP's row).
"""

from typing import NamedTuple

from groundscope.statistics.metrics import Confusion
from groundscope.types import ErrorType


class Right(NamedTuple):
    """How many responses of one class and of the other a method gets right; which is which is not known."""

    one: int
    other: int

    def of(self, size: int) -> Confusion:
        """The table over so many responses of each class."""
        return Confusion(self.one, size - self.one, 0, self.other, size - self.other, 0)


class Misclassified(NamedTuple):
    """A row of table 4: ungrounded dev responses with an error of a type, and those of them that the method calls grounded."""

    missed: int
    total: int


DEV_CLASS, TEST_CLASS = 75, 158
"""Responses of each class that table 3 was computed on; table 1 says 162 and 316 responses in all."""


def _rights(*pairs: tuple[int, int]) -> tuple[Right, ...]:
    return tuple(Right(*pair) for pair in pairs)


DEV_RIGHT = {
    "COS_SIM": _rights((22, 56)),
    "QUIP": _rights((7, 73)),
    "HEM V1": _rights((46, 50), (47, 49), (48, 48)),
    "HEM V2": _rights((41, 46), (42, 45), (43, 44)),
    "FACT_KB": _rights((36, 43), (37, 42), (38, 41)),
    "GC-large": _rights((36, 64)),
    "Sonnet 3.5": _rights((52, 57)),
    "GPT-4o": _rights((51, 65)),
    "RefChecker (Sonnet 3)": _rights((3, 72)),
    "DeepEval Claims Verify": _rights((58, 62)),
    "SCGPT (Multi-Gen)": _rights((46, 48), (47, 47)),
    "SCGPT (ContextNLI)": _rights((45, 48), (46, 47)),
}
"""Every recovered count on dev, of `DEV_CLASS` responses a class, by the name of the row."""

TEST_RIGHT = {
    "COS_SIM": _rights((64, 93), (65, 92)),
    "QUIP": _rights((8, 153)),
    "HEM V1": _rights((80, 108), (81, 107)),
    "HEM V2": _rights((79, 99), (80, 98), (81, 97), (82, 96)),
    "GC-large": _rights((79, 117)),
    "Sonnet 3.5": _rights((97, 129)),
    "GPT-4o": _rights((92, 149)),
    "RefChecker (Sonnet 3)": _rights((11, 147)),
    "SCGPT (ContextNLI)": _rights((78, 113)),
}
"""The same on test, of `TEST_CLASS` a class."""

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
