"""Orders that the app sends to its worker, and the functions that they may name besides scoring. No streamlit."""

from collections.abc import Callable
from typing import Any, NamedTuple

from groundscope.cases.edits.variants import Adapted, adapt_by_model
from groundscope.cases.edits.whole_set import VariedSet, VaryOptions, vary
from groundscope.cases.validation import Check, validate
from groundscope.chat import replies
from groundscope.chat.budget import NOTHING, Cost
from groundscope.chat.clients.ceilings import ended, in_thread
from groundscope.chat.clients.model import chat_model
from groundscope.chat.prompt_files import asked_chat
from groundscope.citations.decomposing import Decomposed, decomposer
from groundscope.citations.similarity import asked
from groundscope.errors import DataError
from groundscope.files.sandbox import sandboxed
from groundscope.grounding.sensitivity.leave_one_out import leave_one_out
from groundscope.runtime.progress import listening, report
from groundscope.types import Case

CHECKED = 1_500_000
"""Bytes of cases that are checked in 0.2 s; larger sets in a process of their own."""
Load = Case | list[str] | tuple[Any, ...] | None
CALLS = {"prepare", "accept"}
"""Members of a scorer that may be called by name: they load weights, or check a folder of them."""


def _adapt(case: Case, line: str, count: int) -> Adapted:
    asked_by = asked_chat(line)
    return adapt_by_model(case, chat_model(asked_by.spec), count=count, prompt=asked_by.prompt)


class CheckedVariants(NamedTuple):
    """A set of variants and the checks of it; none where they took too long."""

    made: VariedSet
    checks: tuple[Check, ...]


def _vary(cases: tuple[Case, ...], lines: tuple[str, ...], how: VaryOptions) -> CheckedVariants:
    variants = vary(cases, models={line: chat_model(asked_chat(line).spec) for line in lines}, **how)
    # A user who stopped the writing keeps what was written, and its checks.
    with listening(lambda done, total: None):
        try:
            return CheckedVariants(variants, sandboxed(CHECKED, validate, variants.cases))
        except DataError:
            return CheckedVariants(variants, ())


def _claims(pairs: list[tuple[str, str]], line: str) -> list[float]:
    return asked(line).of(pairs)


def _decompose(texts: list[str], line: str, subsections: bool) -> list[Decomposed]:
    model, documents = decomposer(line), []
    for done, text in enumerate(texts):
        report(done, len(texts))
        documents.append(model.document(text, subsections=subsections))
    return documents


def _forget() -> str:
    replies.default().clear()
    return ""


ASKED: dict[str, Callable[..., Any]] = {
    "adapt": _adapt,
    "vary": _vary,
    "claims": _claims,
    "decompose": _decompose,
    # In a thread: a server that falls silent must not hold up who cancels.
    "check": lambda line: ended(in_thread("check", chat_model(line).check)).result(),
    "forget": _forget,
}
"""What is done with a chat model, or with its replies, and no method."""


APPLIED: dict[str, Callable[..., Any]] = {"leave_one_out": leave_one_out}
"""What is done with a method besides a score; the method comes first, and the rest is the load of the order."""


class Allowance(NamedTuple):
    """What a session may spend on models that are asked (None = no limit), and what it has spent as far as the parent knows."""

    session: str
    calls: int | None
    dollars: float | None
    spent: Cost = NOTHING


class Order(NamedTuple):
    """What the parent asks for: `score`, `embed`, `cancel`, or one of `CALLS`, `ASKED` or `APPLIED`, under the number of the job.

    `load` is what to do it with: a case, texts, or the arguments of a call; `options` are the method's parameters that are not
    its defaults; `keep` says whether supports and replies may be kept on disk. The orders of one `session` keep their sequence.
    `again` says that the case is one that the user edits: vectors of the case before it may be used again. `joined` are cases of
    other jobs, under their numbers, that the same method reads in the same pass.
    """

    word: str
    method: str = ""
    load: Load = None
    options: tuple[tuple[str, Any], ...] = ()
    keep: bool = False
    allowance: Allowance | None = None
    number: int = 0
    session: str = ""
    again: bool = False
    joined: tuple[tuple[int, Case], ...] = ()

    @property
    def line(self) -> str:
        """The line it waits in: its session's, or another one for what a page's scores need not wait for."""
        return f"{self.word} {self.session}" if self.word == "embed" or self.word in APPLIED else self.session


def size(load: Load) -> int:
    """Characters of a case; 0 of another load."""
    return len(load.response) + sum(len(passage.text) for passage in load.context) if isinstance(load, Case) else 0
