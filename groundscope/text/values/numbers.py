"""Figures of a text as amounts: digits in any grouping, fractions, ordinals, and number words of English."""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import chain, groupby
from typing import NamedTuple
from unicodedata import numeric

from groundscope.text.values.words import number_words

ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINAL_ONES = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth "
    "seventeenth eighteenth nineteenth"
).split()
_BELOW_100 = {w: i for i, w in enumerate(ONES)} | {w: 10 * i for i, w in enumerate(TENS, 2)} | {"a": 1, "an": 1}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
ORDINALS = {w: i for i, w in enumerate(_ORDINAL_ONES, 1)} | {f"{w[:-1]}ieth": 10 * i for i, w in enumerate(TENS, 2)}
_ORDINAL_SCALES = {"hundredth": 100, "thousandth": 1000, "millionth": 10**6}
_PARTS = (
    {"half": 2, "halves": 2, "quarter": 4, "quarters": 4}
    | {w: n for w, n in ORDINALS.items() if 3 <= n <= 20}
    | {f"{w}s": n for w, n in (ORDINALS | _ORDINAL_SCALES).items() if n >= 3}
)
_SCALED = "|".join(("hundred", "dozen", *_SCALES))


def by_first_letter(words: Iterable[str]) -> str:
    """A pattern of words, the longest first; grouped, so that a search leaves out most words at one glance."""
    ordered = sorted(words, key=lambda w: (w[0], -len(w)))
    return "|".join(
        f"{re.escape(c)}(?:{'|'.join(re.escape(w[1:]) for w in group)})" for c, group in groupby(ordered, key=lambda w: w[0])
    )


