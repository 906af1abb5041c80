"""Lengths of time in a text, equal in any unit: "24 hours" and "a 1-day stay", "two years and six months" and "30 months"."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from groundscope.text.values.numbers import Numeral, by_first_letter, figures, foreign, kanji_number, lowered, merged
from groundscope.text.values.types import Value, ValueKind
from groundscope.text.values.words import number_words

_UNITS = {
    "second": Decimal(1) / 60,
    "minute": Decimal(1),
    "hour": Decimal(60),
    "day": Decimal(1440),
    "week": Decimal(10_080),
    "fortnight": Decimal(20_160),
    "month": Decimal(1),
    "year": Decimal(12),
    "decade": Decimal(120),
}
_IN_MONTHS = frozenset(["month", "year", "decade"])
"""Months have no fixed number of days."""
_ORDER = "minute hour day week month year decade second fortnight".split()
_NAMES = {
    "en": "minute minutes min mins, hour hours hr hrs h, day days workday workdays, week weeks wk wks workweek workweeks, "
    "month months mo mos, year years yr yrs, decade decades, seconds, fortnight fortnights",
    "de": "minute minuten, stunde stunden, tag tage tagen tages kalendertag kalendertage kalendertagen werktag werktage "
    "werktagen arbeitstag arbeitstage arbeitstagen bankarbeitstage bankarbeitstagen geschäftstage geschäftstagen, woche wochen, "
    "monat monate monaten monats, jahr jahre jahren jahres, jahrzehnt jahrzehnte jahrzehnten",
    "fr": "minute minutes, heure heures, jour jours, semaine semaines, mois, an ans année années, décennie décennies",
    "es": "minuto minutos, hora horas, día días dia dias, semana semanas, mes meses, año años, década décadas",
    "it": "minuto minuti, ora ore, giorno giorni, settimana settimane, mese mesi, anno anni, decennio decenni",
    "pt": "minuto minutos, hora horas, dia dias, semana semanas, mês meses mes, ano anos, década décadas",
    "nl": "minuut minuten, uur uren, dag dagen kalenderdag kalenderdagen werkdag werkdagen, week weken, maand maanden, jaar "
    "jaren, decennium decennia",
}
"""Names of the units of `_ORDER` in languages."""
TIMES = frozenset(word for names in _NAMES.values() for word in names.replace(",", "").split())
_SHORT = frozenset("min mins hr hrs h wk wks mo mos yr yrs".split())
"""Read after figures only."""
_QUALIFIED = re.compile(
    r"(?<![^\W_])\(?(?:(?P<business>business|working|work|court|banking|trading|judicial|school)"
    r"|(?P<calendar>calendar)|full|whole|consecutive|successive|straight|complete|clear|(?:or\s)?more|or\s(?:less|fewer)|additional|further|"
    r"extra|other|weitere[nr]?|volle[nr]?|ganze[nr]?)\)?[\s-]\Z",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s(?:(?P<business>ouvrables?|ouvrés?|francs?|hábiles|habiles|laborables|lavorativi|úteis|uteis)"
    r"|(?P<calendar>calendaires|naturales|calendario|corridos|consecutivos|di\scalendario))\b"
)
_IN_WORD = re.compile(r"(?P<business>work|werk|arbeits|bankarbeits|geschäfts)|(?P<calendar>kalender)")
_HALF_AFTER = re.compile(
    r"\s(?:and\s(?:a|one)[\s-]half|und\s(?:ein|eine)\shalbe[sn]?|et\sdemie?|y\smedi[oa]|e\smezz[oa]|e\smei[oa])\b", re.IGNORECASE
)
_HALF = re.compile(
    r"\b(?:(?:a|one)[\s-])?half(?:\s(?:of\s)?(?:an?|one))?\Z|\b(?:(?:ein|eine|einem|einer)\s)?halbe[snrm]?\Z"
    r"|\b(?:une?\s)?demi\Z|\bmedi[oa]\Z|\bmezz[oa]\Z|\bmei[oa]\Z|\b(?:een\s)?halve?\Z",
    re.IGNORECASE,
)
_QUARTER = re.compile(r"\b(?P<number>three|an?|one)[\s-]quarters?\sof\s(?:an?|one)\Z", re.IGNORECASE)
_ODD = dict.fromkeys("anderthalb eineinhalb anderhalf anderhalve".split(), "1.5") | {"zweieinhalb": "2.5", "dreieinhalb": "3.5"}
_ARTICLE = re.compile(r"\b(?:an?|eine?[mnrs]?|une?|una|uno|uma?|een)\Z", re.IGNORECASE)
_ENDINGS = frozenset(
    "a an one half halbe halbes halben halber halbem demi medio media mezzo mezza meio meia halve halv ein eine einen einem "
    "einer eines un une una uno um uma een".split()
)
"""Words other than numbers with which an amount ends."""
_AT_MOST = re.compile(
    r"\b(?:within|at\sleast|at\smost|up\sto|exactly|no\s(?:more|later|less|longer)\sthan|exceed(?:ing|s)?|binnen|innerhalb"
    r"|(?:term|period|duration)\s(?:is|was|of)|lasts|lasted|(?:renew|extend)(?:s|ed)?\s(?:for|by)|beträgt|dauert|es\sde|est\sde|è\sdi|é\sde)\s\Z|\best\sd'\Z",
    re.IGNORECASE,
)
"""Before "a year": it is a period, and does not stand for "each year"."""
_LONGEST_QUALIFIER, _LONGEST_WORD, _LONGEST_BEFORE = 14, 41, 64
"""Characters that are looked at before an amount or a unit."""
_JOINTS = frozenset(" \n-")
_LAST_WORD = re.compile(r"[^\W_]{1,40}\Z")
_RANGE = re.compile(r"\s?(?:-|(?:-\s)?to|through|bis|à|a|al|tot|até)\s?", re.IGNORECASE)
_LIST = re.compile(
    r"-?,\s(?:(?:or|and|oder|und|ou|et|o|y|e|of|en)\s)?|-?\s(?:or|and|oder|und|ou|et|o|y|e|of|en)\s", re.IGNORECASE
)
_AND = re.compile(r"\s(?:and|und|et|y|e|en)\s", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|zwischen|entre|tra|fra|tussen)\s\Z", re.IGNORECASE)
_PARENS = re.compile(r"[\s-]?\(")
_COMPOSITE = re.compile(r",?\s(?:(?:and|und|et|y|e|en)\s)?|-", re.IGNORECASE)
_LASTS = re.compile(r"(?:\d{1,4}-?|[^\W\d_]{3,30})\Z")
_LASTING_UNITS = dict(
    zip("minütig stündig tägig wöchig monatig jährig".split(), "minute hour day week month year".split(), strict=True)
)
_LASTING = re.compile(rf"(?P<unit>{'|'.join(_LASTING_UNITS)})(?:e[mnrs]?)?(?!\w)")
_CJK = re.compile(
    r"(?<![\d.,第一二三四五六七八九十百])(?P<n>\d{1,5}|[一二三四五六七八九十百]{1,4})\s?(?:(?P<year>年間|年(?!度|代|\s?\d{1,2}月)|년(?!\s?\d{1,2}월))"
    r"|(?P<month>[かヶカヵ箇个個]月間?|개월)|(?P<week>週間?|周|주)|(?P<day>日間|日(?!付)|天|일)|(?P<hour>時間|小时|小時|시간)|(?P<minute>分間|분))"
)
_ERA = re.compile(r"(?:明治|大正|昭和|平成|令和)\s?\Z")


class _Period(NamedTuple):
    start: int
    end: int
    low: Decimal
    high: Decimal
    unit: str
    qualifier: str = ""
    vague: bool = False
    parts: tuple[int, int, int] | None = None


def read_periods(text: str, language: str = "en", read: Sequence[Numeral] | None = None) -> Iterator[Value]:
    """Read lengths of time, in reading order; linear in the text.

    Minutes to fortnights have their amount in minutes, months to decades in months. Business, working and court days are a unit
    of their own, "business day", counted in days; calendar days are "calendar minute". "a day" may mean "each day": it is not
    `exact`, and says nothing where it is missing. Of "two years and six months" the reading has the amounts of the parts; ranges
    have two amounts. Units are read in English and in the language, an ISO code. `read`: all numerals, where they are known.
    """
    periods = _merged(
        text,
        sorted(
            _periods(
                text,
                language,
                read if read is not None else merged(figures(text, lowered(text), language), foreign(text, language)),
            )
        ),
    )
    for p in periods:
        unit, factor = _base(p.unit, p.qualifier)
        low, high = _plain(p.low * factor), _plain(p.high * factor)
        key = f"{low} {unit}" if low == high else f"{low}-{high} {unit}"
        yield Value(ValueKind.DURATION, p.start, p.end, key, low, high, unit, (p.parts,) if p.parts else (), not p.vague)


def _plain(amount: Decimal) -> Decimal:
    # Seconds are sixtieths, whose decimals have no end.
    rounded = round(amount, 9)
    return rounded.to_integral_value() if rounded == rounded.to_integral_value() else rounded.normalize()


@cache
def _unit_names(language: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """What finds names of units after a blank, a figure or a hyphen, and name -> unit."""
    words = {
        word: unit
        for code in ("en", language)
        for unit, names in zip(_ORDER, _NAMES.get(code, "").split(", "), strict=False)
        for word in names.split()
        if language == "en" or word not in _SHORT
    }
    written = {form for w in words for form in (w, w[0].upper() + w[1:], w if w in _SHORT else w.upper())}
    return re.compile(rf"[\s\d-](?P<unit>{by_first_letter(written)})(?!\w)"), words


def _base(unit: str, qualifier: str) -> tuple[str, Decimal]:
    """Unit in which periods of a unit are compared, and how many of it they have."""
    if unit in _IN_MONTHS:
        return "month", _UNITS[unit]
    if qualifier == "business" and unit in ("day", "hour"):
        return f"business {unit}", Decimal(1)
    return ("calendar minute" if qualifier == "calendar" else "minute"), _UNITS[unit]


def _periods(text: str, language: str, read: Sequence[Numeral]) -> Iterator[_Period]:
    pattern, units = _unit_names(language)
    amounts = _Amounts(text, language, [n for n in read if not n.ordinal and n.other not in ("ref", "parts")])
    for m in pattern.finditer(text):
        yield from _before(amounts, m.start("unit"), m.end(), units[m["unit"].casefold()])
    if language == "de":
        yield from _lasting(text)
    if not text.isascii():
        yield from _cjk(text)


def _before(amounts: "_Amounts", unit_start: int, end: int, unit: str) -> Iterator[_Period]:
    """Read the amount before a unit."""
    text = amounts.text
    word = text[unit_start:end].casefold()
    glued = text[unit_start - 1].isdecimal()
    if glued and word not in _SHORT:
        return
    at = unit_start if glued else unit_start - 1
    qualifier = ""
    while q := None if glued else _QUALIFIED.search(text, max(0, at - _LONGEST_QUALIFIER), at + 1):
        qualifier = qualifier or ("business" if q["business"] else "calendar" if q["calendar"] else "")
        at = q.start() - 1 if text[q.start() - 1 : q.start()] in _JOINTS else q.start()
    after = _AFTER.match(text, end) if amounts.language != "en" else None
    for m in (after, _IN_WORD.match(word)):
        if m:
            qualifier = "business" if m["business"] else "calendar"
    end = after.end() if after else end
    more = _HALF_AFTER.match(text, end)
    end = more.end() if more else end
    counted, vague = amounts.until(at, word in _SHORT)
    if more and not counted:
        # "year and a half"
        bare = Numeral(unit_start, unit_start, Decimal(1), "1")
        counted = [(bare, bare)]
    extra = Decimal("0.5") if more else Decimal(0)
    for low, high in counted:
        # "the 2021 year" is a date.
        if low is not high or not 1500 <= high.amount <= 2100 or text[unit_start - 1] == "-" or word.endswith("s"):
            stop = end if high is counted[0][1] else high.end
            quiet = vague and not more and unit != "fortnight"
            yield _Period(low.start, stop, low.amount + extra, high.amount + extra, unit, qualifier, quiet)


class _Amounts:
    """The amounts of a text, to be asked for those that end before a unit."""

    def __init__(self, text: str, language: str, read: Sequence[Numeral]) -> None:
        self.text, self.language = text, language
        self._read: list[Numeral] = []
        self._figures = {n.end for n in read if not n.words}
        for n in read:
            last = self._read[-1] if self._read else None
            if last and text[n.end : n.end + 1] == ")" and _PARENS.fullmatch(text, last.end, n.start):
                # As contracts write "thirty (30)".
                self._read[-1] = (last if n.words else n)._replace(start=last.start, end=n.end + 1)
            else:
                self._read.append(n)
        self._ends = {n.end: i for i, n in enumerate(self._read)}

    def until(self, at: int, short: bool) -> tuple[list[tuple[Numeral, Numeral]], bool]:
        """Amounts that a unit after a place counts, the last one first; whether it is an article alone."""
        i = self._ends.get(at, -1)
        if i >= 0 and (self._read[i].amount != 1 or at in self._figures):
            return ([], False) if short and at not in self._figures else (self._joined(i), False)
        last = _LAST_WORD.search(self.text, max(0, at - _LONGEST_WORD), at)
        word = last.group().casefold() if last else ""
        if short or not (i >= 0 or word in _ENDINGS or word in _ODD):
            return [], False
        if part := self._part(at, word):
            return [(part, part)], False
        if i >= 0:
            return self._joined(i), False
        article = _ARTICLE.search(self.text, max(0, at - _LONGEST_WORD), at)
        if not article or (self.language == "en" and word not in ("a", "an")):
            return [], False
        single = Numeral(article.start(), at, Decimal(1), "1")
        before = max(0, article.start() - _LONGEST_BEFORE)
        return [(single, single)], not _AT_MOST.search(self.text, before, article.start())

    def _part(self, at: int, word: str) -> Numeral | None:
        """A half, a quarter, or something and a half."""
        first = max(0, at - _LONGEST_BEFORE)
        if word in _ODD:
            return Numeral(at - len(word), at, Decimal(_ODD[word]), _ODD[word])
        if quarter := _QUARTER.search(self.text, first, at):
            share = "0.75" if quarter["number"][0] in "tT" else "0.25"
            return Numeral(quarter.start(), at, Decimal(share), share)
        half = _HALF.search(self.text, first, at)
        return Numeral(half.start(), at, Decimal("0.5"), "0.5") if half else None

    def _joined(self, i: int) -> list[tuple[Numeral, Numeral]]:
        """Amounts of "30 to 60" and of "10, 20 or 30": what is joined to a number."""
        amounts = [(self._read[i], self._read[i])]
        while i > 0:
            first, second = self._read[i - 1], self._read[i]
            if len(amounts) == 1 and _is_range(self.text, first.start, first.end, second.start):
                # "100-30 days" is no range.
                return [(first, second)] if first.amount < second.amount else amounts
            if not _LIST.fullmatch(self.text, first.end, second.start):
                break
            amounts.append((first, first))
            i -= 1
        return amounts


def _is_range(text: str, start: int, end: int, after: int) -> bool:
    """Whether an amount `text[start:end]` and the next one are the ends of a range."""
    if _RANGE.fullmatch(text, end, after):
        return True
    return (
        _AND.fullmatch(text, end, after) is not None and _BETWEEN.search(text, max(0, start - _LONGEST_WORD), start) is not None
    )


def _merged(text: str, periods: list[_Period]) -> Iterator[_Period]:
    """Join "two years and six months" and "30 days to 60 days"."""
    last: _Period | None = None
    for p in periods:
        if last is not None and p.start < last.end:
            continue
        joined = _join(text, last, p) if last is not None else None
        if last is not None and joined is None:
            yield last
        last = joined or p
    if last is not None:
        yield last


def _join(text: str, a: _Period, b: _Period) -> _Period | None:
    alike = (a.unit in _IN_MONTHS) == (b.unit in _IN_MONTHS) and not (a.vague or b.vague)
    if not alike or a.low != a.high or b.low != b.high:
        return None
    first, second = a.low * _UNITS[a.unit], b.low * _UNITS[b.unit]
    if _is_range(text, a.start, a.end, b.start) and first < second and a.qualifier in ("", b.qualifier):
        low = first / _UNITS[b.unit]
        return _Period(a.start, b.end, low, b.low, b.unit, b.qualifier)
    composite = _COMPOSITE.fullmatch(text, a.end, b.start) and text[a.end : b.start] != ", " and not a.qualifier + b.qualifier
    if composite and _UNITS[a.unit] > second > 0 and a.unit != b.unit and first == int(first) and second == int(second):
        total = (first + second) / _UNITS[b.unit]
        return _Period(a.start, b.end, total, total, b.unit, parts=(int(first), int(second), 0))
    return None


def _lasting(text: str) -> Iterator[_Period]:
    """German adjectives: "dreimonatig", "30-tägig"."""
    for m in _LASTING.finditer(text):
        before = _LASTS.search(text, max(0, m.start() - 30), m.start())
        number = before.group().rstrip("-").casefold() if before else ""
        values = (
            [Decimal(number)] if number.isdecimal() else [v for s, e, v in number_words(number, "de") if e - s == len(number)]
        )
        for value in [Decimal(1)] if number == "ein" else values:
            yield _Period(m.start() - len(before.group() if before else ""), m.end(), value, value, _LASTING_UNITS[m["unit"]])


def _cjk(text: str) -> Iterator[_Period]:
    for m in _CJK.finditer(text):
        unit, start = m.lastgroup or "", m.start()
        number = m["n"]
        value = kanji_number(number)
        written = text[m.start(unit) : m.end()]
        dated = (unit == "year" and len(written) == 1 and (value >= 1000 or _ERA.search(text[max(0, start - 4) : start]))) or (
            unit == "day" and text[max(0, start - 2) : start].rstrip()[-1:] in ("月", "월")
        )
        if value and not dated:
            yield _Period(start, m.end(), Decimal(value), Decimal(value), unit)
