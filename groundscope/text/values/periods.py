"""Lengths of time in a text, equal in any unit: "24 hours" and "a 1-day stay", "two years and six months" and "30 months"."""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from groundscope.text.values.types import Value, ValueKind
from groundscope.text.values.units import IN_MONTHS, SHORT, UNITS, unit_names
from groundscope.text.values.words import number_words

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
_QUARTER = re.compile(r"\b(?P<number>three|an?|one)[\s-]quarters?\sof\s(?:an?|one)\Z", re.IGNORECASE)
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
_AT_MOST = re.compile(
    r"\b(?:within|at\sleast|at\smost|up\sto|exactly|no\s(?:more|later|less|longer)\sthan|exceed(?:ing|s)?|binnen|innerhalb)\s\Z",
    re.IGNORECASE,
)
"""Before "a year": it is a period, and does not stand for "each year"."""
_FIGURE = re.compile(
    r"(?<![\w.,$€£/:'])(?P<figure>\d{1,3}(?:[,.]\d{3}){1,3}(?![,.]?\d)|\d{1,6}(?:[.,]\d{1,3})?)(?:[\s-]?(?P<part>[½¼¾])|[\s-](?P<num>\d)/(?P<den>\d))?(?![\d%])"
)
_PARTS = {"½": Decimal("0.5"), "¼": Decimal("0.25"), "¾": Decimal("0.75")}
_PART = re.compile(r"(?<![\w/.,])(?<!\d[\s-])(?:(?P<num>\d)/(?P<den>\d)|[½¼¾])\Z")
_WINDOW = 64
_LAST_WORD = re.compile(r"[^\W_]{1,40}\Z")
_LINKED = re.compile(r"(?:[(,-]|[^\W_]{1,7})\s?\Z")
_LINKS = frozenset("( , - to through or and bis oder und à ou et a o y al e of en tot até".split())
"""What stands between amounts that share a unit."""
_RANGE = re.compile(r"\s?(?:-|(?:-\s)?to|through|bis|à|a|al|tot|até)\s?", re.IGNORECASE)
_LIST = re.compile(
    r"-?,\s(?:(?:or|and|oder|und|ou|et|o|y|e|of|en)\s)?|-?\s(?:or|and|oder|und|ou|et|o|y|e|of|en)\s", re.IGNORECASE
)
_ONE = re.compile(r"\bone\b", re.IGNORECASE)
"""text2num leaves it out of "one to two"."""
_AND = re.compile(r"\s(?:and|und|et|y|e|en)\s", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|zwischen|entre|tra|fra|tussen)\s\Z", re.IGNORECASE)
_PARENS = re.compile(r"[\s-]?\(")
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
        low, high = _plain(p.low * factor), _plain(p.high * factor)
        key = f"{low} {unit}" if low == high else f"{low}-{high} {unit}"
        yield Value(ValueKind.DURATION, p.start, p.end, key, low, high, unit, (p.parts,) if p.parts else (), not p.vague)


def _plain(amount: Decimal) -> Decimal:
    # Seconds are sixtieths, whose decimals have no end.
    rounded = round(amount, 9)
    return rounded.to_integral_value() if rounded == rounded.to_integral_value() else rounded.normalize()


def _base(unit: str, qualifier: str) -> tuple[str, Decimal]:
    """Unit in which periods of a unit are compared, and how many of it they have."""
    if unit in IN_MONTHS:
        return "month", UNITS[unit]
    if qualifier == "business" and unit in ("day", "hour"):
        return f"business {unit}", Decimal(1)
    return ("calendar minute" if qualifier == "calendar" else "minute"), UNITS[unit]


def _periods(text: str, language: str) -> Iterator[_Period]:
    pattern, units = unit_names(language)
    for m in pattern.finditer(text):
        yield from _before(text, m.start("unit"), m.end(), units[m["unit"].casefold()], language)
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
    if glued and word not in SHORT:
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
    numbers, vague = _amounts(head, language, word in SHORT)
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
        if quarter := _QUARTER.search(head):
            part = _Number(quarter.start(), size, Decimal("0.75" if quarter["number"][0] in "tT" else "0.25"))
            return [(part, part)], False
        if half := _HALF.search(head):
            part = _Number(half.start(), size, Decimal("0.5"))
            return [(part, part)], False
    if sign := _PART.search(head):
        value = _PARTS.get(sign.group()) or Decimal(int(sign["num"])) / max(1, int(sign["den"]))
        fraction = _Number(sign.start(), size, value)
        return [(fraction, fraction)], False
    numbers = _numbers(head, language)
    if not numbers or numbers[-1].end != size:
        article = (_ARTICLES if language != "en" else _ARTICLE).search(head)
        if not article:
            return [], False
        single = _Number(article.start(), size, Decimal(1))
        stated = article.group().casefold() == "one" or _AT_MOST.search(head[: article.start()])
        return [(single, single)], not stated
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
    numbers += [_Number(m.start(), m.end(), Decimal(1)) for m in _ONE.finditer(head)]
    if language != "en":
        numbers += [_Number(*n) for n in number_words(head, language)]
    merged: list[_Number] = []
    for n in sorted(numbers, key=lambda n: (n.start, -n.end)):
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
    alike = (a.unit in IN_MONTHS) == (b.unit in IN_MONTHS) and not a.vague and not b.vague and a.low == a.high and b.low == b.high
    if not alike:
        return None
    first, second = a.low * UNITS[a.unit], b.low * UNITS[b.unit]
    between = _AND.fullmatch(text, a.end, b.start) and _BETWEEN.search(text[max(0, a.start - 12) : a.start])
    if (between or _RANGE.fullmatch(text, a.end, b.start)) and first < second and a.qualifier in ("", b.qualifier):
        low = first / UNITS[b.unit]
        return _Period(a.start, b.end, low, b.low, b.unit, b.qualifier)
    composite = _COMPOSITE.fullmatch(text, a.end, b.start) and text[a.end : b.start] != ", " and not a.qualifier + b.qualifier
    if composite and UNITS[a.unit] > second > 0 and a.unit != b.unit and first == int(first) and second == int(second):
        total = (first + second) / UNITS[b.unit]
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
