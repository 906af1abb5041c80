"""What must not change a verdict: sources in another order, one of them twice, cut elsewhere, beside others; marks."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from groundscope.methods import registry
from groundscope.methods.defaults import DEFAULTS
from groundscope.types import Case, Passage

MOST = 0.05
"""How far the support of a sentence may move."""
LEASE = (
    "The lease runs for five years from 1 March 2021. The tenant may renew it once for three years. "
    "Notice of renewal is due six months before the term ends."
)
RENT = "The monthly rent is 4,200 euros. It rises by two percent each year. The landlord pays the taxes on the land."
REPAIRS = "Repairs of the roof are the landlord's duty. The tenant keeps the floors clean and insured."
CASE = Case(
    "lease",
    "How long does the lease run, and who repairs the roof?",
    (Passage("a", LEASE), Passage("b", RENT), Passage("c", REPAIRS)),
    "The lease runs for five years and may be renewed once by the tenant. The rent stands at 2,400 euros each month. "
    "The roof must be repaired by the tenant.",
)
ELSEWHERE = (
    "Penguins breed on ice shelves and dive deep after krill.",
    "Granite cools slowly, hence its coarse crystals.",
    "A sonnet has fourteen lines.",
    "Yeast turns sugar into alcohol while dough ferments overnight.",
    "Jupiter's moons were drawn by Galileo with a simple telescope.",
) * 4


def _passages(*texts: str) -> tuple[Passage, ...]:
    return tuple(Passage(f"p{i}", text) for i, text in enumerate(texts))


def _split(text: str) -> list[str]:
    return [f"{part.rstrip('.')}." for part in text.split(". ")]


CHANGES: dict[str, Callable[[Case], Case]] = {
    "turned": lambda c: replace(c, context=c.context[::-1]),
    "a source twice": lambda c: replace(c, context=(*c.context, Passage("again", RENT))),
    "split": lambda c: replace(c, context=_passages(*(s for p in c.context for s in _split(p.text)))),
    "joined": lambda c: replace(c, context=_passages(" ".join(p.text for p in c.context))),
    "twenty about something else": lambda c: replace(c, context=(*_passages(*ELSEWHERE), *c.context)),
    "marks": lambda c: replace(c, response=c.response.replace("five years", "**five years**").replace("month.", "month [2].")),
}


@pytest.mark.parametrize("method", [*DEFAULTS, "cascade"])
def test_sources_that_say_the_same_give_the_same_support(method: str) -> None:
    scorer = registry.load(method)
    plain = [s.support for s in scorer.score(CASE).sentences]
    assert len(plain) == 3
    for name, change in CHANGES.items():
        supports = [s.support for s in scorer.score(change(CASE)).sentences]
        assert supports == pytest.approx(plain, abs=MOST), name
