"""Money, percentages, counts, ordinals and plain numbers: figures with the unit that stands at them."""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import NamedTuple

from groundscope.text.values.numbers import Numeral, canonical, kanji_number, ordinal_key, ratio
from groundscope.text.values.periods import TIMES
from groundscope.text.values.types import Value, ValueKind
from groundscope.text.values.units import (
    AFTER_FIGURE,
    LETTER_SCALES,
    MEASURES,
    coin_of,
    currency_before,
    measure_after,
    scale_factor,
)
from groundscope.text.values.words import READ_LANGUAGES

_EAST_ASIAN_SCALE = re.compile("[百千十]?[百千万萬億亿兆]")
_TIMES = TIMES | {"second", "quarter", "quarters"}
_NO_NOUN = frozenset(
    (
        "a about above after against all also although among an and any apply are as at be because been before being below "
        "between both but by can cannot could did do does during each either else ever every except for from had has have he "
        "her here his how if in including into is it its later less like may might more most must no nor not now of on once "
        "only or other our out over own per rather s said same shall she should since so some such than that the their them "
        "then there these they this those thus through to too under unless until up upon us was we were what when where whether "
        "which while who whom whose will with within without would yet you your ago apiece hence am pm respectively total alone "
        "plus "
    ).split()
)
_IRREGULAR = {
    "people": "person", "persons": "person", "men": "man", "women": "woman", "children": "child", "criteria": "criterion",
    "bases": "basis", "indicia": "indicium", "feet": "foot", "phenomena": "phenomenon", "memoranda": "memorandum",
    "juries": "jury", "spouses": "spouse", "wives": "wife", "lives": "life", "thirds": "third",
    "cir": "circuit", "cong": "congress", "amend": "amendment",
}  # fmt: skip
_MULTIPLES = {"twic": 2, "thri": 3, "doub": 2, "treb": 3, "trip": 3, "quad": 4, "sing": 1}
"""First letters of words that count times, and of "single"."""
_MULTIPLE = re.compile(
    r"\b(?:twice|thrice|(?:doubl|trebl|tripl|quadrupl)(?:ed|es|ing)|(?<=\ba )single(?= )"
    r"|(?:double|treble|triple|quadruple)(?= (?:(?:the|its|their|his|her|that|what)\b|(?:actual |statutory )?"
    r"(?:damages|costs|rent|fees|amount|award|recovery|sum|price|value|penalty)\b)))\b"
)
_ONE_COUNTS = re.compile(r"\b(?:only|just|exactly|has|have|had|there (?:is|was)) (?:only )?(?:a )?\Z")
_NOUN = re.compile(
    r"[ \n-](?P<of>(?:of )?(?:the |these |those |its |their |his |her |our |such |all |other |additional |separate |different "
    r"|more |further )?"
    r"(?:the |other |additional )?)(?P<first>[a-zà-ɏ]{2,30})(?:'s?)?(?P<joint>[ \n-])?(?P<second>[a-zà-ɏ]{3,30})?"
)
_EAST_ASIAN_COUNTERS = frozenset("人名件個株回票社通条項号章歳")
_CONNECTOR = re.compile(
    r"\s?(?:-|–|—|~|〜|-to-|to|and|or|through|und|bis|oder|et|ou|à|a|y|o|e|,|, and|, or|and up to|or even|but not more than)\s?"
)
SPAN = re.compile(r"\s?(?:-|–|~|〜|-to-|to|through|bis|à|a)\s?")
PAIR = "pair"
_PAIR_JOINT = re.compile(r"\s?(?:-|:|-to-|to|over)\s?")
_VOTED = re.compile(r" (?:vote|decision|majority|ruling|split|margin|opinion|court)\b")
_VOTE_OF = re.compile(r"\b(?:votes?|voted|split|divided|decided|margin|majority|score)(?: of| by| was| is)?(?: a)? \Z")
_WINDOW = 20
_CHINESE_PERCENT = re.compile(r"百分之(\d{1,3}(?:\.\d{1,4})?|[〇一二三四五六七八九十]{1,4})")
_LINE_START = re.compile(r"(?:\A|\n)[ \t]*\Z")
_COUNTER_END = re.compile(r"[.)](?=\s)|\)")
_OF_MONTH = re.compile(r"(?: day)? of (?:each|every|the|that|any)(?: [a-z]+)? month\b")
_ANOTHER = re.compile(r"\b(?:a|an|every) \Z")


