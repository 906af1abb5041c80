"""Chat models that write variants of a whole set: every answer goes to each, and what was written stays when it ends early."""

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from groundscope.cases.edits.by_model import MOST
from groundscope.cases.edits.variants import Adapted, adapt_by_model, model_prompt
from groundscope.chat.conversation import ask_all
from groundscope.chat.messages import ChatModel
from groundscope.chat.sending import need_room
from groundscope.errors import BudgetSpent, Cancelled, DataError, ModelUnavailable
from groundscope.types import Case

_PATIENCE = 3
"""Answers in a row of which a model writes nothing, before it counts as gone: the others would wait as long for nothing."""


@dataclass(frozen=True, slots=True)
class Writing:
    """What chat models wrote.

    Attributes:
        written: by id of the answer and name of the model: versions, or why there are none.
        done: ids of the answers that every model was done with.
        stopped: why it ended early, in a sentence; empty = it did not.
    """

    written: Mapping[tuple[str, str], Adapted | str]
    done: frozenset[str]
    stopped: str = ""


@dataclass(slots=True)
class _Desk:
    """Where models leave what they wrote, from several threads."""

    written: dict[tuple[str, str], Adapted | str] = field(default_factory=dict)
    faults: dict[tuple[str, str], str] = field(default_factory=dict)
    silent: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, case: Case, name: str, model: ChatModel, count: int) -> None:
        """Have one model write of one answer; raises what ends all of it."""
        with self.lock:
            gone = self.silent[name] >= _PATIENCE
        if gone:
            raise ModelUnavailable(next(why for (_, who), why in reversed(self.faults.items()) if who == name))
        try:
            need_room(model, model_prompt(case, count), "This answer with its sources", "; choose a model with more room.")
        except ModelUnavailable as error:
            self.written[case.id, name] = str(error)
            return
        try:
            self.written[case.id, name] = adapt_by_model(case, model, count=count)
        except DataError as error:
            self.written[case.id, name] = str(error)
        except ModelUnavailable as error:
            with self.lock:
                self.faults[case.id, name] = str(error)
                self.silent[name] += 1
                if self.silent[name] >= _PATIENCE:
                    raise
            return
        with self.lock:
            self.silent[name] = 0


def write_all(cases: Sequence[Case], models: Mapping[str, ChatModel], count: int) -> Writing:
    """Have every model write variants of every answer, several at a time.

    Raises:
        ModelUnavailable, BudgetSpent, Cancelled: it ended before every model was done with one answer.
    """
    if not models:
        return Writing({}, frozenset(c.id for c in cases))
    desk, stopped = _Desk(), ""
    # One answer after the other, not one model: what is there when it ends early has every writer.
    asked = [partial(desk.ask, case, name, model, min(count, MOST)) for case in cases for name, model in models.items()]
    try:
        ask_all(asked)
    except (Cancelled, BudgetSpent, ModelUnavailable) as error:
        stopped = "It was stopped by hand." if isinstance(error, Cancelled) else str(error)
        if not _done(cases, models, desk.written):
            raise
    else:
        desk.written |= desk.faults
        if not any(isinstance(found, Adapted) for found in desk.written.values()) and desk.faults:
            raise ModelUnavailable(next(iter(desk.faults.values())))
    return Writing(desk.written, _done(cases, models, desk.written), stopped)


def _done(
    cases: Sequence[Case], models: Mapping[str, ChatModel], written: Mapping[tuple[str, str], Adapted | str]
) -> frozenset[str]:
    return frozenset(c.id for c in cases if all((c.id, name) in written for name in models))
