"""The model of a finding: words of a response about which a check or a method says something."""

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from groundscope.citations.quotes import ContextPlace


class Certainty(StrEnum):
    """How sure a finding is; the order is that in which findings are read.

    A remark says what a value comes from, as of a sum: it is no doubt, and nothing counts it.
    """

    EXACT = "exact"
    DIFFERS = "differs"
    DOUBTFUL = "doubtful"
    REMARK = "remark"


class FindingKind(StrEnum):
    """What a finding is about: an exact check, a difference from the nearest passage, or the support by a method."""

    FIGURE = "figure"
    DATE = "date"
    SECTION = "section"
    NAME = "name"
    QUOTATION = "quotation"
    CITATION = "citation"
    MARK = "mark"
    SOURCE = "source"
    COURT = "court"
    OTHER_FIGURE = "other figure"
    PARTY = "party"
    TERM = "legal term"
    MODAL = "modal"
    NEGATION = "negation"
    CONNECTIVE = "connective"
    CONDITION = "condition"
    SUPPORT = "support"


@dataclass(frozen=True, slots=True)
class Finding:
    """Words `response[start:end]` about which a check or a method says something.

    Attributes:
        sentence: index of the sentence of the response, from 0.
        text: the words, as they stand there.
        why: a sentence that says what was compared, and what the sources have instead where that is known.
        place: where they have that, or what is nearest; from 0 to 0 where it is the title of a source. None = nowhere.
        check: the check or the method that says so, as a reader names it.
        theirs: what the nearest passage has in place of the words; empty where it has nothing, or that is not known.
        worth: how often findings of this kind were right on labelled answers, as a sentence; empty where it was not measured.
    """

    kind: FindingKind
    sentence: int
    start: int
    end: int
    text: str
    why: str
    place: ContextPlace | None = None
    certainty: Certainty = Certainty.EXACT
    check: str = ""
    worth: str = ""
    theirs: str = ""

    @property
    def alarm(self) -> bool:
        """Whether it is more than a remark."""
        return self.certainty is not Certainty.REMARK


CHECKS = {
    FindingKind.FIGURE: "Check of figures",
    FindingKind.DATE: "Check of dates",
    FindingKind.SECTION: "Check of sections",
    FindingKind.NAME: "Check of names",
    FindingKind.QUOTATION: "Check of quotations",
    FindingKind.CITATION: "Check of citations",
    FindingKind.MARK: "Check of source marks",
    FindingKind.SOURCE: "Check of named sources",
    FindingKind.COURT: "Check of courts",
    FindingKind.OTHER_FIGURE: "Another figure than the passage that it repeats",
    FindingKind.PARTY: "Another party than in the passage that it repeats",
    FindingKind.TERM: "Another legal term than in the passage that it repeats",
    FindingKind.MODAL: "Another duty or permission than in the passage that it repeats",
    FindingKind.NEGATION: "A “not” more or less than in the passage that it repeats",
    FindingKind.CONNECTIVE: "Another linking word than in the passage that it repeats",
    FindingKind.CONDITION: "A condition of the passage left out",
}
"""The checks by the kind of what they find."""
WORTH = Path(__file__).with_name("worth.json")
"""Written by `python -m benchmarks.findings --write`: sentences of the samples with a finding, by kind: [wrong, sound]."""


@cache
def _counts() -> dict[str, list[int]]:
    counts: dict[str, list[int]] = json.loads(WORTH.read_text(encoding="utf-8"))
    return counts


def worth(*kinds: FindingKind) -> str:
    """Say how often sentences with a finding are wrong on the samples, counted by kind, beside how often any sentence is."""
    wrong, sound = (sum(_counts().get(kind, [0, 0])[n] for kind in kinds) for n in range(2))
    all_wrong, all_sound = _counts()["all"]
    if not wrong + sound:
        return "No sentence of the samples has such a finding, so how often it is right was not measured."
    usual = round(100 * all_wrong / (all_wrong + all_sound))
    return f"On the samples {wrong} of {wrong + sound} such sentences are wrong, of all {usual} %."
