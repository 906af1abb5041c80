"""Conversation of one judgement with a model: marker, replies, cost, and one retry after an unreadable reply."""

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextvars import copy_context
from dataclasses import replace
from types import UnionType
from typing import Any, NamedTuple, TypeVar

from groundscope.chat.json_reply import Unreadable, after_reasoning, ends_reasoning, free_text, json_of, refusal_of
from groundscope.chat.messages import ChatModel, Deferred, Prompt, Reply, Usage, new_marker
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
        self._quotable = any(map(ends_reasoning, texts))
        self._replies: list[Reply] = []
        self._raw = ""

    def ask(self, prompt: Prompt, number: int = 0) -> Reply:
        """Send a prompt once, with this judgement's marker; errors as in `ChatModel.ask`."""
        reply = self.model.ask(prompt, self.marker, number)
        self._replies.append(reply)
        return reply

    def json(self, prompt: Prompt, read: Read[_T]) -> _T:
        """Ask for JSON, with one retry as `text`, whose errors it has."""
        return self.text(prompt, lambda reply: read(json_of(reply)))

    def text(self, prompt: Prompt, read: Callable[[Reply], _T]) -> _T:
        """Ask for a reply that `read` accepts, with one retry; `Unreadable` if both replies are, or the model refused."""
        question = prompt
        for number in range(2):
            reply = self.ask(question, number)
            try:
                if self._quotable:
                    after_reasoning(_whole(reply).text, reply.marker, quotable=True)
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
        """Ask for free text, without a retry; `Unreadable` if it is cut off, refused or empty, or holds reasoning alone."""
        return free_text(_whole(self.ask(prompt, number)).text, quotable=self._quotable)

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

    Raises the first error in the order of the questions, after all have ended; at once if the first question fails with another
    error than `Unreadable` or `Deferred`.
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


def _field(fields: dict[str, Any], name: str) -> Any:
    """Value of a field, however its name is capitalized; None if it is missing."""
    values = [value for key, value in fields.items() if key.strip().casefold() == name.casefold()]
    if len(values) > 1:
        raise Unreadable(f"The model's reply has more than one {name}.")
    return values[0] if values else None


def text_field(fields: dict[str, Any], name: str, default: str | None = None) -> str:
    """Read a text, or raise `Unreadable`; with a default it only explains something, and is taken in any form."""
    value = _field(fields, name)
    if default is not None:
        return _plain(value) or default
    if not isinstance(value, str):
        raise Unreadable(f"The model's reply has no {name}.")
    return value


def texts_field(fields: dict[str, Any], name: str) -> list[str]:
    """Read texts that only explain something, such as reasons, in any form; empty if there are none."""
    return [text for row in _rows(_field(fields, name)) if (text := _plain(row))]


class Quoted(NamedTuple):
    """Words of a response that a model calls not supported, and why; `contradicted` None = it did not say which."""

    text: str
    why: str
    contradicted: bool | None = None


def quotes_field(fields: dict[str, Any], name: str) -> list[Quoted]:
    """Read quotations that only explain something, each with its reason if there is one, in any form."""
    return [quote for row in _rows(_field(fields, name)) if (quote := _quote(row)).text]


def number_field(fields: dict[str, Any], name: str) -> int:
    """Read a number from 1 on, such as a claim's; 0 if there is none."""
    value = _field(fields, name)
    if isinstance(value, str):
        value = int(value) if re.fullmatch(r"[0-9]{1,9}", value.strip()) else 0
    return int(value) if type(value) in (int, float) and value >= 1 and value == int(value) else 0


def choice_field(fields: dict[str, Any], name: str, allowed: Sequence[str]) -> str:
    """Read one of several words, perhaps in bold or with an explanation; `Unreadable` if it is none, or names another one too."""
    value = _field(fields, name)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, str):
        raise Unreadable(f"The model's reply has no {name}.")
    written = list(_WORD.finditer(value))
    words = [word[0].casefold() for word in written]
    for label in ([*_words(name), "is"], _words(name)):
        if words[: len(label)] == label:
            written, words = written[len(label) :], words[len(label) :]
    choices = {word: _words(word) for word in allowed}
    begun = [word for word, parts in choices.items() if words[: len(parts)] == parts]
    if len(begun) == 1:
        length = len(choices[begun[0]])
        others = [parts for word, parts in choices.items() if word != begun[0]]
        doubted = value[written[length - 1].end() :].lstrip(" *_'\"`").startswith("?")
        if not doubted and not any(_names(words[length:], parts) for parts in others):
            return begun[0]
    raise Unreadable(f"The model's {name} is none of {', '.join(allowed)}.")


def truth_field(fields: dict[str, Any], name: str) -> bool:
    """Read a truth value, also as a word, or raise `Unreadable`; a number is none."""
    value = _field(fields, name)
    if isinstance(value, bool):
        return value
    try:
        return choice_field(fields, name, ("true", "false")) == "true"
    except Unreadable:
        raise Unreadable(f"The model's {name} is neither true nor false.") from None


def list_field(fields: dict[str, Any], name: str, kind: type[_T] | UnionType) -> list[_T]:
    """Read a list, for which a single item may stand; `Unreadable` if an item has another type."""
    value = _field(fields, name)
    rows = value if isinstance(value, list) else [value]
    if not all(isinstance(row, kind) for row in rows):
        raise Unreadable(f"The model's reply has no list of {name}.")
    return rows


_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_INFLECTED = 4
"""Letters from which a longer word counts as a form of a choice, such as `failed`."""
_QUOTES, _REASONS = ("quote", "text", "sentence", "claim"), ("why", "reason", "reasons", "explanation")


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _names(words: Sequence[str], choice: Sequence[str]) -> bool:
    """Whether words name a choice, in any of its forms."""
    if len(choice) == 1 and len(choice[0]) >= _INFLECTED:
        return any(word.startswith(choice[0]) for word in words)
    return any(list(words[i : i + len(choice)]) == list(choice) for i in range(len(words)))


def _rows(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _plain(value: Any) -> str:
    """The texts in a JSON value as one; empty if it holds none."""
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return " ".join(filter(None, map(_plain, inner)))
    return value.strip() if isinstance(value, str) else ""


def _quote(row: Any) -> Quoted:
    """A quotation and its reason."""
    if isinstance(row, list):
        return Quoted(_plain(row[:1]), _plain(row[1:]))
    if not isinstance(row, dict):
        return Quoted(_plain(row), "")
    quote, why = (next((_plain(row[n]) for n in names if n in row), "") for names in (_QUOTES, _REASONS))
    if not quote and len(row) == 1:
        return next(Quoted(key, _plain(value)) for key, value in row.items())
    stance = row.get("contradicted")
    return Quoted(quote, why, stance if isinstance(stance, bool) else None)


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
