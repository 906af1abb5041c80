"""What a model lists as a factor, and what a file says that one listed, brought to the factors of a catalogue."""

import re

from groundscope.arguments.catalogue import normal
from groundscope.arguments.mentions import find
from groundscope.arguments.types import Catalogue

_LONGEST = 80
_NOTHING = re.compile(
    r"n a|na|nil|null|nothing|empty|not applicable|(?:none|no factors?)(?: (?:is|are|was|were))?"
    r"(?: (?:mentioned|named|listed|found|identified|stated|given|present|applicable))?"
)
_BETWEEN = re.compile(r"[\s,;/&+.]*(?:(?:and|or)[\s,]*)?")
_KEY = re.compile(r"F\d{1,4}(?: [^\W_]+(?:-[^\W_]+)*)?|[^\W_]+(?:-[^\W_]+)+")


def keys_of(written: str, catalogue: Catalogue) -> tuple[str, ...]:
    """Find the factors that an entry of a list names.

    What names no factor is its own key, as something invented; so is a text that names several among other words, since it is
    not clear which was meant.
    """
    line = " ".join(written.split())
    mentions = find(line, catalogue)
    if len(mentions) == 1:
        return (mentions[0].key,)
    if mentions and all(_BETWEEN.fullmatch(gap) for gap in _gaps(line, [(f.start, f.end) for f in mentions])):
        return tuple(dict.fromkeys(f.key for f in mentions))
    words = normal(line)
    if words.isascii() and words.isdigit() and len(words) <= 4:
        return (f"F{int(words)}",)
    return () if not words or _NOTHING.fullmatch(words) else ("-".join(words.split())[:_LONGEST].rstrip("-"),)


def _gaps(line: str, spans: list[tuple[int, int]]) -> list[str]:
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(line)]
    return [line[end:start] for end, start in zip(ends, starts, strict=True)]


def read_keys(written: str, catalogue: Catalogue) -> tuple[str, ...]:
    """Find the factors as `keys_of` does, of an entry that may be a key already, as rows are exported: that stays what it is."""
    line = " ".join(written.split())[: 2 * _LONGEST]
    mentions = find(line, catalogue)
    if [(f.start, f.end) for f in mentions] == [(0, len(line))]:
        return (mentions[0].key,)
    return (line,) if _KEY.fullmatch(line) and line[1:] == line[1:].casefold() else keys_of(line, catalogue)