class _Unit(NamedTuple):
    kind: ValueKind
    start: int
    end: int
    name: str
    factor: Decimal = Decimal(1)
    scaled: bool = False


def measures(text: str, low: str, language: str, read: Iterable[Numeral]) -> Iterator[Value]:
    """Read every figure of a text that is no date, period or provision, of its numerals; linear in the text.

    `low` is the text in lower case, as long as it.
    """
    multiples = _multiples(low) if language == "en" or language not in READ_LANGUAGES else ()
    read = _joined(sorted([*read, *multiples]), text)
    units = [_unit(f, text, low, language) for f in read]
    _share(read, units, low)
    for m in _CHINESE_PERCENT.finditer(text) if "百分之" in text else ():
        number = canonical(Decimal(m[1])) if m[1][0].isdecimal() else str(kanji_number(m[1]))
        yield Value(ValueKind.PERCENT, m.start(), m.end(), f"{number}%", Decimal(number), Decimal(number), "%")
    for figure, unit in zip(read, units, strict=True):
        if unit is not None:
            yield from _value(figure, unit, text, low)


def stem(noun: str) -> str:
    """A noun in lower case without its plural."""
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    if noun.endswith("ies") and len(noun) > 4:
        return f"{noun[:-3]}y"
    if noun.endswith(("sses", "shes", "ches", "xes", "zes")):
        return noun[:-2]
    return noun[:-1] if _plural(noun) else noun


def beginnings(unit: str) -> set[str]:
    """Letters with one of which every form of a counted noun begins."""
    measured = unit.rpartition(" ")[2]
    forms = {
        measured,
        *(form for form, name in MEASURES.items() if name == measured),
        *(form for form, noun in _IRREGULAR.items() if noun == unit),
        *(_MULTIPLES if unit == "time" else ()),
    }
    return {form[: max(2, min(4, len(form) - 1))] for form in forms}


def _plural(word: str) -> bool:
    return word in _IRREGULAR or (len(word) > 3 and word[-1] == "s" and word[-2] not in "sui") or word.endswith("menus")


def _multiples(low: str) -> Iterator[Numeral]:
    for m in _MULTIPLE.finditer(low) if any(word in low for word in _MULTIPLES) else ():
        number = _MULTIPLES[m.group()[:4]]
        yield Numeral(m.start(), m.end(), Decimal(number), str(number), "times" if number > 1 else "", words=True)


def _joined(read: list[Numeral], text: str) -> list[Numeral]:
    """One figure for "1億2000万" and for "3分の2"."""
    joined: list[Numeral] = []
    for figure in read:
        before = joined[-1] if joined else None
        high = text[before.end : figure.start] if before and figure.start - before.end <= 2 else ""
        if before and high == "分の" and figure.amount < before.amount:
            joined[-1] = Numeral(before.start, figure.end, *ratio(int(figure.amount), int(before.amount)))
        elif before and _EAST_ASIAN_SCALE.fullmatch(high):
            low = _EAST_ASIAN_SCALE.match(text, figure.end)
            amount = before.amount * scale_factor(high) / (scale_factor(low.group()) if low else 1) + figure.amount
            joined[-1] = Numeral(before.start, figure.end, amount, canonical(amount))
        else:
            joined.append(figure)
    return joined


