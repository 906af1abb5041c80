"""Lengths of time in a text, equal in any unit: "24 hours" and "a 1-day stay", "two years and six months" and "30 months"."""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache, lru_cache
from typing import NamedTuple

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
_NAMES = {
    "en": {
        "second": "seconds",
        "minute": "minute minutes min mins",
        "hour": "hour hours hr hrs",
        "day": "day days",
        "week": "week weeks wk wks",
        "fortnight": "fortnight fortnights",
        "month": "month months mo mos",
        "year": "year years yr yrs",
        "decade": "decade decades",
    },
    "de": {
        "minute": "minute minuten",
        "hour": "stunde stunden",
        "day": "tag tage tagen tages kalendertag kalendertage kalendertagen werktag werktage werktagen arbeitstag arbeitstage "
        "arbeitstagen bankarbeitstage bankarbeitstagen geschäftstage geschäftstagen",
        "week": "woche wochen",
        "month": "monat monate monaten monats",
        "year": "jahr jahre jahren jahres",
        "decade": "jahrzehnt jahrzehnte jahrzehnten",
    },
    "fr": {
        "minute": "minute minutes",
        "hour": "heure heures",
        "day": "jour jours",
        "week": "semaine semaines",
        "month": "mois",
        "year": "an ans année années",
        "decade": "décennie décennies",
    },
    "es": {
        "minute": "minuto minutos",
        "hour": "hora horas",
        "day": "día días dia dias",
        "week": "semana semanas",
        "month": "mes meses",
        "year": "año años",
        "decade": "década décadas",
    },
    "it": {
        "minute": "minuto minuti",
        "hour": "ora ore",
        "day": "giorno giorni",
        "week": "settimana settimane",
        "month": "mese mesi",
        "year": "anno anni",
        "decade": "decennio decenni",
    },
    "pt": {
        "minute": "minuto minutos",
        "hour": "hora horas",
        "day": "dia dias",
        "week": "semana semanas",
        "month": "mês meses mes",
        "year": "ano anos",
        "decade": "década décadas",
    },
    "nl": {
        "minute": "minuut minuten",
        "hour": "uur uren",
        "day": "dag dagen kalenderdag kalenderdagen werkdag werkdagen",
        "week": "week weken",
        "month": "maand maanden",
        "year": "jaar jaren",
        "decade": "decennium decennia",
    },
}
_SHORT = frozenset("min mins hr hrs wk wks mo mos yr yrs".split())
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
_IN_WORD = re.compile(r"(?P<business>werk|arbeits|bankarbeits|geschäfts)|(?P<calendar>kalender)")
_HALF_AFTER = re.compile(
    r"\s(?:and\s(?:a|one)[\s-]half|und\s(?:ein|eine)\shalbe[sn]?|et\sdemie?|y\smedi[oa]|e\smezz[oa]|e\smei[oa])\b", re.IGNORECASE
)
_HALF_BEFORE = re.compile(r"[\s-]and[\s-](?:a|one)[\s-]half\Z", re.IGNORECASE)
_HALF = re.compile(
    r"\b(?:(?:a|one)[\s-])?half(?:\s(?:of\s)?(?:an?|one))?\Z|\b(?:(?:ein|eine|einem|einer)\s)?halbe[snrm]?\Z"
    r"|\b(?:une?\s)?demi\Z|\bmedi[oa]\Z|\bmezz[oa]\Z|\bmei[oa]\Z|\b(?:een\s)?halve?\Z",
    re.IGNORECASE,
)
_ODD = {
    "anderthalb": "1.5",
    "eineinhalb": "1.5",
    "zweieinhalb": "2.5",
    "dreieinhalb": "3.5",
    "anderhalf": "1.5",
    "anderhalve": "1.5",
}
_ARTICLE = re.compile(r"\b(?:an?|one)\Z", re.IGNORECASE)
_ARTICLES = re.compile(
    r"\b(?:an?|eine?[mnrs]?|une?|una|uno|uma?|een)\Z",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"(?<![\w.,$€£/:'])(?P<figure>\d{1,3}(?:[,.]\d{3}){1,3}(?![,.]?\d)|\d{1,6}(?:[.,]\d{1,3})?)(?:[\s-]?(?P<part>[½¼¾])|[\s-](?P<num>\d)/(?P<den>\d))?(?![\d%])"
)
_PARTS = {"½": Decimal("0.5"), "¼": Decimal("0.25"), "¾": Decimal("0.75")}
_WINDOW = 64
_LAST_WORD = re.compile(r"[^\W_]{1,40}\Z")
_LINKED = re.compile(r"(?:[(,-]|[^\W_]{1,7})\s?\Z")
_LINKS = frozenset("( , - to through or and bis oder und à ou et a o y al e of en tot até".split())
"""What stands between amounts that share a unit."""
_RANGE = re.compile(r"\s?(?:-|to|through|bis|à|a|al|tot|até)\s?", re.IGNORECASE)
_LIST = re.compile(r",\s|,?\s(?:or|and|oder|und|ou|et|o|y|e|of|en)\s", re.IGNORECASE)
_AND = re.compile(r"\s(?:and|und|et|y|e|en)\s", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|zwischen|entre|tra|fra|tussen)\s\Z", re.IGNORECASE)
_PARENS = re.compile(r"\s?\(")
_COMPOSITE = re.compile(r",?\s(?:(?:and|und|et|y|e|en)\s)?|-", re.IGNORECASE)
_LASTING = re.compile(r"(?P<unit>minütig|stündig|tägig|wöchig|monatig|jährig)(?:e[mnrs]?)?(?!\w)")
_LASTS = re.compile(r"(?:\d{1,4}-?|[^\W\d_]{3,30})\Z")
_LASTING_UNITS = dict(
    zip("minütig stündig tägig wöchig monatig jährig".split(), "minute hour day week month year".split(), strict=True)
)
_CJK = re.compile(
    r"(?<![\d.,第一二三四五六七八九十百])(?P<n>\d{1,5}|[一二三四五六七八九十百]{1,4})\s?(?:(?P<year>年間|年(?!度|代|\s?\d{1,2}月)|년(?!\s?\d{1,2}월))"
    r"|(?P<month>[かヶカヵ箇个個]月間?|개월)|(?P<week>週間?|周|주)|(?P<day>日間|日(?!付)|天|일)|(?P<hour>時間|小时|小時|시간)|(?P<minute>分間|분))"
)
_ERA = re.compile(r"(?:明治|大正|昭和|平成|令和)\s?\Z")
_KANJI = {c: i for i, c in enumerate("一二三四五六七八九", 1)}


