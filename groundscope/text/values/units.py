"""Units of measure: miles, acres, milligrams; amounts of two units are never equal, and none is converted."""

import re

MEASURES = {
    word: unit
    for unit, words in {
        "mile": "mile miles mi", "kilometer": "kilometer kilometers kilometre kilometres km kms",
        "meter": "meter meters metre metres",
        "centimeter": "centimeter centimeters centimetre centimetres cm", "millimeter": "millimeter millimeters millimetre mm",
        "foot": "foot feet ft", "inch": "inch inches", "yard": "yard yards yd yds",
        "acre": "acre acres", "hectare": "hectare hectares ha hektar",
        "gallon": "gallon gallons gal", "liter": "liter liters litre litres", "quart": "quarts", "pint": "pint pints",
        "milliliter": "milliliter milliliters millilitre millilitres ml", "ounce": "ounce ounces oz", "pound": "lb lbs",
        "kilogram": "kilogram kilograms kilo kilos kg", "gram": "gram grams gramm g", "milligram": "milligram milligrams mg",
        "microgram": "microgram micrograms mcg", "ton": "ton tons", "tonne": "tonne tonnes",
        "barrel": "barrel barrels", "bushel": "bushels",
        "kilowatt": "kilowatt kilowatts kw", "megawatt": "megawatt megawatts mw", "mph": "mph", "kph": "kph",
    }.items()
    for word in words.split()
}  # fmt: skip
"""Unit of measure as it is written -> its name; amounts of two are never compared."""
_MEASURE = re.compile(
    rf"[ \n-](?P<power>(?:square|sq\.?|cubic|cu\.?)[ -])?(?P<unit>{'|'.join(sorted(MEASURES, key=len, reverse=True))})(?![\w])"
)


def measure_after(low: str, end: int) -> str:
    """Unit of measure that stands after a figure ("square foot", "kilometer"); empty where none does."""
    m = _MEASURE.match(low, end)
    if m is None:
        return ""
    power = "" if not m["power"] else "square " if m["power"].startswith("sq") else "cubic "
    return power + MEASURES[m["unit"]]