def _unit(figure: Numeral, text: str, low: str, language: str) -> _Unit | None:
    start, end = figure.start, figure.end
    if figure.ordinal:
        return _Unit(ValueKind.ORDINAL, start, end, _noun(figure, low, language))
    if figure.other in ("ref", "parts"):
        # "60/40", but not "2016/679".
        return _Unit(ValueKind.NUMBER, start, end, PAIR if figure.other == "ref" and figure.amount < 1000 else "")
    if figure.other == "times":
        return _Unit(ValueKind.NUMBER, start, end, "time", scaled=True)
    before = currency_before(text, low, start)
    # Accountants write a loss in brackets: "$(14.3) million".
    opened = "(" in (text[start - 1 : start], text[before[1] - 1 : before[1]] if before else "")
    shut = end + (opened and text[end : end + 1] == ")" and (before is not None or text[end + 1 : end + 2] == "%"))
    m = AFTER_FIGURE.match(low, shut)
    factor, scaled, after = Decimal(1), False, shut if text[start - 1 : start] == "(" else end
    if m and m["scale"]:
        scale = m["scale"].strip(" \n-.")
        letter = scale in LETTER_SCALES
        # "12k €", "12 k€"
        glued = m["scale"][0] not in " \n-" or m.end("scale") == m.start("coin")
        if not letter or (glued and (before or m["coin"] or (scale == "k" and text[end] in "kK"))):
            factor = scale_factor(m["scale"])
            last = m.end("scale")
            scaled, after = True, last - (m["scale"].endswith(".") and not text[last : last + 3].strip())
        elif letter:
            m = None
    if m and m["percent"]:
        return _Unit(ValueKind.PERCENT, start, m.end("percent"), "%", factor, scaled)
    if m and m["basis"]:
        return _Unit(ValueKind.PERCENT, start, m.end("basis"), "%", factor / 100, scaled)
    if before:
        # "US$5 USD", "$5 dollars", "A$5".
        code, begin = before
        coin = coin_of(m, language)[0] if m and m["coin"] and "$" in text[begin:start] else ""
        stop = m.end("coin") if m and coin and (coin == code or code == "usd") else after
        return _Unit(ValueKind.MONEY, begin, stop, coin if coin and code == "usd" and coin != "cent" else code, factor, scaled)
    if m and m["coin"]:
        code, share = coin_of(m, language)
        if code:
            return _Unit(ValueKind.MONEY, start, m.end("coin"), code, factor * share, scaled)
    noun, stop = measure_after(text, low, after)
    noun = noun or _noun(figure._replace(end=after), low, language)
    counts = noun and not low.startswith(" of ", end) and _ONE_COUNTS.search(low, max(0, start - _WINDOW), start)
    if figure.key == "1" and figure.words and not scaled and not counts:
        # A pronoun or an article: what is called one is not counted.
        return None
    return _Unit(ValueKind.NUMBER, start, stop, noun, factor, scaled)


def _noun(figure: Numeral, low: str, language: str) -> str:
    """Stem of the noun that a figure counts; empty where none stands at it."""
    end = figure.end
    after = low[end : end + 1]
    if after in _EAST_ASIAN_COUNTERS and after:
        return after
    m = _NOUN.match(low, end) if after in " \n-" else None
    if m is None:
        return ""
    first, second = m["first"], m["second"] or ""
    if first in _NO_NOUN or (first in _TIMES and not figure.ordinal):
        return ""
    if language != "en":
        return first[:5]
    if _plural(first):
        return stem(first)
    if figure.ordinal or figure.key == "1" or after == "-":
        return first
    # "five voting members", but not "five under the rules".
    if second and m["joint"] and second not in _NO_NOUN and _plural(second) and second not in _TIMES:
        return stem(second)
    return ""


def _share(read: list[Numeral], units: list[_Unit | None], low: str) -> None:
    """Give the unit of a range or list to its first amounts ("$5 to $10 million", "5 and 10 percent", "3 or 4 members")."""
    for i in range(len(units) - 2, -1, -1):
        unit, after = units[i], units[i + 1]
        if unit is None or after is None or (unit.scaled and unit.kind is not ValueKind.NUMBER):
            continue
        if _is_pair(read[i], unit, read[i + 1], after, low):
            read[i] = read[i]._replace(key=f"{read[i].key}:{read[i + 1].key}", other="parts")
            units[i], units[i + 1] = unit._replace(name=PAIR, end=after.end), None
            continue
        gap = after.start - unit.end
        if not 0 < gap <= 17 or not _CONNECTOR.fullmatch(low, unit.end, after.start):
            continue
        extent = SPAN.fullmatch(low, unit.end, after.start) is not None
        if extent and unit.kind is ValueKind.MONEY and after.kind is ValueKind.NUMBER and not after.name:
            # "$5-10 million"
            after = units[i + 1] = after._replace(kind=unit.kind, name=unit.name)
        bare = unit.kind is ValueKind.NUMBER and not unit.name
        scale = after.factor if not unit.scaled and extent else unit.factor
        scale = scale if after.scaled and read[i].amount < read[i + 1].amount * 10 and not unit.scaled else unit.factor
        if bare and (
            after.kind in (ValueKind.MONEY, ValueKind.PERCENT) and (unit.scaled or not read[i].words or not after.scaled)
        ):
            comma = low[unit.end : after.start].strip() == ","
            if after.kind is ValueKind.MONEY and after.start < read[i + 1].start and not (comma or extent):
                continue
            share = after.factor if after.kind is ValueKind.PERCENT and not after.scaled else scale
            units[i] = unit._replace(kind=after.kind, name=after.name, factor=share, scaled=after.scaled)
        elif bare and after.kind is ValueKind.NUMBER and (after.name or after.scaled):
            units[i] = unit._replace(name=after.name, factor=scale, scaled=after.scaled)
        elif unit.kind is after.kind is ValueKind.ORDINAL and not unit.name:
            units[i] = unit._replace(name=after.name)
        elif unit.kind is after.kind and unit.name == after.name and after.scaled:
            units[i] = unit._replace(factor=scale)