class _Period(NamedTuple):
    start: int
    end: int
    low: Decimal
    high: Decimal
    unit: str
    qualifier: str = ""
    vague: bool = False
    parts: tuple[int, int, int] | None = None


class _Number(NamedTuple):
    start: int
    end: int
    value: Decimal


def read_periods(text: str, language: str = "en") -> Iterator[Value]:
    """Read lengths of time, in reading order; linear in the text.

    Minutes to fortnights have their amount in minutes, months to decades in months. Business, working and court days are a unit
    of their own, "business day", counted in days; calendar days are "calendar minute". "a day" may mean "each day": it is not
    `exact`, and says nothing where it is missing. Of "two years and six months" the reading has the amounts of the parts.

    Args:
        text: any text.
        language: its ISO code; units are read in English and in this language.

    Yields:
        Periods with half-open offsets into `text`; ranges have two amounts.
    """
    periods = _merged(text, sorted(_periods(text, language)))
    for p in periods:
        unit, factor = _base(p.unit, p.qualifier)
        # Seconds are sixtieths, whose decimals have no end.
        low, high = round(p.low * factor, 9), round(p.high * factor, 9)
        key = f"{_plain(low)} {unit}" if low == high else f"{_plain(low)}-{_plain(high)} {unit}"
        yield Value(ValueKind.DURATION, p.start, p.end, key, low, high, unit, (p.parts,) if p.parts else (), not p.vague)


def _plain(amount: Decimal) -> str:
    written = f"{amount:f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def _base(unit: str, qualifier: str) -> tuple[str, Decimal]:
    """Unit in which periods of a unit are compared, and how many of it they have."""
    if unit in _IN_MONTHS:
        return "month", _UNITS[unit]
    if qualifier == "business" and unit in ("day", "hour"):
        return f"business {unit}", Decimal(1)
    return ("calendar minute" if qualifier == "calendar" else "minute"), _UNITS[unit]


