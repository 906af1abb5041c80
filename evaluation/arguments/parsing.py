"""An argument out of what a model replied or a user pasted: three plies from JSON, or the whole text as one.

What stands before the last closing `</think>` is dropped (Zhang et al. 2025). A text that is no JSON with the three keys is an
argument all the same: its factors can be found in it, and a note says so.
"""

import re
from dataclasses import dataclass
from typing import Any

from evaluation._fields import clean
from evaluation.json_reply import Unreadable, object_of

PLIES = ("plaintiff_argument", "defendant_counterargument", "plaintiff_rebuttal")
PLY_TITLES = ("Plaintiff's argument", "Defendant's counterargument", "Plaintiff's rebuttal")
LONGEST = 200_000
"""Characters of an argument; what follows is left out, and a note says so."""

_CLOSING = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_OPENING = re.compile(r"\s*<think(?:ing)?>", re.IGNORECASE)
_FENCE = re.compile(r"```[a-zA-Z]*[ \t\r]*\n(.*?)```", re.DOTALL)
_OTHER_NAMES = (
    {"plaintiffargument", "plaintiffsargument", "argument", "plaintiff", "ply1", "1"},
    {"defendantcounterargument", "defendantscounterargument", "counterargument", "defendant", "defendantargument", "ply2", "2"},
    {"plaintiffrebuttal", "plaintiffsrebuttal", "rebuttal", "ply3", "3"},
)


@dataclass(frozen=True, slots=True)
class Argument:
    """What is argued.

    Attributes:
        plies: three texts; one, where the text could not be taken apart; `extraction` counts offsets in these.
        note: what was done to the text, in sentences; empty = nothing.
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
        notes.append(f"Only the first {LONGEST:,} characters were read.")
    text, thought = without_thinking(text)
    if thought:
        notes.append("The model's thinking was left out." if text.strip() else "There is thinking and no argument.")
    plies, around = _plies(text)
    if plies is None:
        if text.strip():
            notes.append("It is no JSON with the three plies, so it is read as one text.")
        plies = (text,)
    elif around:
        notes.append("Text around the JSON was left out.")
    return Argument(plies, " ".join(notes))


def without_thinking(text: str) -> tuple[str, bool]:
    """What follows the last closing tag of thinking, and whether there was any; thinking that never ends leaves nothing."""
    closings = list(_CLOSING.finditer(text))
    if closings:
        return text[closings[-1].end() :].lstrip("\r\n"), True
    return ("", True) if _OPENING.match(text) else (text, False)


def _plies(text: str) -> tuple[tuple[str, ...] | None, bool]:
    """The three plies, and whether other text stood around the JSON."""
    whole = text.strip()
    fenced = _FENCE.search(whole)
    inner = whole[whole.find("{") : whole.rfind("}") + 1]
    candidates = [whole, *([fenced[1].strip()] if fenced else []), inner]
    for candidate in dict.fromkeys(candidates):
        try:
            found = plies_of(object_of(candidate))
        except Unreadable:
            continue
        around = candidate != whole and not (fenced and fenced[0] == whole)
        return found, around
    return None, False


def plies_of(found: dict[str, Any]) -> tuple[str, ...]:
    """The plies of a JSON object; a ply may be missing, but not all, and none may be there twice.

    Raises:
        Unreadable: it holds none, or what it holds is no text.
    """
    plies = []
    for names in _OTHER_NAMES:
        values = [v for k, v in found.items() if re.sub(r"[^a-z0-9]", "", k.casefold()) in names]
        if len(values) > 1:
            raise Unreadable("The model's reply holds a ply twice.")
        plies.append(_text(values[0]) if values else None)
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