def _is_pair(a: Numeral, first: _Unit, b: Numeral, second: _Unit, low: str) -> bool:
    """Whether two numbers are a ratio, votes or a score ("3:1", "7 to 2", "140 over 90"): a range does not descend."""
    start, end, joint = first.start, second.end, _PAIR_JOINT.fullmatch(low, first.end, second.start)
    if (
        joint is None
        or first.kind is not ValueKind.NUMBER
        or second.kind is not ValueKind.NUMBER
        or low[end + 1 : end + 2].isdecimal()
    ):
        return False
    bare = not (first.name or second.name or first.scaled or second.scaled or a.other or b.other or "/" in a.key + b.key)
    descends = a.amount > b.amount and low[max(0, start - 5) : start] != "from "
    voted = _VOTED.match(low, end) or _VOTE_OF.search(low, max(0, start - _WINDOW), start)
    return bare and max(a.amount, b.amount) < 1000 and (descends or ":" in joint.group() or voted is not None)


def _value(figure: Numeral, unit: _Unit, text: str, low: str) -> Iterator[Value]:
    amount = figure.amount * unit.factor
    start, end = unit.start, unit.end
    if unit.kind is ValueKind.ORDINAL:
        rank = int(amount)
        if figure.words and _ANOTHER.search(low, max(0, start - 8), start):
            # "a second letter" is another.
            return
        if unit.name == "amendment":
            end += len(" amendment") if low.startswith(" amendment", end) else 0
            yield Value(ValueKind.PROVISION, start, end, f"amendment {rank}", unit="amendment")
        else:
            dated = _OF_MONTH.match(low, end) or (unit.name in TIMES and rank > 3)
            quiet = (
                figure.words
                and rank <= 10
                and not dated
                and not (text[end : end + 1] == " " and text[end + 1 : end + 2].isupper())
            )
            yield Value(ValueKind.ORDINAL, start, end, ordinal_key(rank), amount, amount, unit.name, exact=not quiet)
        return
    whole = unit.factor == 1 or unit.kind is ValueKind.PERCENT
    number = figure.key if whole and unit.factor == 1 else canonical(amount)
    if unit.kind is ValueKind.PERCENT:
        yield Value(unit.kind, start, end, f"{number}%", amount, amount, "%", also=figure.other and f"{figure.other}%")
    elif unit.kind is ValueKind.MONEY:
        also = f"{unit.name} {canonical(Decimal(figure.other) * unit.factor)}" if figure.other else ""
        yield Value(unit.kind, start, end, f"{unit.name} {number}", amount, amount, unit.name, also=also)
    elif not _counter(figure, text) and not (text[end : end + 1].isascii() and text[end : end + 1].isalpha()):
        also = "" if figure.other in ("ref", "parts", "times") else figure.other
        exact = not (unit.scaled and not unit.name)
        stated = None if figure.other in ("ref", "parts") else amount
        number = number.replace("/", ":") if unit.name == PAIR else number
        yield Value(unit.kind, start, end, number, stated, stated, unit.name, exact=exact, also=also)


def _counter(figure: Numeral, text: str) -> bool:
    """Whether a figure is part of a name ("COVID-19") or counts an item of a list ("(1)", "3." at the beginning of a line)."""
    start, end = figure.start, figure.end
    if figure.key == "24/7" or (text[start - 1 : start] == "-" and text[max(0, start - 2) : start - 1].isupper()):
        return True
    if figure.words or end - start > 2:
        return False
    before, after = text[start - 1 : start] if start else "\n", text[end : end + 1]
    if (before, after) in (("(", ")"), ("[", "]")):
        return True
    return _COUNTER_END.match(text, end) is not None and _LINE_START.search(text, max(0, start - _WINDOW), start) is not None
