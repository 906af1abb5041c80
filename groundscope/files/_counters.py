"""Counts as lists draw them: digits, letters, Roman numerals."""

_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_MOST_LETTERS = 20
"""Times that a letter is repeated; files that count on give what they count."""


def written(count: int, form: str) -> str:
    """Write a count in a form that Word names; words and forms of other scripts in digits."""
    if form == "none":
        return ""
    if form == "decimalZero":
        return f"{count:02}"
    if count > 0 and form in ("lowerLetter", "upperLetter"):
        letter = chr(ord("a") + (count - 1) % 26) * min(_MOST_LETTERS, (count - 1) // 26 + 1)
        return letter.upper() if form == "upperLetter" else letter
    if form in ("lowerRoman", "upperRoman"):
        return roman(count).upper() if form == "upperRoman" else roman(count)
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
