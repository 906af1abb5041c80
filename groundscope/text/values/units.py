"""Units at a figure: its currency and scale ("5 Mio. EUR"), what it measures ("50 miles"), and for what each ("$5,000 per day").

Amounts of two units are equal only where both are metric.
"""

import re
from collections.abc import Iterator
from decimal import Decimal

from groundscope.text.values.types import Value, ValueKind

MEASURES = {
    form: unit
    for unit, words in {
        "mile": "mi", "kilometer": "kilometre km", "meter": "metre", "centimeter": "centimetre cm", "millimeter": "millimetre mm",
        "foot": "feet ft", "inch": "inches", "yard": "yd", "acre": "", "hectare": "ha hektar", "gallon": "gal",
        "liter": "litre l", "milliliter": "millilitre ml", "quart": "", "pint": "", "ounce": "oz", "pound": "lb", "mph": "",
        "kilogram": "kilo kg", "gram": "gramm g", "milligram": "mg", "microgram": "mcg", "ton": "", "tonne": "", "kph": "",
        "barrel": "", "bushel": "", "kilowatt": "kw", "megawatt": "mw", "kilobyte": "kb", "megabyte": "mb", "gigabyte": "gb",
    }.items()
    for word in (unit, *words.split())
    for form in ((word, f"{word}s") if word not in ("g", "ha", "mi", "l") else (word,))
}  # fmt: skip
"""Unit of measure as it is written -> its name; amounts of two are never compared."""
_MEASURE = re.compile(
    rf"[ \n-]?(?P<power>(?:square|sq\.?|cubic|cu\.?)[ -])?(?P<unit>{'|'.join(sorted(MEASURES, key=len, reverse=True))})(?![\w])"
)
_METRIC = re.compile(r"(micro|milli|centi|kilo|)(gram|liter|meter)")
_POWERS = {"micro": -6, "milli": -3, "centi": -2, "": 0, "kilo": 3}
RATED = frozenset({ValueKind.MONEY, ValueKind.PERCENT, ValueKind.TIME})
POINTS, _BASIS = "point", "basis"
_EACH = {
    "minute": "minute", "hour": "hour", "hr": "hour", "day": "day", "diem": "day", "week": "week", "wk": "week",
    "month": "month", "mo": "month", "quarter": "quarter", "year": "year", "yr": "year", "annum": "year",
    "tag": "day", "stunde": "hour", "woche": "week", "monat": "month", "jahr": "year",
}  # fmt: skip
_EVERY = {f"{unit}ly": unit for unit in ("hour", "week", "month", "quarter", "year")} | {
    "daily": "day", "annually": "year", "annual": "year",
    "täglich": "day", "wöchentlich": "week", "monatlich": "month", "jährlich": "year",
}  # fmt: skip
_RATE = re.compile(
    r"(?:,?\s(?:per|a|an|each|every|for each|for every|pro|je|im)\s|\s?/\s?)(?:calendar |business |additional )?"
    rf"(?P<unit>{'|'.join(_EACH)})\b|\s(?P<word>{'|'.join(_EVERY)})\b",
    re.IGNORECASE,
)
_RATE_BEFORE = re.compile(
    rf"(?<![\w-])(?P<word>{'|'.join(_EVERY)})"
    r"(?:(?: [^\W\d_][\w'-]{0,20}){0,3}?(?::| (?:is|was|are|were|be|of|equals|totals)))? \Z",
    re.IGNORECASE,
)
"""Of "the monthly fee is $35" and "an annual salary of $90,000"."""
_WINDOW = 64
_ZONE = re.compile(
    r" \(?(?:(?P<zone>[ECMP])(?:[SD]?T\b|astern\b|entral\b|ountain\b|acific\b)|(?P<other>GMT|UTC|BST|CET|CEST|JST|IST)\b)"
)


def measure_after(text: str, low: str, end: int) -> tuple[str, int]:
    """Unit of measure that stands after a figure ("square foot", "kilometer") and where it ends if no blank is before it."""
    if low[end : end + 1] in ("x", "×") and not text[end + 1 : end + 2].isalnum():
        return "time", end + 1
    m = _MEASURE.match(low, end)
    # "a 5G network"
    if m is None or (m.end() == end + 1 and text[end] == "G"):
        return "", end
    power = "" if not m["power"] else "square " if m["power"].startswith("sq") else "cubic "
    return power + MEASURES[m["unit"]], m.end() if m.start() == m.start("unit") else end


