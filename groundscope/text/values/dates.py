"""Dates of a text in every common form.

A numeric date that can be read in either order has two readings. Looked at for this: dateparser finds "2021 and may" in a
sentence about "the 4th of March 2021" and takes 180 ms for 1,900 characters; dateutil reads one date and no text.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from groundscope.text.values.coarseness import reading_key
from groundscope.text.values.months import ENGLISH, Reading, month_names, months_alone, spelled_dates, weekdays
from groundscope.text.values.numbers import ORDINALS, has_digit
from groundscope.text.values.types import Value, ValueKind

_CLUSTER = re.compile(r"\d\d*(?:(?P<sep>[./-])\d+(?:(?P=sep)\d+)*)?")
_JOINED = re.compile(r"[./-]\d{1,4}(?P<sep>[./-])?")
_DIGITS = re.compile(r"\d{1,2}")
_LONGEST = 10
"""Characters of the longest numeric date."""
_WINDOW = 26
"""Characters before a number that may belong to its date."""
_FROM, _TO = 1500, 2100
_ISO = re.compile(r"(?P<y>\d{4})(?P<sep>[./-])(?P<a>\d{1,2})(?P=sep)(?P<b>\d{1,2})")
_NUMERIC = re.compile(r"(?P<a>\d{1,2})(?P<sep>[./-])(?P<b>\d{1,2})(?P=sep)(?P<y>\d{4}|\d{2})")
_DAYS = re.compile(r"(?P<first>\d{1,2})-(?P<last>\d{1,2})")
_YEARS = re.compile(r"(?P<y>\d{4})[-/](?P<next>\d{4}|\d{2})")
_SUFFIX = r"(?:st|nd|rd|th|er|re|e|º|°|ª|\.)?"
_YEAR = r"(?:(?P<year>\d{4})|'(?P<short>\d{2}))(?![\w%]|[,.:/]\d)"
_FIRST_OF = re.compile(rf"{_SUFFIX}\s(?:to|through|and|until|bis|und|au|et|al|y|e|a|en|tot)\s(?:el\s|le\s)?(?=\d{{1,2}}(?!\d))")
_DAY_FIRST = re.compile(
    rf"{_SUFFIX}(?:\s{{1,2}}|(?P<sep>[-/]))(?:day\s)?(?:(?:of|de|di)\s)?(?:the\s)?(?:month\sof\s)?(?P<month>[^\W\d_]{{3,12}})\.?"
    rf"(?![^\W\d_])(?:(?:(?:,?\s|-|/)(?:(?:of|de|del|do)\s)?|,){_YEAR}|[-/](?P<two>\d{{2}})(?![\w/-]))?"
)
_AFTER_DAY = re.compile(
    rf"(?:st|nd|rd|th)?(?:\s?(?:-|to|through|and|or|&)\s?(?P<last>\d{{1,2}})(?:st|nd|rd|th)?(?=,?\s\d{{4}}))?"
    rf"(?:(?:,?\s{{1,2}}(?:of\s)?|,){_YEAR})?(?![\w%]|[,.:/-]\d)"
)
_COUNTED = re.compile(
    r"[\s-]?(?:%|percent\b|per\scent|(?:(?:day|hour|minute|week|month)s?|years)\b|dollars\b|euros?\b|pounds\b|million"
    r"|billion|people\b|persons\b|shares\b|members\b|words\b|pages\b|units\b|feet\b|miles\b"
    r"|U\.?\s?S\.?\s?C\b|C\.?\s?F\.?\s?R\b|-?cv\b|-?cr\b)"
)
_NO_DATE = frozenset(
    "§ §§ section sections sec. secs. rule rules no. nos. number art. arts. article articles at p. pp. page pages ¶ ¶¶ par. "
    "para. docket dkt. chapter ch. title form room suite box ex. exhibit stat. u.s. f. f.2d f.3d f.4th s.ct. ct. supp. "
    "supp.2d supp.3d l.ed. l.ed.2d ed. ed.2d wl reg. lexis civ crim ewca ewhc uksc ukhl hca us usd eur gbp $ € £ n. note "
    "footnote id. line lines u.s.c. c.f.r. usc cfr h.r.".split()
)
"""Words before a number that is no year."""
_JOINT = re.compile(r"\s?(?:,|and|or|&|-|to|through|,\s(?:and|or|&))\s?")
_AMBIGUOUS = frozenset(["may", "march", "mar"])
"""Months that are also words: small letters make a date of them only with a day and a year."""
_FISCAL = re.compile(r"(?:fiscal\syear|fiscal|financial\syear|\bFY)\s?'?\Z", re.IGNORECASE)
_PART_OF_YEAR = re.compile(
    r"(?:\bQ(?P<a>[1-4])|\b(?P<b>[1-4])Q|(?P<c>first|second|third|fourth)\squarter"
    r"|\b(?P<season>spring|summer|autumn|fall|winter)),?\s(?:of\s)?\Z",
    re.IGNORECASE,
)
_CJK = re.compile(
    r"(?P<y>\d{1,4})\s?[年년](?!間|以)(?P<fiscal>度)?(?:\s?(?P<m>\d{1,2})\s?[月월](?:\s?(?P<d>\d{1,2})\s?[日일号號])?)?"
    r"|(?P<m2>\d{1,2})\s?[月월]\s?(?P<d2>\d{1,2})\s?[日일号號]"
)
_ERAS = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018}


class _Span(NamedTuple):
    start: int
    end: int
    readings: tuple[Reading, ...]
    key: str = ""
    bare: bool = False


def read_dates(text: str, language: str = "en") -> Iterator[Value]:
    """Read the dates of a text, in reading order; linear in the text.

    Years alone are dates between 1500 and 2100 where no word before them says otherwise; as they may be numbers, they are
    not `exact` and have their amount. Decades, quarters and fiscal years have a key alone: "1990s", "2021-q3", "fy 2021".
    Months alone have a reading of neither year nor day, and weekdays a key alone. Offsets are half-open and do not overlap. Short
    names of months are read in the language, an ISO code, whole names in all.
    """
    spelled = [_Span(start, end, (reading,)) for start, end, reading in spelled_dates(text, language)]
    digits = _digits(text, month_names(language), language, {end for s in spelled for end in range(s.end - 4, s.end)})
    read = sorted([*spelled, *digits])
    alone = [_Span(start, end, (reading,)) for start, end, reading in months_alone(text, language)]
    alone += [_Span(start, end, (), day) for start, end, day in weekdays(text)]
    for span in sorted([*read, *_outside(alone, read)]):
        key = span.key or " or ".join(map(reading_key, span.readings))
        amount = Decimal(span.readings[0][0]) if span.bare else None
        yield Value(
            ValueKind.DATE, span.start, span.end, key, amount, amount, "year" if span.bare else "", span.readings, not span.bare
        )


def _outside(spans: list[_Span], others: list[_Span]) -> Iterator[_Span]:
    """Spans that stand in none of some others, which are in reading order."""
    starts = [other.start for other in others]
    for span in spans:
        i = bisect_right(starts, span.start) - 1
        # A month may begin before the figure of its date.
        if (i < 0 or others[i].end <= span.start) and not (i + 1 < len(others) and others[i + 1].start < span.end):
            yield span


def _digits(text: str, names: dict[str, int], language: str, taken: set[int]) -> Iterator[_Span]:
    """Dates with figures, read from each figure in both directions."""
    last, blocked = 0, -9
    for m in _CLUSTER.finditer(text) if has_digit(text) else ():
        start, end = m.span()
        if start < last or start in taken or end - start > _LONGEST:
            continue
        head = text[max(last, start - _WINDOW, 0) : start]
        words = head.split()
        word = words[-1].lstrip("([\"'").casefold() if words else ""
        if word in _NO_DATE or (start - blocked < 8 and _JOINT.fullmatch(text, blocked, start)):
            blocked = end
            continue
        spans = _date_at(text, m, head, names, language)
        yield from spans
        last = spans[-1].end if spans else last


def _date_at(text: str, m: re.Match[str], head: str, names: dict[str, int], language: str) -> list[_Span]:
    start, end = m.span()
    before, after = head[-1:], text[end : end + 1]
    if after in ("年", "月", "년", "월"):
        return _cjk(text, start, head)
    fiscal = _FISCAL.search(head) if head[-6:-1].strip() and "f" in head.casefold() else None
    if fiscal and end - start in (2, 4) and m.group().isdecimal():
        return [_Span(start - len(fiscal.group()), end, (), f"fy {_whole(m.group())}")]
    if (before.isalnum() and before not in "年月") or (before and before in "$€£#§.,/:_" and head != "/"):
        return []
    if end - start > 5 or not m.group().isdecimal():
        return _numeric(text, m, head, names, language)
    day = int(m.group()) if end - start <= 2 else 0
    named = _month_before(text, start, head, names) if before == "'" else None
    if named and end - start == 2 and not text[end : end + 1].isalnum():
        return [_Span(named[1], end, ((_whole(m.group()), named[0], 0),))]
    if 1 <= day <= 31:
        # "Jan. 1-Dec. 31": what stands before a day goes with it.
        return _month_first(text, start, end, (day,), head, names) or _day_first(text, start, end, (day,), names, language)
    year = int(m.group()) if end - start == 4 else 0
    return _year(text, start, end, year, head, names) if 1000 <= year < 3000 else []


def _whole(year: str) -> int:
    """Two digits are of the years 1950 to 2049."""
    number = int(year)
    return number if len(year) == 4 else number + (2000 if number < 50 else 1900)


def _reading(year: int, month: int, day: int) -> tuple[Reading, ...]:
    return ((year, month, day),) if month <= 12 and 1 <= day <= 31 and month else ()


def _numeric(text: str, m: re.Match[str], head: str, names: dict[str, int], language: str) -> list[_Span]:
    """Figures joined by stops, strokes or hyphens."""
    start, end = m.span()
    whole = m.group()
    if text[end : end + 1].isalnum() and not re.match(r"T\d\d:", text[end : end + 4]):
        return []
    # "7/1/22-7/1/23" are two dates, "7/1/22-4" is none.
    joined = _JOINED.match(text, end)
    if joined and (not joined["sep"] or joined["sep"] == text[end]):
        return []
    if iso := _ISO.fullmatch(whole):
        readings = _reading(int(iso["y"]), int(iso["a"]), int(iso["b"]))
        return [_Span(start, end, readings)] if readings else []
    if numeric := _NUMERIC.fullmatch(whole):
        a, b, year = int(numeric["a"]), int(numeric["b"]), _whole(numeric["y"])
        short = len(numeric["y"]) == 2
        padded = len(numeric["a"]) == len(numeric["b"]) == 2
        if short and ((numeric["sep"] == "." and language == "en") or (numeric["sep"] == "-" and not padded)):
            return []
        day_first = _reading(year, b, a)
        month_first = _reading(year, a, b) if numeric["sep"] != "." else ()
        both = month_first + day_first if language == "en" else day_first + month_first
        return [_Span(start, end, tuple(dict.fromkeys(both)))] if both else []
    if days := _DAYS.fullmatch(whole):
        numbers = (int(days["first"]), int(days["last"]))
        if all(1 <= d <= 31 for d in numbers):
            cut = start + days.start("last")
            return _day_first(text, start, end, numbers, names, language, cut) or _month_first(
                text, start, end, numbers, head, names, cut
            )
    if years := _YEARS.fullmatch(whole):
        return _years(start, years, _month_before(text, start, head, names))
    return []


def _years(start: int, m: re.Match[str], month: tuple[int, int] | None) -> list[_Span]:
    """Two years, or a year and a month as ISO 8601 has it."""
    year, after = int(m["y"]), int(m["next"])
    if not _FROM <= year <= _TO:
        return []
    if len(m["next"]) == 4 or after == (year + 1) % 100:
        end = after if len(m["next"]) == 4 else year + 1
        if not _FROM <= end <= _TO:
            return []
        cut = start + m.start("next")
        return [_Span(start, start + 4, ((year, 0, 0),), bare=True), _Span(cut, start + m.end(), ((end, 0, 0),), bare=True)]
    return [_Span(start, start + m.end(), ((year, after, 0),))] if 1 <= after <= 12 and month is None else []


def _day_first(
    text: str, start: int, end: int, days: tuple[int, ...], names: dict[str, int], language: str, cut: int = 0
) -> list[_Span]:
    """Read "4 March 2021", "the 4th day of March, 2021", "4-6 March"; of days joined, each is a date."""
    if len(days) == 1 and (first := _FIRST_OF.match(text, end)):
        digits = _DIGITS.match(text, first.end())
        if digits and 1 <= int(digits.group()) <= 31:
            return _day_first(text, start, digits.end(), (*days, int(digits.group())), names, language, digits.start())
    m = _DAY_FIRST.match(text, end)
    month = names.get(m["month"].casefold()) if m else None
    if not m or not month:
        return []
    # "5 May-16 June" has no year in it, "5-May-16" has.
    short = m["two"] is not None and not m["sep"]
    year = 0 if short else _year_of(m)
    if m["month"] in _AMBIGUOUS and not year:
        return []
    stop = m.end() if year else m.end("month")
    if text[end : end + 1] == "." and not year and language == "en" and m["month"].casefold().startswith(ENGLISH):
        # "in section 4. March 5 was ..."
        return []
    return _days(text, start, stop, days, year, month, cut)


def _days(text: str, start: int, stop: int, days: tuple[int, ...], year: int, month: int, cut: int) -> list[_Span]:
    if len(days) == 1:
        return [_Span(start, stop, ((year, month, days[0]),))]
    # "March 4 to 6": the first ends with its figure.
    end = start + max(m.end() for m in _DIGITS.finditer(text[start:cut]))
    return [_Span(start, end, ((year, month, days[0]),)), _Span(cut, stop, ((year, month, days[1]),))]


def _year_of(m: re.Match[str]) -> int:
    groups = m.groupdict()
    return _whole(next((groups[g] for g in ("year", "short", "two") if groups.get(g)), "0000"))


def _month_before(text: str, start: int, head: str, names: dict[str, int]) -> tuple[int, int] | None:
    """Number and place of a month whose name ends before a figure."""
    if not head[-1:].isspace() and head[-1:] not in ("-", "'"):
        return None
    words = head.rstrip("-'").split()
    if words and words[-1].casefold() in ("the", "of", "de", "del", "do", "d"):
        words.pop()
    if not words or "\n\n" in head[head.rfind(words[-1]) :]:
        return None
    word = re.split(r"[(\[\"'/*-]", words[-1].rstrip(".,"))[-1]
    month = names.get(word.casefold())
    cut = head.startswith(word) and start > len(head) and text[start - len(head) - 1].isalnum()
    if not month or cut:
        return None
    return month, start - len(head) + head.rfind(word)


def _month_first(
    text: str, start: int, end: int, days: tuple[int, ...], head: str, names: dict[str, int], cut: int = 0
) -> list[_Span]:
    """Read "March 4, 2021", "Mar. 4", "March 4-6, 2021"."""
    named = _month_before(text, start, head, names)
    m = _AFTER_DAY.match(text, end) if named else None
    if not named or not m:
        return []
    month, place = named
    year = _year_of(m)
    if not year and (text[place : place + 5].split()[0].rstrip(".,") in _AMBIGUOUS or _COUNTED.match(text, end)):
        return []
    if m["last"] and len(days) == 1:
        days, cut = (*days, int(m["last"])), m.start("last")
    return _days(text, place, m.end(), days, year, month, cut)


def _year(text: str, start: int, end: int, year: int, head: str, names: dict[str, int]) -> list[_Span]:
    """A month or quarter of a year, a decade, or a year alone."""
    after = text[end : end + 3]
    if after[:1] == "," and after[1:2].isdecimal():
        return []
    decade = re.match(r"'?s(?!\w)", after)
    if decade and year % 10 == 0:
        return [_Span(start, end + decade.end(), (), f"{year}s")]
    if after[:1].isalnum() or (after[:1] in (".", ":", "/") and after[1:2].isdecimal()):
        return []
    month = _month_before(text, start, head, names)
    if month and text[month[1] : month[1] + 5].split()[0] not in _AMBIGUOUS:
        return [_Span(month[1], end, ((year, month[0], 0),))]
    part = _PART_OF_YEAR.search(head)
    if part:
        number = part["a"] or part["b"] or ORDINALS.get((part["c"] or "").casefold())
        season = (part["season"] or "").casefold().replace("autumn", "fall")
        return [_Span(start - len(head) + part.start(), end, (), f"{year}-{season or f'q{number}'}")]
    joined = head[-1:] == "-" and not head[-2:-1].isalpha()
    if not _FROM <= year <= _TO or joined or _COUNTED.match(text, end) or re.match(r"-[A-Za-z]{1,2}\b", text[end : end + 4]):
        return []
    return [_Span(start, end, ((year, 0, 0),), bare=True)]


def _cjk(text: str, start: int, head: str) -> list[_Span]:
    m = _CJK.match(text, start)
    if not m:
        return []
    if m["m2"]:
        readings = _reading(0, int(m["m2"]), int(m["d2"]))
        return [_Span(start, m.end(), readings)] if readings else []
    era = _ERAS.get(head.rstrip()[-2:], 0)
    year = int(m["y"]) + era
    if not era and len(m["y"]) != 4:
        return []
    if m["fiscal"]:
        return [_Span(start, m.end(), (), f"fy {year}")]
    place = start - len(head) + head.rfind(head.rstrip()[-2:]) if era else start
    return [_Span(place, m.end(), ((year, int(m["m"] or 0), int(m["d"] or 0)),), bare=not m["m"])]
