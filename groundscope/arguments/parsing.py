"""Parse a reply or a pasted text into an argument: three plies from JSON, or the whole text as one.

What stands before the last closing `</think>` is dropped (Zhang et al. 2025). A text that is no JSON with the three keys, and
has no headings between the plies, is an argument all the same: its factors can be found in it, and a note says so.
"""

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from groundscope.chat.json_reply import Unreadable, object_of
from groundscope.files.fields import clean

PLIES = ("plaintiff_argument", "defendant_counterargument", "plaintiff_rebuttal")
PLY_TITLES = ("Plaintiff's argument", "Defendant's counterargument", "Plaintiff's rebuttal")
LONGEST = 200_000
"""Characters of an argument; what follows is left out, and a note says so."""

_CLOSING = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_OPENING = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_FENCE = re.compile(r"```[a-zA-Z]*[ \t\r]*\n(.*?)```", re.DOTALL)
_OTHER_NAMES = (
    {"plaintiffargument", "plaintiffsargument", "argument", "plaintiff", "ply1", "1"},
    {"defendantcounterargument", "defendantscounterargument", "counterargument", "defendant", "defendantargument", "ply2", "2"},
    {"plaintiffrebuttal", "plaintiffsrebuttal", "rebuttal", "ply3", "3"},
)

THINKING = "The model's thinking was left out."
_ONLY_THINKING = "There is thinking and no argument."
_CUT = f"Only the first {LONGEST:,} characters were read."


@dataclass(frozen=True, slots=True)
class Argument:
    """What is argued.

    `plies`: three texts; one, where the text could not be taken apart; `extraction` counts offsets in these. `note`: what was
    done to the text, in sentences; empty = nothing.
    """

    plies: tuple[str, ...]
    note: str = ""

    @property
    def empty(self) -> bool:
        """Whether nothing was said: then there is nothing to measure, not even an abstention."""
        return not any(p.strip() for p in self.plies)

    @property
    def text(self) -> str:
        """All plies as one text, for who reads or extracts."""
        return "\n\n".join(p for p in self.plies if p.strip())

    @property
    def titles(self) -> tuple[str, ...]:
        """What the plies are called."""
        return PLY_TITLES if len(self.plies) == len(PLIES) else ("Argument",)


def read_argument(raw: str) -> Argument:
    """Read what was replied or pasted; any text is an argument."""
    notes = []
    text = clean(raw)
    if len(text) > LONGEST:
        text = text[:LONGEST]
        notes.append(_CUT)
    if (whole := _whole(text)) is not None:
        with suppress(Unreadable):
            return _without_thinking(plies_of(whole), notes)
    text, thought = without_thinking(text)
    if thought:
        notes.append(THINKING if text.strip() else _ONLY_THINKING)
    plies, note = _plies(text)
    if plies is None:
        if text.strip():
            notes.append("It is no JSON with the three plies, so it is read as one text.")
        plies = (text,)
    return Argument(plies, " ".join(filter(None, [*notes, note])))


def of_object(reply: dict[str, Any]) -> Argument:
    """Read an argument whose plies stand apart already; what holds for a text holds for each of them."""
    plies: list[str] = []
    room, cut = LONGEST, False
    for ply in map(clean, plies_of(reply)):
        plies.append(ply[:room])
        cut = cut or len(ply) > room
        room -= len(plies[-1])
    return _without_thinking(tuple(plies), [_CUT] * cut)


def _without_thinking(plies: tuple[str, ...], notes: list[str]) -> Argument:
    read = [without_thinking(ply) for ply in plies]
    if any(thought for _, thought in read):
        notes = [*notes, THINKING if any(text.strip() for text, _ in read) else _ONLY_THINKING]
    return Argument(tuple(text for text, _ in read), " ".join(notes))


def without_thinking(text: str) -> tuple[str, bool]:
    """Drop the thinking of a model from its reply.

    Thinking that never ends leaves nothing, save an argument in JSON that stands before it.
    """
    # Not `chat.json_reply.after_reasoning`: the rule is the paper's, by the last `</think>` alone, it holds for each ply and for
    # pasted texts, too, and no text is refused: any is an argument, if an empty one.
    closings = list(_CLOSING.finditer(text))
    rest = text[closings[-1].end() :].lstrip("\r\n") if closings else text
    opening = _OPENING.search(rest)
    if opening is None:
        return rest, bool(closings)
    before = rest[: opening.start()]
    return (before if "{" in before and "}" in before else ""), True


def _plies(text: str) -> tuple[tuple[str, ...] | None, str]:
    """The three plies, and what was done to find them."""
    whole = text.strip()
    fenced = _FENCE.search(whole)
    inner = [whole[whole.find(a) : whole.rfind(b) + 1] for a, b in ("{}", "[]")]
    candidates = [whole, *([fenced[1].strip()] if fenced else []), *inner]
    for candidate in dict.fromkeys(candidates):
        parsed = _whole(candidate)
        with suppress(Unreadable):
            if parsed is not None:
                plies = plies_of(parsed)
                around = candidate != whole and not (fenced and fenced[0] == whole)
                return plies, "Text around the JSON was left out." if around else ""
    if (headed := _headed(whole)) is not None:
        before, *rest = headed
        return tuple(rest), "It is read by its headings." + (" Text before the first was left out." if before else "")
    return None, ""


def plies_of(reply: dict[str, Any]) -> tuple[str, ...]:
    """Take the plies, some of which may be missing; `Unreadable` where an object holds none, one twice, or what is no text."""
    reply = _inner(reply)
    plies = []
    for names in _OTHER_NAMES:
        values = [v for k, v in reply.items() if re.sub(r"[^a-z0-9]", "", k.casefold()) in names]
        if len(values) > 1:
            raise Unreadable("The model's reply holds a ply twice.")
        plies.append(_text(_text_in(values[0])) if values else None)
    if all(p is None for p in plies):
        raise Unreadable(f"The model's reply has none of {', '.join(PLIES)}.")
    return tuple(p or "" for p in plies)


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(v, str) for v in value):
        return "\n".join(value)
    if not isinstance(value, str):
        raise Unreadable("A ply of the model's reply is no text.")
    return value


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


def _whole(text: str) -> dict[str, Any] | None:
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


def _inner(reply: dict[str, Any]) -> dict[str, Any]:
    """Unwrap an object whose only field is an object with several fields, or a list of objects; others stay as they are."""
    if len(reply) != 1:
        return reply
    (value,) = reply.values()
    if isinstance(value, dict) and len(value) > 1 and not any(t in value for t in ("text", "content")):
        return value
    if isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
        return _merged(value) or reply
    return reply


def _text_in(value: object) -> object:
    """Take the one text, or list, of a ply that is given as an object, such as `{"text": …}`; anything else stays as it is."""
    if isinstance(value, dict):
        texts = [value[t] for t in _TEXTS if isinstance(value.get(t), str | list)]
        return texts[0] if len(texts) == 1 else value
    return value


def _headed(text: str) -> list[str] | None:
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
