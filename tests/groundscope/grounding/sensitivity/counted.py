"""Methods whose supports can be counted by hand."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from groundscope.methods import Method
from groundscope.text.sentences import split
from groundscope.types import Case, Judgement, Passage, SentenceScore, Status


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


@dataclass
class SharedWords(Method):
    """Share of a sentence's words that stand somewhere in the sources.

    Attributes:
        does: called with each case before it is scored; may raise, or give another judgement.
        seen: the cases.
    """

    does: Callable[[Case], Judgement | None] = lambda case: None
    seen: list[Case] = field(default_factory=list)

    @property
    def signature(self) -> str:
        return "shared_words"

    def support(self, sentence: str, known: set[str]) -> float:
        return len(words(sentence) & known) / len(words(sentence))

    def score(self, case: Case) -> Judgement:
        self.seen.append(case)
        if other := self.does(case):
            return other
        if not case.context or not split(case.response):
            return Judgement(Status.NOT_ASSESSABLE, note="Nothing to assess.")
        known = words(" ".join(p.text for p in case.context))
        scores = tuple(
            SentenceScore(s.start, s.end, self.support(case.response[s.start : s.end], known)) for s in split(case.response)
        )
        return Judgement(Status.SCORED, support=min(s.support or 0.0 for s in scores), sentences=scores)


@dataclass
class Asks(SharedWords):
    """As if it asked a chat model."""

    asks = True


RENT = Case(
    "rent",
    "Who pays?",
    (
        Passage("a", "Tenants pay rent. Cats sleep.", "Lease"),
        Passage("b", "Rent is due monthly.", "Statute"),
        Passage("c", "Dogs bark loudly."),
    ),
    "Tenants pay rent monthly. Zebras fly.",
)
"""With all sources 4/4 and 0/2 of the words; without the first 2/4, the second 3/4, the third 4/4 of the first sentence's."""
