"""Questions and answers that are no plain text: chat messages, objects that hold a text, and either as JSON in a text."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from groundscope.files import fields
from groundscope.files.literals import structure

QUESTION = ("query", "question", "input", "user_input", "query_str", "prompt", "message", "content", "text")
ANSWER = ("answer", "response", "output", "result", "content", "text", "output_text", "completion")
"""Where an object that was passed on holds the text; the likeliest first."""
_AROUND = ("parts", "messages", "message", "choices", "inputs", "outputs", "kwargs")
"""Where the object with the text may stand; LangChain's tracers keep what a step was called with in the last three."""
USER, ASSISTANT = frozenset({"user", "human"}), frozenset({"assistant", "ai", "model"})
_INSTRUCTIONS = {"system", "developer"}
_DEEPEST = 6


def question(values: dict[str, Any]) -> str:
    """Read a question: a text, or of a list of messages the last one of a user."""
    return _asked(values, "query", QUESTION, USER)


def answer(values: dict[str, Any]) -> str:
    """Read an answer: a text, or of a list of messages the last one of a model."""
    return _asked(values, "response", ANSWER, ASSISTANT)


def _asked(values: dict[str, Any], field: str, inside: Sequence[str], by: frozenset[str]) -> str:
    name, value = fields.field_of(values, field)
    if isinstance(value, list | dict) or (isinstance(value, str) and is_chat(value)):
        if text := text_of(value, inside, by):
            return text
        raise ValueError(f"'{name}' holds no text of a {'user' if by is USER else 'model'}.")
    return fields.text(values, field)


def is_chat(text: str) -> bool:
    """Whether a text holds chat messages as a program prints them."""
    value = parsed(text)
    return isinstance(value, list) and bool(value) and all(isinstance(m, dict) and m.keys() & {"role", "type"} for m in value)


def parsed(value: Any) -> Any:
    """A text that holds a list or an object, as JSON or as Python prints it; as it stands where it does not."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        with suppress(ValueError):
            inner = structure(value)
            return value if inner is None else inner
    return value


def text_of(value: Any, inside: Sequence[str], by: frozenset[str], depth: int = 0) -> str:
    """A text, or the text that an object or a list of messages holds."""
    value = parsed(value)
    if isinstance(value, str):
        return fields.clean(value).strip()
    if isinstance(value, list):
        objects = (item for item in reversed(value) if isinstance(item, dict) and not item.keys() & {"role", "message.role"})
        return message_of(value, by) or next(filter(None, (text_of(item, inside, by, depth + 1) for item in objects)), "")
    if not isinstance(value, dict) or depth > _DEEPEST:
        return ""
    return next(filter(None, (text_of(value.get(name), inside, by, depth + 1) for name in (*inside, *_AROUND))), "")


def message_of(value: Any, by: frozenset[str]) -> str:
    """The last message of a role; where none has it, the last one that is of no known role."""
    if not isinstance(value, list):
        return ""
    texts = [(role, text) for item in value for role, text in _messages(item) if text]
    of_role = [text for role, text in texts if role in by]
    others = [text for role, text in texts if role not in USER | ASSISTANT | _INSTRUCTIONS]
    return (of_role or others or [""])[-1]


def _messages(message: Any, depth: int = 0) -> Iterator[tuple[str, str]]:
    """The roles and texts of a message, or of messages inside messages."""
    if depth > _DEEPEST:
        return
    if isinstance(message, str):
        yield "", fields.clean(message).strip()
    elif isinstance(message, list):
        for item in message:
            yield from _messages(item, depth + 1)
    elif isinstance(message, dict) and isinstance(inner := message.get("message"), dict | list):
        yield from _messages(inner, depth + 1)
    elif isinstance(message, dict):
        names = ("role", "message.role", "type")
        role = next((message[name].lower() for name in names if isinstance(message.get(name), str)), "")
        contents = (message.get(n) for n in ("content", "message.content", "text", "parts", "message.contents", "contents"))
        yield role, next(filter(None, map(_content, contents)), "")


def _content(value: Any) -> str:
    """The text of a message: itself, or its parts that are text, joined."""
    if isinstance(value, str):
        return fields.clean(value).strip()
    parts = []
    for part in value if isinstance(value, list) else ():
        if isinstance(part, str):
            parts.append(part)
        elif isinstance(part, dict) and part.get("type", part.get("message_content.type", "text")) == "text":
            inner = part.get("message_content")
            held = inner if isinstance(inner, dict) else part
            text = next((held[n] for n in ("content", "text", "message_content.text") if isinstance(held.get(n), str)), "")
            parts += [text] if text else []
    return fields.clean("\n".join(parts)).strip()
