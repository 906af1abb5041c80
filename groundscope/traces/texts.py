"""Texts inside the attributes of spans: values that are JSON, messages of a chat, and lists that were flattened."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from groundscope.files.rows import parse_json

_DEEPEST = 6
_NUMBERED = re.compile(r"(.+?)\.(\d+)\.(.+)")


def parsed(value: object) -> Any:
    """A value, with JSON in a text read; None for a text that is none."""
    if not isinstance(value, str):
        return value
    if value.lstrip()[:1] not in {"{", "["}:
        return None
    try:
        return parse_json(value, nan=True)
    except ValueError:
        return None


def said(value: object, names: Sequence[str], role: str, depth: int = 0) -> str:
    """The text of an input or an output: itself, or where its JSON has it under a usual name."""
    if depth > _DEEPEST or value is None:
        return ""
    inside = parsed(value)
    if inside is None:
        return value.strip() if isinstance(value, str) else ""
    if isinstance(inside, list):
        return message(inside, role)
    if not isinstance(inside, Mapping):
        return str(inside) if isinstance(inside, str) else ""
    for name in names:
        if name in inside and (text := said(inside[name], names, role, depth + 1)):
            return text
    if text := message(inside.get("messages", inside.get("choices")), role):
        return text
    # LangChain's tracers keep what a step was called with under these.
    return next((t for n in ("inputs", "outputs", "kwargs") if (t := said(inside.get(n), names, role, depth + 1))), "")


def message(value: object, role: str) -> str:
    """The last message of a role; of any, where none has the role."""
    if not isinstance(value, list):
        return ""
    read = [(who, text) for one in value for who, text in _texts(one) if text]
    mine = [text for who, text in read if who in ({"user", "human"} if role == "user" else {"assistant", "ai", "model"})]
    unnamed = [text for who, text in read if not who]
    return mine[-1] if mine else unnamed[-1] if unnamed else ""


def _texts(message: object, depth: int = 0) -> Iterator[tuple[str, str]]:
    if depth > _DEEPEST:
        return
    if isinstance(message, list):
        for one in message:
            yield from _texts(one, depth + 1)
        return
    if isinstance(message, str):
        yield "", message.strip()
        return
    if not isinstance(message, Mapping):
        return
    inner = message.get("message")
    if isinstance(inner, Mapping | list):
        yield from _texts(inner, depth + 1)
        return
    who = next((str(message[n]).lower() for n in ("role", "message.role", "type") if isinstance(message.get(n), str)), "")
    for name in ("content", "message.content", "text", "parts", "message.contents", "contents"):
        if text := _content(message.get(name)):
            yield who, text
            return


def _content(value: object) -> str:
    """The text of a message: itself, or its parts that are text, joined."""
    if isinstance(value, str):
        return value.strip()
    parts = []
    for one in value if isinstance(value, list) else ():
        if isinstance(one, str):
            parts.append(one)
        elif isinstance(one, Mapping) and one.get("type", one.get("message_content.type", "text")) == "text":
            inner = one.get("message_content")
            held = inner if isinstance(inner, Mapping) else one
            text = next((held[n] for n in ("content", "text", "message_content.text") if isinstance(held.get(n), str)), None)
            parts += [text] if text else []
    return "\n".join(parts).strip()


def numbered(attributes: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """A list that was flattened: `name.0.rest`, `name.1.rest`, as objects by the rest, in the order of the numbers."""
    found: dict[int, dict[str, Any]] = {}
    for key, value in attributes.items():
        if key.startswith(f"{name}.") and (match := _NUMBERED.fullmatch(key)) and match[1] == name:
            found.setdefault(int(match[2][:9]), {})[match[3]] = value
    for entry in found.values():
        if contents := numbered(entry, "message.contents"):
            entry["message.contents"] = contents
    return [found[number] for number in sorted(found)]
