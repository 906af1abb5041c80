"""Conversation of one judgement with a model: marker, replies, cost, and one retry after an unreadable reply."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextvars import copy_context
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from groundscope.chat.batches import Deferred
from groundscope.chat.json_reply import Unreadable, json_of, refusal_of
from groundscope.chat.messages import ChatModel, Prompt, Reply, Usage, new_marker
from groundscope.errors import Cancelled
from groundscope.runtime.progress import report
from groundscope.types import Case

_T = TypeVar("_T")
Read = Callable[[dict[str, Any]], _T]
"""Extracts the value from a reply's JSON; raises `Unreadable` if it is missing."""
_AT_ONCE = 8


class Spent(NamedTuple):
    """Cost of a judgement, as fields of `Judgement`."""

    calls: int
    tokens: int
    cost: float | None
    cached: float
    raw: str


class Asking:
    """Asks the questions of one judgement."""

    def __init__(self, model: ChatModel, case: Case) -> None:
        """Draw a marker that occurs in none of the case's texts."""
        self.model = model
        self.marker = new_marker()
        texts = (case.query, case.response, *(p.text for p in case.context), *(p.source for p in case.context))
        while any(self.marker in text for text in texts):
            self.marker = new_marker()
        self._replies: list[Reply] = []
        self._raw = ""

    def ask(self, prompt: Prompt, number: int = 0) -> Reply:
        """Send a prompt once, with this judgement's marker.

        Raises:
            ModelUnavailable: the model cannot be used or did not answer; further errors as in `ChatModel.ask`.
        """
        reply = self.model.ask(prompt, self.marker, number)
        self._replies.append(reply)
        return reply

    def json(self, prompt: Prompt, read: Read[_T]) -> _T:
        """Ask for JSON, with one retry as `text`.

        Raises:
            Unreadable: both replies are unreadable, or the model refused.
        """
        return self.text(prompt, lambda reply: read(json_of(reply)))

    def text(self, prompt: Prompt, read: Callable[[Reply], _T]) -> _T:
        """Ask for a reply that `read` accepts, with one retry; see `_again`.

        Raises:
            Unreadable: both replies are unreadable, or the model refused.
        """
        question = prompt
        for number in range(2):
            reply = self.ask(question, number)
            try:
                return read(_whole(reply))
            except Unreadable as error:
                self._raw = reply.text
                # A model that will not will not the next time either.
                if number or reply.stop == "refusal":
                    raise
                question = self._again(prompt, reply, str(error))
        raise AssertionError("the second try returns or raises")

    def _again(self, prompt: Prompt, reply: Reply, why: str) -> Prompt:
        """The prompt of the retry: it states what was wrong, has more room, and asks for tags if forcing gave no JSON."""
        # No more room than the model has: some servers cut the prompt then.
        room = min(2 * prompt.max_tokens, self.model.window - prompt.tokens())
        task = f"{prompt.task}\n\nA first reply could not be used: {why} Keep to the form asked for."
        forced = prompt.forced and (reply.stop == "length" or _is_json(reply))
        return replace(prompt, task=task, forced=forced, max_tokens=max(prompt.max_tokens, room))

    def answer(self, prompt: Prompt, number: int) -> str:
        """Ask for free text, without a retry.

        Raises:
            Unreadable: the reply is cut off, refused or empty.
        """
        return _whole(self.ask(prompt, number)).text.strip()

    def spent(self) -> Spent:
        """Sum the cost so far. Cached replies cost nothing now."""
        paid = [r for r in self._replies if not r.kept]
        costs = [r.cost for r in paid]
        usage = sum((r.usage for r in paid), Usage())
        cost = None if None in costs else sum(c for c in costs if c is not None)
        cached = 1.0 - len(paid) / len(self._replies) if self._replies else 0.0
        return Spent(len(paid), usage.total, cost, cached, self._raw)


def ask_all(questions: Sequence[Callable[[], _T]], more: int = 0) -> list[_T]:
    """Ask independent questions: the first alone, so that a provider can cache their common beginning, then several at a time.

    Raises:
        Exception: the first error in the order of the questions, after all have ended; at once if the first question fails with
            another error than `Unreadable` or `Deferred`.
    """
    total = len(questions) + more
    first = _tried(questions[0])
    if first[1] is not None and not isinstance(first[1], Unreadable | Deferred):
        # The others would fail in the same way.
        raise first[1]
    report(1, total)
    with ThreadPoolExecutor(max_workers=_AT_ONCE, thread_name_prefix="questions") as pool:
        futures = [pool.submit(copy_context().run, _tried, question) for question in questions[1:]]
        for done, future in enumerate(as_completed(futures), 2):
            if not isinstance(future.result()[1], Cancelled):
                report(done, total)
    results = [first, *(future.result() for future in futures)]
    for _, problem in results:
        if problem is not None:
            raise problem
    return [value for value, _ in results]  # type: ignore[misc]


def _tried(question: Callable[[], _T]) -> tuple[_T | None, Exception | None]:
    """Result or error of a question: if one fails, the others are still answered, since they may be paid for already."""
    try:
        return question(), None
    except Exception as error:
        return None, error


def _is_json(reply: Reply) -> bool:
    try:
        json_of(reply)
    except Unreadable:
        return False
    return True


def _whole(reply: Reply) -> Reply:
    if why := refusal_of(reply):
        raise Unreadable(why)
    return reply


def text_field(fields: dict[str, Any], name: str, default: str | None = None) -> str:
    """Read a text from a reply's JSON.

    Raises:
        Unreadable: it is missing and there is no default, or it is not a text.
    """
    value = fields.get(name, default)
    if not isinstance(value, str):
        raise Unreadable(f"The model's reply has no {name}.")
    return value


def choice_field(fields: dict[str, Any], name: str, allowed: Sequence[str]) -> str:
    """Read one of several words from a reply's JSON.

    Raises:
        Unreadable: it is missing or none of them.
    """
    value = text_field(fields, name).strip().casefold()
    for word in allowed:
        if word.casefold() == value:
            return word
    raise Unreadable(f"The model's {name} is none of {', '.join(allowed)}.")


def list_field(fields: dict[str, Any], name: str, kind: type[_T]) -> list[_T]:
    """Read a list from a reply's JSON.

    Raises:
        Unreadable: it is not a list, or an item has another type.
    """
    value = fields.get(name)
    if not isinstance(value, list) or not all(isinstance(x, kind) for x in value):
        raise Unreadable(f"The model's reply has no list of {name}.")
    return value


def schema(**properties: Any) -> dict[str, Any]:
    """Build the JSON schema of an object, in the form that every provider accepts."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


TEXT = {"type": "string"}


def array(of: Any) -> dict[str, Any]:
    """Build the JSON schema of a list."""
    return {"type": "array", "items": of}


def one_of(*words: str) -> dict[str, Any]:
    """Build the JSON schema of one of some words."""
    return {"type": "string", "enum": list(words)}