def converted(amount: Decimal, unit: str) -> Iterator[tuple[str, Decimal]]:
    """An amount of a metric unit in the others."""
    if metric := _METRIC.fullmatch(unit):
        yield from ((f"{p}{metric[2]}", amount.scaleb(_POWERS[metric[1]] - power)) for p, power in _POWERS.items())


def rate_of(value: Value, text: str) -> str:
    """For what unit of time an amount of a text is, or the zone of a time; empty where the text names none."""
    if value.kind not in RATED:
        return ""
    if value.kind is ValueKind.TIME:
        zone = _ZONE.match(text, value.end)
        return (zone["zone"] or zone["other"]) if zone else ""
    if value.kind is ValueKind.PERCENT:
        written = text[value.start : value.end].casefold()
        if "b" in written and "per" not in written:
            return _BASIS
        if POINTS in written:
            return POINTS
    m = _RATE.match(text, value.end) or _RATE_BEFORE.search(text, max(0, value.start - _WINDOW), value.start)
    return (_EACH | _EVERY)[(m["word"] or m["unit"]).casefold()] if m else ""


def contradicts(rate: str, theirs: set[str]) -> bool:
    """Whether sources give an amount, and only with other rates; one without a rate may be of any time."""
    if not theirs or rate in theirs or _BASIS in (rate, *theirs):
        return False
    if POINTS in (rate, *theirs):
        return rate == POINTS or theirs == {POINTS}
    return bool(rate) and "" not in theirs


_SIGNS = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy", "￥": "jpy", "₹": "inr", "₩": "krw", "₽": "rub", "₪": "ils", "฿": "thb"}
_DOLLARS = {
    "us": "usd", "c": "cad", "ca": "cad", "cad": "cad", "can": "cad", "a": "aud", "au": "aud", "aud": "aud", "nz": "nzd",
    "hk": "hkd", "s": "sgd", "r": "brl", "mx": "mxn", "nt": "twd",
}  # fmt: skip
_CODES = frozenset(
    "usd eur gbp jpy chf cad aud nzd hkd sgd cny rmb inr krw sek nok dkk pln czk huf brl mxn zar rub try ils thb twd".split()
)
_NATIONS = {
    "us": "usd", "u.s.": "usd", "american": "usd", "united states": "usd", "canadian": "cad", "australian": "aud",
    "new zealand": "nzd", "hong kong": "hkd", "singapore": "sgd", "swiss": "chf", "british": "gbp", "mexican": "mxn",
}  # fmt: skip
_COINS = {
    word: code
    for code, words in {
        "usd": "dollar dollars dólar dólares dolares dollari dollaro ドル 米ドル", "eur": "euro euros ユーロ",
        "gbp": "pound pounds sterling pfund livres libras ポンド", "jpy": "yen 円", "cny": "yuan renminbi rmb 元",
        "chf": "franc francs franken", "inr": "rupee rupees", "mxn": "peso pesos", "krw": "won",
        "brl": "real reais", "cent": "cent cents",
    }.items()
    for word in words.split()
}  # fmt: skip
_EXPONENTS = {
    word: exponent
    for exponent, words in {
        0: "dozen", 1: "十", 2: "hundred 百", 3: "thousand k t tausend tsd mil mille mila 千", 4: "万 萬", 5: "lakh lakhs",
        6: "million millions mn m mm mio millionen millones millón milioni milione milhões milhão miljoen", 7: "crore crores",
        8: "億 亿", 9: "billion billions bn b mrd milliarde milliarden milliard milliards miliardi miliardo bilhões miljard",
        12: "trillion trillions tn 兆",
    }.items()
    for word in words.split()
}  # fmt: skip
LETTER_SCALES = frozenset({"k", "m", "b", "mm", "t"})
_WORD_END = r"(?![a-zà-ɏ])"
_SCALE = "|".join(sorted((re.escape(w) for w in _EXPONENTS if w != "t" and w[0] < "ɐ"), key=len, reverse=True))
_COIN = "|".join(sorted((w for w in _COINS if w[0] < "ɐ"), key=len, reverse=True))
_NATION = "|".join(map(re.escape, _NATIONS))
AFTER_FIGURE = re.compile(
    rf"(?:(?P<scale>[ \n-]?(?:(?:{_SCALE}){_WORD_END}\.?(?:[ -](?:million|millones|billion|trillion)\b)?|[kmt](?=€|eur\b))"
    r"|[百千十]?[百千万萬億亿兆]))?"
    r"(?:,--?(?!\w))?"
    r"(?:(?P<percent>(?: of (?:one|a|1))?(?:[ \n-]?[%％](?:[ -]points?\b)?"
    r"|[ \n-](?:per[ -]?cent(?:age)?(?:[ -]points?)?|pct\.?|prozent(?:punkten?)?|pour ?cent"
    rf"|por ?ciento|por ?cento|per cento|procent){_WORD_END}|パーセント|百分点))"
    rf"|(?P<basis>[ \n-]?(?:basis[ -]points?|bps?|basispunkte?){_WORD_END})"
    rf"|(?: (?:de |d')|[ \n-])?(?:(?P<nation>{_NATION})[ -])?"
    rf"(?P<coin>(?:{_COIN}|{'|'.join(sorted(_CODES))}|[a-z]{{1,3}}\$){_WORD_END}"
    r"|[$€£¥￥₹₩₽₪](?! ?\d)|円|米?ドル|ユーロ|元|ポンド))?"
)
_BEFORE_FIGURE = re.compile(
    rf"(?:(?<![a-z0-9])(?P<letters>[a-z]{{1,3}})(?P<dollar>\$)\(?|(?P<sign>[{''.join(map(re.escape, _SIGNS))}])\(?"
    rf"|(?<![a-z0-9])(?P<code>{'|'.join(sorted(_CODES))}|euros?|rs\.?|fr\.|sfr\.?)(?P<apart>[ \u00a0]?[$€£]?))[ \u00a0]?\Z"
)


