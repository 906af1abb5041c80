"""Words beside values: that they are rough ("about $1.2 million"), count what is listed or follow from others, and of what."""

import operator
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from decimal import ROUND_DOWN, ROUND_HALF_UP, ROUND_UP, Decimal
from typing import NamedTuple

from groundscope.text.values.numbers import ORDINALS
from groundscope.text.values.types import Standing, Value, ValueKind, ValueLookup

_ROUGHLY = re.compile(
    r"\b(?:(?P<about>about|approximately|approx\.|around|roughly|some|circa|ca\.|close to|etwa|rund|environ|unos|unas)"
    r"|(?P<under>nearly|almost|just under|just short of|less than|fewer than|under|below|knapp|fast|presque|casi)"
    r"|(?P<over>over|more than|above|exceeding|exceeds|upwards of|in excess of|at least|just over|mehr als|über|plus de|más de))"
    r" (?:a total of |the sum of )?\Z",
    re.IGNORECASE,
)
_ROUNDED = frozenset({ValueKind.MONEY, ValueKind.PERCENT, ValueKind.NUMBER})
_NEAR = Decimal("0.1")
_ROUGH_WINDOW = 32


def rounded(value: Value, sentence: str, values: Sequence[Sequence[Value]], texts: Sequence[str]) -> ValueLookup | None:
    """Look in the sources for the exact amount of a value that its sentence calls rough; linear in the values."""
    m = _ROUGHLY.search(sentence[max(0, value.start - _ROUGH_WINDOW) : value.start])
    if m is None or not value.low or value.kind not in _ROUNDED:
        return None
    ways = (ROUND_HALF_UP,) if m["about"] else (ROUND_HALF_UP, ROUND_UP) if m["under"] else (ROUND_HALF_UP, ROUND_DOWN)
    step = Decimal(1).scaleb(_last_place(value.low))
    for i, of_text in enumerate(values):
        for other in of_text:
            if other.kind is not value.kind or other.low is None or (other.unit != value.unit and other.unit and value.unit):
                continue
            side = not (m["under"] and other.low >= value.low) and not (m["over"] and other.low <= value.low)
            if not side or abs(other.low - value.low) > _NEAR * value.low:
                continue
            if any((other.low / step).quantize(Decimal(1), way) * step == value.low for way in ways):
                note = f"{texts[i][other.start : other.end]} in the sources"
                return ValueLookup(Standing.COVERED, i, other.start, other.end, note)
    return None


def _last_place(amount: Decimal) -> int:
    """Power of ten of the last digit that is not zero."""
    exponent = amount.normalize().as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0


_OPERATOR = re.compile(
    r"\s?(?:(?P<add>\+|plus)|(?P<sub>-|less|minus)|(?P<mul>[×x*·]|\\times|times|of)|(?P<truediv>[÷/]|divided by))\s?(?:the )?"
)
_EQUALS = re.compile(r"\)?\s?=\s?|[^.;()\d]{0,30}\(")
_START = operator.attrgetter("start")
CALENDAR = frozenset({4, 7, 12, 24, 52, 60, 365})
"""Factors that no source states."""


def written_step(value: Value, values: Sequence[Value], sentence: str) -> tuple[str, Value]:
    """The step that a sentence writes out for a value or with it as a factor, and its result: "$900 (3 × $300)"."""
    at = bisect_left(values, value.start, key=_START)
    # "a year" of "$18,000 a year ($1,500 × 12)" is no term.
    near = [v for v in values[max(0, at - 3) : at + 4] if v.exact]
    for first, second, third in zip(near, near[1:], near[2:], strict=False):
        for a, b, result in ((first, second, third), (second, third, first)):
            sign = _OPERATOR.fullmatch(sentence, a.end, b.start)
            equals = _EQUALS.fullmatch(sentence, *((b.end, third.start) if result is third else (first.end, a.start)))
            if not sign or not equals or not a.low or not b.low or value not in (a, b, result):
                continue
            share = 100 if sign.lastgroup == "mul" and ValueKind.PERCENT in (a.kind, b.kind) else 1
            alike = value is result or value.kind is ValueKind.NUMBER
            if alike and getattr(operator, sign.lastgroup or "")(a.low, b.low) / share == result.low:
                return f"{sentence[a.start : b.end]} in the answer", result
    return "", value


_MARK = re.compile(r"\((?P<number>\d{1,2})\)|\((?P<letter>[a-z])\)|\((?P<roman>i{1,3}|iv|v|vi{1,3}|ix|x)\)")
_RANK = re.compile(rf"\b({'|'.join(word for word, rank in ORDINALS.items() if rank <= 10)})(?:ly)?\b", re.IGNORECASE)
_ROMANS = "i ii iii iv v vi vii viii ix x".split()


