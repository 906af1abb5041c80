"""Types of a pipeline: questions, passages and hits, and the protocols of retrievers, generators and judges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from groundscope.text.embedding import Hear
from groundscope.types import Passage


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a corpus.

    `reference`: the reference answer; empty = none, and correctness cannot be judged. `relevant`: ids of the passages that
    hold the answer; empty = not known, and nothing is said of retrieval.
    """

    id: str
    text: str
    reference: str = ""
    relevant: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A corpus with its questions, ids unique, no text empty; a passage's `source` is its title, questions may still be to come.

    `problems` says what was left out or is doubtful, by row or id, quoting no text; the licence is empty for the user's own data.
    """

    name: str
    passages: tuple[Passage, ...]
    questions: tuple[Question, ...]
    problems: tuple[str, ...] = ()
    licence: str = ""


class Hit(NamedTuple):
    """A retrieved passage, or a piece of it. `end`: of the piece; 0 = the whole passage."""

    passage: int
    score: float
    start: int = 0
    end: int = 0


def found_in(passages: Sequence[Passage] | Mapping[int, Passage], hit: Hit) -> Passage:
    """Give what a hit found: the passage, or the piece of it under the same id."""
    whole = passages[hit.passage]
    return replace(whole, text=whole.text[hit.start : hit.end]) if hit.end else whole


class Retriever(Protocol):
    """Finds the passages of a corpus that a question needs."""

    @property
    def signature(self) -> str:
        """What is found depends on this and the corpus alone."""

    def search(self, passages: Sequence[Passage], questions: Sequence[str], k: int, hear: Hear) -> list[list[Hit]]:
        """Find the k best passages of each question; `ScorerUnavailable` says what to do if it cannot be used here."""


class Written(NamedTuple):
    """An answer; `note` says why there is none, or what the user must know of it."""

    text: str
    note: str = ""


class Generator(Protocol):
    """Writes an answer from passages."""

    @property
    def signature(self) -> str:
        """What is written depends on this, the question and the passages alone."""

    def answer(self, question: str, passages: Sequence[Passage]) -> Written:
        """Write one answer; `ModelUnavailable` says what to do if it cannot be used, `BudgetSpent` as of any call."""


class Verdict(NamedTuple):
    """What a judge says; None = no verdict, and `reasons` say why. `unsupported`: a claim for which it is not grounded."""

    correct: bool | None
    grounded: bool | None
    reasons: str = ""
    unsupported: str = ""


class Judge(Protocol):
    """Says whether an answer is correct and grounded."""

    @property
    def signature(self) -> str:
        """What is said depends on this and the texts alone."""

    def judge(self, question: Question, answer: str, passages: Sequence[Passage]) -> Verdict:
        """Judge one answer; `ScorerUnavailable` if it cannot judge now and may be asked again, `BudgetSpent` as of any call."""
