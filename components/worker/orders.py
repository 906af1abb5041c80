"""Orders that the app sends to its worker, and the functions that they may name besides scoring. No streamlit."""

from collections.abc import Callable
from typing import Any, NamedTuple

from groundscope.chat.budget import NOTHING, Cost
from groundscope.grounding.sensitivity.leave_one_out import leave_one_out
from groundscope.types import Case

Load = Case | list[str] | tuple[Any, ...] | None
CALLS = {"prepare", "accept"}
"""Members of a scorer that may be called by name: they load weights, or check a folder of them."""


APPLIED: dict[str, Callable[..., Any]] = {"leave_one_out": leave_one_out}
"""What is done with a method besides a score; the method comes first, and the rest is the load of the order."""


class Allowance(NamedTuple):
    """What a session may spend on models that are asked (None = no limit), and what it has spent as far as the parent knows."""

    session: str
    calls: int | None
    dollars: float | None
    spent: Cost = NOTHING


class Order(NamedTuple):
    """What the parent asks for: `score`, `embed`, `cancel`, `forget`, one of `CALLS` or of `APPLIED`, under the job's number.

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
