"""What the paper's tables do not print but imply: the counts of right answers behind table 3; and its table 4.

The counts were recovered by trying every confusion table: with as many grounded as ungrounded responses (75 and 75 on dev, 158
and 158 on test) they are the only ones that give all four printed digits of a row. Macro averages do not show which class is
which. Some rows fit no such table: LYNX's needs answers that could not be read, the others a few responses more or fewer
(FACT_KB's on test prints 0.510 where 161 right of 316 would be 0.509, as in QUIP's row).
"""

import tomllib
from pathlib import Path

from groundscope.statistics.metrics import Confusion
from groundscope.types import ErrorType


def table_of(right: tuple[int, int], size: int) -> Confusion:
    """The table over so many responses of each class, of which so many were got right; which class is which is not known."""
    first, second = right
    return Confusion(first, size - first, 0, second, size - second, 0)


DEV_CLASS, TEST_CLASS = 75, 158
"""Responses of each class that table 3 was computed on; table 1 says 162 and 316 responses in all."""

DEV_RIGHT = {
    "COS_SIM": [(22, 56)],
    "QUIP": [(7, 73)],
    "HEM V1": [(46, 50), (47, 49), (48, 48)],
    "HEM V2": [(41, 46), (42, 45), (43, 44)],
    "FACT_KB": [(36, 43), (37, 42), (38, 41)],
    "GC-large": [(36, 64)],
    "Sonnet 3.5": [(52, 57)],
    "GPT-4o": [(51, 65)],
    "RefChecker (Sonnet 3)": [(3, 72)],
    "DeepEval Claims Verify": [(58, 62)],
    "SCGPT (Multi-Gen)": [(46, 48), (47, 47)],
    "SCGPT (ContextNLI)": [(45, 48), (46, 47)],
}
"""Every recovered count on dev, of `DEV_CLASS` responses a class, by the name of the row."""

TEST_RIGHT = {
    "COS_SIM": [(64, 93), (65, 92)],
    "QUIP": [(8, 153)],
    "HEM V1": [(80, 108), (81, 107)],
    "HEM V2": [(79, 99), (80, 98), (81, 97), (82, 96)],
    "GC-large": [(79, 117)],
    "Sonnet 3.5": [(97, 129)],
    "GPT-4o": [(92, 149)],
    "RefChecker (Sonnet 3)": [(11, 147)],
    "SCGPT (ContextNLI)": [(78, 113)],
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

_TYPES = (
    ErrorType.TERMINOLOGICAL_ERROR,
    ErrorType.FACTUAL_INACCURACY,
    ErrorType.PROCEDURAL_ERROR,
    ErrorType.REASONING_ERROR,
    ErrorType.CONTEXTUAL_MISINTERPRETATION,
    ErrorType.MISATTRIBUTION,
)
_FACTS = tomllib.loads((Path(__file__).parents[2] / "paper_facts.toml").read_text("utf-8"))
TABLE_4 = {kind: tuple(counts) for kind, counts in zip(_TYPES, _FACTS["table_4"].values(), strict=True)}
"""DeepEval Claims Verify on dev: of the ungrounded responses with an error of a type, those called grounded, and all.

A response with errors of several types counts under each.
"""
