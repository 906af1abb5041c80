"""Names of months in many languages, and dates whose day is a word ("the first of May", "le premier mai").

Names from the Unicode CLDR, written out: babel brings 36 MB for them.
"""

import re
from collections.abc import Iterator
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