def enumerated(text: str) -> Iterator[int]:
    """How many things each list of a text has ("(1) ... (2) ... (3)", "first, ... second, ..."); linear in it."""
    last = {"number": 0, "letter": 0, "roman": 0}
    for m in _MARK.finditer(text):
        for form, mark in m.groupdict().items():
            if mark is None:
                continue
            at = int(mark) if form == "number" else ord(mark) - 96 if form == "letter" else _ROMANS.index(mark) + 1
            if form == "letter" and mark in _ROMANS and last["roman"] + 1 == _ROMANS.index(mark) + 1:
                last["roman"] += 1
                yield last["roman"]
            # "(1)" begins another list.
            if at == last[form] + 1 or at == 1:
                last[form] = at
                yield at
    reached = 0
    for m in _RANK.finditer(text):
        at = ORDINALS[m[1].casefold()]
        if at in (1, reached + 1):
            reached = at
            yield at


def lists_itself(sentence: str, end: int, number: int) -> bool:
    """Whether a sentence goes on to list what its number counts ("two exceptions: ...")."""
    before, colon, after = sentence[end:].partition(":")
    rest = after if colon else before
    # "two exceptions, consent and emergency": a comma, and as many joints as join the items.
    joined = len(re.findall(r",|;|\band\b|\bor\b", rest))
    if colon:
        return not rest.strip() or joined >= min(number - 1, 2) or any(True for _ in enumerated(rest))
    return number in set(enumerated(rest)) or (
        joined >= number and re.search(r"\b(?:and|or)\b", rest) is not None and "," in rest
    )


