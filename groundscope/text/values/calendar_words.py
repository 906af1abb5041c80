"""Months and weekdays alone ("in June", "each Friday"); as words that are also names or verbs only with a word that says so."""

import re
from collections.abc import Collection, Iterator
from datetime import date

from groundscope.text.values.months import WHOLE, Reading

WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_GERMAN_DAYS = dict(zip("montag dienstag mittwoch donnerstag freitag samstag sonntag".split(), WEEKDAYS, strict=True))
_NAMES = frozenset("march april may june august märz mai".split())
"""Months that are also verbs, or names of persons."""


def _capital(words: Collection[str], before: str, after: str) -> re.Pattern[str]:
    """Words with a capital, which comes first in the pattern: so the scan jumps from one to the next."""
    endings = [f"(?<={word[0].upper()}){word[1:]}" for word in words]
    letters = "".join(sorted({word[0].upper() for word in words}))
    return re.compile(rf"[{letters}](?<![{before}].)(?:{'|'.join(endings)}){after}(?! [A-Z][a-z])(?! v\. )")


_DAY = _capital([*WEEKDAYS, *_GERMAN_DAYS], r"\w'-", r"s?(?![\w'-])")
_MONTH = {code: _capital(names, r"\w'", r"(?![\w'-]|\.\w)") for code, names in WHOLE.items()}
_BEFORE = re.compile(
    r"\b(?:in|of|by|since|until|till|each|every|early|late|mid|next|last|from|through|during|im"
    r"|seit|bis|ab|ende|anfang|mitte)[ -]\Z",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\b(?:Black|Good|Bloody|Ash|Palm|Easter|Super|Giving|Holy|Maundy|Cyber|Ruby|Joe|Mr\.|Ms\.|Mrs\.|Dr\.) \Z")
_TO = re.compile(r"\s?(?:-|through|thru|to|bis)\s?(?P<day>[A-Z][a-z]{4,9})\b")
_WINDOW = 10


def months_alone(text: str, language: str) -> Iterator[tuple[int, int, Reading]]:
    """Months of no year and no day, with half-open offsets."""
    for code in ("en", "de") if language == "de" else ("en",):
        for m in _MONTH[code].finditer(text):
            name = m.group().casefold()
            twice = code == "de" and name in WHOLE["en"]
            if not twice and (name not in _NAMES or _BEFORE.search(text, max(0, m.start() - _WINDOW), m.start())):
                yield m.start(), m.end(), (0, WHOLE[code].index(name) + 1, 0)


def weekdays(text: str) -> Iterator[tuple[int, int, str]]:
    """Weekdays of English and German, with half-open offsets and their English name."""
    for m in _DAY.finditer(text):
        if not _NAMED.search(text, max(0, m.start() - _WINDOW), m.start()):
            yield m.start(), m.end(), _weekday(m.group())


def _weekday(word: str) -> str:
    name = word.casefold()
    name = name if name in WEEKDAYS or name in _GERMAN_DAYS else name.removesuffix("s")
    return _GERMAN_DAYS.get(name, name)


def weekdays_until(text: str, end: int, first: str) -> list[str]:
    """The weekdays after one up to what stands behind it ("Monday through Friday")."""
    m = _TO.match(text, end)
    last = _weekday(m["day"]) if m else ""
    if last not in WEEKDAYS:
        return []
    i, j = WEEKDAYS.index(first), WEEKDAYS.index(last)
    return [WEEKDAYS[k % 7] for k in range(i + 1, (j if j > i else j + 7))]


def weekday_of(reading: Reading) -> str:
    """Weekday of a full date; empty for any other."""
    try:
        return WEEKDAYS[date(*reading).weekday()]
    except ValueError:
        return ""
