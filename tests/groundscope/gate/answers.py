"""Answers with known faults, for tests of the gate."""

from groundscope.types import Case, Passage

LEASE = Passage("p1", "The tenant must give notice of 60 days. The rent is $900 a month.", "Lease")
RULING = Passage("p2", "The court upheld the notice in Smith v. Jones, 12 F.3d 34 (9th Cir. 1993).", "Ruling")
SOUND = "The tenant must give notice of 60 days."
WRONG_FIGURE = "The rent is $950 a month."
CITED = "See Smith v. Jones, 12 F.3d 34 (9th Cir. 1993)."
OTHER_YEAR = "See Smith v. Jones, 12 F.3d 34 (9th Cir. 1991)."
NOT_THERE = "See Roe v. Poe, 99 F.2d 11 (2d Cir. 1950)."


def answer(*sentences: str, id: str = "c", query: str = "What is owed?") -> Case:
    return Case(id, query, (LEASE, RULING), " ".join(sentences))
