"""Counts as lists draw them: digits, letters, Roman numerals, words."""

_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_ONES = (
    *"zero one two three four five six seven eight nine ten".split(),
    *"eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(),
)
_TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINAL = {
    **{"one": "first", "two": "second", "three": "third", "five": "fifth"},
    **{"eight": "eighth", "nine": "ninth", "twelve": "twelfth"},
}
_MOST_LETTERS = 20
"""Times that a letter is repeated; files that count on give what they count."""


def written(count: int, form: str) -> str:
    """Write a count in a form that Word names; forms of other scripts in digits."""
    if form == "none":
        return ""
    if form == "decimalZero":
        return f"{count:02}"
    if count > 0 and form in ("lowerLetter", "upperLetter"):
        letter = chr(ord("a") + (count - 1) % 26) * min(_MOST_LETTERS, (count - 1) // 26 + 1)
        return letter.upper() if form == "upperLetter" else letter
    if form in ("lowerRoman", "upperRoman"):
        return roman(count).upper() if form == "upperRoman" else roman(count)
    if 0 < count < 100 and form in ("cardinalText", "ordinalText"):
        return _in_words(count, ordinal=form == "ordinalText").capitalize()
    if form == "ordinal":
        ending = {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th") if count % 100 not in (11, 12, 13) else "th"
        return f"{count}{ending}"
    return str(count)


def roman(count: int) -> str:
    """Write a number in small Roman numerals, where they have it."""
    if not 0 < count < 4000:
        return str(count)
    numeral = ""
    for value, letters in _ROMAN:
        numeral += letters * (count // value)
        count %= value
    return numeral


def letters(count: int) -> str:
    """Write a number above 0 in small letters: z, aa, ab."""
    name = ""
    while count > 0:
        count, rest = divmod(count - 1, 26)
        name = chr(ord("a") + rest) + name
    return name


def _in_words(count: int, *, ordinal: bool) -> str:
    tens, ones = divmod(count, 10)
    parts = [_ONES[count]] if count < 20 else [_TENS[tens], *([_ONES[ones]] if ones else [])]
    if ordinal:
        last = parts[-1]
        parts[-1] = _ORDINAL.get(last) or (f"{last[:-1]}ieth" if last.endswith("y") else f"{last.removesuffix('t')}th")
    return "-".join(parts)