@cache
def _units(language: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """What finds names of units, and name -> unit."""
    words = {w: unit for unit, ws in _NAMES["en"].items() for w in ws.split() if language == "en" or w not in _SHORT}
    words |= {w: unit for unit, ws in _NAMES.get(language, {}).items() for w in ws.split()}
    cased = [f"[{w[0]}{w[0].upper()}]{w[1:]}" for w in sorted(words, key=len, reverse=True)]
    upper = [w.upper() for w in sorted(words, key=len, reverse=True) if w not in _SHORT]
    return re.compile(rf"(?<=[\s\d-])(?:{'|'.join(cased + upper)})(?!\w)"), words


def _periods(text: str, language: str) -> Iterator[_Period]:
    pattern, units = _units(language)
    for m in pattern.finditer(text):
        yield from _before(text, m.start(), m.end(), units[m.group().casefold()], language)
    if language == "de":
        yield from _lasting(text)
    if not text.isascii():
        yield from _cjk(text)


def _before(text: str, unit_start: int, end: int, unit: str, language: str) -> Iterator[_Period]:
    """Read the amount before a unit."""
    word = text[unit_start:end].casefold()
    offset = max(0, unit_start - _WINDOW)
    head = text[offset:unit_start]
    glued = head[-1:].isdecimal()
    if glued and word not in _SHORT:
        return
    head = head if glued else head[:-1]
    qualifier = ""
    for _ in range(2):
        if q := _QUALIFIED.search(head + " ", max(0, len(head) - 14)):
            qualifier = qualifier or ("business" if q["business"] else "calendar" if q["calendar"] else "")
            head = head[: q.start()].rstrip(" \n-")
    after = _AFTER.match(text, end) if language != "en" else None
    inside = _IN_WORD.match(word)
    for m in (after, inside):
        if m:
            qualifier = "business" if m["business"] else "calendar"
    end = after.end() if after else end
    more = _HALF_AFTER.match(text, end)
    end = more.end() if more else end
    numbers, vague = _amounts(head, language, word in _SHORT)
    if more and not numbers:
        # "year and a half"
        bare = _Number(unit_start - offset, unit_start - offset, Decimal(1))
        numbers = [(bare, bare)]
    for low, high in numbers:
        start = offset + low.start
        if 1500 <= high.value <= 2100 and high.value == low.value and text[unit_start - 1] != "-" and not word.endswith("s"):
            # "the 2021 year" is a date.
            continue
        extra = Decimal("0.5") if more else Decimal(0)
        stop = end if high is numbers[0][1] else offset + high.end
        yield _Period(
            start, stop, low.value + extra, high.value + extra, unit, qualifier, vague and not more and unit != "fortnight"
        )


def _amounts(head: str, language: str, short: bool) -> tuple[list[tuple[_Number, _Number]], bool]:
    """Amounts that a unit after `head` counts, the last one first; whether it is an article alone."""
    size = len(head)
    last = head[-1:]
    if not (last.isdecimal() or last in (")", "½", "¼", "¾")):
        m = _LAST_WORD.search(head, max(0, size - 41))
        if short or not m or not _counts(m.group().casefold(), language):
            return [], False
        if m.group().casefold() in _ODD:
            odd = _Number(m.start(), size, Decimal(_ODD[m.group().casefold()]))
            return [(odd, odd)], False
        if plus := _HALF_BEFORE.search(head):
            base, _ = _amounts(head[: plus.start()], language, short)
            halves = [_Number(low.start, size, low.value + Decimal("0.5")) for low, _ in base[:1]]
            return [(n, n) for n in halves], False
        if half := _HALF.search(head):
            part = _Number(half.start(), size, Decimal("0.5"))
            return [(part, part)], False
    numbers = _numbers(head, language)
    if not numbers or numbers[-1].end != size:
        article = (_ARTICLES if language != "en" else _ARTICLE).search(head)
        if not article:
            return [], False
        single = _Number(article.start(), size, Decimal(1))
        return [(single, single)], article.group().casefold() != "one"
    return _joined(head, numbers), False


@lru_cache(maxsize=4096)
def _counts(word: str, language: str) -> bool:
    """Whether an amount can end with a word."""
    number = any(any(number_words(word, read)) for read in {"en", language})
    return number or word in _ODD or any(pattern.search(word) for pattern in (_ARTICLE, _ARTICLES, _HALF))


def _numbers(head: str, language: str) -> list[_Number]:
    """Numbers in figures and words, "thirty (30)" as one."""
    figures = [*_FIGURE.finditer(head)]
    if figures and figures[-1].end() == len(head):
        start = figures[-1].start()
        link = _LINKED.search(head, max(0, start - 9), start)
        if not link or link.group().strip().casefold() not in _LINKS:
            return [_Number(start, len(head), _figure(figures[-1], language))]
    numbers = [_Number(m.start(), m.end(), _figure(m, language)) for m in figures]
    numbers += [_Number(*n) for n in number_words(head, "en")]
    if language != "en":
        numbers += [_Number(*n) for n in number_words(head, language)]
    merged: list[_Number] = []
    for n in sorted(numbers):
        if merged and n.start < merged[-1].end:
            continue
        if merged and head[n.end : n.end + 1] == ")" and _PARENS.fullmatch(head, merged[-1].end, n.start):
            first = merged.pop()
            figure = n.value if head[n.start].isdecimal() else first.value
            merged.append(_Number(first.start, n.end + 1, figure))
        else:
            merged.append(n)
    return merged


def _figure(m: re.Match[str], language: str) -> Decimal:
    figure = m["figure"]
    grouping, point = (",", ".") if language == "en" else (".", ",")
    if re.fullmatch(rf"\d{{1,3}}(?:\{grouping}\d{{3}})+", figure):
        figure = figure.replace(grouping, "")
    value = Decimal(figure.replace(point, ".") if figure.count(".") + figure.count(",") <= 1 else re.sub(r"[.,]", "", figure))
    if m["part"]:
        value += _PARTS[m["part"]]
    return value + Decimal(m["num"]) / Decimal(m["den"]) if m["num"] and int(m["den"]) else value


def _joined(head: str, numbers: list[_Number]) -> list[tuple[_Number, _Number]]:
    """Amounts of "30 to 60" and of "10, 20 or 30": what is joined to the last number."""
    amounts = [(numbers[-1], numbers[-1])]
    for first, second in zip(numbers[-2::-1], numbers[:0:-1], strict=True):
        between = _AND.fullmatch(head, first.end, second.start) and _BETWEEN.search(head[: first.start])
        if (between or _RANGE.fullmatch(head, first.end, second.start)) and len(amounts) == 1:
            # "100-30 days" is no range.
            return [(first, second)] if first.value < second.value else amounts
        if not _LIST.fullmatch(head, first.end, second.start):
            break
        amounts.append((first, first))
    return amounts


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
    alike = (
        (a.unit in _IN_MONTHS) == (b.unit in _IN_MONTHS) and not a.vague and not b.vague and a.low == a.high and b.low == b.high
    )
    if not alike:
        return None
    one, other = a.low * _UNITS[a.unit], b.low * _UNITS[b.unit]
    between = _AND.fullmatch(text, a.end, b.start) and _BETWEEN.search(text[max(0, a.start - 12) : a.start])
    if (between or _RANGE.fullmatch(text, a.end, b.start)) and one < other and a.qualifier in ("", b.qualifier):
        low = one / _UNITS[b.unit]
        return _Period(a.start, b.end, low, b.low, b.unit, b.qualifier)
    composite = _COMPOSITE.fullmatch(text, a.end, b.start) and text[a.end : b.start] != ", " and not a.qualifier + b.qualifier
    if composite and _UNITS[a.unit] > other > 0 and a.unit != b.unit and one == int(one) and other == int(other):
        total = (one + other) / _UNITS[b.unit]
        return _Period(a.start, b.end, total, total, b.unit, parts=(int(one), int(other), 0))
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
        value = int(number) if number.isdecimal() else _kanji(number)
        written = text[m.start(unit) : m.end()]
        dated = (unit == "year" and len(written) == 1 and (value >= 1000 or _ERA.search(text[max(0, start - 4) : start]))) or (
            unit == "day" and text[max(0, start - 2) : start].rstrip()[-1:] in ("月", "월")
        )
        if value and not dated:
            yield _Period(start, m.end(), Decimal(value), Decimal(value), unit)


def _kanji(number: str) -> int:
    total = unit = 0
    for c in number:
        if c in _KANJI:
            unit = _KANJI[c]
        else:
            total, unit = total + (unit or 1) * (100 if c == "百" else 10), 0
    return total + unit
