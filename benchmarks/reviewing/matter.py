"""A made-up matter: leases as PDF, and answers of which it is known what a reviewer must decide of each sentence."""

import random
from collections.abc import Sequence
from textwrap import fill
from typing import NamedTuple

from groundscope.review.decisions import Ruling
from tests.groundscope.files.document_files import pdf

_PLACES = ("Mill Street 4", "Harbour Road 12", "Abbey Lane 7", "Station Square 3", "Orchard Way 21", "Castle Hill 9")
_CLAUSES = (
    ("Rent", "The tenant of {place} pays a rent of ${0},450 on the first day of each quarter."),
    ("Late payment", "Rent of {place} that is {1} days late bears a fee of ${2}."),
    ("Deposit", "The landlord of {place} returns the deposit within {3} days after the tenant has moved out."),
    (
        "Notice",
        "Either party may end the lease of {place} by notice in writing, given at least {4} days before the end of a quarter.",
    ),
    ("Pets", "Pets in {place} need the consent of the landlord, which is given or refused within {5} days."),
    ("Repairs", "The landlord of {place} repairs the heating within {6} days after a report in writing."),
    ("Access", "The landlord enters {place} after a notice of {7} hours, except in an emergency."),
    ("Insurance", "The tenant of {place} insures the furniture for at least ${8},500."),
)
_FILLER = "The parties have read this clause and agree to it. It binds those who take their place."
_EXTRA = " and pays the costs of both sides"
_NOWHERE = (
    "The tenant of {place} may sublet two rooms without asking.",
    "The landlord of {place} pays for a parking space.",
    "A mediator decides about noise in {place}.",
    "The garden of {place} is closed in winter.",
)


class ExpectedDecision(NamedTuple):
    """What a reviewer must decide of a sentence. `passage`: the sentence of the sources to name; `words`: the wrong ones."""

    text: str
    ruling: Ruling
    note: str = ""
    passage: str = ""
    words: str = ""


class WrittenAnswer(NamedTuple):
    """An answer to check, with what must be decided of its sentences."""

    question: str
    sentences: tuple[ExpectedDecision, ...]

    @property
    def text(self) -> str:
        """The answer as it is pasted."""
        return " ".join(s.text for s in self.sentences)


def documents(seed: int = 0) -> dict[str, tuple[str, ...]]:
    """The clauses of each place; every figure of a place is its own."""
    rng = random.Random(seed)  # noqa: S311
    clauses = {}
    for place in _PLACES:
        figures = rng.sample(range(11, 99), 9)
        clauses[place] = tuple(text.format(*figures, place=place) for _, text in _CLAUSES)
    return clauses


def pdfs(clauses: dict[str, tuple[str, ...]]) -> list[tuple[str, bytes]]:
    """A PDF of each place, two clauses a page."""
    names = [f"{place.lower().replace(' ', '-')}.pdf" for place in clauses]
    sections = ([(f"{n}. {_CLAUSES[n - 1][0]}", f"{t} {_FILLER}") for n, t in enumerate(c, 1)] for c in clauses.values())
    return [(name, pdf_of(list(parts))) for name, parts in zip(names, sections, strict=True)]


def pdf_of(sections: Sequence[tuple[str, str]]) -> bytes:
    """A PDF with a page for each heading and its text."""
    return pdf(*(f"{heading}\n{fill(text, 90)}" for heading, text in sections))


def answers(clauses: dict[str, tuple[str, ...]], count: int = 60, seed: int = 0) -> list[WrittenAnswer]:
    """Answers of four to six sentences: clauses as they stand, with another figure, with something added, or of none."""
    rng, written = random.Random(seed), []  # noqa: S311
    for number in range(1, count + 1):
        place = rng.choice(list(clauses))
        chosen = rng.sample(clauses[place], rng.randint(4, 6))
        kinds = rng.choices(list(_WRITERS), weights=(60, 15, 15, 10), k=len(chosen))
        sentences = tuple(_WRITERS[kind](clause, place, rng) for kind, clause in zip(kinds, chosen, strict=True))
        written.append(WrittenAnswer(f"Question {number}: what holds for {place}?", sentences))
    return written


def _sound(clause: str, _place: str, _rng: random.Random) -> ExpectedDecision:
    return ExpectedDecision(clause, Ruling.SUPPORTED)


def _changed(clause: str, place: str, _rng: random.Random) -> ExpectedDecision:
    tail = clause[clause.index(place) + len(place) :]
    figure = next(w for w in tail.split() if any(c.isdigit() for c in w)).strip(".")
    other = figure.replace(figure.strip("$")[:2], str(int(figure.strip("$")[:2]) + 100), 1)
    text = clause.replace(place + tail, place + tail.replace(figure, other, 1))
    return ExpectedDecision(text, Ruling.CONTRADICTED, f"The lease says {figure}.", clause, other)


def _invented(_clause: str, place: str, rng: random.Random) -> ExpectedDecision:
    return ExpectedDecision(rng.choice(_NOWHERE).format(place=place), Ruling.NOT_SUPPORTED, "The lease does not say so.")


def _widened(clause: str, _place: str, _rng: random.Random) -> ExpectedDecision:
    text = f"{clause.removesuffix('.')}{_EXTRA}."
    return ExpectedDecision(text, Ruling.PARTLY, "The costs are added.", clause, _EXTRA.strip())


_WRITERS = {"sound": _sound, "changed": _changed, "invented": _invented, "widened": _widened}
