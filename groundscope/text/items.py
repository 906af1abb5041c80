"""Facts of a text: their kinds, and where they stand."""

from enum import StrEnum
from typing import NamedTuple


class FactKind(StrEnum):
    """Kind of a fact; the values are shown to readers, those first that change what the law asks."""

    CONNECTIVE = "Linking words"
    ROLE = "Parties and roles"
    TERM = "Legal terms"
    NEGATION = "Negations"
    MODAL = "Shall, may, must"
    MONEY = "Money"
    DATE = "Dates"
    NUMBER = "Numbers"
    CITATION = "Citations"
    NAME = "Names"
    QUOTE = "Quoted words"


class Item(NamedTuple):
    """A fact `text[start:end]`; equal keys are the same fact."""

    kind: FactKind
    start: int
    end: int
    key: str
