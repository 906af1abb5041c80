"""Lists: a small number may count what its sentence or a source enumerates."""

import re
from collections.abc import Iterator

_MARK = re.compile(r"\((?P<number>\d{1,2})\)|\((?P<letter>[a-z])\)|\((?P<roman>i{1,3}|iv|v|vi{1,3}|ix|x)\)")
_RANK = re.compile(r"\b(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)(?:ly)?\b", re.IGNORECASE)
_ROMANS = "i ii iii iv v vi vii viii ix x".split()
_RANKS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()


def enumerated(text: str) -> Iterator[int]:
    """How many things each list of a text has ("(1) ... (2) ... (3)", "first, ... second, ..."); linear in it."""
    last = {"number": 0, "letter": 0, "roman": 0}
    for m in _MARK.finditer(text):
        for form, mark in m.groupdict().items():
            if mark is None:
                continue
            at = int(mark) if form == "number" else ord(mark) - 96 if form == "letter" else _ROMANS.index(mark) + 1
            if form == "letter" and mark in _ROMANS and last["roman"] + 1 == _ROMANS.index(mark) + 1:
                last["roman"] += 1
                yield last["roman"]
            # "(1)" begins another list.
            if at == last[form] + 1 or at == 1:
                last[form] = at
                yield at
    reached = 0
    for m in _RANK.finditer(text):
        at = _RANKS.index(m[1].casefold()) + 1
        if at in (1, reached + 1):
            reached = at
            yield at


def lists_itself(sentence: str, end: int, number: int) -> bool:
    """Whether a sentence goes on to list what its number counts ("two exceptions: ...")."""
    rest = sentence[end:]
    if ":" in rest or number in set(enumerated(rest)):
        return True
    # "two exceptions, consent and emergency": a comma, and as many joints as join the items.
    joined = len(re.findall(r",|;|\band\b|\bor\b", rest))
    return joined >= number and re.search(r"\b(?:and|or)\b", rest) is not None and "," in rest
