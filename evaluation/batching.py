"""Many calls as one batch: half the price, done within a day, resumable by the batch's id.

A method asks its model as always. While `deferring`, a question without a kept reply is put on a list instead of being asked, and
the case waits. So a run goes in rounds: score what can be scored, send what was asked for as one batch, collect, score again.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple, Protocol

from evaluation.chat import Prompt
from evaluation.errors import GroundscopeError, ModelUnavailable
from evaluation.places import data_folder
from evaluation.types import Case, Judgement, Scorer, Status

_POLL = 60.0
_ROUNDS = 12
"""More than any method has questions that hang on one another."""


class Deferred(GroundscopeError):
    """A question was put on the list; the case is scored when its reply is here."""


class BatchModel(Protocol):
    """A model that takes batches."""

    @property
    def identity(self) -> str:
        """As in `evaluation.chat.ChatModel`."""
        ...

    def submit(self, pending: Sequence["Pending"]) -> str:
        """Send a batch and give its id.

        Raises:
            ModelUnavailable: it could not be sent.
        """
        ...

    def collect(self, batch: str) -> bool:
        """Keep a batch's replies, and say whether the batch has ended; what failed in it is asked again in the next.

        Raises:
            ModelUnavailable: the batch cannot be asked for.
        """
        ...


class Pending(NamedTuple):
    """A question on the list."""

    model: BatchModel
    key: str
    prompt: Prompt
    marker: str


_list: ContextVar[dict[str, Pending] | None] = ContextVar("groundscope_deferred", default=None)


@contextmanager
def deferring() -> Iterator[dict[str, Pending]]:
    """Put questions on a list, by key, instead of asking them, while the block runs."""
    pending: dict[str, Pending] = {}
    token = _list.set(pending)
    try:
        yield pending
    finally:
        _list.reset(token)


def defer(pending: Pending) -> None:
    """Put a question on the list, where there is one.

    Raises:
        Deferred: there is one.
    """
    found = _list.get()
    if found is not None:
        found[pending.key] = pending
        raise Deferred("The question goes into the next batch.")


def score_in_batches(
    scorer: Scorer, cases: Sequence[Case], *, wait: Callable[[float], None] = time.sleep
) -> Iterator[tuple[Case, Judgement]]:
    """Score cases, each when all its replies are here. A batch that an earlier run sent is collected first, never sent again.

    Args:
        scorer: a prompting method whose model takes batches.
        cases: what to judge.
        wait: waits between two looks at a batch; may raise `Cancelled`.

    Raises:
        ModelUnavailable: a batch cannot be sent or asked for.
    """
    left, sent = list(cases), _Sent()
    for _ in range(_ROUNDS):
        with deferring() as pending:
            waiting = []
            for case in left:
                try:
                    judgement = scorer.score(case)
                except Deferred:
                    waiting.append(case)
                else:
                    yield case, judgement
        left = waiting
        if not left:
            return
        _one_round(list(pending.values()), sent, wait)
    for case in left:
        yield (
            case,
            Judgement(Status.FAILED, note="The batches left a reply out again and again; run without them.", context_seen=0.0),
        )


def _one_round(pending: Sequence[Pending], sent: "_Sent", wait: Callable[[float], None]) -> None:
    for model in {p.model.identity: p.model for p in pending}.values():
        if sent.open(model.identity) is None:
            sent.add(model.identity, model.submit([p for p in pending if p.model.identity == model.identity]))
    for model in {p.model.identity: p.model for p in pending}.values():
        batch = sent.open(model.identity)
        while batch is not None and not model.collect(batch):
            wait(_POLL)
        sent.done(model.identity)


class _Sent:
    """Batches that were sent and not collected yet, by model; on disk, so that a new run finds them."""

    def __init__(self) -> None:
        self._path: Path = data_folder() / "batches.json"

    def open(self, model: str) -> str | None:
        found = self._read().get(model)
        return found if isinstance(found, str) else None

    def add(self, model: str, batch: str) -> None:
        self._write({**self._read(), model: batch})

    def done(self, model: str) -> None:
        self._write({k: v for k, v in self._read().items() if k != model})

    def _read(self) -> dict[str, object]:
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def _write(self, content: dict[str, object]) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            new = self._path.with_suffix(".new")
            new.write_text(json.dumps(content, indent=1), encoding="utf-8")
            new.replace(self._path)
        except OSError as error:
            raise ModelUnavailable(f"The batch's id cannot be written ({error.strerror}); check the data folder.") from None
