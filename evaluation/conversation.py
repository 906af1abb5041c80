"""One judgement's conversation with a model: its marker, its replies and what they cost, one more try where one is unreadable."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextvars import copy_context
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from evaluation.batching import Deferred
from evaluation.chat import ChatModel, Prompt, Reply, Usage, new_marker
from evaluation.errors import Cancelled
from evaluation.json_reply import Unreadable, json_of, refusal_of
from evaluation.progress import report
from evaluation.types import Case

_T = TypeVar("_T")
Read = Callable[[dict[str, Any]], _T]
"""Takes the wanted value out of a reply's JSON; raises `Unreadable` where it is not there."""
_AT_ONCE = 8


class Spent(NamedTuple):
    """What a judgement took: fields of `Judgement`."""

    calls: int
    tokens: int
    cost: float | None
    cached: float
    raw: str


class Asking:
    """Asks the questions of one judgement."""

    def __init__(self, model: ChatModel, case: Case) -> None:
        """Draw a marker that none of the case's texts holds."""
        self.model = model
        self.marker = new_marker()
        texts = (case.query, case.response, *(p.text for p in case.context), *(p.source for p in case.context))
        while any(self.marker in text for text in texts):
            self.marker = new_marker()
        self._replies: list[Reply] = []
        self._raw = ""

    def ask(self, prompt: Prompt, number: int = 0) -> Reply:
        """Ask once, for text."""
        reply = self.model.ask(prompt, self.marker, number)
        self._replies.append(reply)
        return reply

    def json(self, prompt: Prompt, read: Read[_T]) -> _T:
        """Ask for JSON that `read` understands; as `text`.

        Raises:
            Unreadable: both replies are.
        """
        return self.text(prompt, lambda reply: read(json_of(reply)))

    def text(self, prompt: Prompt, read: Callable[[Reply], _T]) -> _T:
        """Ask for a reply that `read` understands; once more where it does not, see `_again`.

        Raises:
            Unreadable: both replies are, or the model refused.
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
        """The prompt for one more try: it says what was wrong, has more room, and asks for tags where forcing gave no JSON."""
        # No more room than the model has: some servers cut the prompt then.
        room = min(2 * prompt.max_tokens, self.model.window - prompt.tokens())
        task = f"{prompt.task}\n\nA first reply could not be used: {why} Keep to the form asked for."
        forced = prompt.forced and (reply.stop == "length" or _is_json(reply))
        return replace(prompt, task=task, forced=forced, max_tokens=max(prompt.max_tokens, room))

    def answer(self, prompt: Prompt, number: int) -> str:
        """Ask for a text of any form: the sample of that number.

        Raises:
            Unreadable: it was cut off, refused or empty.
        """
        return _whole(self.ask(prompt, number)).text.strip()

    def step(self, done: int, total: int) -> None:
        """Say how far the judgement is."""
        report(done, total)

    def spent(self) -> Spent:
        """What it took so far. Kept replies cost nothing now."""
        paid = [r for r in self._replies if not r.kept]
        costs = [r.cost for r in paid]
        usage = sum((r.usage for r in paid), Usage())
        cost = None if None in costs else sum(c for c in costs if c is not None)
        cached = 1.0 - len(paid) / len(self._replies) if self._replies else 0.0
        return Spent(len(paid), usage.total, cost, cached, self._raw)


def ask_all(questions: Sequence[Callable[[], _T]], more: int = 0) -> list[_T]:
    """Ask independent questions: the first alone, so that a provider can keep what they share, then several at a time.

    Args:
        questions: each asks one.
        more: steps that follow, for the progress.

    Raises:
        Exception: the first one's, in the order of the questions, when all have ended.
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
    """Where one of several questions fails, the others are answered all the same: they may be paid for already."""
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


def text_field(found: dict[str, Any], name: str, default: str | None = None) -> str:
    """A text out of a reply's JSON.

    Raises:
        Unreadable: it is not there, and there is no default.
    """
    value = found.get(name, default)
    if not isinstance(value, str):
        raise Unreadable(f"The model's reply has no {name}.")
    return value


def choice_field(found: dict[str, Any], name: str, allowed: Sequence[str]) -> str:
    """One of some words out of a reply's JSON, as written in `allowed`.

    Raises:
        Unreadable: it is none of them.
    """
    value = text_field(found, name).strip().casefold()
    for word in allowed:
        if word.casefold() == value:
            return word
    raise Unreadable(f"The model's {name} is none of {', '.join(allowed)}.")


def list_field(found: dict[str, Any], name: str, kind: type[_T]) -> list[_T]:
    """A list out of a reply's JSON.

    Raises:
        Unreadable: it is no list, or something else is in it.
    """
    value = found.get(name)
    if not isinstance(value, list) or not all(isinstance(x, kind) for x in value):
        raise Unreadable(f"The model's reply has no list of {name}.")
    return value


def schema(**properties: Any) -> dict[str, Any]:
    """A JSON schema of an object with all these properties and no others, as every provider takes it."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


TEXT = {"type": "string"}


def array(of: Any) -> dict[str, Any]:
    """A JSON schema of a list."""
    return {"type": "array", "items": of}


def one_of(*words: str) -> dict[str, Any]:
    """A JSON schema of one of some words."""
    return {"type": "string", "enum": list(words)}