SENTENCE_END = re.compile(r"[.!?;]['\")]?\s+(?=[A-Z(\"'])|[。！？]|\n")
_CHANGES = (
    r"(?:rais[ei]|ris[ei]|rose|fall|fell|increas|decreas|reduc|cut|lower|chang|amend|exten[ds]|gr[eo]w|drop|mov[ei]|jump|went|climb"
    r"|declin|shorten|doubl|adjust|revis[ei]|expan[ds]|modif|convert|shr[iau]nk|swung|slipp)\w{0,5}"
)
_CHANGE = re.compile(rf"\b(?:{_CHANGES})\b[^.;\n]{{0,60}}\bfrom [^\d\n]{{0,12}}\Z", re.IGNORECASE)
"""Begins a change: of "raised from $5 to $10" the amounts are no range."""
_RANGING = re.compile(r"\brang|\bvar(?:y|ies)|\banywhere|\bof from", re.IGNORECASE)
WINDOW = 100
JOINED = re.compile(
    r"\b(?:totals?|totall?(?:ed|ing)|in all|(?:al)?together|combined?|sums?|plus|add(?:s|ed|itional|itionally)?|further|another"
    r"|aggregate|overall|both|c[ao]mes? to|amount(?:s|ed|ing)? to|(?:exten|incr|reduc|lengthen|shorten)\w{1,5} by|extension"
    r"|(?:more|less|fewer)(?! than| or)|remain(?:s|ing|ed|der)?|followed by|then|left|after which|minus|subtract\w{0,3}"
    r"|excluding|including|except"
    r"|insgesamt|zusammen|gesamt|weitere[rns]?|zusätzliche?[rns]?|übrigen?|au total|en tout|ensemble|supplémentaires?|en total"
    r"|adicional(?:es)?|restantes?)\b|合計|さらに",
    re.IGNORECASE,
)
"""Says that amounts are joined: without it a count that is a sum of two others is another count."""
COMPARED = re.compile(
    rf"\b(?:{_CHANGES}|differ(?:s|ed|ence|ences)?|higher|balance|unpaid|still owe[ds]?"
    r"|outstanding|net|short(?:fall)?|gap|spread|gain(?:s|ed)?|sav(?:es?|ed|ings?)|up|down|exceed(?:s|ed)?|owing|rest"
    r"|Unterschied|Differenz|mehr|weniger|différence|diferencia|restant)\b|\bby (?:about |some |only )?\Z",
    re.IGNORECASE,
)
"""Says that an amount is what lies between two others; of "by" only what stands right before it is read."""
ENDING = re.compile(
    r"\b(?:end(?:s|ed|ing)?|(?:expir|laps|terminat|matur)\w{1,6}|due|deadline|until|till|later|earlier|after|before|within|r[ua]ns?"
    r"|last(?:s|ed|ing)?|vest(?:s|ed)?|anniversary|bis|spätestens|endet\w?|abläuft|jusqu\w{1,4}|au plus tard|échéance|hasta"
    r"|vence\w?|más tardar|entro|scad\w{1,4})\b|\b(?:by|through)(?: no later than)? \Z|まで",
    re.IGNORECASE,
)
"""Says that a date is the end of a period."""
BACK = re.compile(r"\b(?:before|prior|ago|earlier|preced|previous|past|ahead|advance|vor|avant|antes|prima)", re.IGNORECASE)
DURING = re.compile(
    r"\b(?:in (?:full )?(?:force|effect)|during|falls? in|cover(?:s|ed|age)?|within|between|in place|throughout"
    r"|gültig|während|in Kraft|pendant|en vigueur|vigente|durante)\b",
    re.IGNORECASE,
)
"""Says that a date lies in a period, and neither begins nor ends it."""
BOUND = re.compile(
    r"\b(?:min(?:imum)?|max(?:imum)?|at (?:least|most)|up to|(?:no|not) (?:more|less|fewer|later|longer|sooner|earlier)|within"
    r"|limit\w{0,3}|caps?|capped|exceed|(?:short|long|high|low|earli|lat)est|mindestens|höchstens|au moins|au plus|al menos"
    r"|como máximo)\b[^;,\d]{0,30}\Z|\b(?:to|through|between) \Z|\d ?- ?\Z",
    re.IGNORECASE,
)
"""Before an end of a range: what lies between its ends is another range's."""
_IS = re.compile(r"\b(?:is|was|beträgt|betrug|est de|es de)(?: only| just| then| now)? \Z", re.IGNORECASE)
"""Of one thing: "the rents are" may be a sum of rents."""
_MORE = re.compile(r"\)? (?:more|less|fewer|higher|lower|longer|shorter|later|earlier|extra)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_STOP = re.compile(r"[,;:()\n]|[.!?](?=\s|\Z)")
_CUT = re.compile(rf"{_STOP.pattern}|\b(?:and|or|but|while|und|oder|et|ou|y|o)\b")
_ACTS = re.compile(
    r"\b(?:pa(?:y|ys|id)|owe[ds]?|receive[ds]?|spen[dt]s?|award(?:s|ed)?|gets?|got|earn(?:s|ed)?|claim(?:s|ed)|seeks?|sought"
    r"|demand(?:s|ed)|fined|cost(?:s|ed)? \w{1,12})\b",
    re.IGNORECASE,
)
"""Before them stands who pays, and not for what."""
_EMPTY = frozenset(
    "a an the of to in on at for from by with as per each every and or is are was were be been has have had will would shall may "
    "must can it its this that these those he she they his her their which who not no only also than before after if when costs "
    "cost year years month months week weeks day days hour annum about der die das ein eine und von zu mit ist sind le la les un "
    "une de du des et est el los y".split()
)
_RIVALS = (ValueKind.MONEY, ValueKind.PERCENT)
_LONGEST_LABEL = 3
_AROUND = 300
_FEW = 8


class Label(NamedTuple):
    """Words of what an amount is said of: before it, and all that stand by it."""

    before: frozenset[str]
    all: frozenset[str]


def is_change(text: str, value: Value) -> bool:
    """Whether an amount is what another was changed from; of "increases ranging from 3% to 5%" it is not."""
    if text.find("from ", max(0, value.start - 20), value.start) < 0:
        return False
    m = _CHANGE.search(text, max(0, value.start - WINDOW), value.start)
    return m is not None and _RANGING.search(m.group()) is None


def is_of_one(text: str, value: Value) -> bool:
    """Whether a sentence says what a single thing is ("the rent is $500")."""
    return _IS.search(text, max(0, value.start - 20), value.start) is not None


def derives(words: re.Pattern[str], text: str, value: Value) -> bool:
    """Whether a sentence has such words, or a preposition right before its value, or says that it is so much more."""
    near = words.search(text, max(0, value.start - _AROUND), value.end + _AROUND)
    return (near or _MORE.match(text, value.end) or words.search(text, max(0, value.start - 20), value.start)) is not None


def label_of(text: str, values: Sequence[Value], value: Value) -> Label:
    """Read of what a text says a value; `values` are the text's, in reading order."""
    at = bisect_left(values, value.start, key=_START)
    rivals = _RIVALS if value.kind in _RIVALS else (value.kind,)
    before = next((v for v in reversed(values[max(0, at - _FEW) : at]) if v.kind in rivals), None)
    after = next((v for v in values[at + 1 : at + _FEW] if v.kind in rivals), None)
    start = max(0, value.start - WINDOW, before.end if before else 0)
    stop = min(value.end + WINDOW, after.start if after else len(text))
    ends = [m.end() for m in SENTENCE_END.finditer(text, start, value.start)]
    beside = before is not None and start == before.end and not ends
    if ends:
        start = ends[-1]
    elif beside and (cut := _CUT.search(text, start, value.start)):
        start = cut.end()
    if value.kind is not ValueKind.DATE:
        start = max((m.end() for m in _ACTS.finditer(text, start, value.start)), default=start)
    first = _words(text[start : value.start], value.kind)[-_LONGEST_LABEL:]
    if not first and beside and before:
        # "$5 per person and $9 per accident"
        first = list(label_of(text, values[max(0, at - 2) : at], before).before)
    end = (_CUT if after and stop == after.start else _STOP).search(text, value.end, stop)
    last = _words(text[value.end : end.start() if end else stop], value.kind)[:_LONGEST_LABEL]
    return Label(frozenset(first), frozenset([*first, *last]))


def _words(text: str, kind: ValueKind) -> list[str]:
    words = (w for w in _WORD.findall(text.casefold()) if w not in _EMPTY)
    return [w for w in words if kind is ValueKind.DATE or not (w.endswith("ed") and len(w) > 4)]