def scale_factor(written: str) -> Decimal:
    """What the words of a scale stand for, one after another: of "mil millones" 10^9."""
    words = written.strip(" \n-.")
    parts = re.split(r"[\s.-]+", words) if words[0] < "ɐ" else words
    return Decimal(12) if words == "dozen" else Decimal(10) ** sum(_EXPONENTS.get(part, 0) for part in parts)


def currency_before(text: str, low: str, start: int) -> tuple[str, int] | None:
    """Code and start of the currency that stands before a figure."""
    at = start - 2 if start > 1 and text[start - 1] in " \u00a0(" else start - 1
    if at < 0 or not (text[at] in _SIGNS or (text[at].isupper() and text[at - 2 : at + 1].isupper()) or low[at] in "o.s"):
        return None
    m = _BEFORE_FIGURE.search(low, max(0, start - 9), start)
    if m is None:
        return None
    if m["letters"]:
        code = _DOLLARS.get(m["letters"], "")
        return (code, m.start()) if code else ("usd", m.start("dollar"))
    if m["sign"]:
        return _SIGNS[m["sign"]], m.start()
    code = m["code"].rstrip(".")
    if code in _CODES and not text[m.start() : m.start() + 3].isupper():
        return None
    return {"rs": "inr", "fr": "chf", "sfr": "chf"}.get(code) or _COINS.get(code, code), m.start()


def coin_of(m: re.Match[str], language: str) -> tuple[str, Decimal]:
    """Code of the currency after a figure, and how much of it one coin is."""
    coin = m["coin"]
    if coin.endswith("$") and len(coin) > 1:
        return _DOLLARS.get(coin[:-1], ""), Decimal(1)
    if m["nation"] and coin not in ("cent", "cents"):
        return _NATIONS[m["nation"]], Decimal(1)
    code = _SIGNS.get(coin) or _COINS.get(coin, coin)
    return ("usd" if language == "en" else "eur", Decimal("0.01")) if code == "cent" else (code, Decimal(1))
