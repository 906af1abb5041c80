"""Names of months in many languages, dates whose day is a word ("the first of May"), and months and weekdays alone.

Names from the Unicode CLDR, written out: babel brings 36 MB for them.
"""

import re
from collections.abc import Collection, Iterator
from datetime import date
from functools import cache

from groundscope.text.values.numbers import ORDINALS

Reading = tuple[int, int, int]
"""Year, month and day, with 0 for what is not named."""

WHOLE = {
    "en": "january february march april may june july august september october november december".split(),
    "de": "januar februar märz april mai juni juli august september oktober november dezember".split(),
}
ENGLISH = tuple(name[:3] for name in WHOLE["en"])
_FULL = """
jänner feber maerz april mai juni juli august september oktober november dezember
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
enero febrero marzo abril mayo junio julio agosto setiembre octubre noviembre diciembre
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
januari februari maart april mei juni juli augustus september oktober november december
januar februar marts april maj juni juli august september oktober november december
januari februari mars april maj juni juli augusti september oktober november december
januar februar mars april mai juni juli august september oktober november desember
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień
ledna února března dubna května června července srpna září října listopadu prosince
ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου
"""
"""Whole names are read in any text: a source in one language may quote another."""
_SHORT = {
    "de": "jan feb mär apr mai jun jul aug sep okt nov dez",
    "fr": "janv févr mars avr mai juin juil août sept oct nov déc",
    "es": "ene feb mar abr may jun jul ago sep oct nov dic",
    "it": "gen feb mar apr mag giu lug ago set ott nov dic",
    "pt": "jan fev mar abr mai jun jul ago set out nov dez",
    "nl": "jan feb mrt apr mei jun jul aug sep okt nov dec",
    "da": "jan feb mar apr maj jun jul aug sep okt nov dec",
    "sv": "jan feb mars apr maj jun jul aug sep okt nov dec",
    "no": "jan feb mars apr mai jun jul aug sep okt nov des",
    "pl": "sty lut mar kwi maj cze lip sie wrz paź lis gru",
}
"""Short names are words of other languages ("out", "set", "ago")."""
_DAYS = {word: rank for word, rank in ORDINALS.items() if rank <= 30} | {
    f"{ten}{joint}{unit}": base + rank
    for ten, base in (("twenty", 20), ("thirty", 30))
    for unit, rank in ORDINALS.items()
    if rank < 10 and base + rank <= 31
    for joint in "- "
}
"""English ordinals in words up to 31."""
_CAPITAL = re.compile(
    # A letter comes first: so the scan jumps from one to the next.
    r"[JFMASOND](?<!\w.)(?:(?:(?<=J)(?:an|un|ul)|(?<=F)eb|(?<=M)a[ry]|(?<=A)(?:pr|ug)|(?<=S)ep|(?<=O)ct|(?<=N)ov|(?<=D)ec)[a-z]{0,6}"
    r"|(?<=J)(?:ANUARY|UNE|ULY)|(?<=F)EBRUARY|(?<=M)A(?:RCH|Y)|(?<=A)PRIL)\b"
)
_ORDINALS = "|".join(sorted(_DAYS, key=len, reverse=True))
_WORD_BEFORE = re.compile(rf"\b(?P<day>{_ORDINALS})\s(?:day\s)?of\s\Z", re.IGNORECASE)
_WORD_AFTER = re.compile(
    rf"\.?,?\s(?:the\s)?(?P<day>{_ORDINALS})\b(?!\s(?-i:[A-Z]))(?:,?\s(?P<year>\d{{4}})(?!\d))?", re.IGNORECASE
)
_YEAR_AFTER = re.compile(r",?\s(?P<year>\d{4})(?!\d)")
_FIRST_DAY = re.compile(
    r"\b(?:premier|primo|primero|primeiro|ersten?)\s(?:de\s|di\s)?(?P<month>[^\W\d_]{3,12})(?:\s(?:de\s|del\s)?(?P<year>\d{4})(?!\d))?"
)


@cache
def month_names(language: str) -> dict[str, int]:
    """Name in lower case without a stop -> number of a month: whole names of all languages, short ones of English and of this."""
    names = {name: i for line in _FULL.split("\n") for i, name in enumerate(line.split(), 1)}
    names |= {name: i for i, name in enumerate(_SHORT.get(language, "").split(), 1)}
    for whole in WHOLE.values():
        names |= {name: i for i, name in enumerate(whole, 1)}
    names |= {name: i for i, name in enumerate(ENGLISH, 1)}
    return names | {"sept": 9}


def spelled_dates(text: str, language: str) -> Iterator[tuple[int, int, Reading]]:
    """Read dates whose day is an ordinal in words, with their half-open offsets."""
    names = month_names("en")
    for m in _CAPITAL.finditer(text):
        month = names.get(m.group().casefold())
        if not month:
            continue
        offset = max(0, m.start() - 40)
        if after := _WORD_AFTER.match(text, m.end()):
            yield m.start(), after.end(), (int(after["year"] or 0), month, _DAYS.get(after["day"].casefold(), 0))
        elif before := _WORD_BEFORE.search(text[offset : m.start()]):
            year = _YEAR_AFTER.match(text, m.end())
            reading = (int(year["year"]) if year else 0, month, _DAYS.get(before["day"].casefold(), 0))
            yield offset + before.start(), year.end() if year else m.end(), reading
    for m in _FIRST_DAY.finditer(text) if language != "en" else ():
        month = month_names(language).get(m["month"].casefold())
        if month:
            yield m.start(), m.end(), (int(m["year"] or 0), month, 1)


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
