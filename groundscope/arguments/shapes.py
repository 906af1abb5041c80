"""The shapes in which models give three plies: an object, an object in an object, a list of objects, or a text with headings."""

import re
from typing import Any

from groundscope.chat.json_reply import Unreadable, object_of

_LISTED = "plies"
_NAMES = ("ply", "name", "title", "role", "type", "speaker")
_TEXTS = ("text", "content", "argument", "statement")
_BLANK = r"[ \t]{0,9}"
_HEADINGS = tuple(
    re.compile(
        rf"(?im)^[ \t#*_>\d.()\-]{{0,20}}(?:ply{_BLANK}\d{_BLANK}[:.)–—-]?{_BLANK})?(?:{words}){_BLANK}[*_]{{0,3}}{_BLANK}"
        rf"(?:\([^()\n]{{0,40}}\){_BLANK})?(?::{_BLANK}[*_]{{0,3}}|\r?$)"
    )
    for words in (
        rf"plaintiff(?:['’]?s)?{_BLANK}argument",
        rf"defendant(?:['’]?s)?{_BLANK}counter{_BLANK}-?argument",
        rf"plaintiff(?:['’]?s)?{_BLANK}rebuttal",
    )
)


def whole(text: str) -> dict[str, Any] | None:
    """Read a text that is one object, or a list whose objects make one together."""
    line = text.strip()
    try:
        if line.startswith("["):
            listed = object_of(f'{{"{_LISTED}": {line}}}')[_LISTED]
            return _merged(listed) if isinstance(listed, list) else None
        return object_of(line)
    except Unreadable:
        return None


def _merged(entries: list[Any]) -> dict[str, Any] | None:
    merged: dict[str, Any] = {}
    for entry in entries:
        if not isinstance(entry, dict):
            return None
        name = next((str(entry[n]) for n in _NAMES if isinstance(entry.get(n), str | int)), None)
        text = next((entry[t] for t in _TEXTS if t in entry), None)
        parts = {name: text} if name is not None and text is not None else entry
        if set(parts) & set(merged):
            return None
        merged |= parts
    return merged or None


def inner(reply: dict[str, Any]) -> dict[str, Any]:
    """Unwrap an object whose only field is an object with several fields, or a list of objects; others stay as they are."""
    if len(reply) != 1:
        return reply
    (value,) = reply.values()
    if isinstance(value, dict) and len(value) > 1 and not any(t in value for t in ("text", "content")):
        return value
    if isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
        return _merged(value) or reply
    return reply


def text_in(value: object) -> object:
    """Take the one text, or list, of a ply that is given as an object, such as `{"text": …}`; anything else stays as it is."""
    if isinstance(value, dict):
        texts = [value[t] for t in _TEXTS if isinstance(value.get(t), str | list)]
        return texts[0] if len(texts) == 1 else value
    return value


def headed(text: str) -> list[str] | None:
    """Cut a text at the headings of the three plies."""
    headings = [list(h.finditer(text)) for h in _HEADINGS]
    if any(len(f) != 1 for f in headings):
        return None
    first, second, third = (f[0] for f in headings)
    if not first.start() < second.start() < third.start():
        return None
    ends = (second.start(), third.start(), len(text))
    plies = [text[h.end() : end].strip() for h, end in zip((first, second, third), ends, strict=True)]
    return [text[: first.start()].strip(), *plies]
