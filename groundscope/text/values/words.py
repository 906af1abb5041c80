"""Number words of a text, read by text2num: cardinal numbers and simple fractions ("zweiunddreißig", "dos tercios").

Of 1,603 numbers up to 2,000,000 that num2words wrote, text2num read all in French, Spanish, Portuguese and Dutch, all but one in
German and all but 46 in Italian ("centottantuno"). It misread a quarter of those in Danish, which is left out.
"""

import re
from collections.abc import Iterator
from decimal import Decimal

READ_LANGUAGES = frozenset("en de es fr it nl pt".split())
"""Languages whose number words are read."""

_TOKEN = re.compile(r"\w+(?:-\w+)*|[^\w\s]")
_LARGEST = 1e15
"""Above it the library's floating-point numbers are no longer exact."""
_ARTICLES = frozenset(
    "a an ein eine einen einem einer eines eins un une uno una um uma een één one unas unos uns umas unos l".split()
)
_DOUBTFUL = frozenset(["neuf", "o", "oh"])
"""Words that are something else ("un immeuble neuf") but before a plural."""
_PARTS = {
    word: number
    for number, words in {
        2: "halbe demis medios mezzi meios halve",
        3: "drittel tiers tercios tercio terzi terzo terços terço derde derden",
        4: "viertel quarts quart cuartos cuarto quarti quarto quartos kwart vierde vierden",
        5: "fünftel cinquièmes cinquième quintos quinto quinti vijfde vijfden",
        6: "sechstel sixièmes sixième sextos sexto sesti sesto zesde zesden",
        8: "achtel huitièmes huitième octavos octavo ottavi ottavo oitavos oitavo achtste achtsten",
        10: "zehntel dixièmes dixième décimos décimo decimi decimo tiende tienden",
    }.items()
    for word in words.split()
}


class _Token:
    __slots__ = ("end", "start", "word")

    def __init__(self, m: re.Match[str]) -> None:
        # The library ends the process at a lone surrogate.
        self.start, self.end, self.word = m.start(), m.end(), m.group().encode("utf-8", "replace").decode()

    def text(self) -> str:
        return self.word

    def nt_separated(self, previous: "_Token") -> bool:
        return False

    def not_a_number_part(self) -> bool:
        return False


def number_words(text: str, language: str) -> Iterator[tuple[int, int, Decimal]]:
    """Read cardinal numbers in words, with half-open offsets; an article ("ein Monat") is none. Linear in the text.

    Nothing is read in a language outside `READ_LANGUAGES`.
    """
    if language not in READ_LANGUAGES:
        return
    from text_to_num import find_numbers

    tokens = [_Token(m) for m in _TOKEN.finditer(text)]
    for number in find_numbers(tokens, language, 0):
        first, last = tokens[number.start], tokens[number.end - 1]
        alone = first is last and first.word.casefold()
        scale = number.start > 0 and tokens[number.start - 1].word[-1].isdecimal() and text[first.start - 1].isspace()
        if number.is_ordinal or number.value > _LARGEST or scale or (alone in _DOUBTFUL and not _plural(tokens, number.end)):
            continue
        value, end = Decimal(str(number.value)), last.end
        value = value.to_integral_value() if value == value.to_integral_value() else value
        part = _part_after(tokens, number.end)
        if part is not None:
            value, end = value / _PARTS[part.word.casefold()], part.end
        elif alone in _ARTICLES:
            continue
        yield first.start, end, value


def _plural(tokens: list[_Token], i: int) -> bool:
    return i == len(tokens) or tokens[i].word.endswith(("s", "x"))


def _part_after(tokens: list[_Token], i: int) -> _Token | None:
    """Noun of a fraction after a number; a blank apart, so that "due, terzo" is none."""
    after = tokens[i] if i < len(tokens) else None
    close = after is not None and after.start == tokens[i - 1].end + 1
    return after if after is not None and close and after.word.casefold() in _PARTS else None