_WORD = by_first_letter({*_BELOW_100, *ORDINALS, *_ORDINAL_SCALES, *_PARTS, *_SCALES, "hundred", "dozen"} - {"a", "an"})
_ARTICLE = rf"an?(?=[ -](?:{_SCALED}|half|third|quarter|fourth|fifth|tenth)\b)"
# What stands before comes first: so the scan jumps from word to word.
_WORDS = re.compile(rf"[^\w'](?P<words>(?:{_ARTICLE}|{_WORD})\b(?:[ \n-](?:and )?(?:{_ARTICLE}|{_WORD})\b){{0,15}})")
_TOKEN = re.compile(r"[a-z]+")
_REPEATED = re.compile(r" \((\d{1,3}(?:,\d{3}){0,5})\)")
"""Contracts write "thirty (30)"."""
_PART_OF = re.compile(r" (?:of|the|a|an|its|their|his|her)\b|(?<=half)-")
_ALONE = re.compile(r"[.,;:)\n]|\Z| (?:in|from|since|over|to|on|at|after|between|during|when|as|under|for|compared)\b")
_OF_SCALE = re.compile(r" (?:of )?(?:an? )?(thousand|million|billion|trillion|dozen)\b")
_VULGAR = {c: Fraction(numeric(c)).limit_denominator(10).as_integer_ratio() for c in "¼½¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞⅐⅑⅒"}
_BLANK = "[ \u00a0\u2009\u202f]"
# A digit comes first: so the scan jumps from digit to digit.
_DIGITS = re.compile(
    r"\d(?:(?<![0-9A-Za-z_À-ɏ].)|(?<=[A-Z]{3}.)(?<![A-Za-z]{4}.))(?<![0-9][.,'’].)"
    rf"(?:\d{{0,2}}(?:{_BLANK}\d{{3}}){{1,6}}(?!\d)(?:[.,]\d{{1,6}}(?!\d))?|\d*(?:[.,'’]\d+){{0,12}})"
    rf"(?P<part>{_BLANK}?[{''.join(_VULGAR)}]|(?:{_BLANK}|-)\d{{1,2}}/\d{{1,3}}(?![\d/])|/\d{{1,4}}(?![\d/]|[.,-]\d))?"
    r"(?P<ordinal>(?:st|nd|rd|th|ST|ND|RD|TH)\b|d(?= (?:Cir|Dep|Dist|Cong|Amend)))?"
)
_BARE_PART = re.compile(f"[{''.join(_VULGAR)}](?<![0-9].)")
_SEPARATED = re.compile(r"[.,'’]")
_LONGEST_KEY = 15
"""Characters of an amount beyond which it is a share such as 2/3."""
DECIMAL_COMMAS = frozenset("de fr es it pt nl da sv no fi pl cs ru tr".split())
"""Languages that write "1.250,50"."""
_ROMAN = re.compile("m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_ROMAN_SIGNS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_KANJI = {c: i for i, c in enumerate("〇一二三四五六七八九")}
_KANJI_POWERS = {"十": 10, "百": 100, "千": 1000}
# Before what is counted: many words begin with such a sign.
_KANJI_FIGURE = re.compile(
    r"(?<![\d〇一二三四五六七八九十百千第])[〇一二三四五六七八九十百千]{1,8}(?=[万億兆]?(?:円|元|ドル|ユーロ|人|名|件|個|株|回|社|パーセント|[%％]))"
)


class Numeral(NamedTuple):
    """An amount `text[start:end]`; `words`: whether it is spelled.

    `key`: canonical spelling: "1250.5", "2/3", "1.2.3" for what is no amount; `other`: that of the other reading of "1.250".
    """

    start: int
    end: int
    amount: Decimal
    key: str
    other: str = ""
    ordinal: bool = False
    words: bool = False


def has_digit(text: str) -> bool:
    """Whether a text may have a digit; in most texts without one ten searches take less time than one for a class of signs."""
    return not text.isascii() or any(map(text.__contains__, "0123456789"))


def canonical(amount: Decimal) -> str:
    """Spell an amount: no grouping, no trailing zeros."""
    plain = f"{amount:f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def ordinal_key(number: int) -> str:
    """Spell an ordinal: "9th", "21st"."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def ratio(over: int, under: int) -> tuple[Decimal, str]:
    """Amount and key of a fraction: "0.5", but "2/3"."""
    amount = Decimal(over) / Decimal(under)
    return amount, canonical(amount) if len(f"{amount:f}") < 12 else f"{over}/{under}"


def lowered(text: str) -> str:
    """Lower case of the same length."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def roman_number(numeral: str) -> int:
    """Read a Roman number in small letters; 0 for what is none."""
    signs = [_ROMAN_SIGNS[c] for c in numeral] if _ROMAN.fullmatch(numeral) else []
    return sum(-sign if sign < after else sign for sign, after in zip(signs, [*signs[1:], 0], strict=False))


def kanji_number(token: str) -> int:
    """Read a number in digits or in Chinese signs below 10,000."""
    if token.isdecimal():
        return int(token)
    total, digit = 0, 0
    for sign in token:
        if power := _KANJI_POWERS.get(sign):
            total, digit = total + (digit or 1) * power, 0
        else:
            digit = _KANJI[sign]
    return total + digit


def merged(*read: Iterable[Numeral]) -> list[Numeral]:
    """Numerals in reading order, of those that overlap the first and the longest."""
    chosen: list[Numeral] = []
    for numeral in sorted(chain(*read), key=lambda n: (n.start, -n.end)):
        if not chosen or numeral.start >= chosen[-1].end:
            chosen.append(numeral)
    return chosen


def foreign(text: str, language: str) -> list[Numeral]:
    """Read the number words of a language other than English."""
    read: list[Numeral] = []
    for start, end, amount in number_words(text, language) if language != "en" else ():
        if any(c.isalpha() for c in text[start:end]) and not any(c.isdecimal() for c in text[start:end]):
            key = canonical(amount)
            if len(key) > _LONGEST_KEY:
                amount, key = ratio(*Fraction(amount).limit_denominator(100).as_integer_ratio())
            read.append(Numeral(start, end, amount, key, words=True))
    return read


def figures(text: str, low: str, language: str = "en") -> list[Numeral]:
    """Read the figures of a text in reading order; linear in the text. The language decides "1.250" and "10,500".

    `low` is the text in lower case, as long as it.
    """
    read = [*_in_digits(text, language), *_in_words(low)]
    if not text.isascii():
        for m in _BARE_PART.finditer(text):
            amount, key = ratio(*_VULGAR[m.group()])
            if not text[max(0, m.start() - 2) : m.start()].strip()[-1:].isdecimal():
                read.append(Numeral(m.start(), m.end(), amount, key))
        read += [Numeral(*m.span(), Decimal(n := kanji_number(m.group())), str(n)) for m in _KANJI_FIGURE.finditer(text)]
    read.sort()
    return [f for f, before in zip(read, [None, *read], strict=False) if before is None or f.start >= before.end]


def _in_digits(text: str, language: str) -> Iterator[Numeral]:
    for m in _DIGITS.finditer(text) if has_digit(text) else ():
        start, end, part = m.start(), m.end(), m["part"] or ""
        whole = m.group()
        if m["ordinal"]:
            whole = whole.removesuffix(m["ordinal"])
        whole = whole.removesuffix(part)
        if start and text[start - 1] == "." and not text[max(0, start - 2) : start - 1].strip(" (\n$"):
            start, whole = start - 1, f"0.{whole}"
        amount, key, other = digits(whole, language)
        if part.startswith("/"):
            under = int(part[1:])
            if not amount < under <= 100 or amount != int(amount):
                # A reference such as "2016/679", which others read.
                yield Numeral(start, end, amount, whole + part, other="ref")
                continue
            amount, key = ratio(int(amount), under)
        elif part:
            over, under = _VULGAR.get(part[-1]) or map(int, part[1:].split("/"))
            if under == 0 or over >= under:
                end -= len(part)
            else:
                amount = amount + ratio(over, under)[0]
                key = canonical(amount) if len(canonical(amount)) < 12 else f"{int(amount)} {over}/{under}"
        yield Numeral(start, end, amount, key, other, bool(m["ordinal"]))


def digits(figure: str, language: str = "en") -> tuple[Decimal, str, str]:
    """Amount, key and the other possible key of digits in any grouping."""
    plain = figure if figure.isdecimal() else re.sub(r"\s", "", figure)
    marks = _SEPARATED.findall(plain)
    if not marks:
        amount = Decimal(plain)
        return amount, str(int(amount)) if len(plain) < 28 else canonical(amount), ""
    groups = _SEPARATED.split(plain)
    plain, last = "".join(groups), len(groups[-1])
    if len(set(marks)) > 1:
        # "1,250.50", "1.250,50", "1'000.50": the last of two kinds is the decimal sign.
        return _amount(plain, last if marks[-1] not in marks[:-1] and marks[-1] in ".," else 0, "")
    grouped = len(groups[0]) <= 3 and last == 3 and all(len(g) in (2, 3) for g in groups[1:-1])
    if len(marks) > 1:
        return _amount(plain, 0, "") if grouped else (Decimal(0), figure, "parts")
    if marks[0] in "'’":
        return _amount(plain, 0, "")
    if not grouped or groups[0].startswith("0"):
        return _amount(plain, last, "")
    if marks[0] == "." and language not in DECIMAL_COMMAS:
        return _amount(plain, last, canonical(Decimal(plain)))
    return _amount(plain, 0, canonical(Decimal(plain).scaleb(-3)) if language in DECIMAL_COMMAS else "")


def _amount(plain: str, decimals: int, other: str) -> tuple[Decimal, str, str]:
    amount = Decimal(f"{plain[:-decimals]}.{plain[-decimals:]}") if decimals else Decimal(plain)
    return amount, canonical(amount), other


def _in_words(low: str) -> Iterator[Numeral]:
    for m in _WORDS.finditer(f"\n{low}"):
        tokens = [(t.group(), m.start() + t.start(), m.start() + t.end()) for t in _TOKEN.finditer(m["words"])]
        at = 0
        while at < len(tokens):
            figure, after = _spelled(tokens, at, low)
            if figure:
                again = _REPEATED.match(low, figure.end)
                same = again is not None and again[1].replace(",", "") == figure.key
                yield figure._replace(end=again.end()) if again and same else figure
            at = max(after, at + 1)


def _spelled(tokens: list[tuple[str, int, int]], first: int, low: str) -> tuple[Numeral | None, int]:
    """The longest number that begins at a word, and the word after it."""
    start = tokens[first][1]
    if tokens[first][0] in ("half", "and"):
        return (_half(*tokens[first][1:], low) if tokens[first][0] == "half" else None), first + 1
    total, group, room, scale, at, end = 0, -1, 100, 10**15, first, start
    ordinal = False
    while at < len(tokens):
        word, _, stop = tokens[at]
        small = _BELOW_100.get(word, -1)
        if word == "and":
            # "one hundred and two hundred" are two; "five and ten", too.
            after = tokens[at + 2][0] if at + 2 < len(tokens) else ""
            if (group < 0 and scale == 10**15) or (group >= 0 and (group % 100 or not group)) or after == "hundred":
                break
            at += 1
            continue
        if small >= 0 and (group < 0 or 0 < small < room):
            if word in ("a", "an") and at > first:
                break
            group, room = max(group, 0) + small, 10 if small >= 20 else 0
        elif word == "hundred" and 0 < group < 100:
            group, room = group * 100, 100
        elif word == "dozen" and 0 < group < 100:
            group, room, at, end = group * 12, 0, at + 1, stop
            break
        elif word in _SCALES and group > 0 and _SCALES[word] < scale:
            scale = _SCALES[word]
            total, group, room = total + group * scale, -1, 100
        elif (word in ORDINALS and (group < 0 or ORDINALS[word] < room)) or (word in _ORDINAL_SCALES and group > 0):
            if at > first and tokens[at - 1][0] in ("a", "an"):
                break
            group = max(group, 0) + ORDINALS[word] if word in ORDINALS else group * _ORDINAL_SCALES[word]
            ordinal, at, end = True, at + 1, stop
            break
        else:
            break
        at, end = at + 1, stop
    if end == start:
        return None, at
    if at > first and tokens[at - 1][0] == "and":
        at -= 1
    value = total + max(group, 0)
    amount, key = Decimal(value), str(value)
    if not ordinal and at < len(tokens):
        part = _part(tokens, at, value, low)
        if part:
            over, under, at = part
            amount, key, end = _of_scale(*ratio(over, under), tokens[at - 1][2], low)
    if tokens[first][0] in ("a", "an") and at == first + 1:
        return None, at
    return Numeral(start, end, amount, key, "", ordinal, True), at


def _part(tokens: list[tuple[str, int, int]], at: int, value: int, low: str) -> tuple[int, int, int] | None:
    """Numerator, denominator and the next word of "two-thirds" or "two and a half", after the words of `value`."""
    word, _, stop = tokens[at]
    under = _PARTS.get(word, 0)
    if under and 0 < value < under and (value == 1 or word.endswith("s") or word.endswith("halves")):
        spelled = tokens[at - 1][0] not in ("a", "an")
        return (value, under, at + 1) if spelled or _is_part(low, tokens[at - 1][1], stop) else None
    if word == "and" and at + 2 < len(tokens):
        over, under = _BELOW_100.get(tokens[at + 1][0], 0), _PARTS.get(tokens[at + 2][0], 0)
        if under and 0 < over < under and (over == 1 or tokens[at + 2][0].endswith("s")):
            return value * under + over, under, at + 3
    return None


def _half(start: int, end: int, low: str) -> Numeral | None:
    amount, key, last = _of_scale(Decimal("0.5"), "0.5", end, low)
    part = _is_part(low, start, end) and not low.startswith((" a ", "-"), end)
    return Numeral(start, last, amount, key, words=True) if last > end or part else None


def _is_part(low: str, start: int, end: int) -> bool:
    """Whether a half or a third is one of something ("half of the shares", "fell by a third")."""
    return bool(_PART_OF.match(low, end) or (low[max(0, start - 3) : start] == "by " and _ALONE.match(low, end)))


def _of_scale(amount: Decimal, key: str, end: int, low: str) -> tuple[Decimal, str, int]:
    """Amount, key and end of a fraction with what it is a fraction of: "half a million", "a quarter of a million"."""
    m = _OF_SCALE.match(low, end)
    whole = amount * _SCALES.get(m[1], 12) if m else amount
    return (whole, canonical(whole), m.end()) if m else (amount, key, end)
